// All options of the official SDK that become flags, variables or fields of `initialize`, and that `scenes.ts` does not use. As few
// starts as possible: one with flags, one with `initialize` in their place. The requests to the API show whether an option arrived.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Script } from "@quarterdeck/simulator";
import { until } from "./callers.ts";
import type { Place } from "./callers.ts";
import { optionsIn, prompts } from "./scenes.ts";
import type { Scene } from "./scenes.ts";
import type { Sdk } from "./sdk.ts";

/** Options that no scene uses, and why. */
export const UNTESTED: Readonly<Record<string, string>> = {
  executable: "chooses how the SDK starts a script. `quarterdeck-claude` is a program.",
  executableArgs: "words for that start",
  spawnClaudeCodeProcess: "replaces the start of a program, so there is nothing to stand in for",
};

const call = (tool: string, input: Readonly<Record<string, unknown>>) => ({ say: [{ tool, input }] });

export const OPTION_SCRIPTS: readonly Script[] = [
  {
    when: "[[flags]]",
    steps: [call("Bash", { command: "date", description: "x" }), { say: [{ text: "The alias ran." }] }],
  },
  {
    when: "[[fields]]",
    steps: [
      call("mcp__desk__ask", {}),
      call("Bash", { command: "touch by-tool.txt", description: "x" }),
      { say: [{ text: "The form was answered, and the tool allowed it." }] },
    ],
  },
];

/** An MCP server on stdio: `echo` answers, `ask` shows a form, `approve` decides about permissions. */
const DESK = String.raw`
const tools = ["echo", "ask", "approve"].map((name) => ({ name, description: name, inputSchema: { type: "object" } }));
const write = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
let asked;
const call = (id, { name, arguments: given }) => {
  const text = (value) => write({ id, result: { content: [{ type: "text", text: value }] } });
  if (name === "approve") return text(JSON.stringify({ behavior: "allow", updatedInput: given.input }));
  if (name === "echo") return text("echo");
  asked = (answer) => text(JSON.stringify(answer));
  const requestedSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  write({ id: "form", method: "elicitation/create", params: { message: "Who?", requestedSchema } });
};
const take = ({ id, method, params, result }) => {
  if (id === "form") asked(result);
  else if (method === "initialize")
    write({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "desk", version: "1" } } });
  else if (method === "tools/list") write({ id, result: { tools } });
  else if (method === "tools/call") call(id, params);
  else if (id !== undefined) write({ id, result: {} });
};
let rest = "";
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  for (const line of lines) if (line.trim() !== "") take(JSON.parse(line));
});
process.stdin.on("end", () => process.exit(0));
`;

const filesIn = ({ root }: Place) => {
  const put = (path: string, text: string): string => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  put("plugin/.claude-plugin/plugin.json", JSON.stringify({ name: "deck", version: "1.0.0", description: "x" }));
  put("plugin/commands/hi.md", "---\ndescription: says hi\n---\nSay hi.\n");
  put("plugin/skills/tidy/SKILL.md", "---\nname: tidy\ndescription: tidies\n---\nTidy.\n");
  const hook = { hooks: [{ type: "command", command: "echo from the plugin" }] };
  put("plugin/hooks/hooks.json", JSON.stringify({ hooks: { UserPromptSubmit: [hook] } }));
  const desk = { type: "stdio", command: process.execPath, args: [put("desk.mjs", DESK)] };
  return { desk, plugin: join(root, "plugin"), debugFile: join(root, "tmp", "debug.txt") };
};

/** The API requests of the conversation, without what differs in every run. */
const asked = (place: Place): unknown[] =>
  place
    .requests()
    .filter(({ answer }) => !answer.startsWith("side:") && !answer.startsWith("http:"))
    .map(({ headers, body }) => {
      const { metadata: _ids, ...fields } = body as Readonly<Record<string, unknown>>;
      return { betas: headers["anthropic-beta"], ...fields };
    });

const run = async (sdk: Sdk, place: Place, prompt: string, options: Readonly<Record<string, unknown>>) => {
  const seen: [string, unknown][] = [];
  const { say, end, stream } = prompts();
  const query = sdk.query({ prompt: stream(), options: { ...optionsIn(place), ...options } });
  const servers = query["mcpServerStatus"] as () => Promise<readonly { readonly status: string }[]>;
  // The CLI tells the model of a server only when it is connected.
  await until(async () => (await servers.call(query)).some(({ status }) => status === "connected"));
  say(prompt);
  for await (const message of query) {
    seen.push(["message", message]);
    if (message.type === "result") end();
  }
  for (const request of asked(place)) seen.push(["request", request]);
  return seen;
};

/** Options that become flags and variables. */
export const flags: Scene = async (sdk, place) => {
  const { desk, plugin, debugFile } = filesIn(place);
  const stderr: string[] = [];
  const seen = await run(sdk, place, "[[flags]]", {
    // As root, the CLI allows everything only in a sandbox.
    env: { ...place.env, IS_SANDBOX: "1" },
    model: "claude-sonnet-4-5",
    thinking: { type: "enabled", budgetTokens: 2000, display: "summarized" },
    taskBudget: { total: 30_000 },
    betas: ["context-1m-2025-08-07"],
    agent: "reviewer",
    agents: { reviewer: { description: "Reviews", prompt: "You review.", tools: ["Bash", "mcp__desk__echo"] } },
    mcpServers: { desk },
    strictMcpConfig: true,
    permissionMode: "bypassPermissions",
    allowDangerouslySkipPermissions: true,
    permissionPrompts: "none",
    plugins: [{ type: "local", path: plugin, skipMcpDiscovery: true }],
    includeHookEvents: true,
    projectConfigRoot: place.cwd,
    sandbox: { enabled: false },
    managedSettings: { cleanupPeriodDays: 20 },
    skills: "all",
    enableFileCheckpointing: true,
    toolAliases: { Bash: "mcp__desk__echo" },
    toolConfig: { askUserQuestion: { previewFormat: "html" } },
    forwardSubagentText: true,
    agentProgressSummaries: true,
    title: "A title",
    sessionId: "11111111-2222-4333-8444-555555555555",
    debugFile,
    stderr: (text: string) => stderr.push(text),
  });
  return [...seen, ["stderr", stderr.join("")], ["debug file", existsSync(debugFile)]];
};

/** Options that become fields of `initialize`, and other values of flags. */
export const fields: Scene = async (sdk, place) => {
  const { desk, plugin } = filesIn(place);
  const forms: unknown[] = [];
  const seen = await run(sdk, place, "[[fields]]", {
    thinking: { type: "disabled" },
    systemPrompt: ["You are a desk.", "Be kind."],
    mcpServers: { desk },
    permissionPromptToolName: "mcp__desk__approve",
    plugins: [{ type: "local", path: plugin }],
    pluginDelivery: "initialize",
    managedSettings: { cleanupPeriodDays: 20 },
    planModeInstructions: "Plan briefly.",
    supportedDialogKinds: ["one"],
    // The CLI opens no dialog in a scripted session, so it is never called.
    onUserDialog: async () => ({ behavior: "cancelled" }),
    perTaskStopAffordance: true,
    verbatimPrompts: true,
    promptSuggestions: false,
    settings: { env: { FROM_SETTINGS: "1" } },
    settingSources: ["user", "project", "local"],
    tools: { type: "preset", preset: "claude_code" },
    persistSession: false,
    maxThinkingTokens: 0,
    debug: true,
    onElicitation: async (form: { readonly message: string }) => {
      forms.push(form.message);
      return { action: "accept", content: { name: "Ada" } };
    },
  });
  return [...seen, ["forms", forms], ["allowed", existsSync(join(place.cwd, "by-tool.txt"))]];
};
