// One example of each message, and what the fold makes of it. A message without an example does not compile.

import { decodeValue, MESSAGE_KEYS } from "@quarterdeck/protocol";
import { describe, expect, it } from "vitest";
import type { Fact } from "./event.ts";
import { createFold, FATES } from "./fold.ts";
import type { Fold } from "./fold.ts";
import type { Head } from "./head.ts";

type Key = Exclude<keyof typeof FATES, "control_request">;
interface Example {
  /** The message without its type and subtype. */
  readonly message?: object;
  /** What the host sent before. */
  readonly sent?: object;
  /** What was received before. */
  readonly after?: readonly object[];
  /** What is received next. */
  readonly then?: readonly object[];
  /** What the newest changed row has. */
  readonly row?: object;
  /** What the head has. */
  readonly head?: { readonly [K in keyof Head]?: unknown };
}

const SILENT: Example = {};
const usage = { total_tokens: 5, tool_uses: 1, duration_ms: 9 };
const init = { type: "system", subtype: "init", session_id: "s1", tools: ["Bash"], model: "m1" };
const call = {
  type: "assistant",
  message: { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "Bash", input: { command: "ls" } }] },
};
const asked = {
  type: "control_request",
  request_id: "r1",
  request: { subtype: "can_use_tool", tool_name: "Bash", input: { command: "ls" }, tool_use_id: "t1" },
};
const started = { type: "system", subtype: "task_started", task_id: "b1", description: "Watch the tide" };
const hook = { hook_id: "h1", hook_name: "check", hook_event: "PreToolUse" };
const hookStarted = { type: "system", subtype: "hook_started", ...hook };
const refusal = { original_model: "m1", request_id: null, content: "I cannot do this." };
const failure = { is_error: true, errors: ["It broke."], total_cost_usd: 0.5 };

const EXAMPLES: { readonly [K in Key]: Example } = {
  assistant: {
    message: { message: { role: "assistant", content: [{ type: "text", text: "Land." }] } },
    row: { kind: "text", text: "Land." },
  },
  user: {
    after: [call],
    message: {
      message: {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "t1", content: "a.txt", is_error: false }],
      },
    },
    row: { kind: "tool", state: "done", result: { ok: true } },
  },
  stream_event: {
    after: [init],
    message: { event: { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } } },
    head: { phase: "streaming" },
  },
  control_response: {
    sent: { type: "control_request", request_id: "q1", request: { subtype: "initialize" } },
    message: { response: { subtype: "success", request_id: "q1", response: { commands: [{ name: "sail" }] } } },
    head: { phase: "ready", commands: [{ name: "sail" }] },
  },
  control_cancel_request: {
    after: [asked],
    message: { request_id: "r1" },
    head: { requests: [], closedRequests: [{ id: "r1", fate: "cancelled" }] },
  },
  keep_alive: SILENT,
  command_lifecycle: {
    sent: { type: "user", uuid: "p1", message: { role: "user", content: "Sail" } },
    message: { command_uuid: "p1", state: "started" },
    row: { kind: "prompt", state: "started" },
  },
  conversation_reset: {
    message: { new_conversation_id: "n1", trigger: "clear" },
    row: { kind: "mark", what: "cleared", text: "clear" },
  },
  tool_progress: {
    after: [call],
    message: { tool_use_id: "t1", tool_name: "Bash", elapsed_time_seconds: 7 },
    row: { kind: "tool", elapsedSeconds: 7 },
  },
  tool_use_summary: { message: { summary: "Read two files" }, row: { kind: "notice", text: "Read two files" } },
  auth_status: { message: { isAuthenticating: true }, head: { about: { auth: { isAuthenticating: true } } } },
  rate_limit_event: {
    message: { rate_limit_info: { status: "allowed_warning", rateLimitType: "five_hour", resetsAt: 99 } },
    head: { limit: { status: "allowed_warning", type: "five_hour", resetsAt: 99 } },
  },
  prompt_suggestion: { message: { suggestion: "Run the tests" }, head: { suggestion: "Run the tests" } },
  active_goal: { message: { value: { condition: "All tests pass" } }, head: { goal: "All tests pass" } },
  transcript_mirror: { message: { filePath: "/f", entries: [] } },
  autocompact_state: {
    message: { enabled: true, threshold: 90 },
    head: { about: { autocompact: { enabled: true, threshold: 90 } } },
  },
  streamlined_text: SILENT,
  streamlined_tool_use_summary: SILENT,
  error: {
    message: { error: { type: "invalid_request", message: "Bad line" } },
    row: { kind: "error", source: "protocol", text: "Bad line" },
  },
  api_metrics: SILENT,
  apply_flag_settings: SILENT,
  attachment: SILENT,
  compact_progress: SILENT,
  hint_clears: SILENT,
  open_message_selector: SILENT,
  os_notification: SILENT,
  queued_notification: SILENT,
  refusal_continuation: SILENT,
  response_length: SILENT,
  session_notice: SILENT,
  set_expanded_view: SILENT,
  set_in_progress_tool_use_ids: SILENT,
  stream_mode: SILENT,
  tombstone: SILENT,
  "system/init": {
    message: { session_id: "s1", tools: ["Bash"], model: "m1", cwd: "/ship", permissionMode: "plan" },
    head: { sessionId: "s1", model: "m1", mode: "plan", cwd: "/ship", about: { tools: ["Bash"] } },
  },
  "system/status": { message: { status: "compacting" }, head: { phase: "compacting" } },
  "system/thinking_tokens": {
    message: { estimated_tokens: 42, estimated_tokens_delta: 2 },
    then: [{ type: "assistant", message: { role: "assistant", content: [{ type: "thinking", thinking: "Hm" }] } }],
    row: { kind: "thinking", tokens: 42 },
  },
  "system/api_retry": {
    message: { attempt: 2, max_retries: 5, retry_delay_ms: 100, error_status: 529, error: "overloaded" },
    row: { kind: "retry", attempt: 2, of: 5, error: "overloaded" },
    head: { phase: "retrying" },
  },
  "system/permission_denied": {
    message: { tool_name: "Bash", tool_use_id: "t1", message: "Not allowed" },
    row: { kind: "notice", level: "warning", topic: "Bash denied", text: "Not allowed" },
  },
  "system/task_started": {
    message: started,
    head: { tasks: [{ id: "b1", description: "Watch the tide", status: "running" }] },
  },
  "system/task_progress": {
    after: [started],
    message: { task_id: "b1", description: "Reading", usage },
    head: { tasks: [{ id: "b1", activity: "Reading", tokens: 5 }] },
  },
  "system/task_updated": {
    after: [started],
    message: { task_id: "b1", patch: { status: "failed" } },
    head: { tasks: [{ id: "b1", status: "failed" }] },
  },
  "system/task_notification": {
    after: [started],
    message: { task_id: "b1", status: "completed", summary: "High at noon" },
    head: { tasks: [{ id: "b1", status: "completed", summary: "High at noon", endedAt: 3 }] },
  },
  "system/background_tasks_changed": {
    message: { tasks: [{ task_id: "b2", task_type: "local_bash", description: "npm test" }] },
    head: { tasks: [{ id: "b2", type: "local_bash", background: true }] },
  },
  "system/hook_started": { message: hook, row: { kind: "hook", name: "check", event: "PreToolUse" } },
  "system/hook_progress": {
    after: [hookStarted],
    message: { ...hook, stdout: "half", stderr: "", output: "half" },
    row: { kind: "hook", output: "half" },
  },
  "system/hook_response": {
    after: [hookStarted],
    message: { ...hook, output: "no", stdout: "", stderr: "no", exit_code: 2, outcome: "error" },
    row: { kind: "hook", output: "no", exitCode: 2, outcome: "error" },
  },
  "system/informational": {
    message: { content: "A newer version exists", level: "warning" },
    row: { kind: "notice", level: "warning", text: "A newer version exists" },
  },
  "system/notification": {
    message: { key: "k", text: "Done", priority: "low" },
    row: { kind: "notice", topic: "notification", text: "Done" },
  },
  "system/compact_boundary": {
    message: { compact_metadata: { trigger: "auto", pre_tokens: 900, post_tokens: 100 } },
    row: { kind: "compaction", trigger: "auto", before: 900, after: 100 },
  },
  "system/session_state_changed": { message: { state: "running" } },
  "system/session_title_changed": { message: { title: "Tides" }, head: { title: "Tides" } },
  "system/control_request_progress": { message: { request_id: "r1", status: "started" } },
  "system/model_refusal_no_fallback": { message: refusal, row: { kind: "error", source: "refusal" } },
  "system/model_refusal_fallback": {
    message: { ...refusal, fallback_model: "m2", direction: "retry" },
    row: { kind: "error", source: "refusal", text: "I cannot do this." },
  },
  "system/model_fallback": { message: { content: "Now m2" }, row: { kind: "notice", topic: "model", text: "Now m2" } },
  "system/local_command_output": { message: { content: "Total" }, row: { kind: "command", text: "Total" } },
  "system/commands_changed": {
    message: { commands: [{ name: "sail", description: "Sets sail" }] },
    head: { commands: [{ name: "sail", description: "Sets sail" }] },
  },
  "system/files_persisted": { message: { files: [], failed: [] } },
  "system/memory_recall": { message: { mode: "select", memories: [] }, row: { kind: "notice", topic: "memory" } },
  "system/mirror_error": { message: { error: "gone", key: {} } },
  "system/plugin_install": {
    message: { status: "failed", name: "sails", error: "Not found" },
    row: { kind: "notice", topic: "plugin", text: "Not found" },
  },
  "system/elicitation_complete": { message: { mcp_server_name: "tide", elicitation_id: "e1" } },
  "system/session_writes_lost": {
    message: { error_code: "ENOSPC", lost: ["transcript"] },
    row: { kind: "notice", level: "error", topic: "disk full" },
  },
  "system/worker_shutting_down": { message: { reason: "update" }, row: { kind: "notice", text: "update" } },
  "system/post_turn_summary": SILENT,
  "system/task_summary": SILENT,
  "system/session_metadata": SILENT,
  "system/turn_preempted": SILENT,
  "system/permission_check_status": { message: { tool_use_id: "t1" } },
  "system/vcs_state_changed": {
    message: { kind: "commit", branch: "main" },
    row: { kind: "notice", topic: "git", text: "Committed (branch main)" },
  },
  "system/code_change_published": {
    message: { provider: "github", url: "https://x.test/1" },
    row: { kind: "notice", topic: "published" },
  },
  "system/peer_message_hold": SILENT,
  "system/per_turn_effort_changed": SILENT,
  "system/feedback_draft_queued": SILENT,
  "system/instruction_size_warning": { message: { content: "Long" }, row: { kind: "notice", text: "Long" } },
  "system/file_attachments_missing": { message: { content: "Gone" }, row: { kind: "notice", text: "Gone" } },
  "system/dev_intent": SILENT,
  "system/inherited_asks_settled": SILENT,
  "system/cloud_session_delta": SILENT,
  "system/turn_handoff_available": SILENT,
  "system/ui_invalidate": SILENT,
  "system/ui_log": SILENT,
  "system/ui_toast": SILENT,
  "system/ui_notify": SILENT,
  "system/ui_notify_cancel": SILENT,
  "system/ui_status": SILENT,
  "system/ui_panes": SILENT,
  "system/ui_placed": SILENT,
  "system/ui_scroll": SILENT,
  "system/ui_focus": SILENT,
  "system/agents_killed": SILENT,
  "system/away_summary": SILENT,
  "system/bridge_state": SILENT,
  "system/file_snapshot": SILENT,
  "system/memory_saved": SILENT,
  "system/model_consent_fallback": SILENT,
  "system/permission_retry": SILENT,
  "system/scheduled_task_fire": SILENT,
  "system/thinking": SILENT,
  "system/tool_host_result": SILENT,
  "system/upgrade_relay_marker": SILENT,
  "system/api_error": { message: { error: "overloaded" }, row: { kind: "notice", topic: "api", text: "overloaded" } },
  "system/stop_hook_summary": SILENT,
  "system/turn_duration": SILENT,
  "system/microcompact_boundary": SILENT,
  "system/local_command": { message: { content: "Cost" }, row: { kind: "command", text: "Cost" } },
  "result/success": {
    message: { is_error: false, result: "Land.", total_cost_usd: 0.25 },
    row: { kind: "turn", ok: true, costUsd: 0.25 },
    head: { phase: "idle", gauges: { costUsd: 0.25 } },
  },
  "result/error_during_execution": { message: failure, row: { kind: "turn", ok: false }, head: { phase: "error" } },
  "result/error_max_turns": { message: failure, row: { kind: "turn", ok: false } },
  "result/error_max_budget_usd": { message: failure, row: { kind: "turn", ok: false } },
  "result/error_max_structured_output_retries": { message: failure, row: { kind: "turn", ok: false } },
};

const messageOf = (key: string): Record<string, unknown> => {
  const [type, subtype] = key.split("/");
  return { type, ...(subtype !== undefined && { subtype }), ...EXAMPLES[key as Key].message };
};
const stateOf = ({ head: { lastEventAt: _time, ...head }, rows }: Fold): unknown => structuredClone({ head, rows });

describe("[F10] each message has the fate that the table declares", () => {
  it.each(MESSAGE_KEYS.filter((key) => !key.startsWith("control_request/")))("%s", (key) => {
    const { sent, after = [], then = [], row, head } = EXAMPLES[key as Key];
    const { fate } = FATES[key as Key];
    const fold = createFold();
    let seq = 0;
    const apply = (fact: Fact): void => fold.apply({ ...fact, seq: ++seq, at: seq });
    const receive = (message: object): void => apply({ type: "received", message: message as never });
    apply({ type: "process-started", pid: 1, argv: [], cwd: "/ship" } as unknown as Fact);
    if (sent !== undefined) apply({ type: "sent", message: sent as never });
    for (const message of after) receive(message);
    const message = messageOf(key);
    expect(decodeValue(message as never).kind).toBe("message");
    const before = stateOf(fold);
    const { rev } = fold;
    receive(message);
    if (fate === "silent") {
      expect(stateOf(fold)).toEqual(before);
      return;
    }
    for (const next of then) receive(next);
    expect(fate === "row" ? row : head, "the example shows the fate").toBeDefined();
    if (row !== undefined) expect(fold.changes(rev).rows.at(-1)).toMatchObject(row);
    if (head !== undefined) expect(fold.head).toMatchObject(head);
  });
});
