import { english } from "../../words/en/timelineTools.ts";
import { inLanguage } from "../../words/language.ts";

export const WORDS = inLanguage("timelineTools", english);
