import { english } from "../words/en/search.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("search", english);
