import { english } from "../words/en/sessions-start.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("sessionsStart", english);
