// What one part of the check found. `pass` means that this part has nothing to say.

import type { PlacedRule, ReasonKind } from "./types.ts";

export interface Finding {
  readonly behavior: "allow" | "ask" | "deny" | "pass";
  readonly kind: ReasonKind;
  /** One plain sentence, without the rule. */
  readonly words: string;
  readonly rule?: PlacedRule | undefined;
  /** The part of a compound command, or the path, that decided. */
  readonly part?: string | undefined;
  /** An allow of the whole tool, or bypass, does not lift it. */
  readonly isSafety?: boolean | undefined;
  /** It holds in bypass mode too. */
  readonly holdsInBypass?: boolean | undefined;
  /** An allow rule for the command lifts it. */
  readonly isLiftable?: boolean | undefined;
}

export const passed: Finding = { behavior: "pass", kind: "default", words: "Nothing allowed it." };
export const byRule = (
  behavior: "allow" | "ask" | "deny",
  rule: PlacedRule,
  words: string,
  part?: string,
): Finding => ({
  behavior,
  kind: "rule",
  words,
  rule,
  ...(part !== undefined && { part }),
});
