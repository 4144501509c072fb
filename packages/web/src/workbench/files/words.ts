import { english } from "../../words/en/workbench-files.ts";
import { inLanguage } from "../../words/language.ts";

export const WORDS = inLanguage("workbenchFiles", english);
