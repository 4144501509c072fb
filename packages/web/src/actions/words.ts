import { english } from "../words/en/actions.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("actions", english);
