import { english } from "../words/en/composer.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("composer", english);
