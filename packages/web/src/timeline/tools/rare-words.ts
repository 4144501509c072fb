import { english } from "../../words/en/timelineRareTools.ts";
import { inLanguage } from "../../words/language.ts";

export const WORDS = inLanguage("timelineRareTools", english);
