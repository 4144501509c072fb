import { english } from "../words/en/contentMarks.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("contentMarks", english);
