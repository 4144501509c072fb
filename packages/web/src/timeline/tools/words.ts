import { english } from "../../words/en/timeline-tools.ts";
import { inLanguage } from "../../words/language.ts";

export const WORDS = inLanguage("timelineTools", english);
