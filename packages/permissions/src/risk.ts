// How much an allow rule gives away.

import { notBuilt } from "./not-built.ts";
import type { Risk, Rule } from "./types.ts";

/** Undefined where nothing is remarkable. */
export const riskOf = (_rule: Rule): Risk | undefined => notBuilt("riskOf");
