import { english } from "../words/en/sessions.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("sessions", english);
