import { english } from "../words/en/composer-extras.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("composerExtras", english);
