import { english } from "../../words/en/workbench-mcp.ts";
import { inLanguage } from "../../words/language.ts";

export const WORDS = inLanguage("workbenchMcp", english);
