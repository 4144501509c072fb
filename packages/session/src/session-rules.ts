// What was allowed for this session only. The CLI forgets it when its process ends. The log has every update, so a host can
// give them to the next process.

import { ruleText } from "@quarterdeck/permissions/words";
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
  switch (update.type) {
    case "addRules":
      return change(rules, update, (before, texts) => union(before, texts));
    case "replaceRules":
      return change(rules, update, (_before, texts) => union([], texts));
    case "removeRules":
      return change(rules, update, (before, texts) => without(before, texts));
    case "addDirectories":
      return { ...rules, directories: union(rules.directories, update.directories) };
    case "removeDirectories":
      return { ...rules, directories: without(rules.directories, update.directories) };
    // The mode is a separate field, and the CLI reports each change.
    case "setMode":
      return rules;
  }
};

const change = (
  rules: SessionRules,
  { behavior, rules: changed }: Extract<PermissionUpdate, { rules: unknown }>,
  how: (before: readonly string[], texts: readonly string[]) => readonly string[],
): SessionRules =>
  isBehavior(behavior) ? { ...rules, [behavior]: how(rules[behavior], changed.map(ruleText)) } : rules;

/** A newer CLI may have more. */
const isBehavior = (behavior: string): behavior is "allow" | "deny" | "ask" =>
  behavior === "allow" || behavior === "deny" || behavior === "ask";

const union = (before: readonly string[], more: readonly string[]): string[] => [...new Set([...before, ...more])];
const without = (before: readonly string[], less: readonly string[]): string[] =>
  before.filter((each) => !less.includes(each));
