// Small tables and texts that every surface shows. Imports nothing but data, so that a page can load it first.

export { asksNobody, MODES, modeOf, MODE_NAMES, READING_TOOLS, WRITING_TOOLS } from "./modes.ts";
export type { ModeFacts } from "./modes.ts";
export { SCOPES, SCOPE_NAMES, WRITABLE_SCOPES } from "./scopes.ts";
export type { FileScope, ScopeFacts, WritableScope } from "./scopes.ts";
export { OWN_SETTINGS } from "./own-settings.ts";
export { parseRule, parseRuleList, partsOfList, ruleText } from "./rule.ts";
export { changedList } from "./updates.ts";
export type { Behavior, Mode, ParsedRule, ParsedRuleList, Rule, RuleError, Scope } from "./types.ts";
