// The agent's part of the protocol, case by case: the subjects of acpx's profile acp-core-v1, and every stable method with wrong
// input.

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ContentBlock } from "@agentclientprotocol/sdk/unstable";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { makePlace, startServer } from "../bridge/server-process.ts";
import type { Place, ServerProcess } from "../bridge/server-process.ts";
import { Editor } from "./editor.ts";

const say = (text: string) => ({ say: [{ text }] });
const call = (tool: string, input: Readonly<Record<string, unknown>>) => ({ say: [{ tool, input }] });

const SCENARIO = {
  name: "conformance",
  scripts: [
    { when: "slow", steps: [{ say: [{ text: "Slow. ".repeat(5000) }], pace: { deltaMs: 100, deltaChars: 4 } }] },
    {
      when: "fetch",
      steps: [call("Bash", { command: "curl -s http://127.0.0.1:9/" }), say("Not fetched.")],
    },
    {
      when: "write",
      steps: [call("Write", { file_path: "{{cwd}}/made.txt", content: "made\n" }), say("The turn is over.")],
    },
    { when: "read", steps: [call("Read", { file_path: "{{cwd}}/note.txt" }), say("Read.")] },
    { when: "first", steps: [say("One.")] },
    { when: "second", steps: [say("Two.")] },
  ],
};
const NOBODY = "00000000-0000-4000-8000-000000000000";

let place: Place;
let server: ServerProcess;
let editor: Editor;

beforeAll(async () => {
  place = makePlace(SCENARIO);
  server = await startServer(place);
  editor = new Editor(place);
  await editor.initialize();
});
afterAll(async () => {
  const code = await editor.quit();
  if (code !== 0 || editor.problems.length > 0)
    throw new Error([`It ended with ${String(code)}.`, ...editor.problems].join("\n"));
  await server.stop();
  place.remove();
});
beforeEach(() => {
  rmSync(join(place.cwd, "made.txt"), { force: true });
  writeFileSync(join(place.cwd, "note.txt"), "a note\n");
});

const started = async (): Promise<string> =>
  (await editor.agent.request("session/new", { cwd: place.cwd, mcpServers: [] })).sessionId;
const prompt = (sessionId: string, ...blocks: (string | ContentBlock)[]) =>
  editor.agent.request("session/prompt", {
    sessionId,
    prompt: blocks.map((block): ContentBlock => (typeof block === "string" ? { type: "text", text: block } : block)),
  });
/** Answers the next dialog with the first choice of a kind. */
const answerNext = async (kind: string): Promise<void> => {
  const { params, answer } = await editor.permission(editor.permissions.length);
  answer({
    outcome: { outcome: "selected", optionId: params.options.find((one) => one.kind === kind)?.optionId ?? "" },
  });
};
const text = (id: string): string => editor.text("agent_message_chunk", id);
const ENDED = { stopReason: "end_turn" };

it("[E258] behaves as acpx's profile acp-core-v1 requires", { tags: "long" }, async () => {
  // initialize.handshake: once more, with a version that does not exist.
  const hello = { clientCapabilities: {}, clientInfo: { name: "test", version: "1" } };
  for (const protocolVersion of [1, 60_000]) {
    const agreed = await editor.agent.request("initialize", { protocolVersion, ...hello });
    expect(agreed).toMatchObject({ protocolVersion: 1, agentCapabilities: { loadSession: true } });
  }
  // session.new.basic
  const [id, other] = [await started(), await started()];
  expect(id).toMatch(/^[0-9a-f-]{36}$/u);
  expect(other).not.toBe(id);
  // session.cancel.idle: no answer, no error, and the session still works.
  await editor.agent.notify("session/cancel", { sessionId: id });
  // session.prompt.single_turn, session.update.termination: the text is complete when the answer comes.
  expect(await prompt(id, "the first")).toEqual(ENDED);
  expect(text(id)).toBe("One.");
  // session.prompt.multi_turn, and nothing in the other session.
  expect(await prompt(id, "the second")).toEqual(ENDED);
  expect(text(id)).toBe("One.Two.");
  expect(text(other)).toBe("");
  // session.prompt.background_completion: two sessions at the same time.
  expect(await Promise.all([prompt(id, "the first"), prompt(other, "the second")])).toEqual([ENDED, ENDED]);
  expect([text(id), text(other)]).toEqual(["One.Two.One.", "Two."]);
  // session.prompt.unrecognized: the agent answers anyway.
  const before = text(id).length;
  expect(await prompt(id, "xyzzy")).toEqual(ENDED);
  expect(text(id).length).toBeGreaterThan(before);
  // session.prompt.structured_blocks
  const link = { type: "resource_link" as const, uri: `file://${join(place.cwd, "note.txt")}`, name: "note.txt" };
  expect(await prompt(other, "the first of", link)).toEqual(ENDED);
  expect(JSON.stringify(place.linesToCli().findLast(({ type }) => type === "user"))).toContain("note.txt");

  // permissions.read.approved: a file of the folder needs no dialog.
  const asked = editor.permissions.length;
  expect(await prompt(id, "read it")).toEqual(ENDED);
  expect(editor.permissions).toHaveLength(asked);
  // errors.permission_denied, errors.permission_denied.write
  for (const [words, made] of [
    ["fetch it", false],
    ["write it", false],
  ] as const) {
    const turn = prompt(id, words);
    await answerNext("reject_once");
    expect([words, await turn, existsSync(join(place.cwd, "made.txt"))]).toEqual([words, ENDED, made]);
    const { toolCallId } = editor.permissions.at(-1)!.params.toolCall;
    expect(editor.call(toolCallId)).toMatchObject({ status: "failed" });
  }
  // permissions.write.approved
  const turn = prompt(id, "write it");
  await answerNext("allow_once");
  expect(await turn).toEqual(ENDED);
  expect(readFileSync(join(place.cwd, "made.txt"), "utf8")).toBe("made\n");

  // session.cancel.in_flight, session.cancel.followup_prompt; also while a dialog is open.
  const slow = prompt(other, "slow");
  await editor.until(() => (text(other).includes("Slow.") ? true : undefined));
  await editor.agent.notify("session/cancel", { sessionId: other });
  expect(await slow).toEqual({ stopReason: "cancelled" });
  rmSync(join(place.cwd, "made.txt"));
  const waiting = prompt(other, "fetch it");
  const dialog = await editor.permission(editor.permissions.length);
  await editor.agent.notify("session/cancel", { sessionId: other });
  // A client answers open dialogs with `cancelled` after it has cancelled the turn.
  dialog.answer({ outcome: { outcome: "cancelled" } });
  expect(await waiting).toEqual({ stopReason: "cancelled" });
  expect(await prompt(other, "the second")).toEqual(ENDED);
  expect(text(other).endsWith("Two.")).toBe(true);
});

it("[E259] answers wrong input of every stable method with the code for it, and accepts a second delete", async () => {
  const id = await started();
  const cwd = place.cwd;
  const words = [{ type: "text", text: "the first" }];
  /** What is on the wire: the SDK's client hides some errors. */
  const outcome = async (method: string, params: unknown): Promise<unknown> => {
    const at = editor.wire.length;
    await editor.agent.request(method, params as Record<string, unknown>).catch(() => undefined);
    const answers = editor.wire.slice(at).flatMap(({ from, message }) => {
      if (from === "editor" || "method" in message) return [];
      return ["error" in message ? message.error.code : message.result];
    });
    return answers.length === 1 ? answers[0] : answers;
  };
  const [INVALID, UNKNOWN_SESSION, UNKNOWN_METHOD] = [-32_602, -32_002, -32_601];
  const cases: readonly (readonly [method: string, params: unknown, outcome: unknown])[] = [
    ["initialize", {}, INVALID],
    ["initialize", { protocolVersion: "one" }, INVALID],
    ["authenticate", { methodId: "nonsense" }, INVALID],
    ["session/new", { mcpServers: [] }, INVALID],
    ["session/new", { cwd: null, mcpServers: [] }, INVALID],
    ["session/new", { cwd: "work", mcpServers: [] }, INVALID],
    ["session/new", { cwd: join(cwd, "missing"), mcpServers: [] }, INVALID],
    ["session/new", { cwd, mcpServers: "all" }, INVALID],
    ["session/load", { sessionId: NOBODY, cwd, mcpServers: [] }, UNKNOWN_SESSION],
    ["session/load", { sessionId: id, cwd: "work", mcpServers: [] }, INVALID],
    ["session/load", { sessionId: 7, cwd, mcpServers: [] }, INVALID],
    ["session/resume", { sessionId: NOBODY, cwd }, UNKNOWN_SESSION],
    ["session/resume", { cwd }, INVALID],
    ["session/list", { cwd: 7 }, INVALID],
    ["session/list", { cursor: "nonsense" }, INVALID],
    ["session/prompt", { sessionId: NOBODY, prompt: words }, UNKNOWN_SESSION],
    ["session/prompt", { sessionId: 7, prompt: words }, INVALID],
    ["session/prompt", { sessionId: id, prompt: "the first" }, INVALID],
    ["session/prompt", { sessionId: id, prompt: [] }, INVALID],
    ["session/prompt", { sessionId: id, prompt: [{ type: "text", text: " " }] }, INVALID],
    ["session/prompt", { sessionId: id, prompt: [{ type: "audio", data: "AAAA", mimeType: "audio/wav" }] }, INVALID],
    ["session/set_mode", { sessionId: NOBODY, modeId: "plan" }, UNKNOWN_SESSION],
    ["session/set_mode", { sessionId: id, modeId: "nonsense" }, INVALID],
    ["session/set_config_option", { sessionId: NOBODY, configId: "model", value: "haiku" }, UNKNOWN_SESSION],
    ["session/set_config_option", { sessionId: id, configId: "nonsense", value: "haiku" }, INVALID],
    ["session/set_config_option", { sessionId: id, configId: "model", value: "nonsense" }, INVALID],
    ["session/close", { sessionId: NOBODY }, UNKNOWN_SESSION],
    ["session/close", {}, INVALID],
    ["session/delete", {}, INVALID],
    // The specification requires success for a session that does not exist.
    ["session/delete", { sessionId: NOBODY }, {}],
    ["session/delete", { sessionId: "../../etc" }, {}],
    ["logout", {}, UNKNOWN_METHOD],
    ["session/fork", { sessionId: id, cwd }, UNKNOWN_METHOD],
  ];
  const outcomes: unknown[] = [];
  for (const [method, params] of cases) outcomes.push([method, params, await outcome(method, params)]);
  expect(outcomes).toEqual(cases);

  // The session still works.
  expect(await prompt(id, "the first")).toEqual(ENDED);
  expect(text(id)).toBe("One.");
  for (const time of ["once", "twice"])
    expect([time, await outcome("session/delete", { sessionId: id })]).toEqual([time, {}]);
  const { sessions } = await editor.agent.request("session/list", { cwd });
  expect(sessions.map(({ sessionId }) => sessionId)).not.toContain(id);
  expect(await outcome("session/prompt", { sessionId: id, prompt: words })).toBe(UNKNOWN_SESSION);
});
