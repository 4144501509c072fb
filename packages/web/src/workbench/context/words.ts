import { english } from "../../words/en/workbench-context.ts";
import { inLanguage } from "../../words/language.ts";

export const WORDS = inLanguage("workbenchContext", english);
