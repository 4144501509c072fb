import { english } from "../words/en/content-diagrams.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("contentDiagrams", english);
