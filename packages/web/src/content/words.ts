import { english } from "../words/en/content.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("content", english);
