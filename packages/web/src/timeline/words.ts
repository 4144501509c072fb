import { english } from "../words/en/timeline.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("timeline", english);
