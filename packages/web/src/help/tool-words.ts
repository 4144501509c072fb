// What the CLI's own tools do. The CLI reports only their names.

import { WORDS } from "./words.ts";

export const TOOL_WORDS: Readonly<Record<string, string>> = WORDS.does;
