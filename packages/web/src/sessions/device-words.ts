import { english } from "../words/en/sessions-devices.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("sessionsDevices", english);
