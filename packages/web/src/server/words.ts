import { english } from "../words/en/server.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("server", english);
