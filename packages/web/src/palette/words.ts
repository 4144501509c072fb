import { english } from "../words/en/palette.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("palette", english);
