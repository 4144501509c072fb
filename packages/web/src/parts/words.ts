import { english } from "../words/en/parts.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("parts", english);
