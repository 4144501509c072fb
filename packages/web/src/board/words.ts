import { english } from "../words/en/board.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("board", english);
