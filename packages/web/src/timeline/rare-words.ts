import { english } from "../words/en/timelineRare.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("timelineRare", english);
