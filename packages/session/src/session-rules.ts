// What was allowed for this session only. The CLI forgets it when its process ends. The log has every update, so a host can
// give them to the next process.

import { changedList, ruleText } from "@quarterdeck/permissions/words";
import { isResponseOf } from "@quarterdeck/protocol";
import type { PermissionUpdate } from "@quarterdeck/protocol";
import type { Folding } from "./folding.ts";
import { NO_RULES } from "./head.ts";
import type { SessionRules } from "./head.ts";

/** The updates of an answer that end with the process. The CLI stores updates of settings files itself. */
export const foldSessionRules = (folding: Folding, answer: unknown): void => {
  if (!isResponseOf("can_use_tool", answer) || answer.behavior !== "allow") return;
  const updates = (answer.updatedPermissions ?? []).filter(({ destination }) => destination === "session");
  if (updates.length === 0) return;
  const { timeline } = folding;
  timeline.setHead({ rules: updates.reduce(withUpdate, timeline.head.rules) });
};

export const forgetSessionRules = (folding: Folding): void => {
  const { rules } = folding.timeline.head;
  if (Object.values(rules).some((list) => list.length > 0)) folding.timeline.setHead({ rules: NO_RULES });
};

const withUpdate = (rules: SessionRules, update: PermissionUpdate): SessionRules => {
  // The mode is a separate field, and the CLI reports each change.
  if (update.type === "setMode") return rules;
  if ("directories" in update)
    return { ...rules, directories: changedList(update.type, rules.directories, update.directories) };
  const { type, behavior } = update;
  if (!isBehavior(behavior)) return rules;
  return { ...rules, [behavior]: changedList(type, rules[behavior], update.rules.map(ruleText)) };
};

/** A newer CLI may have more. */
const isBehavior = (behavior: string): behavior is "allow" | "deny" | "ask" =>
  behavior === "allow" || behavior === "deny" || behavior === "ask";
