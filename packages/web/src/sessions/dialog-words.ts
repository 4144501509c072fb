import { english } from "../words/en/sessions-dialogs.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("sessionsDialogs", english);
