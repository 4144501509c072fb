// Control requests in both directions, as one map from subtype to sender, request and answer. It is complete for public
// requests and for internal ones that a host needs. The rest of the CLI's own schema (desktop panes, cloud sessions,
// remote tools) is recognized, with an open shape.

import {
  ContextUsage,
  FileContents,
  HooksListing,
  InitializeResponse,
  McpCallResult,
  McpServerStatus,
  ModelInfo,
  PermissionRules,
  ReloadedPlugins,
  SettingsAnswer,
  UsageReport,
} from "./control-answers.ts";
import { HookInput, HookMatcher, HookOutput } from "./hooks.ts";
import { PermissionMode, PermissionResult, PermissionSuggestion } from "./permission.ts";
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
import type { SchemaFields, Infer, OptionalSchema, Schema } from "./schema.ts";

type Asker = "host" | "cli" | "both";

const request = <const F extends SchemaFields>(fields: F) => object({ subtype: string, ...fields });
/** A success may have no body. */
const ack = optional(nullable(record));
const open = optional(nullable(record));
const maybe = <const F extends SchemaFields>(
  fields: F,
): OptionalSchema<Infer<ReturnType<typeof object<F>>> | null> => ({
  ...optional(nullable(object(fields))),
  fields,
});

const define = <const A extends Asker, Q, R>(from: A, asked: Schema<Q>, answered: Schema<R>) => ({
  from,
  request: asked,
  response: answered,
});
const host = <const F extends SchemaFields, R>(fields: F, answered: Schema<R>) =>
  define("host", request(fields), answered);
const cli = <const F extends SchemaFields, R>(fields: F, answered: Schema<R>) =>
  define("cli", request(fields), answered);

const JsonRpc = record;
const serverName = { serverName: string };

export const CONTROL = {
  // The CLI asks.
  can_use_tool: cli(
    {
      tool_name: string,
      input: record,
      tool_use_id: string,
      display_name: optional(string),
      title: optional(string),
      description: optional(string),
      permission_suggestions: optional(array(PermissionSuggestion)),
      /** Hints of an older form (S2), which no CLI can apply. */
      suggestion_hints: optional(array(object({ behavior: string, message: optional(string) }))),
      blocked_path: optional(nullable(string)),
      decision_reason: optional(string),
      decision_reason_type: optional(string),
      requires_user_interaction: optional(boolean),
      default_to_no: optional(boolean),
      suppress_always_allow_rule: optional(boolean),
      classifier_approvable: optional(boolean),
      matched_ask_rule: optional(
        object({ source: optional(string), tool_name: optional(string), rule_content: optional(string) }),
      ),
      agent_id: optional(string),
      mcp_server: optional(object({ name: string, source: optional(string) })),
      server_policy_ask_only: optional(boolean),
    },
    PermissionResult,
  ),
  hook_callback: cli({ callback_id: string, input: HookInput, tool_use_id: optional(nullable(string)) }, HookOutput),
  elicitation: cli(
    {
      mcp_server_name: string,
      message: string,
      mode: optional(oneOf("form", "url")),
      url: optional(string),
      elicitation_id: optional(string),
      requested_schema: optional(record),
      property_order: optional(array(string)),
      title: optional(string),
      display_name: optional(string),
      description: optional(string),
    },
    object({ action: oneOf("accept", "decline", "cancel"), content: optional(record) }),
  ),
  request_user_dialog: cli(
    { dialog_kind: string, payload: record, tool_use_id: optional(string) },
    byTag("behavior", {
      completed: object({ behavior: literal("completed"), result: optional(anything) }),
      cancelled: object({ behavior: literal("cancelled") }),
    }),
  ),
  mcp_message: define(
    "both",
    request({ server_name: string, message: JsonRpc }),
    maybe({ mcp_response: optional(JsonRpc) }),
  ),

  // The host asks: life and settings of the session.
  initialize: host(
    {
      hooks: optional(nullable(dictionary(array(HookMatcher)))),
      sdkMcpServers: optional(array(string)),
      /** A null value ends an old CLI. The same holds for agents, and for the servers of `mcp_set_servers`. */
      sdkMcpServerConfigs: optional(dictionary(record)),
      sdkMcpServerManifests: optional(dictionary(record)),
      sdkMcpServerManifestsOrigin: optional(oneOf("host_per_send")),
      jsonSchema: optional(record),
      systemPrompt: optional(array(string)),
      appendSystemPrompt: optional(string),
      systemPromptSnapshot: optional(boolean),
      planModeInstructions: optional(string),
      toolAliases: optional(dictionary(string)),
      excludeDynamicSections: optional(boolean),
      agents: optional(dictionary(record)),
      title: optional(string),
      skills: optional(array(string)),
      promptSuggestions: optional(boolean),
      agentProgressSummaries: optional(boolean),
      forwardSubagentText: optional(boolean),
      supportedDialogKinds: optional(array(string)),
      perTaskStopAffordance: optional(boolean),
      plugins: optional(array(anything)),
    },
    InitializeResponse,
  ),
  interrupt: host(
    { cancel_queued: optional(boolean) },
    maybe({ still_queued: optional(array(string)), cancelled: optional(array(string)) }),
  ),
  set_permission_mode: host({ mode: PermissionMode }, maybe({ mode: optional(PermissionMode) })),
  set_model: host({ model: optional(nullable(string)) }, maybe({ model: optional(string) })),
  set_max_thinking_tokens: host(
    {
      max_thinking_tokens: optional(nullable(number)),
      thinking_display: optional(nullable(oneOf("summarized", "omitted", "highlights"))),
    },
    ack,
  ),
  apply_flag_settings: host({ settings: record }, ack),
  update_settings: host({ source: oneOf("localSettings", "userSettings"), settings: record }, ack),
  get_settings: host({}, SettingsAnswer),
  rename_session: host({ title: string, source: optional(oneOf("remote", "host")), session_id: optional(string) }, ack),
  generate_session_title: host(
    { description: optional(string), persist: optional(boolean) },
    object({ title: nullable(string) }),
  ),
  set_color: host({ color: string }, ack),
  set_cwd: host(
    {
      path: optional(string),
      cwd: optional(string),
      trust_accepted: optional(boolean),
      trusted_directory: optional(string),
    },
    open,
  ),
  set_has_subscribers: host({ has_subscribers: nullable(boolean) }, ack),
  set_proactivity_level: host({ level: string }, open),
  end_session: host({ reason: optional(string) }, ack),
  cancel_async_message: host({ message_uuid: string }, object({ cancelled: boolean })),
  rewind_files: host(
    { user_message_id: string, dry_run: optional(boolean) },
    object({
      canRewind: boolean,
      error: optional(string),
      filesChanged: optional(array(string)),
      insertions: optional(number),
      deletions: optional(number),
      skippedLinks: optional(number),
    }),
  ),
  seed_read_state: host({ path: string, mtime: number }, ack),
  side_question: host(
    { question: string, history: optional(array(anything)) },
    object({ response: nullable(string), synthetic: optional(boolean), refusal_fallback: optional(nullable(record)) }),
  ),

  // Tasks.
  stop_task: host({ task_id: string }, ack),
  background_tasks: host({ tool_use_id: optional(string) }, maybe({ backgrounded: optional(anything) })),
  get_task_output: host({ task_id: string }, object({ output: string, total_bytes: number, truncated: boolean })),
  start_shell_task: host({ command: optional(string) }, open),

  // MCP servers.
  mcp_status: host({ liveReply: optional(boolean) }, object({ mcpServers: array(McpServerStatus) })),
  mcp_set_servers: host(
    { servers: dictionary(record) },
    object({ added: array(string), removed: array(string), errors: dictionary(anything) }),
  ),
  mcp_reconnect: host(serverName, ack),
  mcp_toggle: host({ ...serverName, enabled: boolean }, ack),
  mcp_read_resource: host({ ...serverName, uri: string }, object({ contents: array(record) })),
  mcp_call: host(
    {
      tool: string,
      arguments: optional(record),
      expires_at: optional(string),
      timeout_ms: optional(number),
      result_not_for_model: optional(boolean),
      check_permissions: optional(boolean),
      input_files: optional(array(object({ name: string, lane_path: string }))),
      output_files: optional(array(object({ name: string, lane_path: string, if_match: optional(string) }))),
    },
    McpCallResult,
  ),
  mcp_authenticate: host({ ...serverName, redirectUri: optional(string), redirectUriOnly: optional(boolean) }, open),
  mcp_clear_auth: host(serverName, open),
  mcp_oauth_callback_url: host({ ...serverName, callbackUrl: string }, open),
  set_mcp_permission_mode_override: host(
    { ...serverName, mode: nullable(oneOf("default", "auto")) },
    maybe({ warning: optional(string) }),
  ),

  // Reading.
  get_context_usage: host({ detail: optional(oneOf("summary", "full")) }, ContextUsage),
  get_usage: host({ skip_behaviors: optional(boolean) }, UsageReport),
  get_session_cost: host({}, object({ text: string })),
  get_status: host({}, object({ sections: array(record) })),
  get_plan: host({}, object({ exists: boolean, content: optional(string), path: optional(string) })),
  get_binary_version: host({}, object({ version: string, buildTime: optional(string) })),
  list_models: host({}, object({ models: array(ModelInfo) })),
  list_permission_rules: host({}, PermissionRules),
  get_hooks_listing: host({}, HooksListing),
  read_file: host({ path: string, max_bytes: optional(number), encoding: optional(string) }, FileContents),
  file_suggestions: host(
    { query: string },
    object({ suggestions: array(object({ path: string, score: optional(number) })), cwd: optional(string) }),
  ),
  list_directory: host({ path: optional(string) }, open),
  export_conversation: host({}, object({ text: string, default_filename: optional(string) })),
  get_workspace_diff: host({}, object({ diff: nullable(anything), noDiffReason: optional(string) })),
  reload_plugins: host(
    {
      hold_on_cache_impact: optional(boolean),
      add_plugins: optional(array(record)),
      refuse_if_busy: optional(boolean),
    },
    ReloadedPlugins,
  ),
  reload_skills: host({}, object({ skills: array(record) })),
  reload_output_styles: host({}, object({ available_output_styles: array(string) })),
  register_repo_root: host(
    {
      directory: string,
      reload_claude_md: optional(boolean),
      reload_plugins: optional(boolean),
      reload_skills: optional(boolean),
    },
    maybe({ directory: optional(string) }),
  ),
  get_memory_dialog: host({}, open),
  get_skills_dialog: host({}, open),
  get_sandbox_dialog: host({}, open),

  // Login and services of the vendor.
  claude_authenticate: host(
    { loginWithClaudeAi: optional(boolean), consoleProfile: optional(anything) },
    object({ manualUrl: string, automaticUrl: optional(string) }),
  ),
  claude_oauth_callback: host({ authorizationCode: string, state: string }, open),
  claude_oauth_wait_for_completion: host({}, open),
  remote_control: host({ enabled: optional(boolean) }, open),
  channel_enable: host({}, open),
  claim_session: host({}, open),
  message_rated: host({}, open),
  submit_feedback: host({ description: optional(string) }, open),
  submit_survey_feedback: host({}, open),
  ultrareview_launch: host({}, open),
} as const;

/** Subtypes of the CLI's own schema that our host neither sends nor answers. Recognized, with an open shape. */
export const INTERNAL_CONTROL = [
  "add_directory",
  "fork_conversation",
  "rewind_conversation",
  "poll_event",
  "mcp_tasks_changed",
  "send_task_message",
  "prefetch_attachments",
  "set_attached_project",
  "stage_file",
  "get_chrome_dialog",
  "get_chrome_browsers",
  "select_chrome_browser",
  "set_chrome_browser_hints",
  "list_cloud_sessions",
  "get_cloud_session",
  "get_cloud_session_transcript",
  "set_prompt_suggestions_paused",
  "register_device_hooks",
  "upload_device_hook_template",
  "oauth_token_refresh",
  "host_auth_token_refresh",
  "remote_tools_announce",
  "remote_tool_call",
  "remote_plumbing_call",
  "remote_tools_probe",
  "remote_tools_reannounce",
  "remote_control_work_secret",
  "turn_handoff",
  "ui_attach",
  "ui_detach",
  "ui_render",
  "ui_press",
  "ui_client_module",
  "ui_client_press",
  "ui_message",
  "ui_client_fault",
  "ui_input",
  "ui_select",
  "ui_panes",
  "ui_pane_show",
  "ui_pane_focus",
  "ui_close",
  "ui_scroll",
  "ui_focus",
  "ui_prompt_edit",
  "ui_prompt_autocomplete",
  "ui_copy",
  "ui_prompt_read",
  "ui_prompt_fill",
  "ui_prompt_paint",
  "ui_prompt_suggest",
  "ui_read_selection",
] as const;

export type ControlSubtype = keyof typeof CONTROL;
type AskedBy<A extends Asker> = {
  [K in ControlSubtype]: (typeof CONTROL)[K]["from"] extends A | "both" ? K : never;
}[ControlSubtype];
export type CliSubtype = AskedBy<"cli">;
export type HostSubtype = AskedBy<"host">;

export type RequestOf<S extends ControlSubtype> = {
  [K in S]: Omit<Infer<(typeof CONTROL)[K]["request"]>, "subtype"> & { subtype: K };
}[S];
export type ResponseOf<S extends ControlSubtype> = Infer<(typeof CONTROL)[S]["response"]>;
/** Requests of the CLI. The host must answer each of them. */
export type CliRequest = RequestOf<CliSubtype>;
export type HostRequest = RequestOf<HostSubtype>;

const INTERNAL: ReadonlySet<string> = new Set(INTERNAL_CONTROL);
const OpenRequest = request({});

/** The shape of a request by its subtype, or undefined if the subtype is unknown. */
export const requestSchemaOf = (subtype: string): Schema<unknown> | undefined => {
  if (Object.hasOwn(CONTROL, subtype)) return CONTROL[subtype as ControlSubtype].request;
  return INTERNAL.has(subtype) ? OpenRequest : undefined;
};

/** Whether a success answer has the form of its request. */
export const isResponseOf = <S extends ControlSubtype>(subtype: S, value: unknown): value is ResponseOf<S> =>
  CONTROL[subtype].response.accepts(value);
