import { english } from "../words/en/composerExtras.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("composerExtras", english);
