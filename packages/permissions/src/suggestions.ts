// What a person can be offered for a call: once, this session, always.

import type { Context } from "./context.ts";
import { notBuilt } from "./not-built.ts";
import type { CheckOptions, Suggestion, ToolCall } from "./types.ts";

/** Always has "once". The others are there only if a rule would allow the same call next time. */
export const suggestionsFor = (_context: Context, _call: ToolCall, _options?: CheckOptions): readonly Suggestion[] =>
  notBuilt("suggestionsFor");
