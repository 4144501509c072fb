import { english } from "../words/en/workbench.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("workbench", english);
