import { english } from "../words/en/sessions-rail.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("sessionsRail", english);
