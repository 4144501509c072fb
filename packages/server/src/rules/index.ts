// Changes of permission rules, for a command that runs without a server.

export { RuleChanges } from "./rule-changes.ts";
export type { RuleChange } from "./rule-changes.ts";
export type { RulesParts } from "./folder-rules.ts";
