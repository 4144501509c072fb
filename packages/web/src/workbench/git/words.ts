import { english } from "../../words/en/workbench-git.ts";
import { inLanguage } from "../../words/language.ts";

export const WORDS = inLanguage("workbenchGit", english);
