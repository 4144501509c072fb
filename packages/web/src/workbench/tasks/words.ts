import { english } from "../../words/en/workbench-tasks.ts";
import { inLanguage } from "../../words/language.ts";

export const WORDS = inLanguage("workbenchTasks", english);
