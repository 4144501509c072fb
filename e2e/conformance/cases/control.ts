import { OLD, PARTIAL, STDIO_PROMPTS, casesOf, says, script } from "../case.ts";
import { exit, initialize, request, requestWithoutWaiting, turn } from "../host-script.ts";
import { has, present } from "../match.ts";

const ASK = [PARTIAL, ...STDIO_PROMPTS];
const hello = script("say hello", says("Hello."));
const UNSUPPORTED = { subtype: "error", error: has("") };

export const controlCases = casesOf("control requests", [
  {
    name: "control-initialize",
    about: "initialize is answered before any turn: commands, models, account; and again later.",
    scripts: [hello],
    args: ASK,
    host: [
      initialize(
        {},
        { subtype: "success", response: { commands: present, models: present, account: present, pid: present } },
      ),
      ...turn("say hello"),
      initialize({}, { subtype: "success", response: { session_state: present } }),
    ],
    excluded: [{ versions: OLD, why: "the response has no pid and no session_state yet" }],
    simulator: true,
    fast: true,
  },
  {
    name: "control-initialize-old",
    about: "What every version answers to initialize.",
    scripts: [hello],
    args: ASK,
    host: [
      initialize(
        {},
        {
          subtype: "success",
          response: { commands: present, models: present, account: present, output_style: present },
        },
      ),
      ...turn("say hello"),
    ],
    simulator: true,
  },
  {
    name: "control-set-model",
    about: "set_model changes the model of the next turn.",
    scripts: [hello],
    args: ASK,
    host: [initialize(), request({ subtype: "set_model", model: "claude-other-model" }), ...turn("say hello")],
    expect: {
      see: [
        { type: "system", subtype: "init", model: "claude-other-model" },
        { type: "assistant", message: { model: "claude-other-model" } },
      ],
      requests: [{ body: { model: "claude-other-model" } }],
    },
    simulator: true,
  },
  {
    name: "control-set-mode",
    about: "set_permission_mode answers the mode; an unknown one is an error.",
    scripts: [hello],
    args: ASK,
    host: [
      initialize(),
      request({ subtype: "set_permission_mode", mode: "plan" }, { subtype: "success", response: { mode: "plan" } }),
      ...turn("say hello"),
      request({ subtype: "set_permission_mode", mode: "bogus" }, UNSUPPORTED),
    ],
    expect: { see: [{ type: "system", subtype: "init", permissionMode: "plan" }] },
    excluded: [{ versions: OLD, why: "an unknown mode is accepted" }],
    simulator: true,
  },
  {
    name: "control-thinking-tokens",
    about: "set_max_thinking_tokens is answered with a bare success.",
    scripts: [hello],
    args: ASK,
    host: [
      initialize(),
      request({ subtype: "set_max_thinking_tokens", max_thinking_tokens: 2000 }),
      ...turn("say hello"),
    ],
    simulator: true,
  },
  {
    name: "control-unknown",
    about: "A subtype that does not exist is answered with an error; the session continues.",
    scripts: [hello],
    args: ASK,
    host: [
      request({ subtype: "no_such_thing" }, { subtype: "error", error: has("no_such_thing") }),
      ...turn("say hello"),
    ],
    excluded: [{ versions: OLD, why: "an unknown subtype is not answered at all" }],
    simulator: true,
  },
  {
    name: "control-usage",
    about: "get_context_usage, get_settings, get_session_cost, list_models, get_binary_version.",
    scripts: [hello],
    args: ASK,
    host: [
      ...turn("say hello"),
      request(
        { subtype: "get_context_usage" },
        { subtype: "success", response: { categories: present, maxTokens: present } },
      ),
      request({ subtype: "get_settings" }, { subtype: "success", response: { effective: present } }),
      request({ subtype: "get_session_cost" }, { subtype: "success" }),
      request({ subtype: "list_models" }, { subtype: "success", response: { models: present } }),
      request({ subtype: "get_binary_version" }, { subtype: "success", response: { version: present } }),
    ],
    excluded: [{ versions: OLD, why: "these requests do not exist yet" }],
    simulator: true,
  },
  {
    name: "control-read-file",
    about: "read_file and file_suggestions.",
    scripts: [hello],
    files: { "notes.txt": "some notes\n" },
    args: ASK,
    host: [
      initialize(),
      request(
        { subtype: "read_file", path: "{{cwd}}/notes.txt" },
        { subtype: "success", response: { contents: has("some notes") } },
      ),
      ...turn("say hello"),
    ],
    excluded: [{ versions: OLD, why: "the request does not exist yet" }],
    simulator: true,
  },
  {
    name: "control-rename",
    about: "rename_session changes the title and says so.",
    scripts: [hello],
    args: ASK,
    host: [...turn("say hello"), request({ subtype: "rename_session", title: "A better name" })],
    expect: { see: [{ type: "system", subtype: "session_title_changed", title: "A better name" }] },
    excluded: [{ versions: OLD, why: "the request does not exist yet" }],
    simulator: true,
  },
  {
    name: "control-side-question",
    about: "side_question is answered beside the conversation.",
    scripts: [hello],
    args: ASK,
    host: [
      ...turn("say hello"),
      request(
        { subtype: "side_question", question: "what is this?" },
        { subtype: "success", response: { response: present } },
      ),
    ],
    excluded: [{ versions: OLD, why: "the request does not exist yet" }],
    simulator: true,
  },
  {
    name: "control-end-session",
    about: "end_session ends the process, with stdin still open.",
    scripts: [hello],
    args: ASK,
    host: [...turn("say hello"), requestWithoutWaiting({ subtype: "end_session" }), exit],
    excluded: [{ versions: OLD, why: "the request does not exist yet" }],
    simulator: true,
  },
  {
    name: "control-mcp-status",
    about: "mcp_status with no servers.",
    scripts: [hello],
    args: ASK,
    host: [
      ...turn("say hello"),
      request({ subtype: "mcp_status" }, { subtype: "success", response: { mcpServers: present } }),
    ],
    simulator: true,
  },
  {
    name: "control-rewind",
    about: "rewind_files with checkpoints on: a dry run lists the files, and the real one restores them.",
    scripts: [
      script(
        "write it",
        says({ tool: "Write", input: { file_path: "{{cwd}}/w.txt", content: "new\n" } }),
        says("Written."),
      ),
    ],
    env: { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "1" },
    files: { "w.txt": "old\n" },
    args: [...ASK, "--permission-mode", "acceptEdits", "--replay-user-messages"],
    host: [
      ...turn("write it", { uuid: "aaaaaaaa-0000-4000-8000-000000000000" }),
      request(
        { subtype: "rewind_files", user_message_id: "aaaaaaaa-0000-4000-8000-000000000000", dry_run: true },
        { subtype: "success", response: { canRewind: true, filesChanged: present } },
      ),
      request(
        { subtype: "rewind_files", user_message_id: "aaaaaaaa-0000-4000-8000-000000000000" },
        { subtype: "success", response: { canRewind: true } },
      ),
    ],
    expect: { files: { "w.txt": "old\n" } },
    simulator: true,
  },
]);
