import { english } from "../words/en/contentDiagrams.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("contentDiagrams", english);
