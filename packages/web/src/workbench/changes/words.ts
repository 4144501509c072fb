import { english } from "../../words/en/workbench-changes.ts";
import { inLanguage } from "../../words/language.ts";

export const WORDS = inLanguage("workbenchChanges", english);
