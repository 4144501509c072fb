import { english } from "../words/en/app.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("app", english);
