import { OLD, PARTIAL, STDIO_PROMPTS, bash, casesOf, says, script } from "../case.ts";
import { allow, hook, initialize, prompt, request, see, settled, turn } from "../host-script.ts";
import { has } from "../match.ts";

const ASK = [PARTIAL, ...STDIO_PROMPTS];
const hello = script("say hello", says("Hello."));
const echo = script("echo it", says(bash("echo safe")), says("Echoed."));
const touch = script("touch it", says(bash("touch a.txt")), says("Touched or not."));
const toolError = (text: string) => ({
  type: "user",
  message: { content: [{ type: "tool_result", is_error: true, content: has(text) }] },
});
const withHooks = (hooks: readonly string[]) =>
  initialize({
    hooks: Object.fromEntries(hooks.map((name) => [name, [{ matcher: null, hookCallbackIds: [`cb_${name}`] }]])),
  });
const called = (name: string) => ({
  type: "control_request",
  request: { subtype: "hook_callback", callback_id: `cb_${name}`, input: { hook_event_name: name } },
});
const SETTINGS_HOOKS = {
  ".claude/settings.json": JSON.stringify({
    hooks: {
      SessionStart: [{ hooks: [{ type: "command", command: "echo started" }] }],
      PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "echo before" }] }],
    },
  }),
};

export const hookCases = casesOf("hooks", [
  {
    name: "hooks-callbacks",
    about: "Callbacks of the host around a prompt, a tool and the end of a turn.",
    scripts: [echo],
    args: ASK,
    answers: ["UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"].map((name) => hook(`cb_${name}`)),
    host: [withHooks(["UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"]), ...turn("echo it")],
    expect: {
      order: [
        called("UserPromptSubmit"),
        called("PreToolUse"),
        called("PostToolUse"),
        called("Stop"),
        { type: "result" },
      ],
    },
    simulator: true,
    fast: true,
  },
  {
    name: "hooks-pre-deny",
    about: "A PreToolUse callback denies: the tool does not run, nothing is asked.",
    scripts: [touch],
    args: ASK,
    answers: [
      hook("cb_PreToolUse", {
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: "deny",
          permissionDecisionReason: "not by this hook",
        },
      }),
    ],
    host: [withHooks(["PreToolUse"]), ...turn("touch it")],
    expect: { asks: [], files: { "a.txt": null }, see: [toolError("not by this hook")] },
    simulator: true,
  },
  {
    name: "hooks-pre-allow-changed",
    about: "A PreToolUse callback allows and changes the input.",
    scripts: [touch],
    args: ASK,
    answers: [
      hook("cb_PreToolUse", {
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: "allow",
          updatedInput: { command: "touch b.txt", description: "Changed" },
        },
      }),
    ],
    host: [withHooks(["PreToolUse"]), ...turn("touch it")],
    expect: { asks: [], files: { "a.txt": null, "b.txt": "" } },
    simulator: true,
  },
  {
    name: "hooks-stop-block",
    about: "A Stop callback that blocks once makes the model go on.",
    scripts: [script("say hello", says("Hello."), says("And more."))],
    args: ASK,
    answers: [
      { to: "hook", callback: "cb_Stop", output: {}, input: { stop_hook_active: true } },
      hook("cb_Stop", { decision: "block", reason: "say more" }),
    ],
    host: [withHooks(["Stop"]), ...turn("say hello")],
    expect: { results: [{ subtype: "success", result: "And more." }], see: [{ type: "user", isSynthetic: true }] },
    simulator: true,
  },
  {
    name: "hooks-prompt-block",
    about: "A UserPromptSubmit callback blocks the prompt: no answer, a success without turns.",
    scripts: [hello],
    args: ASK,
    answers: [hook("cb_UserPromptSubmit", { decision: "block", reason: "not this prompt" })],
    host: [withHooks(["UserPromptSubmit"]), ...turn("say hello")],
    expect: {
      plays: { "say hello": 0 },
      results: [{ subtype: "success", num_turns: 0 }],
      see: [{ type: "system", subtype: "informational", content: has("not this prompt") }],
    },
    differs: [{ versions: OLD, why: "the reason is not shown", expect: { see: [] } }],
    simulator: true,
  },
  {
    name: "hooks-settings-events",
    about: "Hooks of the project's settings, shown with --include-hook-events.",
    scripts: [echo],
    files: SETTINGS_HOOKS,
    args: [...ASK, "--include-hook-events"],
    host: turn("echo it"),
    expect: {
      see: [
        { type: "system", subtype: "hook_started", hook_event: "SessionStart" },
        { type: "system", subtype: "hook_response", hook_event: "SessionStart", stdout: has("started") },
        { type: "system", subtype: "hook_response", hook_event: "PreToolUse", stdout: has("before") },
      ],
    },
    excluded: [{ versions: OLD, why: "the flag does not exist yet" }],
    simulator: true,
  },
  {
    name: "hooks-settings-quiet",
    about: "Without the flag only SessionStart hooks show.",
    scripts: [echo],
    files: SETTINGS_HOOKS,
    args: ASK,
    host: turn("echo it"),
    expect: {
      see: [{ type: "system", subtype: "hook_response", hook_event: "SessionStart" }],
      never: [{ type: "system", subtype: "hook_response", hook_event: "PreToolUse" }],
    },
    simulator: true,
  },
]);

const ECHO_TOOL = {
  name: "echo",
  description: "Echo a text",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  text: "echoed by the host",
};
const MCP_SERVER = `
const lines = require("node:readline").createInterface({ input: process.stdin });
const reply = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
lines.on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    reply(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "own", version: "1.0.0" } });
  } else if (method === "tools/list") {
    reply(id, { tools: [{ name: "ping", description: "Answers pong", inputSchema: { type: "object", properties: {} } }] });
  } else if (method === "tools/call") reply(id, { content: [{ type: "text", text: "pong" }] });
  else if (id !== undefined) reply(id, {});
});
`;
const echoCall = script("call the server", says({ tool: "mcp__deck__echo", input: { text: "hi" } }), says("Called."));

export const mcpCases = casesOf("mcp", [
  {
    name: "mcp-in-process",
    about: "A server in the host: handshake, list, call with a question first, result.",
    scripts: [echoCall],
    args: ASK,
    answers: [allow("mcp__deck__echo"), { to: "mcp", server: "deck", tools: [ECHO_TOOL] }],
    host: [
      initialize({ sdkMcpServers: ["deck"] }),
      ...turn("call the server"),
      request(
        { subtype: "mcp_status" },
        { subtype: "success", response: { mcpServers: [{ name: "deck", status: "connected" }] } },
      ),
    ],
    expect: {
      asks: ["mcp__deck__echo"],
      see: [
        {
          type: "system",
          subtype: "init",
          tools: ["mcp__deck__echo"],
          mcp_servers: [{ name: "deck", status: "connected" }],
        },
        { type: "user", message: { content: [{ type: "tool_result", content: has("echoed by the host") }] } },
      ],
    },
    simulator: true,
    fast: true,
  },
  {
    name: "mcp-denied",
    about: "A denied call never reaches the server.",
    scripts: [echoCall],
    args: ASK,
    answers: [
      { to: "tool", tool: "mcp__deck__echo", reply: { response: { behavior: "deny", message: "not that server" } } },
      { to: "mcp", server: "deck", tools: [ECHO_TOOL] },
    ],
    host: [initialize({ sdkMcpServers: ["deck"] }), ...turn("call the server")],
    expect: {
      see: [toolError("not that server")],
      never: [{ type: "control_request", request: { message: { method: "tools/call" } } }],
    },
    simulator: true,
  },
  {
    name: "mcp-own-process",
    about: "A server by --mcp-config in a process of its own.",
    scripts: [script("call the server", says({ tool: "mcp__own__ping", input: {} }), says("Called."))],
    files: { "server.cjs": MCP_SERVER },
    args: [
      ...ASK,
      "--mcp-config",
      JSON.stringify({ mcpServers: { own: { type: "stdio", command: "node", args: ["{{cwd}}/server.cjs"] } } }),
      "--allowedTools",
      "mcp__own__ping",
    ],
    host: turn("call the server"),
    expect: {
      asks: [],
      see: [
        { type: "system", subtype: "init", mcp_servers: [{ name: "own", status: "connected" }] },
        { type: "user", message: { content: [{ type: "tool_result", content: has("pong") }] } },
      ],
    },
    simulator: "servers in processes of their own are not simulated",
  },
  {
    name: "mcp-set-servers",
    about: "mcp_set_servers adds a server of the host in mid-session.",
    scripts: [hello, echoCall],
    args: [...ASK, "--allowedTools", "mcp__deck__echo"],
    answers: [{ to: "mcp", server: "deck", tools: [ECHO_TOOL] }],
    host: [
      initialize(),
      ...turn("say hello"),
      request(
        { subtype: "mcp_set_servers", servers: { deck: { type: "sdk", name: "deck" } } },
        { subtype: "success", response: { added: ["deck"] } },
      ),
      prompt("call the server"),
      see({ type: "system", subtype: "init", mcp_servers: [{ name: "deck" }] }),
      settled,
    ],
    simulator: true,
  },
]);
