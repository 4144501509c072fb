import { english } from "../../words/en/workbench-background.ts";
import { inLanguage } from "../../words/language.ts";

export const WORDS = inLanguage("workbenchBackground", english);
