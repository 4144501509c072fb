import { english } from "../../words/en/workbench-wire.ts";
import { inLanguage } from "../../words/language.ts";

export const WORDS = inLanguage("workbenchWire", english);
