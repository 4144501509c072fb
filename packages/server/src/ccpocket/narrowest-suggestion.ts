// "Always allow" of an app has no words for a rule, so the app cannot see what it would allow. It gets the narrowest rule that the CLI
// suggests for this call, for this session. Never a rule of our own, never another mode, and never a rule that gives everything away.

import { check, contextOf, riskOf, ruleText } from "@quarterdeck/permissions";
import type { Rule, Update } from "@quarterdeck/permissions";
import { isMcpName } from "@quarterdeck/protocol";
import type { OpenRequest } from "@quarterdeck/session";

type Asked = Extract<OpenRequest["request"], { readonly subtype: "can_use_tool" }>;
type RuleUpdate = Extract<Update, { readonly rules: readonly Rule[] }>;

export type Always =
  | { readonly kind: "rule"; readonly update: RuleUpdate }
  /** The CLI suggests no rule for this call. */
  | { readonly kind: "none" }
  /** The CLI suggests only rules that would allow far more than this call. */
  | { readonly kind: "too-wide" };

export const narrowestSuggestion = (asked: Asked, cwd: string): Always => {
  const suggested = (asked.permission_suggestions ?? []).flatMap((update): RuleUpdate[] =>
    update.type === "addRules" && "rules" in update && update.behavior === "allow" && update.rules.length > 0
      ? [{ type: "addRules", rules: update.rules, behavior: "allow", destination: "session" }]
      : [],
  );
  if (suggested.length === 0) return { kind: "none" };
  const narrow = suggested.filter(({ rules }) => rules.every((rule) => riskOf(rule)?.level !== "high"));
  const [narrowest] = narrow.toSorted(
    (a, b) => Number(allows(b, asked, cwd)) - Number(allows(a, asked, cwd)) || widthOf(a) - widthOf(b),
  );
  return narrowest === undefined ? { kind: "too-wide" } : { kind: "rule", update: narrowest };
};

/** Whether the call would run unasked with nothing but these rules. */
const allows = ({ rules }: RuleUpdate, { tool_name: tool, input }: Asked, cwd: string): boolean => {
  const settings = [{ scope: "session", value: { permissions: { allow: rules.map(ruleText) } } } as const];
  return check(contextOf({ cwd, home: "/", mode: "default", settings }), { tool, input }).behavior === "allow";
};

const widthOf = ({ rules }: RuleUpdate): number => Math.max(...rules.map(ruleWidth));

/** 0 is one exact call, or one tool of a server. */
const ruleWidth = ({ toolName, ruleContent }: Rule): number => {
  if (ruleContent === undefined) return isMcpName(toolName) ? 0 : 4;
  if (!ruleContent.includes("*")) return 0;
  if (ruleContent.includes("**")) return 3;
  const words = ruleContent.replace(/(?::| )\*$/u, "").split(" ").length;
  return words > 1 ? 1 : 2;
};
