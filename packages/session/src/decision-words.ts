// Who or what decided about a call, in words. The page, the terminal and exports say the same.

import { MODES, modeOf, SCOPES } from "@quarterdeck/permissions/words";
import type { DecidingRule } from "./event.ts";
import type { ToolDecision } from "./row.ts";

/** Our default deny messages. The CLI requires one, and the page hides them. They are for the model, so they stay English. */
export const NO_REASON = "The user does not want this to be done.";
export const NO_ANSWER = "The user did not want to answer.";
export const NO_CHANGES = "The user wants to keep planning.";

/** "allowed by your policy: Tests without asking". `who` names the device of a person. */
export const decisionWords = (decision: ToolDecision, who?: string): string => {
  const { behavior, decider, policy, rule, mode, by } = decision;
  const done = behavior === "allow" ? "allowed" : "denied";
  switch (decider) {
    case "policy":
      return `${done} by your policy: ${policy?.name ?? "unknown"}`;
    case "rule":
      return rule === undefined ? `${done} by a rule` : `${done} by the rule ${rule.text}`;
    case "mode":
      return mode === undefined ? `${done} by the permission mode` : `${done} by the mode ${modeName(mode)}`;
    case "read-only":
      return "only reads, so nobody was asked";
    case "hook":
      return `${done} by a hook`;
    case "classifier":
      return `${done} by auto mode`;
    case "person": {
      const name = who ?? by?.name ?? by?.id;
      return name === undefined ? done : `${done} by ${name}`;
    }
    case undefined:
      break;
  }
  // Somebody answered, or nobody was asked.
  if (decision.at !== undefined || by !== undefined) return by === undefined ? done : `${done} by ${by.name ?? by.id}`;
  return `${done} without asking`;
};

/** The file and line of the rule that decided, for a place with room for it. */
export const placeOfRule = ({ path, line, scope }: DecidingRule): string =>
  path === undefined ? scopeName(scope) : line === undefined ? path : `${path}:${String(line)}`;

const modeName = (mode: string): string => {
  const known = modeOf(mode);
  return known === undefined ? mode : `“${MODES[known].name}”`;
};
const scopeName = (scope: string): string =>
  Object.hasOwn(SCOPES, scope) ? SCOPES[scope as keyof typeof SCOPES].name : scope;
