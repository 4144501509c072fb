import { english } from "../words/en/fleet.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("fleet", english);
