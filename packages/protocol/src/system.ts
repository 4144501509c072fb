// Messages of type `system`, one entry a subtype. The envelope adds `type`, `subtype`, `uuid` and `session_id`.

import { PermissionMode } from "./permission.ts";
import {
  anything,
  array,
  boolean,
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
import type { Fields, Flat, Infer, ObjectSchema } from "./schema.ts";

const system = <const S extends string, const F extends Fields>(subtype: S, fields: F) =>
  object({
    type: literal("system"),
    subtype: literal(subtype),
    uuid: optional(string),
    session_id: optional(string),
    ...fields,
  });

const TaskUsage = object({ total_tokens: number, tool_uses: number, duration_ms: number });
const Hook = { hook_id: string, hook_name: string, hook_event: string };
const refusal = {
  original_model: string,
  request_id: nullable(string),
  api_refusal_category: optional(nullable(string)),
  api_refusal_explanation: optional(nullable(string)),
  refused_user_message_uuid: optional(nullable(string)),
  content: string,
};
const compaction = object({
  trigger: oneOf("manual", "auto"),
  pre_tokens: number,
  post_tokens: optional(number),
  duration_ms: optional(number),
});

export const SlashCommand = object({
  name: string,
  description: optional(string),
  argumentHint: optional(either(string, array(string))),
});

export const SYSTEM = {
  init: object({
    type: literal("system"),
    subtype: literal("init"),
    uuid: optional(string),
    session_id: string,
    tools: array(string),
    model: string,
    cwd: optional(string),
    mcp_servers: optional(array(either(string, object({ name: string, status: string, source: optional(string) })))),
    permissionMode: optional(PermissionMode),
    slash_commands: optional(array(string)),
    terminal_slash_commands: optional(array(string)),
    apiKeySource: optional(string),
    claude_code_version: optional(string),
    output_style: optional(string),
    agents: optional(array(string)),
    skills: optional(array(string)),
    plugins: optional(
      array(object({ name: string, path: string, source: optional(string), version: optional(string) })),
    ),
    plugin_errors: optional(array(record)),
    capabilities: optional(array(string)),
    original_cwd: optional(string),
    additional_directories: optional(array(string)),
    memory_paths: optional(record),
    fast_mode_state: optional(string),
    fast_mode_disabled_reason: optional(string),
    effort: optional(nullable(string)),
    view_mode: optional(string),
    betas: optional(array(string)),
    user_message_uuids: optional(array(string)),
  }),
  status: system("status", {
    status: nullable(oneOf("requesting", "compacting")),
    permissionMode: optional(PermissionMode),
    compact_result: optional(oneOf("success", "failed")),
    compact_error: optional(string),
    user_message_uuids: optional(array(string)),
  }),
  thinking_tokens: system("thinking_tokens", {
    estimated_tokens: number,
    estimated_tokens_delta: number,
    user_message_uuid: optional(string),
  }),
  api_retry: system("api_retry", {
    attempt: number,
    max_retries: number,
    retry_delay_ms: number,
    error_status: nullable(number),
    error: string,
  }),
  permission_denied: system("permission_denied", {
    tool_name: string,
    tool_use_id: string,
    message: string,
    agent_id: optional(string),
    decision_reason: optional(string),
    decision_reason_type: optional(string),
    decision_reason_code: optional(string),
  }),
  task_started: system("task_started", {
    task_id: string,
    description: string,
    run_id: optional(string),
    tool_use_id: optional(string),
    task_type: optional(oneOf("local_agent", "local_bash")),
    is_backgrounded: optional(boolean),
    subagent_type: optional(string),
    spawn_depth: optional(number),
    parent_task_id: optional(string),
    workflow_name: optional(string),
    prompt: optional(string),
    skip_transcript: optional(boolean),
    ambient: optional(boolean),
  }),
  task_progress: system("task_progress", {
    task_id: string,
    description: string,
    usage: TaskUsage,
    run_id: optional(string),
    tool_use_id: optional(string),
    subagent_type: optional(string),
    last_tool_name: optional(string),
    summary: optional(string),
  }),
  task_updated: system("task_updated", {
    task_id: string,
    patch: object({
      status: optional(oneOf("pending", "running", "completed", "failed", "killed", "paused")),
      description: optional(string),
      end_time: optional(number),
      total_paused_ms: optional(number),
      error: optional(string),
      is_backgrounded: optional(boolean),
    }),
    run_id: optional(string),
  }),
  task_notification: system("task_notification", {
    task_id: string,
    status: oneOf("completed", "failed", "stopped"),
    summary: string,
    output_file: optional(string),
    run_id: optional(string),
    tool_use_id: optional(string),
    reason: optional(string),
    usage: optional(TaskUsage),
    ambient: optional(boolean),
  }),
  background_tasks_changed: system("background_tasks_changed", {
    tasks: array(
      object({
        task_id: string,
        task_type: string,
        description: string,
        run_id: optional(string),
        subagent_type: optional(string),
        parent_task_id: optional(string),
        ambient: optional(boolean),
      }),
    ),
  }),
  hook_started: system("hook_started", Hook),
  hook_progress: system("hook_progress", { ...Hook, stdout: string, stderr: string, output: string }),
  hook_response: system("hook_response", {
    ...Hook,
    output: string,
    stdout: string,
    stderr: string,
    exit_code: optional(number),
    outcome: optional(oneOf("success", "error", "cancelled")),
  }),
  informational: system("informational", {
    content: string,
    level: optional(oneOf("info", "notice", "suggestion", "warning")),
    tool_use_id: optional(string),
    prevent_continuation: optional(boolean),
    prompt_submit_outcome: optional(record),
    tag: optional(string),
    isMeta: optional(boolean),
  }),
  notification: system("notification", {
    key: string,
    text: string,
    priority: oneOf("low", "medium", "high", "immediate"),
    color: optional(string),
    timeout_ms: optional(number),
  }),
  compact_boundary: system("compact_boundary", {
    compact_metadata: optional(compaction),
    logical_parent_uuid: optional(nullable(string)),
  }),
  session_state_changed: system("session_state_changed", { state: oneOf("idle", "running", "requires_action") }),
  session_title_changed: system("session_title_changed", { title: string }),
  control_request_progress: system("control_request_progress", {
    request_id: string,
    status: oneOf("started", "api_retry"),
    attempt: optional(number),
    max_retries: optional(number),
    retry_delay_ms: optional(number),
    error_status: optional(nullable(number)),
  }),
  model_refusal_no_fallback: system("model_refusal_no_fallback", refusal),
  model_refusal_fallback: system("model_refusal_fallback", {
    ...refusal,
    fallback_model: string,
    direction: oneOf("retry", "revert", "sticky"),
    trigger: optional(string),
    scope: optional(oneOf("session", "local")),
    retracted_message_uuids: optional(array(string)),
  }),
  model_fallback: system("model_fallback", { content: optional(string) }),
  local_command_output: system("local_command_output", { content: string }),
  commands_changed: system("commands_changed", { commands: array(SlashCommand) }),
  files_persisted: system("files_persisted", {
    files: array(object({ filename: string, file_id: string })),
    failed: array(object({ filename: string, error: string })),
    processed_at: optional(string),
  }),
  memory_recall: system("memory_recall", {
    mode: oneOf("select", "synthesize"),
    memories: array(object({ path: string, scope: string, content: optional(string) })),
  }),
  mirror_error: system("mirror_error", { error: string, key: record }),
  plugin_install: system("plugin_install", {
    status: oneOf("started", "installed", "failed", "completed"),
    name: optional(string),
    error: optional(string),
  }),
  elicitation_complete: system("elicitation_complete", { mcp_server_name: string, elicitation_id: string }),
  session_writes_lost: system("session_writes_lost", {
    error_code: oneOf("ENOSPC", "EDQUOT"),
    lost: array(string),
    transcript_session_ids: optional(array(string)),
  }),
  worker_shutting_down: system("worker_shutting_down", { reason: string }),

  // Named by the CLI's own schema, not by the published typings: the shape is read where it is there.
  post_turn_summary: system("post_turn_summary", { summary: optional(anything) }),
  task_summary: system("task_summary", { summary: optional(anything) }),
  session_metadata: system("session_metadata", {}),
  turn_preempted: system("turn_preempted", {}),
  permission_check_status: system("permission_check_status", {
    tool_use_id: string,
    status: optional(oneOf("checking", "done")),
  }),
  vcs_state_changed: system("vcs_state_changed", {
    kind: oneOf("commit", "push", "merge", "rebase"),
    cwd: optional(string),
    branch: optional(string),
  }),
  code_change_published: system("code_change_published", {
    provider: string,
    url: string,
    repo: optional(string),
    identifier: optional(anything),
    action: optional(string),
  }),
  peer_message_hold: system("peer_message_hold", {}),
  per_turn_effort_changed: system("per_turn_effort_changed", {}),
  feedback_draft_queued: system("feedback_draft_queued", {}),
  instruction_size_warning: system("instruction_size_warning", {}),
  file_attachments_missing: system("file_attachments_missing", {}),
  dev_intent: system("dev_intent", {}),

  // Named by seed 004 (strings of 2.1.37); no measured CLI writes them to stdout.
  api_error: system("api_error", {
    error: optional(anything),
    retryAttempt: optional(number),
    maxRetries: optional(number),
    retryInMs: optional(number),
  }),
  stop_hook_summary: system("stop_hook_summary", {
    hookCount: optional(number),
    hookErrors: optional(array(anything)),
  }),
  turn_duration: system("turn_duration", { durationMs: optional(number), duration_ms: optional(number) }),
  microcompact_boundary: system("microcompact_boundary", {
    microcompactMetadata: optional(record),
    microcompact_metadata: optional(record),
  }),
  local_command: system("local_command", { content: optional(string) }),
} satisfies Record<string, ObjectSchema<unknown>>;

export type SystemSubtype = keyof typeof SYSTEM;
/** `SystemMessage` is all of them, `SystemMessage<"init">` is one. */
export type SystemMessage<S extends SystemSubtype = SystemSubtype> = {
  [K in S]: Flat<Infer<(typeof SYSTEM)[K]>>;
}[S];
