// The smallest valid form of each control request. A request without an example does not compile.

import { describe, expect, it } from "vitest";
import { CONTROL, INTERNAL_CONTROL } from "./control.ts";
import type { ControlSubtype, RequestOf } from "./control.ts";
import { decodeValue } from "./decode.ts";
import { encodeLine } from "./encode.ts";
import { controlRequest } from "./stdin.ts";

type Fields<S extends ControlSubtype> = Omit<RequestOf<S>, "subtype">;

const SMALLEST: { readonly [S in ControlSubtype]: Fields<S> } = {
  can_use_tool: { tool_name: "Bash", input: { command: "ls" }, tool_use_id: "t1" },
  hook_callback: {
    callback_id: "hook-0",
    input: { hook_event_name: "Stop", session_id: "s", transcript_path: "/t", cwd: "/", stop_hook_active: false },
  },
  elicitation: { mcp_server_name: "tide", message: "Which port?" },
  request_user_dialog: { dialog_kind: "consent", payload: {} },
  mcp_message: { server_name: "tide", message: { jsonrpc: "2.0", method: "ping", id: 1 } },
  initialize: {},
  interrupt: {},
  set_permission_mode: { mode: "plan" },
  set_model: { model: "opus" },
  set_max_thinking_tokens: { max_thinking_tokens: 1000 },
  apply_flag_settings: { settings: {} },
  update_settings: { source: "localSettings", settings: {} },
  get_settings: {},
  rename_session: { title: "Tides" },
  generate_session_title: {},
  set_color: { color: "blue" },
  set_cwd: { path: "/ship" },
  set_has_subscribers: { has_subscribers: true },
  set_proactivity_level: { level: "default" },
  end_session: {},
  cancel_async_message: { message_uuid: "u1" },
  rewind_files: { user_message_id: "u1" },
  seed_read_state: { path: "/f", mtime: 1 },
  side_question: { question: "Why?" },
  stop_task: { task_id: "b1" },
  background_tasks: {},
  get_task_output: { task_id: "b1" },
  start_shell_task: { command: "ls" },
  mcp_status: {},
  mcp_set_servers: { servers: {} },
  mcp_reconnect: { serverName: "tide" },
  mcp_toggle: { serverName: "tide", enabled: false },
  mcp_read_resource: { serverName: "tide", uri: "tide://today" },
  mcp_call: { tool: "mcp__tide__next" },
  mcp_authenticate: { serverName: "tide" },
  mcp_clear_auth: { serverName: "tide" },
  mcp_oauth_callback_url: { serverName: "tide", callbackUrl: "http://127.0.0.1/" },
  set_mcp_permission_mode_override: { serverName: "tide", mode: null },
  get_context_usage: {},
  get_usage: {},
  get_session_cost: {},
  get_status: {},
  get_plan: {},
  get_binary_version: {},
  list_models: {},
  list_permission_rules: {},
  get_hooks_listing: {},
  read_file: { path: "/f" },
  file_suggestions: { query: "a" },
  list_directory: {},
  export_conversation: {},
  get_workspace_diff: {},
  reload_plugins: {},
  reload_skills: {},
  reload_output_styles: {},
  register_repo_root: { directory: "/ship" },
  get_memory_dialog: {},
  get_skills_dialog: {},
  get_sandbox_dialog: {},
  claude_authenticate: {},
  claude_oauth_callback: { authorizationCode: "c", state: "s" },
  claude_oauth_wait_for_completion: {},
  remote_control: {},
  channel_enable: {},
  claim_session: {},
  message_rated: {},
  submit_feedback: {},
  submit_survey_feedback: {},
  ultrareview_launch: {},
};

const SUBTYPES = Object.keys(CONTROL) as ControlSubtype[];
const messageOf = (subtype: string, fields: object) => ({
  type: "control_request",
  request_id: "r1",
  request: { subtype, ...fields },
});

describe("each control request", () => {
  it.each(SUBTYPES)("%s is known, also with a new field, and needs its required fields", (subtype) => {
    const message = messageOf(subtype, { ...SMALLEST[subtype], field_of_tomorrow: 1 });
    expect(decodeValue(message)).toEqual({ kind: "message", message });
    for (const name of Object.keys(CONTROL[subtype].request.fields ?? {})) {
      if (name === "subtype" || CONTROL[subtype].request.fields?.[name]?.optional === true) continue;
      const { [name]: _gone, ...rest } = SMALLEST[subtype] as Record<string, unknown>;
      expect(decodeValue(messageOf(subtype, rest) as never), name).toMatchObject({ kind: "unknown" });
    }
  });

  it.each(SUBTYPES.filter((subtype) => CONTROL[subtype].from !== "cli"))("%s is one line for the CLI", (subtype) => {
    const line = encodeLine(controlRequest("r1", { subtype, ...SMALLEST[subtype] } as never));
    expect(JSON.parse(line)).toEqual(messageOf(subtype, SMALLEST[subtype]));
    expect(line.indexOf("\n")).toBe(line.length - 1);
  });

  it.each(INTERNAL_CONTROL)("%s, of the vendor's own surfaces, is known with any fields", (subtype) => {
    const message = messageOf(subtype, { anything: [1] });
    expect(decodeValue(message)).toEqual({ kind: "message", message });
  });
});
