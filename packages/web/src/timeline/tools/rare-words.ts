import { english } from "../../words/en/timeline-rare-tools.ts";
import { inLanguage } from "../../words/language.ts";

export const WORDS = inLanguage("timelineRareTools", english);
