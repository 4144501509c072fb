// The messages that the CLI writes, one entry per type. `system` and `control_request` have their own files. A field is
// required only if every dialect sends it and its meaning needs it. Older forms (S0 to S3) have no `uuid` and few ids.

import { ApiMessage, Content, ModelUsage, StreamEvent, Usage } from "./content.ts";
import type { CliRequest, HostRequest } from "./control.ts";
import { PermissionDenial } from "./permission.ts";
import {
  anything,
  array,
  boolean,
  byTag,
  dictionary,
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
import type { SystemMessage } from "./system.ts";

const message = <const T extends string, const F extends SchemaFields>(type: T, fields: F) =>
  object({ type: literal(type), uuid: optional(string), session_id: optional(string), ...fields });

export const Origin = object({
  kind: oneOf(
    "human",
    "channel",
    "peer",
    "task-notification",
    "coordinator",
    "unclassified",
    "observer",
    "auto-continuation",
    "observer-activity",
  ),
});
export type Origin = Infer<typeof Origin>;

/** The user messages that a message answers. Set in the first reply of a turn and in its result. */
const answers = { user_message_uuid: optional(string), user_message_uuids: optional(array(string)) };
const inSubagent = {
  agent_id: optional(string),
  subagent_type: optional(string),
  task_description: optional(string),
};
const apiError = {
  api_error_status: optional(nullable(number)),
  api_error_type: optional(nullable(string)),
};

export const AssistantMessage = message("assistant", {
  message: ApiMessage,
  parent_tool_use_id: optional(nullable(string)),
  ...answers,
  ...inSubagent,
  ...apiError,
  error: optional(string),
  is_api_error_message: optional(boolean),
  request_id: optional(nullable(string)),
  timestamp: optional(string),
  aborted: optional(boolean),
  supersedes: optional(array(string)),
  resume_reason: optional(string),
  resumed_from_incomplete_thinking: optional(boolean),
  thinking_duration_ms: optional(number),
  tool_use_meta: optional(array(record)),
  context_usage: optional(record),
  usage_report: optional(record),
  local_command_source: optional(string),
  local_command_run: optional(record),
  local_command_outcome: optional(record),
  refused_message_id: optional(string),
});
export type AssistantMessage = Infer<typeof AssistantMessage>;

export const ToolResultMeta = object({
  id: string,
  permission_decision: optional(object({ decision: string, source: optional(string), reason_type: optional(string) })),
  non_execution_kind: optional(string),
});

/** One type for both directions: prompts on stdin, tool results and echoes on stdout. */
export const UserMessage = message("user", {
  message: object({ role: literal("user"), content: Content }),
  parent_tool_use_id: optional(nullable(string)),
  isReplay: optional(boolean),
  isSynthetic: optional(boolean),
  tool_use_result: optional(anything),
  tool_result_meta: optional(array(ToolResultMeta)),
  priority: optional(oneOf("now", "next", "later")),
  origin: optional(Origin),
  shouldQuery: optional(boolean),
  client_composed: optional(boolean),
  pasted_content: optional(array(Content)),
  inline_pastes: optional(array(string)),
  timestamp: optional(string),
  file_attachments: optional(array(anything)),
  ...inSubagent,
});
export type UserMessage = Infer<typeof UserMessage>;

export const StreamEventMessage = message("stream_event", {
  event: StreamEvent,
  parent_tool_use_id: optional(nullable(string)),
  api_message_id: optional(string),
  ttft_ms: optional(number),
  resume_reason: optional(string),
  ...answers,
});
export type StreamEventMessage = Infer<typeof StreamEventMessage>;

const result = <const S extends string, const F extends SchemaFields>(subtype: S, fields: F) =>
  message("result", {
    subtype: literal(subtype),
    is_error: boolean,
    duration_ms: optional(number),
    duration_api_ms: optional(number),
    num_turns: optional(number),
    stop_reason: optional(nullable(string)),
    total_cost_usd: optional(number),
    usage: optional(Usage),
    modelUsage: optional(dictionary(ModelUsage)),
    model_usage_since_last_result: optional(dictionary(ModelUsage)),
    permission_denials: optional(array(PermissionDenial)),
    result_index: optional(number),
    terminal_reason: optional(string),
    queued_turn_count: optional(number),
    ttft_ms: optional(number),
    local_command: optional(string),
    origin: optional(Origin),
    subagent_stats: optional(record),
    safety_stops: optional(number),
    stopped_by_permission_check: optional(boolean),
    fast_mode_state: optional(string),
    fast_mode_disabled_reason: optional(string),
    resume_reason: optional(string),
    credential_expires_at: optional(string),
    ...answers,
    ...apiError,
    ...fields,
  });
const failed = {
  errors: array(string),
  startup_failure_reason: optional(string),
  invalid_config_file: optional(
    object({
      path: string,
      is_global: optional(boolean),
      backup_searched: optional(boolean),
      backup_path: optional(string),
    }),
  ),
};

/** `is_error` says whether a turn failed; the subtype does not. */
export const RESULT = {
  success: result("success", {
    result: string,
    structured_output: optional(anything),
    deferred_tool_use: optional(object({ id: string, name: string, input: optional(record) })),
    warm_spare_claimed: optional(boolean),
  }),
  error_during_execution: result("error_during_execution", failed),
  error_max_turns: result("error_max_turns", failed),
  error_max_budget_usd: result("error_max_budget_usd", failed),
  error_max_structured_output_retries: result("error_max_structured_output_retries", failed),
};
export const ResultMessage = byTag("subtype", RESULT);
export type ResultMessage = Infer<typeof ResultMessage>;

export const ControlResponse = object({
  type: literal("control_response"),
  response: byTag("subtype", {
    success: object({
      subtype: literal("success"),
      request_id: string,
      response: optional(nullable(record)),
      pending_permission_requests: optional(array(record)),
      pending_user_dialog_requests: optional(array(record)),
      pending_elicitation_requests: optional(array(record)),
    }),
    error: object({
      subtype: literal("error"),
      request_id: string,
      error: string,
      error_code: optional(string),
      pending_permission_requests: optional(array(record)),
      pending_user_dialog_requests: optional(array(record)),
      pending_elicitation_requests: optional(array(record)),
    }),
  }),
});
export type ControlResponse = Infer<typeof ControlResponse>;

/** Named by the CLI's own schema and marked internal there. */
const internal = <const T extends string>(type: T) => message(type, {});

export const TOP_LEVEL = {
  assistant: AssistantMessage,
  user: UserMessage,
  stream_event: StreamEventMessage,
  control_response: ControlResponse,
  control_cancel_request: object({ type: literal("control_cancel_request"), request_id: string }),
  keep_alive: message("keep_alive", { startup_mark: optional(anything) }),
  command_lifecycle: message("command_lifecycle", {
    command_uuid: string,
    state: oneOf("queued", "started", "completed", "cancelled", "discarded", "refused"),
    wakeup_source: optional(string),
    scheduled_for: optional(anything),
  }),
  conversation_reset: message("conversation_reset", {
    new_conversation_id: string,
    trigger: optional(oneOf("clear", "plan_mode_exit", "fresh_session", "onboarding")),
    user_message_uuid: optional(string),
    timestamp: optional(string),
  }),
  tool_progress: message("tool_progress", {
    tool_use_id: string,
    tool_name: string,
    parent_tool_use_id: optional(nullable(string)),
    elapsed_time_seconds: number,
    heartbeat: optional(boolean),
    task_id: optional(string),
    subagent_type: optional(string),
    /** Absent when the retries are over. */
    subagent_retry: optional(
      object({
        attempt: number,
        max_retries: number,
        agent_id: optional(string),
        retry_delay_ms: optional(number),
        error_status: optional(nullable(number)),
        error_category: optional(string),
      }),
    ),
  }),
  tool_use_summary: message("tool_use_summary", { summary: string, preceding_tool_use_ids: optional(array(string)) }),
  auth_status: message("auth_status", {
    isAuthenticating: boolean,
    output: optional(array(string)),
    error: optional(string),
  }),
  rate_limit_event: message("rate_limit_event", {
    rate_limit_info: object({
      status: oneOf("allowed", "allowed_warning", "rejected"),
      resetsAt: optional(number),
      rateLimitType: optional(string),
      utilization: optional(number),
      overageStatus: optional(string),
      overageResetsAt: optional(number),
      overageDisabledReason: optional(string),
      isUsingOverage: optional(boolean),
      overageInUse: optional(boolean),
      overageEnabled: optional(boolean),
      surpassedThreshold: optional(number),
      limitScope: optional(oneOf("service", "channel", "group_pool")),
      errorCode: optional(oneOf("credits_required")),
      canUserPurchaseCredits: optional(boolean),
      hasChargeableSavedPaymentMethod: optional(boolean),
    }),
  }),
  prompt_suggestion: message("prompt_suggestion", { suggestion: string }),
  active_goal: message("active_goal", {
    value: nullable(
      object({
        condition: string,
        iterations: optional(number),
        set_at: optional(number),
        tokens_at_start: optional(number),
        last_reason: optional(string),
      }),
    ),
  }),
  transcript_mirror: message("transcript_mirror", { filePath: string, entries: array(anything) }),
  autocompact_state: message("autocompact_state", {
    enabled: boolean,
    effective_window: optional(number),
    threshold: optional(number),
  }),
  streamlined_text: message("streamlined_text", { text: optional(string) }),
  streamlined_tool_use_summary: message("streamlined_tool_use_summary", {
    tool_summary: optional(string),
    summary: optional(string),
  }),
  /** Named by S2: an answer to bad input. Measured CLIs write to stderr and exit. */
  error: message("error", { error: object({ type: optional(string), message: string }) }),
  api_metrics: internal("api_metrics"),
  apply_flag_settings: internal("apply_flag_settings"),
  attachment: internal("attachment"),
  compact_progress: internal("compact_progress"),
  hint_clears: internal("hint_clears"),
  open_message_selector: internal("open_message_selector"),
  os_notification: internal("os_notification"),
  queued_notification: internal("queued_notification"),
  refusal_continuation: internal("refusal_continuation"),
  response_length: internal("response_length"),
  session_notice: internal("session_notice"),
  set_expanded_view: internal("set_expanded_view"),
  set_in_progress_tool_use_ids: internal("set_in_progress_tool_use_ids"),
  stream_mode: internal("stream_mode"),
  tombstone: internal("tombstone"),
};

export type TopLevelType = keyof typeof TOP_LEVEL;

/** A control request in either direction. */
export interface ControlRequest<R = CliRequest | HostRequest> {
  type: "control_request";
  request_id: string;
  request: R;
}

/** Everything that can be decoded from a line, in either direction. */
export type Message = Infer<(typeof TOP_LEVEL)[TopLevelType]> | SystemMessage | ResultMessage | ControlRequest;
export type MessageOf<T extends Message["type"]> = Extract<Message, { type: T }>;
