// Permission on the wire: modes, updates, results. What they mean is decided elsewhere.

import { array, boolean, byTag, either, literal, object, oneOf, optional, record, string } from "./schema.ts";
import type { Infer } from "./schema.ts";

/** `manual` is another word for `default`; `delegate` is known to older CLIs alone. */
export const PERMISSION_MODES = [
  "default",
  "acceptEdits",
  "bypassPermissions",
  "plan",
  "dontAsk",
  "auto",
  "manual",
  "delegate",
] as const;
export const PermissionMode = oneOf(...PERMISSION_MODES);
export type PermissionMode = Infer<typeof PermissionMode>;

export const PermissionDestination = oneOf("session", "localSettings", "projectSettings", "userSettings", "cliArg");
export type PermissionDestination = Infer<typeof PermissionDestination>;
export const PermissionBehavior = oneOf("allow", "deny", "ask");

export const PermissionRule = object({ toolName: string, ruleContent: optional(string) });
export type PermissionRule = Infer<typeof PermissionRule>;

const rules = <const T extends string>(type: T) =>
  object({
    type: literal(type),
    rules: array(PermissionRule),
    behavior: PermissionBehavior,
    destination: PermissionDestination,
  });
const directories = <const T extends string>(type: T) =>
  object({ type: literal(type), directories: array(string), destination: PermissionDestination });

export const PermissionUpdate = byTag("type", {
  addRules: rules("addRules"),
  replaceRules: rules("replaceRules"),
  removeRules: rules("removeRules"),
  setMode: object({ type: literal("setMode"), mode: PermissionMode, destination: PermissionDestination }),
  addDirectories: directories("addDirectories"),
  removeDirectories: directories("removeDirectories"),
});
export type PermissionUpdate = Infer<typeof PermissionUpdate>;

/** Suggestions of a newer CLI may have forms that we do not know; they are offered to nobody, and kept. */
export const PermissionSuggestion = either(PermissionUpdate, object({ type: string }));
export type PermissionSuggestion = Infer<typeof PermissionSuggestion>;

export const PermissionAllow = object({
  behavior: literal("allow"),
  updatedInput: optional(record),
  updatedPermissions: optional(array(PermissionUpdate)),
  toolUseID: optional(string),
  decisionClassification: optional(oneOf("user_temporary", "user_permanent", "user_reject")),
});
export const PermissionDeny = object({
  behavior: literal("deny"),
  message: string,
  interrupt: optional(boolean),
  toolUseID: optional(string),
  decisionClassification: optional(oneOf("user_temporary", "user_permanent", "user_reject")),
});
export const PermissionResult = byTag("behavior", { allow: PermissionAllow, deny: PermissionDeny });
export type PermissionResult = Infer<typeof PermissionResult>;

export const PermissionDenial = object({ tool_name: string, tool_use_id: string, tool_input: record });
export type PermissionDenial = Infer<typeof PermissionDenial>;
