import { english } from "../words/en/workbench-tabs.ts";
import { inLanguage } from "../words/language.ts";

export const TAB_WORDS = inLanguage("workbenchTabs", english);
