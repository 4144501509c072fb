// Hooks on the wire: the events, the input of a callback, and its possible answers.

import { PermissionUpdate } from "./permission.ts";
import {
  anything,
  array,
  boolean,
  byTag,
  either,
  literal,
  nullable,
  number,
  object,
  oneOf,
  optional,
  record,
  string,
} from "./schema.ts";
import type { SchemaFields, Infer } from "./schema.ts";

const input = <const E extends string, const F extends SchemaFields>(event: E, fields: F) =>
  object({
    hook_event_name: literal(event),
    session_id: string,
    transcript_path: string,
    cwd: string,
    prompt_id: optional(string),
    permission_mode: optional(string),
    agent_id: optional(string),
    agent_type: optional(string),
    ...fields,
  });
const tool = { tool_name: string, tool_input: anything };
const stop = { stop_hook_active: boolean, last_assistant_message: optional(string) };
const task = { task_id: string, task_subject: string, task_description: optional(string) };
const modelSwitch = {
  from_model: string,
  to_model: string,
  requested_model: nullable(string),
  source: string,
  context_tokens: number,
};
const elicitation = { mcp_server_name: string, mode: optional(string), elicitation_id: optional(string) };

export const HOOK_INPUTS = {
  PreToolUse: input("PreToolUse", { ...tool, tool_use_id: string }),
  PostToolUse: input("PostToolUse", {
    ...tool,
    tool_use_id: string,
    tool_response: anything,
    duration_ms: optional(number),
  }),
  PostToolUseFailure: input("PostToolUseFailure", {
    ...tool,
    tool_use_id: string,
    error: string,
    is_interrupt: optional(boolean),
  }),
  PostToolBatch: input("PostToolBatch", { tool_calls: array(record) }),
  PermissionRequest: input("PermissionRequest", { ...tool, permission_suggestions: optional(array(record)) }),
  PermissionDenied: input("PermissionDenied", { ...tool, tool_use_id: string, reason: string }),
  UserPromptSubmit: input("UserPromptSubmit", { prompt: string, source: optional(string) }),
  UserPromptExpansion: input("UserPromptExpansion", {
    expansion_type: string,
    command_name: string,
    command_args: string,
    prompt: string,
  }),
  SessionStart: input("SessionStart", { source: string, model: optional(string) }),
  SessionEnd: input("SessionEnd", { reason: string }),
  Setup: input("Setup", { trigger: string }),
  Stop: input("Stop", stop),
  StopFailure: input("StopFailure", { error: string, error_details: optional(string) }),
  SubagentStart: input("SubagentStart", { agent_id: string, agent_type: string }),
  SubagentStop: input("SubagentStop", { ...stop, agent_id: string, agent_type: optional(string) }),
  PreCompact: input("PreCompact", { trigger: string, custom_instructions: nullable(string) }),
  PostCompact: input("PostCompact", { trigger: string, compact_summary: string }),
  PreModelSwitch: input("PreModelSwitch", modelSwitch),
  PostModelSwitch: input("PostModelSwitch", modelSwitch),
  Notification: input("Notification", {
    message: string,
    title: optional(string),
    notification_type: optional(string),
  }),
  Elicitation: input("Elicitation", { ...elicitation, message: string, requested_schema: optional(record) }),
  ElicitationResult: input("ElicitationResult", { ...elicitation, action: string, content: optional(record) }),
  TaskCreated: input("TaskCreated", task),
  TaskCompleted: input("TaskCompleted", task),
  TeammateIdle: input("TeammateIdle", { teammate_name: string }),
  ConfigChange: input("ConfigChange", { source: string, file_path: optional(string) }),
  InstructionsLoaded: input("InstructionsLoaded", { file_path: string, memory_type: string, load_reason: string }),
  CwdChanged: input("CwdChanged", { old_cwd: string, new_cwd: string }),
  FileChanged: input("FileChanged", { file_path: string, event: string }),
  DirectoryAdded: input("DirectoryAdded", { directory: string, source: string }),
  WorktreeCreate: input("WorktreeCreate", { name: string }),
  WorktreeRemove: input("WorktreeRemove", { worktree_path: string }),
  MessageDisplay: input("MessageDisplay", {
    turn_id: string,
    message_id: string,
    index: number,
    final: boolean,
    delta: string,
  }),
};
export type HookEvent = keyof typeof HOOK_INPUTS;
export const HOOK_EVENTS = Object.keys(HOOK_INPUTS) as HookEvent[];

/** An unknown event is still a hook and must be answered. */
export const HookInput = byTag("hook_event_name", HOOK_INPUTS, object({ hook_event_name: string }));
export type HookInput = Infer<typeof HookInput>;

export const HookMatcher = object({
  matcher: optional(nullable(string)),
  hookCallbackIds: array(string),
  timeout: optional(number),
  onFailure: optional(oneOf("continue", "block")),
});
export type HookMatcher = Infer<typeof HookMatcher>;

const specific = <const E extends string, const F extends SchemaFields>(event: E, fields: F) =>
  object({ hookEventName: literal(event), ...fields });
const context = { additionalContext: optional(string) };
const toolDecision = {
  permissionDecision: optional(oneOf("allow", "deny", "ask", "defer")),
  permissionDecisionReason: optional(string),
};

export const HookSpecificOutput = byTag(
  "hookEventName",
  {
    PreToolUse: specific("PreToolUse", { ...toolDecision, ...context, updatedInput: optional(record) }),
    PostToolUse: specific("PostToolUse", {
      ...context,
      updatedToolOutput: optional(anything),
      updatedMCPToolOutput: optional(anything),
    }),
    PermissionRequest: specific("PermissionRequest", {
      decision: byTag("behavior", {
        allow: object({
          behavior: literal("allow"),
          updatedInput: optional(record),
          updatedPermissions: optional(array(PermissionUpdate)),
        }),
        deny: object({ behavior: literal("deny"), message: optional(string), interrupt: optional(boolean) }),
      }),
    }),
    PermissionDenied: specific("PermissionDenied", { retry: optional(boolean) }),
    UserPromptSubmit: specific("UserPromptSubmit", {
      ...context,
      sessionTitle: optional(string),
      suppressOriginalPrompt: optional(boolean),
    }),
    SessionStart: specific("SessionStart", {
      ...context,
      initialUserMessage: optional(string),
      sessionTitle: optional(string),
      watchPaths: optional(array(string)),
    }),
    PreModelSwitch: specific("PreModelSwitch", toolDecision),
    WorktreeCreate: specific("WorktreeCreate", { worktreePath: string }),
    MessageDisplay: specific("MessageDisplay", { displayContent: optional(string) }),
    Elicitation: specific("Elicitation", { action: optional(string), content: optional(record) }),
    ElicitationResult: specific("ElicitationResult", { action: optional(string), content: optional(record) }),
    CwdChanged: specific("CwdChanged", { watchPaths: optional(array(string)) }),
    FileChanged: specific("FileChanged", { watchPaths: optional(array(string)) }),
  },
  object({ hookEventName: string, ...context }),
);

/** `{}` changes nothing. */
export const HookOutput = either(
  object({ async: literal(true), asyncTimeout: optional(number) }),
  object({
    continue: optional(boolean),
    suppressOutput: optional(boolean),
    stopReason: optional(string),
    decision: optional(oneOf("approve", "block")),
    reason: optional(string),
    systemMessage: optional(string),
    hookSpecificOutput: optional(HookSpecificOutput),
  }),
);
export type HookOutput = Infer<typeof HookOutput>;
