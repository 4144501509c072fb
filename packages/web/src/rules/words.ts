import { english } from "../words/en/rules.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("rules", english);
