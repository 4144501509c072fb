import { expect, it } from "vitest";
import { DEMO_CHAPTERS, DEMO_MCP, DEMO_PROMPTS } from "./demo.ts";
import { ASKING, blockOf, Host, PARTIAL } from "./host.fixture.ts";
import { isRecord, listAt, recordAt } from "./json.ts";
import type { Json } from "./json.ts";

const mcp = ({ message }: Json): Json => {
  const { method, id } = recordAt({ message }, "message");
  const results: Json = {
    initialize: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: DEMO_MCP.server, version: "1" },
    },
    "tools/list": { tools: [{ name: DEMO_MCP.tool, inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: "06:15" }] },
  };
  return { mcp_response: { jsonrpc: "2.0", id: id ?? 0, result: results[String(method)] ?? {} } };
};

const permit = ({ tool_name, input }: Json): Json => {
  if (tool_name !== "AskUserQuestion") return { behavior: "allow", updatedInput: input };
  const questions = listAt(input, "questions").filter(isRecord);
  const answers = Object.fromEntries(
    questions.map(({ question, options }) => [
      String(question),
      recordAt({ first: (options as Json[])[0] }, "first").label,
    ]),
  );
  return { behavior: "allow", updatedInput: { ...(input as Json), answers } };
};

it("names only chapters that the tour has", () => {
  const prompts = DEMO_PROMPTS.map(({ text }) => text);
  expect(DEMO_CHAPTERS.filter(({ prompt }) => !prompts.includes(prompt))).toEqual([]);
});

it("tours every feature", async () => {
  const host = new Host({ args: [...ASKING, ...PARTIAL], env: { QUARTERDECK_SIM_PACE: "0.02" }, permit, mcp });
  const hooks = { PreToolUse: [{ matcher: `mcp__${DEMO_MCP.server}__${DEMO_MCP.tool}`, hookCallbackIds: ["tide"] }] };
  await host.request({ subtype: "initialize", hooks, sdkMcpServers: [DEMO_MCP.server] });
  const ownResult = (): Promise<Json> =>
    host.next(({ type, origin }) => type === "result" && recordAt({ origin }, "origin").kind !== "task-notification");
  for (const [at, { text, whileRunning }] of DEMO_PROMPTS.entries()) {
    if (whileRunning === true) continue;
    host.prompt(text);
    if (DEMO_PROMPTS[at + 1]?.whileRunning === true) {
      await host.next((message) => recordAt(message, "event").type === "content_block_delta");
      host.prompt(DEMO_PROMPTS[at + 1]!.text);
      await ownResult();
    }
    await ownResult();
  }
  expect(await host.end()).toEqual({ code: 0, signal: null });

  const tools = new Set(
    host.messages.filter(({ type }) => type === "assistant").map((message) => blockOf(message).name),
  );
  for (const name of [
    "Write",
    "Read",
    "Edit",
    "Bash",
    "Glob",
    "Grep",
    "NotebookEdit",
    "TaskCreate",
    "AskUserQuestion",
    "EnterPlanMode",
    "ExitPlanMode",
    "Task",
    `mcp__${DEMO_MCP.server}__${DEMO_MCP.tool}`,
  ]) {
    expect(tools).toContain(name);
  }
  const words = new Set(host.words());
  for (const word of [
    "assistant thinking",
    "ask can_use_tool",
    "ask hook_callback",
    "ask mcp_message",
    "api_retry",
    "task_started",
    "task_progress",
    "task_notification",
    "background_tasks_changed",
    "mode plan",
    "mode default",
    "compact_boundary",
  ]) {
    expect(words).toContain(word);
  }
  const failures = host.messages.filter((message) => blockOf(message).is_error === true);
  expect(failures).toHaveLength(1);
  expect(
    host.messages.filter(({ type }) => type === "result").filter(({ is_error }) => is_error === true),
  ).toMatchObject([{ api_error_status: 400 }]);
  const last = host.messages.findLast(({ local_command }) => local_command === "usage");
  expect(last).toMatchObject({ result: expect.stringContaining("Total cost:") as string });
});
