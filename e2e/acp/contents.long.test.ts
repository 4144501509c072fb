// What editors send and get besides text: images and files, forms of MCP servers, their own MCP servers, subagents, terminals, and
// a session that is deleted.

import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ContentBlock, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { programWords } from "@quarterdeck/test-kit/programs";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { makePlace, startServer } from "../bridge/server-process.ts";
import type { Place, ServerProcess } from "../bridge/server-process.ts";
import { ELICITATION } from "../page/screenshot-story.ts";
import { Editor } from "./editor.ts";
import type { EditorOptions } from "./editor.ts";

const SCENARIO = {
  name: "contents",
  scripts: [
    { when: "look at", steps: [{ say: [{ text: "I see." }] }] },
    {
      when: "delegate",
      steps: [
        {
          say: [
            {
              tool: "Agent",
              input: {
                description: "Look",
                prompt: "go aloft",
                subagent_type: "general-purpose",
                run_in_background: false,
              },
            },
          ],
        },
        { say: [{ text: "Done." }] },
      ],
    },
    {
      when: "go aloft",
      steps: [
        { say: [{ text: "I climb." }, { tool: "Bash", input: { command: "touch aloft.txt" } }] },
        { say: [{ text: "All clear." }] },
      ],
    },
    {
      when: "list",
      steps: [{ say: [{ tool: "Bash", input: { command: "echo harbour" } }] }, { say: [{ text: "Listed." }] }],
    },
  ],
};

let place: Place;
let server: ServerProcess;
const editors: Editor[] = [];

beforeAll(async () => {
  place = makePlace(SCENARIO);
  server = await startServer(place);
});
afterAll(async () => {
  await server.stop();
  place.remove();
});
afterEach(async () => {
  for (const editor of editors.splice(0)) {
    const code = await editor.quit();
    if (code !== 0 || editor.problems.length > 0)
      throw new Error([`It ended with ${String(code)}.`, ...editor.problems].join("\n"));
  }
});

const sitDown = async (options: EditorOptions = {}, at = place): Promise<Editor> => {
  const editor = new Editor(at, options);
  editors.push(editor);
  await editor.initialize(options);
  return editor;
};
const started = async (editor: Editor, cwd = place.cwd): Promise<string> =>
  (await editor.agent.request("session/new", { cwd, mcpServers: [] })).sessionId;
const prompt = (editor: Editor, sessionId: string, ...blocks: (string | ContentBlock)[]) =>
  editor.agent.request("session/prompt", {
    sessionId,
    prompt: blocks.map((block): ContentBlock => (typeof block === "string" ? { type: "text", text: block } : block)),
  });
const ENDED = { stopReason: "end_turn" };

/** The content of the last prompt that reached the CLI. */
const lastPrompt = (): unknown => {
  const line = place.linesToCli().findLast(({ type }) => type === "user");
  return (line?.["message"] as { readonly content?: unknown } | undefined)?.content;
};

it("[E276] images, mentions and files of a prompt reach Claude Code, large ones as uploads", async () => {
  const editor = await sitDown();
  const id = await started(editor);
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const note = join(place.cwd, "note.txt");
  const log = "All quiet on deck. ".repeat(4000);
  const turn = prompt(
    editor,
    id,
    "look at",
    { type: "resource_link", uri: `file://${note}`, name: "note.txt" },
    { type: "resource", resource: { uri: "file:///srv/app/a.ts", text: "let a = 1;", mimeType: "text/plain" } },
    { type: "resource", resource: { uri: "file:///srv/app/deck.log", text: log, mimeType: "text/plain" } },
    { type: "image", data: png, mimeType: "image/png" },
  );
  expect(await turn).toEqual(ENDED);
  const content = lastPrompt() as { readonly text?: string }[];
  expect(content).toMatchObject([
    { type: "text", text: `look at @${note} @/srv/app/a.ts @/srv/app/deck.log` },
    { type: "text", text: '<context ref="file:///srv/app/a.ts">\nlet a = 1;\n</context>' },
    { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
    { type: "text" },
  ]);
  const attached = /^The file "deck\.log" is attached: @(?<path>.+)$/u.exec(content[3]?.text ?? "")?.groups?.["path"];
  expect(readFileSync(attached ?? "", "utf8")).toBe(log);
  await expect(prompt(editor, id, { type: "image", data: png, mimeType: "image/tiff" })).rejects.toMatchObject({
    code: -32602,
  });
});

it("[E277] a form of an MCP server is a form in the editor, and its answer reaches the server of tools", async () => {
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-acp-form-"));
  const recording = join(folder, "form.ndjson");
  writeFileSync(recording, ELICITATION.map((line) => JSON.stringify(line)).join("\n"));
  const args = [...programWords("quarterdeck-sim"), "--replay", recording];
  const own = makePlace(SCENARIO, { command: process.execPath, args, env: {} });
  const second = await startServer(own);
  const editor = await sitDown({ capabilities: { elicitation: { form: {} } } }, own);
  const id = await started(editor, own.cwd);
  prompt(editor, id, "Book a berth").catch(() => undefined);
  const { params, answer } = await editor.form();
  expect(params).toMatchObject({
    mode: "form",
    sessionId: id,
    message: "The harbour office needs to know a little before it can book a berth.",
    requestedSchema: { required: ["vessel", "nights"], properties: { side: { enum: ["port", "starboard"] } } },
  });
  const content = { vessel: "Marigold", nights: 2, side: "port", power: true };
  answer({ action: "accept", content });
  const answers = () =>
    own.linesToCli().flatMap((line) => {
      const { type, response } = line as { type?: unknown; response?: { request_id?: unknown; response?: unknown } };
      return type === "control_response" && response?.request_id === "e1" ? [response.response] : [];
    });
  await expect.poll(answers, { timeout: 60_000 }).toEqual([{ action: "accept", content }]);
  editors.splice(editors.indexOf(editor), 1);
  expect(await editor.quit()).toBe(0);
  expect(editor.problems).toEqual([]);
  await second.stop();
  own.remove();
  rmSync(folder, { recursive: true, force: true });
});

it("[E278] a deleted session is gone, with Claude Code's transcript", async () => {
  const editor = await sitDown();
  const [id, other] = [await started(editor), await started(editor)];
  for (const one of [id, other]) expect(await prompt(editor, one, "look at this")).toEqual(ENDED);
  const transcripts = (one: string) => globSync(join(place.home, ".claude", "projects", "*", `${one}*`));
  expect(transcripts(id)).toHaveLength(1);
  await editor.agent.request("session/delete", { sessionId: id });
  expect(transcripts(id)).toEqual([]);
  expect(transcripts(other)).toHaveLength(1);
  const { sessions } = await editor.agent.request("session/list", { cwd: place.cwd });
  expect(sessions.map(({ sessionId }) => sessionId)).not.toContain(id);
  expect(sessions.map(({ sessionId }) => sessionId)).toContain(other);
  await expect(
    editor.agent.request("session/load", { sessionId: id, cwd: place.cwd, mcpServers: [] }),
  ).rejects.toMatchObject({ code: -32002 });
});

it("[E279] servers of the editor are given to a loaded session once, and one that fails is told in words", async () => {
  const first = await sitDown();
  const id = await started(first);
  const editor = await sitDown();
  const tides = { name: "tides", command: "tides-server", args: ["--now"], env: [{ name: "PORT", value: "1" }] };
  await editor.agent.request("session/load", { sessionId: id, cwd: place.cwd, mcpServers: [tides] });
  for (const what of ["this", "that"]) expect(await prompt(editor, id, `look at ${what}`)).toEqual(ENDED);
  expect(editor.text("agent_message_chunk", id).match(/The MCP server tides is missing/gu)).toHaveLength(1);
  const given = place.linesToCli().flatMap(({ request }) => {
    const { subtype, servers } = (request ?? {}) as { readonly subtype?: unknown; readonly servers?: unknown };
    return subtype === "mcp_set_servers" ? [servers] : [];
  });
  expect(given).toEqual([{ tides: { type: "stdio", command: "tides-server", args: ["--now"], env: { PORT: "1" } } }]);
});

it("[E280] a subagent's words are in its call while it works, and a loaded terminal begins before its output", async () => {
  const editor = await sitDown({ capabilities: { _meta: { terminal_output: true } } });
  const id = await started(editor);
  const turn = prompt(editor, id, "delegate");
  const { answer } = await editor.permission();
  const agent = await editor.until(() =>
    editor.updates(id).find((update) => update.sessionUpdate === "tool_call" && update.title.startsWith("Agent")),
  );
  const { toolCallId } = agent as Extract<SessionUpdate, { sessionUpdate: "tool_call" }>;
  await editor.until(() =>
    JSON.stringify(editor.call(toolCallId)["content"]).includes("I climb.") ? true : undefined,
  );
  answer({ outcome: { outcome: "selected", optionId: "allow" } });
  expect(await turn).toEqual(ENDED);
  expect(JSON.stringify(editor.call(toolCallId)["content"])).toContain("All clear.");
  expect(editor.text("agent_message_chunk", id)).toBe("Done.");

  expect(await prompt(editor, id, "list")).toEqual(ENDED);
  const second = await sitDown({ capabilities: { _meta: { terminal_output: true } } });
  await second.agent.request("session/load", { sessionId: id, cwd: place.cwd, mcpServers: [] });
  const ofCommand = second.updates(id).filter((update) => "title" in update && update.title === "echo harbour");
  const [begun] = ofCommand as Extract<SessionUpdate, { sessionUpdate: "tool_call" }>[];
  const updates = second.updates(id).filter((one) => "toolCallId" in one && one.toolCallId === begun?.toolCallId);
  expect(updates.map(({ sessionUpdate, _meta: meta }) => [sessionUpdate, Object.keys(meta ?? {})])).toEqual([
    ["tool_call", ["terminal_info"]],
    ["tool_call_update", ["terminal_info", "terminal_output", "terminal_exit"]],
  ]);
  expect(updates[1]).toMatchObject({
    _meta: { terminal_output: { data: expect.stringContaining("harbour") as string } },
  });
});
