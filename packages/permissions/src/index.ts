// Permissions of the CLI as pure functions: rules, scopes, modes, and what a call will meet.

export { applyUpdate, applyUpdateToSettings, contextOf, contextOfStart } from "./context.ts";
export type { Context } from "./context.ts";
export { check } from "./check.ts";
export { MODES, MODE_NAMES, modeOf } from "./modes.ts";
export type { ModeFacts } from "./modes.ts";
export { partsOf } from "./parts.ts";
export { followingLinks } from "./paths.ts";
export type { LinkReader, Realpath } from "./paths.ts";
export { problemsOf } from "./problems.ts";
export { programsOf } from "./programs.ts";
export { riskOf } from "./risk.ts";
export { parseRule, parseRuleList, ruleText } from "./rule.ts";
export { SCOPES, SCOPE_NAMES, WRITABLE_SCOPES } from "./scopes.ts";
export type { FileScope, ScopeFacts, WritableScope } from "./scopes.ts";
export { rulesOfSettings, settingsWith } from "./settings-text.ts";
export type { ChangedSettings, SettingsChange, SettingsRule, SettingsRules } from "./settings-text.ts";
export { suggestionsFor } from "./suggestions.ts";
export type * from "./types.ts";
export { factsOf, NEWEST_MEASURED } from "./versions.ts";
