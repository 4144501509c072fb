import { english } from "../words/en/pairing.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("pairing", english);
