import { english } from "../words/en/budget.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("budget", english);
