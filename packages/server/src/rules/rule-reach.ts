// What rules did, and would do, with the latest calls in their folder.

import { applyUpdate, check, contextOf, parseRule, partsOf, riskOf } from "@quarterdeck/permissions";
import type { Behavior, CheckOptions, Context, Rule, Scope, ToolCall, Verdict } from "@quarterdeck/permissions";
import type { ResultOf } from "@quarterdeck/session/bridge";
import type { LatestCall } from "./latest-calls.ts";

type Tested = ResultOf<"rules/test">;

export interface RuleUse {
  readonly matched: number;
  readonly lastAt: number;
}

interface Named {
  readonly scope?: Scope | undefined;
  readonly path?: string | undefined;
  readonly behavior: Behavior;
  readonly rule?: string | undefined;
}

/** Names a rule of a file. The same rule twice in one list is one rule. */
export const ruleKey = ({ scope, path, behavior, rule }: Named): string =>
  JSON.stringify([scope, path, behavior, rule]);

const EXAMPLES = 5;

const isCommand = ({ tool, input }: ToolCall): boolean => tool === "Bash" && typeof input["command"] === "string";

/** The call, part by part if it is a compound command. */
export const partsOfCall = (call: ToolCall): readonly { readonly text: string; readonly call: ToolCall }[] => {
  if (!isCommand(call)) return [];
  const { tool, input } = call;
  const parts = partsOf(input["command"] as string);
  return parts.length < 2
    ? []
    : parts.map((command) => ({ text: command, call: { tool, input: { ...input, command } } }));
};

/** In the mode that asks first, so that rules decide and not the mode. */
const asking = (context: Context): Context => contextOf({ ...context.input, mode: "default" });

/** By `ruleKey`: how many of the calls each rule decided, alone or for a part. */
export const usesOf = (
  context: Context,
  calls: readonly LatestCall[],
  options: CheckOptions,
): ReadonlyMap<string, RuleUse> => {
  const asked = asking(context);
  const uses = new Map<string, RuleUse>();
  for (const call of calls) {
    const parts = partsOfCall(call).map((part) => part.call);
    const keys = (parts.length === 0 ? [call] : parts).flatMap((part) => {
      const { behavior, reason } = check(asked, part, options);
      return reason.rule === undefined ? [] : [ruleKey({ ...reason, behavior })];
    });
    for (const key of new Set(keys)) {
      const { matched, lastAt } = uses.get(key) ?? { matched: 0, lastAt: 0 };
      uses.set(key, { matched: matched + 1, lastAt: Math.max(lastAt, call.at) });
    }
  }
  return uses;
};

/** What each of these allow rules would have done with the calls. */
export const ruleReachOf = (
  context: Context,
  texts: readonly string[],
  calls: readonly LatestCall[],
  options: CheckOptions,
): Tested["rules"] => {
  const asked = asking(context);
  const alone = contextOf({ ...asked.input, settings: [] });
  let before: readonly Verdict[] | undefined;
  return texts.map((text) => {
    const parsed = parseRule(text);
    if (!parsed.ok) return { rule: text, error: parsed.error, matched: 0, newly: 0, examples: [] };
    before ??= calls.map((call) => check(asked, call, options));
    const verdicts = before;
    const isAllowed = ({ behavior, reason }: Verdict): boolean => behavior === "allow" && reason.kind === "rule";
    const [only, added] = [withRule(alone, parsed.rule), withRule(asked, parsed.rule)];
    const matched = calls.filter((call) => isAllowed(check(only, call, options)));
    const newly = calls.filter(
      (call, at) => verdicts[at]!.behavior !== "allow" && check(added, call, options).behavior === "allow",
    );
    const risk = riskOf(parsed.rule);
    return {
      rule: text,
      ...(risk !== undefined && { risk }),
      matched: matched.length,
      newly: newly.length,
      examples: [...new Set(newly.map(({ about }) => about))].slice(0, EXAMPLES),
    };
  });
};

const withRule = (context: Context, rule: Rule): Context =>
  applyUpdate(context, { type: "addRules", rules: [rule], behavior: "allow", destination: "session" });
