// What a host may ask outside the conversation, one request after the other. Every answer must have the shape that the
// protocol package promises (`check`), and the simulator's answer must have the same fields.
import { OLD, PARTIAL, STDIO_PROMPTS, bash, casesOf, says, script, uses } from "../case.ts";
import { allow, initialize, prompt, request, see, settled, turn } from "../host-script.ts";
import type { HostStep } from "../host-script.ts";
import { has, present } from "../match.ts";
import type { Pattern } from "../match.ts";

const ASK = [PARTIAL, ...STDIO_PROMPTS];
const hello = script("say hello", says("Hello."));
const NOT_YET = [{ versions: OLD, why: "these requests do not exist yet" }];
type Fields = Readonly<Record<string, unknown>>;
/** A request whose answer has these fields. */
const ask = (subtype: string, fields: Fields = {}, response: Pattern = {}): HostStep =>
  request({ subtype, ...fields }, { subtype: "success", response });
/** A request that is answered without a body. */
const tell = (subtype: string, fields: Fields = {}): HostStep =>
  request({ subtype, ...fields }, { subtype: "success" });
const refused = (subtype: string, fields: Fields, error: string): HostStep =>
  request({ subtype, ...fields }, { subtype: "error", error: has(error) });

const ECHO = {
  name: "echo",
  description: "Echoes",
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
  text: "echoed",
};
const SETTINGS = JSON.stringify({
  permissions: { deny: ["WebFetch"], ask: ["Bash(rm:*)"] },
  hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "true" }] }] },
});
const LOCAL_SETTINGS = JSON.stringify({
  permissions: { allow: ["Bash(ls:*)"], additionalDirectories: ["../outside"] },
});

const SETUP = [
  "git init -q .",
  "echo setup.sh > .git/info/exclude",
  "git add a.txt",
  "git -c user.name=a -c user.email=a@b.invalid commit -qm x",
  "echo two >> a.txt",
  "echo new > b.txt",
].join("\n");

export const questionnaireCases = casesOf("control requests", [
  {
    name: "control-reports",
    about: "get_usage, get_status, get_plan, get_context_usage in short, export_conversation, the dialogs.",
    scripts: [hello],
    args: ASK,
    host: [
      ...turn("say hello"),
      ask("get_usage", {}, { session: { total_cost_usd: present, model_usage: present } }),
      ask("get_usage", { skip_behaviors: true }, { session: present }),
      ask("get_status", {}, { sections: [{ title: "Session", rows: [{ label: "Version" }] }] }),
      ask("get_plan", {}, { exists: false }),
      ask("get_context_usage", { detail: "summary" }, { categories: present, totalTokens: present }),
      ask("export_conversation", {}, { text: has("Hello."), default_filename: present }),
      ask("get_workspace_diff", {}, { diff: null, noDiffReason: "no-repository" }),
      ask("get_memory_dialog", {}, { files: present }),
      ask("get_skills_dialog", {}, { skills: present }),
    ],
    excluded: NOT_YET,
    simulator: true,
  },
  {
    name: "control-rules-and-hooks",
    about: "list_permission_rules, get_hooks_listing and get_settings with rules of flags and files.",
    scripts: [],
    files: { ".claude/settings.json": SETTINGS, ".claude/settings.local.json": LOCAL_SETTINGS },
    args: [...ASK, "--allowedTools", "Bash(npm test:*)", "Read"],
    host: [
      initialize(),
      ask(
        "list_permission_rules",
        {},
        {
          state: {
            rules: [
              { behavior: "allow", source: "cliArg", rule: "Bash(npm test:*)", editability: "session" },
              { behavior: "allow", source: "localSettings", rule: "Bash(ls:*)", editability: "persistent" },
              { behavior: "ask", source: "projectSettings", rule: "Bash(rm:*)" },
              { behavior: "deny", source: "projectSettings", rule: "WebFetch" },
            ],
            workspaceDirectories: [{ path: "{{outside}}" }],
          },
        },
      ),
      ask(
        "get_hooks_listing",
        {},
        {
          events: [{ name: "PreToolUse", hookCount: 1 }],
          hooks: [{ event: "PreToolUse", matcher: "Bash", source: "projectSettings", commandText: "true" }],
          eventCatalog: [{ name: "Stop", supportsMatcher: false }],
        },
      ),
      ask(
        "get_settings",
        {},
        {
          effective: { hooks: present },
          sources: [{ source: "projectSettings" }, { source: "localSettings" }],
          applied: { effort: present },
        },
      ),
    ],
    excluded: NOT_YET,
    simulator: true,
  },
  {
    name: "control-settings",
    about: "apply_flag_settings and update_settings: what is set is reported; most keys are refused.",
    scripts: [hello],
    args: ASK,
    host: [
      ...turn("say hello"),
      tell("apply_flag_settings", { settings: { effortLevel: "low" } }),
      ask("update_settings", { source: "localSettings", settings: { outputStyle: "Concise" } }),
      ask(
        "get_settings",
        {},
        {
          effective: { effortLevel: "low", outputStyle: "Concise" },
          sources: [{ source: "flagSettings" }, { source: "localSettings" }],
          applied: { effort: "low" },
        },
      ),
      refused("update_settings", { source: "userSettings", settings: { model: "opus" } }, "keys not allowed: model"),
      refused("update_settings", { source: "localSettings", settings: { outputStyle: 5 } }, "must be strings"),
    ],
    expect: { files: { ".claude/settings.local.json": has("Concise") } },
    excluded: NOT_YET,
    simulator: true,
  },
  {
    name: "control-reload",
    about: "reload_plugins, reload_skills and reload_output_styles.",
    scripts: [hello],
    args: ASK,
    host: [
      initialize(),
      ask("reload_plugins", {}, { commands: present, agents: present, plugins: present, error_count: 0 }),
      ask("reload_skills", {}, { skills: present }),
      ask("reload_output_styles", {}, { available_output_styles: present }),
      ...turn("say hello"),
    ],
    excluded: NOT_YET,
    simulator: true,
  },
  {
    name: "control-files",
    about: "file_suggestions, and read_file whole, in part and as base64; a path outside is refused.",
    scripts: [hello],
    files: { "notes.txt": "some notes\n", "sub/more.txt": "more\n" },
    args: ASK,
    host: [
      initialize(),
      ask("file_suggestions", { query: "" }, { suggestions: [{ path: "notes.txt" }, { path: "sub/" }] }),
      ask("read_file", { path: "notes.txt" }, { contents: "some notes\n", requested_path: "notes.txt" }),
      ask("read_file", { path: "notes.txt", max_bytes: 4 }, { contents: "some", truncated: true }),
      ask("read_file", { path: "notes.txt", encoding: "base64" }, { contents: "c29tZSBub3Rlcwo=", encoding: "base64" }),
      refused("read_file", { path: "/etc/passwd" }, "read denied"),
      ...turn("say hello"),
    ],
    excluded: NOT_YET,
    simulator: true,
  },
  {
    name: "control-workspace-diff",
    about: "get_workspace_diff in a repository with a changed and a new file.",
    scripts: [script("commit it", says(bash("sh setup.sh")), says("Committed."))],
    files: { "a.txt": "one\n", "setup.sh": SETUP },
    args: ASK,
    answers: [allow("Bash")],
    host: [
      ...turn("commit it"),
      ask(
        "get_workspace_diff",
        {},
        {
          diff: {
            stats: { filesCount: 2, linesAdded: 1, linesRemoved: 0 },
            perFileStats: [
              { path: "a.txt", status: "modified" },
              { path: "b.txt", isUntracked: true },
            ],
            hunks: [{ path: "a.txt", hunks: [{ lines: ["+two"] }] }],
          },
        },
      ),
    ],
    excluded: NOT_YET,
    simulator: true,
  },
  {
    name: "control-tasks",
    about: "get_task_output of a shell in the background, background_tasks with nothing to do, stop_task.",
    scripts: [
      script(
        "work",
        says(bash("echo started; touch begun; sleep 60", { run_in_background: true })),
        // The turn ends after the shell has written.
        says(bash("until [ -e begun ]; do sleep 0.05; done")),
        says("Begun."),
      ),
    ],
    args: ASK,
    answers: [allow("Bash")],
    host: [
      ...turn("work"),
      ask("get_task_output", { task_id: "{{task}}" }, { output: "started\n", total_bytes: 8, truncated: false }),
      refused("get_task_output", { task_id: "nope" }, "no shell or Monitor task"),
      ask("background_tasks"),
      ask("stop_task", { task_id: "{{task}}" }),
      ask("stop_task", { task_id: "nope" }),
    ],
    excluded: [{ versions: OLD, why: "the task is not named on the wire, and the requests do not exist yet" }],
    simulator: true,
  },
  {
    name: "control-to-background",
    about: "background_tasks takes a shell that runs in the foreground off the turn.",
    scripts: [script("be slow", says(bash("echo begun; sleep 60")), says("It goes on."))],
    args: ASK,
    answers: [allow("Bash")],
    host: [
      prompt("be slow"),
      see({ type: "system", subtype: "task_started" }),
      ask("background_tasks"),
      settled,
      ask("get_task_output", { task_id: "{{task}}" }, { output: "begun\n" }),
      ask("stop_task", { task_id: "{{task}}" }),
    ],
    excluded: [{ versions: OLD, why: "a slow shell makes no task yet" }],
    simulator: true,
  },
  {
    name: "control-titles",
    about: "generate_session_title: none for a word, one for a sentence, an error for nothing.",
    scripts: [hello],
    args: ASK,
    host: [
      ...turn("say hello"),
      ask("generate_session_title", { description: "hello", persist: false }, { title: null }),
      ask("generate_session_title", { description: "a long talk about ships", persist: false }, { title: present }),
      refused("generate_session_title", {}, "description must be a string"),
    ],
    excluded: NOT_YET,
    simulator: true,
  },
  {
    name: "control-read-state",
    about: "seed_read_state, set_has_subscribers and remote_control off are answered with a bare success.",
    scripts: [hello],
    files: { "notes.txt": "some notes\n" },
    args: ASK,
    host: [
      initialize(),
      tell("seed_read_state", { path: "{{cwd}}/notes.txt", mtime: 5 }),
      tell("set_has_subscribers", { has_subscribers: true }),
      tell("remote_control", { enabled: false }),
      ...turn("say hello"),
    ],
    excluded: NOT_YET,
    simulator: true,
  },
  {
    name: "control-mcp",
    about: "mcp_toggle of a server of the host; mcp_reconnect, mcp_read_resource, mcp_call and auth are not for it.",
    scripts: [hello],
    args: ASK,
    answers: [{ to: "mcp", server: "deck", tools: [ECHO] }],
    host: [
      initialize({ sdkMcpServers: ["deck"] }),
      ...turn("say hello"),
      ask("mcp_status", {}, { mcpServers: [{ name: "deck", status: "connected", tools: [{ name: "echo" }] }] }),
      tell("mcp_toggle", { serverName: "deck", enabled: false }),
      ask("mcp_status", {}, { mcpServers: [{ name: "deck", status: "disabled" }] }),
      tell("mcp_toggle", { serverName: "deck", enabled: true }),
      ask("mcp_status", {}, { mcpServers: [{ name: "deck", status: "connected" }] }),
      refused("mcp_toggle", { serverName: "nope", enabled: false }, "Server not found: nope"),
      refused("mcp_reconnect", { serverName: "nope" }, "Server not found: nope"),
      refused("mcp_reconnect", { serverName: "deck" }, "SDK servers"),
      refused("mcp_read_resource", { serverName: "nope", uri: "ui://x" }, "Server not found: nope"),
      refused("mcp_read_resource", { serverName: "deck", uri: "ui://x" }, "does not support SDK MCP servers"),
      refused("mcp_call", { tool: "mcp__deck__echo", arguments: {} }, "does not support SDK MCP servers"),
      refused("mcp_call", { tool: "echo", arguments: {} }, "Not a fully-qualified MCP tool name: echo"),
      refused("mcp_authenticate", { serverName: "deck" }, "does not support OAuth"),
      refused("mcp_authenticate", { serverName: "nope" }, "Server not found: nope"),
      refused("mcp_clear_auth", { serverName: "deck" }, "Cannot clear auth"),
      refused("mcp_clear_auth", { serverName: "nope" }, "Server not found: nope"),
      tell("mcp_message", { server_name: "deck", message: { jsonrpc: "2.0", method: "ping", id: 1 } }),
      see({ type: "control_request", request: { subtype: "mcp_message", message: { result: present } } }),
      tell("set_mcp_permission_mode_override", { serverName: "deck", mode: "auto" }),
      ask("set_mcp_permission_mode_override", { serverName: "nope", mode: "auto" }, { warning: has("nope") }),
    ],
    excluded: NOT_YET,
    simulator: true,
  },
  {
    name: "control-mcp-own-process",
    about: "mcp_reconnect, mcp_call and mcp_read_resource with a server in a process of its own.",
    scripts: [hello],
    files: {
      "server.cjs": `
const lines = require("node:readline").createInterface({ input: process.stdin });
const answers = {
  initialize: (params) => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {}, resources: {} }, serverInfo: { name: "own", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "ping", description: "Pings", inputSchema: { type: "object" } }] }),
  "tools/call": () => ({ content: [{ type: "text", text: "pong" }] }),
  "resources/list": () => ({ resources: [{ uri: "ui://a", name: "a" }] }),
  "resources/read": ({ uri }) => ({ contents: [{ uri, text: "a note" }] }),
};
lines.on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: (answers[method] ?? (() => ({})))(params) }));
});
`,
    },
    args: [
      ...ASK,
      "--mcp-config",
      '{"mcpServers":{"own":{"type":"stdio","command":"node","args":["{{cwd}}/server.cjs"]}}}',
    ],
    host: [
      ...turn("say hello"),
      tell("mcp_reconnect", { serverName: "own" }),
      ask("mcp_status", {}, { mcpServers: [{ name: "own", status: "connected" }] }),
      ask("mcp_read_resource", { serverName: "own", uri: "ui://a" }, { contents: [{ text: "a note" }] }),
      ask("mcp_call", { tool: "mcp__own__ping", arguments: {} }, { content: present }),
    ],
    excluded: NOT_YET,
    simulator: "servers in processes of their own are not simulated",
  },
  {
    name: "control-rewind-off",
    about: "rewind_files without checkpoints: a dry run says so, the real one is an error.",
    scripts: [hello],
    args: ASK,
    host: [
      ...turn("say hello"),
      ask(
        "rewind_files",
        { user_message_id: "aaaaaaaa-0000-4000-8000-000000000000", dry_run: true },
        {
          canRewind: false,
          error: has("not enabled"),
        },
      ),
      refused("rewind_files", { user_message_id: "aaaaaaaa-0000-4000-8000-000000000000" }, "not enabled"),
      ask("cancel_async_message", { message_uuid: "aaaaaaaa-0000-4000-8000-000000000001" }, { cancelled: false }),
    ],
    excluded: [{ versions: OLD, why: "cancel_async_message does not exist yet" }],
    simulator: true,
  },
  {
    name: "control-rewind-unknown",
    about: "rewind_files to a message that has no checkpoint.",
    scripts: [hello],
    env: { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "1" },
    args: ASK,
    host: [
      ...turn("say hello"),
      ask(
        "rewind_files",
        { user_message_id: "aaaaaaaa-0000-4000-8000-000000000000", dry_run: true },
        {
          canRewind: false,
          error: has("No file checkpoint"),
        },
      ),
      refused("rewind_files", { user_message_id: "aaaaaaaa-0000-4000-8000-000000000000" }, "No file checkpoint"),
    ],
    simulator: true,
  },
  {
    name: "control-not-for-hosts",
    about: "Requests of the vendor's own surfaces: what they answer if a host sends them.",
    scripts: [hello],
    args: ASK,
    host: [
      ...turn("say hello"),
      refused("set_color", { color: "blue" }, "Unsupported control request subtype: set_color"),
      ask("set_cwd", { path: "/nowhere" }, { status: "rejected", reason: "not_found" }),
      ask("set_cwd", { path: "{{outside}}" }, { status: "needs_trust", directory: "{{outside}}" }),
      refused("set_proactivity_level", { level: "default" }, "levels are not enabled"),
      refused("register_repo_root", { directory: "sub" }, "could not be resolved"),
      refused("message_rated", {}, "messageUuid must be a string"),
      refused("channel_enable", {}, "is not connected"),
      refused("claim_session", {}, "not_a_spare"),
      refused("mcp_oauth_callback_url", { serverName: "x", callbackUrl: "http://127.0.0.1/" }, "No active OAuth flow"),
      ask("get_sandbox_dialog", {}, { supported: present }),
      ask("submit_feedback", { description: "x" }, { feedback_id: null }),
    ],
    excluded: NOT_YET,
    simulator: "our host sends none of them",
  },
]);

export const toolProgressCases = casesOf("agents and tasks", [
  {
    name: "agent-retried",
    about: "A subagent whose request is tried again: tool_progress reports it, and reports its end.",
    scripts: [
      script(
        "start it",
        says(
          uses("Task", {
            description: "Inner work",
            prompt: "do the inner work",
            subagent_type: "general-purpose",
            run_in_background: false,
          }),
        ),
        says("Ended."),
      ),
      script("do the inner work", { ...says("Inner end."), fail: [{ status: 529 }] }),
    ],
    args: ASK,
    host: turn("start it"),
    expect: {
      subagents: ["do the inner work"],
      order: [
        { type: "tool_progress", tool_name: "Agent", subagent_retry: { attempt: 1, error_status: 529 } },
        { type: "tool_progress", tool_name: "Agent" },
      ],
    },
    differs: [{ versions: OLD, why: "nothing is said of a subagent's retries yet", expect: { order: [] } }],
    simulator: true,
  },
  {
    name: "shell-heartbeat",
    about: "A command that takes longer than half a minute: tool_progress as a heartbeat.",
    scripts: [script("be slow", says(bash("echo one; sleep 32; echo two")), says("Slept."))],
    args: ASK,
    answers: [allow("Bash")],
    host: turn("be slow"),
    expect: { see: [{ type: "tool_progress", tool_name: "Bash", heartbeat: true, elapsed_time_seconds: 30 }] },
    excluded: [{ versions: OLD, why: "there is no heartbeat yet" }],
    simulator: true,
  },
]);
