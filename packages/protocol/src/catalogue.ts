// Lists every message of the wire with its sources. The compiler keeps the list equal to the types. A test keeps the table in
// docs/protocol.md equal to both.

import { CONTROL } from "./control.ts";
import type { ControlSubtype } from "./control.ts";
import type { Schema } from "./schema.ts";
import { RESULT, TOP_LEVEL } from "./stdout.ts";
import type { TopLevelType } from "./stdout.ts";
import { SYSTEM } from "./system.ts";
import type { SystemSubtype } from "./system.ts";

export type MessageKey = TopLevelType | `system/${SystemSubtype}` | `result/${keyof typeof RESULT}` | ControlKey;
type ControlKey = `control_request/${ControlSubtype}`;

/**
 * S0 to S4: descriptions of older CLIs, listed in docs/protocol.md. `SDK`: the official typings. `schema`: the CLI's own
 * schema, not in the typings. `measured`: observed in 2.1.325. `declared`: named in 2.1.325, but not observed.
 */
export type MessageSource = "S0" | "S1" | "S2" | "S3" | "S4" | "SDK" | "schema" | "measured" | "declared";

const from = (sources: string): readonly MessageSource[] => sources.split(" ") as MessageSource[];
const ALL = from("S0 S1 S2 S3 S4 SDK measured");
const SDK = from("SDK measured");
const DECLARED = from("SDK declared");
const SCHEMA = from("schema");
const SEED_4 = from("S4");

export const SOURCES: Readonly<Record<Exclude<MessageKey, ControlKey>, readonly MessageSource[]>> = {
  assistant: ALL,
  user: ALL,
  stream_event: from("S0 S1 S3 S4 SDK measured"),
  control_response: from("S1 S2 S3 S4 SDK measured"),
  control_cancel_request: from("S1 S4 SDK measured"),
  keep_alive: from("S1 S4 SDK declared"),
  command_lifecycle: from("schema measured"),
  conversation_reset: SDK,
  tool_progress: SDK,
  tool_use_summary: from("S4 SDK measured"),
  auth_status: from("S4 SDK declared"),
  rate_limit_event: DECLARED,
  prompt_suggestion: DECLARED,
  active_goal: DECLARED,
  transcript_mirror: from("schema declared"),
  autocompact_state: SCHEMA,
  streamlined_text: SEED_4,
  streamlined_tool_use_summary: SEED_4,
  error: from("S2"),
  api_metrics: SCHEMA,
  apply_flag_settings: SCHEMA,
  attachment: SCHEMA,
  compact_progress: SCHEMA,
  hint_clears: SCHEMA,
  open_message_selector: SCHEMA,
  os_notification: SCHEMA,
  queued_notification: SCHEMA,
  refusal_continuation: SCHEMA,
  response_length: SCHEMA,
  session_notice: SCHEMA,
  set_expanded_view: SCHEMA,
  set_in_progress_tool_use_ids: SCHEMA,
  stream_mode: SCHEMA,
  tombstone: SCHEMA,
  "system/init": from("S0 S1 S3 S4 SDK measured"),
  "system/status": from("S4 SDK measured"),
  "system/thinking_tokens": SDK,
  "system/api_retry": SDK,
  "system/permission_denied": SDK,
  "system/task_started": SDK,
  "system/task_progress": SDK,
  "system/task_updated": SDK,
  "system/task_notification": from("S4 SDK measured"),
  "system/background_tasks_changed": SDK,
  "system/hook_started": from("S4 SDK measured"),
  "system/hook_progress": from("S4 SDK declared"),
  "system/hook_response": from("S4 SDK measured"),
  "system/informational": from("S4 SDK measured"),
  "system/notification": SDK,
  "system/compact_boundary": from("S1 S4 SDK measured"),
  "system/session_state_changed": SDK,
  "system/session_title_changed": from("schema measured"),
  "system/control_request_progress": SDK,
  "system/model_refusal_no_fallback": SDK,
  "system/model_refusal_fallback": DECLARED,
  "system/model_fallback": from("declared"),
  "system/local_command_output": DECLARED,
  "system/commands_changed": DECLARED,
  "system/files_persisted": DECLARED,
  "system/memory_recall": DECLARED,
  "system/mirror_error": DECLARED,
  "system/plugin_install": DECLARED,
  "system/elicitation_complete": DECLARED,
  "system/session_writes_lost": DECLARED,
  "system/worker_shutting_down": DECLARED,
  "system/post_turn_summary": SCHEMA,
  "system/task_summary": SCHEMA,
  "system/session_metadata": SCHEMA,
  "system/turn_preempted": SCHEMA,
  "system/permission_check_status": SCHEMA,
  "system/vcs_state_changed": SCHEMA,
  "system/code_change_published": SCHEMA,
  "system/peer_message_hold": SCHEMA,
  "system/per_turn_effort_changed": SCHEMA,
  "system/feedback_draft_queued": SCHEMA,
  "system/instruction_size_warning": SCHEMA,
  "system/file_attachments_missing": SCHEMA,
  "system/dev_intent": SCHEMA,
  "system/inherited_asks_settled": SCHEMA,
  "system/cloud_session_delta": SCHEMA,
  "system/turn_handoff_available": SCHEMA,
  "system/ui_invalidate": SCHEMA,
  "system/ui_log": SCHEMA,
  "system/ui_toast": SCHEMA,
  "system/ui_notify": SCHEMA,
  "system/ui_notify_cancel": SCHEMA,
  "system/ui_status": SCHEMA,
  "system/ui_panes": SCHEMA,
  "system/ui_placed": SCHEMA,
  "system/ui_scroll": SCHEMA,
  "system/ui_focus": SCHEMA,
  "system/agents_killed": SCHEMA,
  "system/away_summary": SCHEMA,
  "system/bridge_state": SCHEMA,
  "system/file_snapshot": SCHEMA,
  "system/memory_saved": SCHEMA,
  "system/model_consent_fallback": SCHEMA,
  "system/permission_retry": SCHEMA,
  "system/scheduled_task_fire": SCHEMA,
  "system/thinking": SCHEMA,
  "system/tool_host_result": SCHEMA,
  "system/upgrade_relay_marker": SCHEMA,
  "system/api_error": SEED_4,
  "system/stop_hook_summary": SEED_4,
  "system/turn_duration": SEED_4,
  "system/microcompact_boundary": SEED_4,
  "system/local_command": SEED_4,
  "result/success": ALL,
  "result/error_during_execution": from("S1 S3 S4 SDK measured"),
  "result/error_max_turns": from("S1 S4 SDK measured"),
  "result/error_max_budget_usd": from("S1 S4 SDK measured"),
  "result/error_max_structured_output_retries": from("S1 S4 SDK measured"),
};

const prefixed = (prefix: string, schemas: Readonly<Record<string, Schema<unknown>>>) =>
  Object.entries(schemas).map(([name, schema]) => [`${prefix}${name}`, schema] as const);

/** The shape of each message. For a control request, the shape of its `request`. */
export const SCHEMAS: ReadonlyMap<string, Schema<unknown>> = new Map([
  ...prefixed("", TOP_LEVEL),
  ...prefixed("system/", SYSTEM),
  ...prefixed("result/", RESULT),
  ...Object.entries(CONTROL).map(([name, entry]) => [`control_request/${name}`, entry.request] as const),
]);
export const MESSAGE_KEYS: readonly string[] = [...SCHEMAS.keys()];

/** The name of a decoded message, or of JSON that looks like one. */
export const keyOf = (message: {
  readonly type?: unknown;
  readonly subtype?: unknown;
  readonly request?: unknown;
}): string => {
  const type = String(message.type);
  if (type === "system" || type === "result") return `${type}/${String(message.subtype)}`;
  if (type !== "control_request") return type;
  const request = message.request as { readonly subtype?: unknown } | null | undefined;
  return `control_request/${String(request?.subtype)}`;
};
