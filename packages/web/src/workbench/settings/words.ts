import { english } from "../../words/en/workbench-settings.ts";
import { inLanguage } from "../../words/language.ts";

export const WORDS = inLanguage("workbenchSettings", english);
