import { english } from "../words/en/content-marks.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("contentMarks", english);
