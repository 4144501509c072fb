// Permissions on the wire: modes, updates, results. Other packages interpret them.

import { array, boolean, byTag, either, literal, object, oneOf, optional, record, string } from "./schema.ts";
import type { Infer } from "./schema.ts";

/** `manual` is another name for `default`. Only older CLIs know `delegate`. */
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

/** A newer CLI may suggest unknown forms. They are kept, but not offered. */
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
