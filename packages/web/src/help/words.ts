import { english } from "../words/en/help.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("help", english);
