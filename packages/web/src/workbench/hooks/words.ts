import { english } from "../../words/en/workbench-hooks.ts";
import { inLanguage } from "../../words/language.ts";

export const WORDS = inLanguage("workbenchHooks", english);
