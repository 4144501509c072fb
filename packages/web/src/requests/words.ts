import { english } from "../words/en/requests.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("requests", english);
