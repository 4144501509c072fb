import { english } from "../words/en/notify.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("notify", english);
