import { english } from "../words/en/timeline-rare.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("timelineRare", english);
