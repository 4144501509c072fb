import { english } from "../../words/en/workbench-rewind.ts";
import { inLanguage } from "../../words/language.ts";

export const REWIND_WORDS = inLanguage("workbenchRewind", english);
