import { english } from "../../words/en/workbench-cost.ts";
import { inLanguage } from "../../words/language.ts";

export const WORDS = inLanguage("workbenchCost", english);
