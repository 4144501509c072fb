import { english } from "../words/en/replay.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("replay", english);
