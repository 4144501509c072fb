// Predicts what the CLI will do with a call, and says why.

import type { Context } from "./context.ts";
import { notBuilt } from "./not-built.ts";
import type { CheckOptions, ToolCall, Verdict } from "./types.ts";

export const check = (_context: Context, _call: ToolCall, _options?: CheckOptions): Verdict => notBuilt("check");
