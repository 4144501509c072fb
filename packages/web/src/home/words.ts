import { english } from "../words/en/home.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("home", english);
