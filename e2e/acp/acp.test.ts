// `quarterdeck acp` as editors use it: the client of the SDK, the program, a server and the simulator. Every update and request is
// checked against the protocol's schema.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, hashOf } from "@quarterdeck/client";
import type { Client, OpenRequest, ParamsOf } from "@quarterdeck/client";
import { answersOf } from "@quarterdeck/protocol";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makePlace, startServer } from "../bridge/server-process.ts";
import type { Place, ServerProcess } from "../bridge/server-process.ts";
import { Editor, problemWith } from "./editor.ts";
import type { EditorOptions } from "./editor.ts";

const SLOW = "All quiet on deck. ".repeat(5000);
const QUESTIONS = [
  { question: "Which way?", header: "Way", options: [{ label: "North" }, { label: "South", description: "warm" }] },
  { question: "Which sails?", header: "Sails", multiSelect: true, options: [{ label: "Jib" }, { label: "Main" }] },
];
const bash = (command: string, more = {}) => ({ say: [{ tool: "Bash", input: { command, ...more } }] });

const SCENARIO = {
  name: "acp",
  scripts: [
    {
      when: "hello",
      steps: [
        {
          say: [
            { thinking: "A greeting." },
            { tool: "TaskCreate", input: { subject: "Greet", description: "Say hello", activeForm: "Greeting" } },
          ],
        },
        { say: [{ text: "Hello there." }] },
      ],
    },
    { when: "touch", steps: [bash("touch made.txt"), { say: [{ text: "As you wish." }] }] },
    {
      when: "edit",
      steps: [
        { say: [{ tool: "Read", input: { file_path: "{{cwd}}/note.txt" } }] },
        { say: [{ tool: "Edit", input: { file_path: "{{cwd}}/note.txt", old_string: "one", new_string: "two" } }] },
        { say: [{ text: "Edited." }] },
      ],
    },
    { when: "slow", steps: [{ say: [{ text: SLOW }], pace: { deltaMs: 100, deltaChars: 4 } }] },
    {
      when: "ask",
      steps: [{ say: [{ tool: "AskUserQuestion", input: { questions: QUESTIONS } }] }, { say: [{ text: "Aye." }] }],
    },
    {
      when: "plan it",
      steps: [
        { say: [{ tool: "Write", input: { file_path: "{{planFile}}", content: "# The plan" } }] },
        { say: [{ tool: "ExitPlanMode", input: {} }] },
        { say: [{ text: "Planned." }] },
      ],
    },
    {
      when: "watch",
      steps: [
        bash("until [ -e done.txt ]; do sleep 0.05; done", {
          run_in_background: true,
          description: "Wait for the tide",
        }),
        { say: [{ text: "Watching." }] },
      ],
    },
    {
      when: "evil",
      steps: [bash("echo \u202Egnp\u0007"), { say: [{ text: "Red \u001B[31malert\u200B." }] }],
    },
  ],
};

let place: Place;
let server: ServerProcess;
let phone: Client;
let work: string;
const editors: Editor[] = [];

beforeAll(async () => {
  place = makePlace(SCENARIO);
  work = place.cwd;
  mkdirSync(join(place.root, "strange"));
  server = await startServer(place, ["--root", join(place.root, "strange")]);
  phone = connect({
    url: server.url,
    credentials: { kind: "token", token: server.token },
    client: { name: "phone", version: "1" },
  });
});
afterAll(async () => {
  phone.close();
  await server.stop();
  place.remove();
});
beforeEach(() => {
  for (const name of ["made.txt", "done.txt", "other.txt"]) rmSync(join(work, name), { force: true });
  writeFileSync(join(work, "note.txt"), "one\nthree\n");
});
afterEach(async () => {
  for (const editor of editors.splice(0)) {
    const code = await editor.quit();
    if (code !== 0 || editor.problems.length > 0)
      throw new Error([`It ended with ${String(code)}.`, ...editor.problems].join("\n"));
  }
});

const sitDown = async (options: EditorOptions = {}): Promise<Editor> => {
  const editor = new Editor(place, options);
  editors.push(editor);
  await editor.initialize(options);
  return editor;
};
const started = async (editor: Editor): Promise<string> =>
  (await editor.agent.request("session/new", { cwd: work, mcpServers: [] })).sessionId;
const prompt = (editor: Editor, sessionId: string, text: string) =>
  editor.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
const load = (editor: Editor, sessionId: string) =>
  editor.agent.request("session/load", { sessionId, cwd: work, mcpServers: [] });
const choose = (optionId: string) => ({ outcome: { outcome: "selected" as const, optionId } });

/** Where the answer to the editor's last request of a method stands on the wire. */
const answerAt = (editor: Editor, method: string): number => {
  const asked = editor.wire.findLast(
    ({ from, message }) => from === "editor" && "method" in message && message.method === method,
  );
  const id = asked !== undefined && "id" in asked.message ? asked.message.id : undefined;
  return editor.wire.findIndex(({ from, message }) => from === "agent" && !("method" in message) && message.id === id);
};
const CONVERSATION = /^(?:agent|user)_|^tool_call|^plan|^usage|^notice|^compaction/u;
/** Updates of the conversation after a place on the wire. */
const saidAfter = (editor: Editor, at: number) =>
  editor.wire.slice(at + 1).flatMap(({ message }) => {
    if (!("method" in message) || message.method !== "session/update") return [];
    const { sessionUpdate } = (message.params as { update: { sessionUpdate: string } }).update;
    return CONVERSATION.test(sessionUpdate) ? [sessionUpdate] : [];
  });

const onPhone = async <T>(id: string, find: (view: ReturnType<Client["session"]>) => T | undefined): Promise<T> => {
  const view = phone.session(id);
  try {
    return await new Promise((resolve) => {
      const look = (): void => {
        const found = view.snapshot.status === "ready" ? find(view) : undefined;
        if (found !== undefined) resolve(found);
      };
      view.subscribe(look);
      look();
    });
  } finally {
    view.close();
  }
};
const openRequest = (id: string): Promise<OpenRequest> => onPhone(id, ({ snapshot }) => snapshot.head.requests[0]);
const answerOnPhone = async (id: string, answer: ParamsOf<"session/respond">["answer"]) => {
  const open = await openRequest(id);
  await phone.command("session/respond", {
    session: id,
    requestId: open.id,
    incarnation: open.incarnation,
    inputHash: await hashOf(open.request),
    answer,
  });
};
/** Resolves when the session rests. */
const rests = (id: string, turns: number) =>
  onPhone(id, ({ snapshot: { rows } }) =>
    rows.filter(({ kind }) => kind === "turn").length >= turns ? true : undefined,
  );

describe("a prompt", () => {
  it("[E230] streams between its request and its answer, and nothing outside", async () => {
    const editor = await sitDown();
    const id = await started(editor);
    expect(await prompt(editor, id, "hello")).toEqual({ stopReason: "end_turn" });
    expect(editor.text("agent_message_chunk", id)).toBe("Hello there.");
    expect(editor.text("agent_thought_chunk", id)).toBe("A greeting.");
    // The editor shows its own prompt.
    expect(editor.text("user_message_chunk", id)).toBe("");
    const updates = editor.updates(id);
    const wrong = { sessionId: id, update: { sessionUpdate: "agent_message_chunk", content: { type: "words" } } };
    expect(problemWith("SessionNotification", wrong)).toBeDefined();
    expect(updates.findLast(({ sessionUpdate }) => sessionUpdate === "plan")).toEqual({
      sessionUpdate: "plan",
      entries: [{ content: "Greet", priority: "medium", status: "pending" }],
    });
    expect(updates.findLast(({ sessionUpdate }) => sessionUpdate === "usage_update")).toMatchObject({
      size: 1_000_000,
    });
    const commands = updates.find((update) => update.sessionUpdate === "available_commands_update");
    expect(
      commands?.sessionUpdate === "available_commands_update" && commands.availableCommands.length,
    ).toBeGreaterThan(5);
    // No update stands before the answer that names the session.
    const first = editor.wire.findIndex(({ message }) => "method" in message && message.method === "session/update");
    expect(first).toBeGreaterThan(answerAt(editor, "session/new"));
    expect(saidAfter(editor, answerAt(editor, "session/prompt"))).toEqual([]);
  });

  it("[E230] keeps the text of a cancelled turn, and shows it to a load before the end", async () => {
    const editor = await sitDown();
    const id = await started(editor);
    const turn = prompt(editor, id, "slow");
    await editor.until(() => (editor.text("agent_message_chunk", id).length > 20 ? true : undefined));
    const second = await sitDown();
    await load(second, id);
    const soFar = second.text("agent_message_chunk", id);
    expect(soFar.length).toBeGreaterThan(0);
    expect(SLOW.startsWith(soFar)).toBe(true);
    expect(second.text("user_message_chunk", id)).toBe("slow");
    expect(saidAfter(second, answerAt(second, "session/load"))).toEqual([]);
    await editor.agent.notify("session/cancel", { sessionId: id });
    expect(await turn).toEqual({ stopReason: "cancelled" });
    expect(SLOW.startsWith(editor.text("agent_message_chunk", id))).toBe(true);
  });
});

describe("a request", () => {
  it("[E78] shows a change with its old and new text, and where it is", async () => {
    const editor = await sitDown();
    const id = await started(editor);
    const turn = prompt(editor, id, "edit");
    const { params, answer } = await editor.permission();
    const path = join(work, "note.txt");
    expect(params.toolCall).toMatchObject({ kind: "edit", title: "Edit note.txt" });
    expect(params.toolCall.content?.[0]).toEqual({
      type: "diff",
      path,
      oldText: "one\nthree\n",
      newText: "two\nthree\n",
    });
    answer(choose("allow"));
    expect(await turn).toEqual({ stopReason: "end_turn" });
    expect(readFileSync(path, "utf8")).toBe("two\nthree\n");
    expect(editor.call(params.toolCall.toolCallId)).toMatchObject({
      status: "completed",
      locations: [{ path, line: 1 }],
      content: [{ type: "diff", path, oldText: "one\nthree", newText: "two\nthree" }],
    });
  });

  it("[E231] survives an editor that quits: the turn waits, and the request comes back on load", async () => {
    const editor = await sitDown();
    const id = await started(editor);
    prompt(editor, id, "touch").catch(() => undefined);
    await editor.permission();
    expect(await editor.quit()).toBe(0);
    const second = await sitDown();
    await load(second, id);
    const { params, answer } = await second.permission();
    expect(params.toolCall).toMatchObject({ title: "touch made.txt", kind: "execute" });
    expect(params.options.map(({ optionId, kind }) => [optionId, kind])).toContainEqual(["deny", "reject_once"]);
    expect(second.text("user_message_chunk", id)).toBe("touch");
    expect(existsSync(join(work, "made.txt"))).toBe(false);
    answer(choose("allow"));
    await rests(id, 1);
    expect(existsSync(join(work, "made.txt"))).toBe(true);
    // The rest of the turn began elsewhere, so it stands before the next answer.
    await prompt(second, id, "hello");
    expect(second.text("agent_message_chunk", id)).toBe("As you wish.Hello there.");
    expect(second.text("user_message_chunk", id)).toBe("touch");
  });

  it("[E232] is withdrawn by an answer of the phone, and a late answer changes nothing", async () => {
    const editor = await sitDown();
    const id = await started(editor);
    const turn = prompt(editor, id, "touch");
    const { params, answer, signal } = await editor.permission();
    await answerOnPhone(id, { kind: "deny", message: "Not on this ship." });
    expect(await turn).toEqual({ stopReason: "end_turn" });
    expect(signal.aborted).toBe(true);
    answer(choose("allow"));
    expect(editor.call(params.toolCall.toolCallId)).toMatchObject({ status: "failed" });
    expect(JSON.stringify(editor.call(params.toolCall.toolCallId))).toContain("Not on this ship.");
    // The next call asks again, and the phone edits it.
    const next = prompt(editor, id, "touch");
    const asked = await editor.permission(1);
    await answerOnPhone(id, { kind: "allow", updatedInput: { command: "touch other.txt" } });
    expect(await next).toEqual({ stopReason: "end_turn" });
    expect([existsSync(join(work, "made.txt")), existsSync(join(work, "other.txt"))]).toEqual([false, true]);
    expect(editor.call(asked.params.toolCall.toolCallId)).toMatchObject({
      title: "touch other.txt",
      status: "completed",
      rawInput: { command: "touch other.txt" },
    });
    expect(
      editor.wire.filter(({ message }) => "method" in message && message.method === "$/cancel_request"),
    ).toHaveLength(2);
  });

  it("[E233] is a question that any editor can answer: step by step, or in one form", async () => {
    const editor = await sitDown();
    const id = await started(editor);
    const turn = prompt(editor, id, "ask");
    const steps = ["option-1", "option-0", "done"];
    for (const [at, option] of steps.entries()) {
      const { params, answer } = await editor.permission(at);
      expect(params.options.map(({ optionId }) => optionId)).toContain(option);
      answer(choose(option));
    }
    expect(await turn).toEqual({ stopReason: "end_turn" });
    const answers = () =>
      onPhone(id, ({ snapshot: { rows } }) => {
        const row = rows.findLast(({ kind }) => kind === "tool");
        return row?.kind === "tool" && row.state === "done" && row.result?.tool === "AskUserQuestion"
          ? answersOf(row.result.structured)
          : undefined;
      });
    expect(await answers()).toEqual({ "Which way?": ["South"], "Which sails?": ["Jib"] });

    const formal = await sitDown({ capabilities: { elicitation: { form: {} } } });
    await load(formal, id);
    const asked = prompt(formal, id, "ask");
    const { params, answer } = await formal.form();
    expect(params).toMatchObject({ mode: "form", sessionId: id, message: "Which way?\nWhich sails?" });
    answer({ action: "accept", content: { question_1_other: "Nowhere", question_2: ["0", "1"] } });
    expect(await asked).toEqual({ stopReason: "end_turn" });
    expect(await answers()).toEqual({ "Which way?": ["Nowhere"], "Which sails?": ["Jib", "Main"] });
    expect(formal.permissions).toEqual([]);
  });

  it("[E78] is a plan, in the mode that the editor chose", async () => {
    const editor = await sitDown();
    const id = await started(editor);
    await editor.agent.request("session/set_mode", { sessionId: id, modeId: "plan" });
    const turn = prompt(editor, id, "plan it");
    const { params, answer } = await editor.permission();
    expect(params.toolCall).toMatchObject({ title: "Plan ready for review", kind: "switch_mode" });
    expect(JSON.stringify(params.toolCall.content)).toContain("# The plan");
    answer(choose("approve-edits"));
    expect(await turn).toEqual({ stopReason: "end_turn" });
    const modes = editor
      .updates(id)
      .flatMap((update) => (update.sessionUpdate === "current_mode_update" ? [update.currentModeId] : []));
    expect(modes).toEqual(["plan", "acceptEdits"]);
  });
});

describe("a turn that began elsewhere", () => {
  it("[E234] is held for the next prompt, or shown at once, as the editor can take it", { tags: "long" }, async () => {
    const held = await sitDown();
    const id = await started(held);
    const live = await sitDown({ name: "Zed" });
    await load(live, id);
    const at = held.wire.length - 1;
    await phone.command("session/prompt", { session: id, content: "hello from the phone" });
    await live.until(() => (live.text("agent_message_chunk", id) === "Hello there." ? true : undefined));
    expect(live.text("user_message_chunk", id)).toBe("hello from the phone");
    await rests(id, 1);
    expect(saidAfter(held, at)).toEqual([]);
    expect(await prompt(held, id, "watch")).toEqual({ stopReason: "end_turn" });
    expect(held.text("user_message_chunk", id)).toBe("hello from the phone");
    expect(held.text("agent_message_chunk", id)).toBe("Hello there.Watching.");
    // Closing here ends nothing that others follow, and a task in the background is told.
    await held.agent.request("session/close", { sessionId: id });
    writeFileSync(join(work, "done.txt"), "");
    await live.until(() =>
      /A background task has ended.*Wait for the tide/u.test(live.text("agent_message_chunk", id)) ? true : undefined,
    );
    await expect(prompt(held, id, "hello")).rejects.toMatchObject({ code: -32002 });
  });
});

describe("sessions", () => {
  it("[E79] have options, a list, and the unstable methods only if asked for", { tags: "long" }, async () => {
    const editor = await sitDown({ args: ["--unstable"] });
    const { agentCapabilities } = await editor.initialize();
    expect(Object.keys(agentCapabilities?.sessionCapabilities ?? {})).toEqual([
      "list",
      "delete",
      "resume",
      "close",
      "additionalDirectories",
      "fork",
      "title",
      "archive",
    ]);
    const id = await started(editor);
    await prompt(editor, id, "hello");
    const { configOptions } = await editor.agent.request("session/set_config_option", {
      sessionId: id,
      configId: "model",
      value: "haiku",
    });
    expect(configOptions.map((option) => [option.id, option.currentValue])).toContainEqual(["model", "haiku"]);
    await editor.agent.request("session/set_config_option", { sessionId: id, configId: "model", value: "opus" });
    await editor.agent.request("session/set_config_option", { sessionId: id, configId: "effort", value: "high" });
    expect(await onPhone(id, ({ snapshot }) => snapshot.head.about["effort"])).toBe("high");
    await expect(
      editor.agent.request("session/set_config_option", {
        sessionId: id,
        configId: "mode",
        value: "bypassPermissions",
      }),
    ).rejects.toMatchObject({ code: -32602 });
    await editor.agent.request("session/set_title", { sessionId: id, title: "The tide" });
    const fork = await editor.agent.request("session/fork", { sessionId: id, cwd: work });
    expect(await prompt(editor, fork.sessionId, "hello")).toEqual({ stopReason: "end_turn" });
    const { sessions } = await editor.agent.request("session/list", { cwd: work });
    expect(sessions.find(({ sessionId }) => sessionId === id)).toMatchObject({ cwd: work, title: "The tide" });
    await editor.agent.request("session/archive", { sessionId: id });
    await editor.agent.request("session/unarchive", { sessionId: id });
    await editor.agent.request("session/delete", { sessionId: fork.sessionId });
    const left = await editor.agent.request("session/list", { cwd: work });
    expect(left.sessions.map(({ sessionId }) => sessionId)).not.toContain(fork.sessionId);
    expect(left.sessions.map(({ sessionId }) => sessionId)).toContain(id);
    await expect(load(editor, "00000000-0000-4000-8000-000000000000")).rejects.toMatchObject({ code: -32002 });

    const plain = await sitDown();
    await plain.agent.request("session/resume", { sessionId: id, cwd: work });
    await expect(plain.agent.request("session/fork", { sessionId: id, cwd: work })).rejects.toMatchObject({
      code: -32601,
    });
    expect(plain.text("agent_message_chunk", id)).toBe("");
    await prompt(plain, id, "hello");
    expect(plain.text("agent_message_chunk", id)).toBe("Hello there.");
  });

  it("[E79] say in the editor why a folder or its settings are left out", async () => {
    const editor = await sitDown();
    const outside = editor.agent.request("session/new", { cwd: "/usr", mcpServers: [] });
    await expect(outside).rejects.toMatchObject({ code: -32602, message: expect.stringContaining("--root") as string });
    const missing = editor.agent.request("session/new", { cwd: join(work, "nowhere"), mcpServers: [] });
    await expect(missing).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/The folder .*nowhere does not exist\.$/u) as string,
    });
    await expect(editor.agent.request("session/new", { cwd: "work", mcpServers: [] })).rejects.toMatchObject({
      code: -32602,
    });
    const folder = join(place.root, "strange");
    mkdirSync(join(folder, ".claude"), { recursive: true });
    const hooks = { SessionStart: [{ hooks: [{ type: "command", command: "touch hooked" }] }] };
    writeFileSync(join(folder, ".claude", "settings.json"), JSON.stringify({ hooks }));
    const { sessionId } = await editor.agent.request("session/new", { cwd: folder, mcpServers: [] });
    await prompt(editor, sessionId, "hello");
    expect(editor.text("agent_message_chunk", sessionId)).toContain(
      `Started without the folder's own settings: ${join(folder, ".claude/settings.json")}`,
    );
    expect(existsSync(join(folder, "hooked"))).toBe(false);
  });
});

describe("hostile input", () => {
  it("[S82] is answered with errors, and hidden characters are shown as marks", async () => {
    const editor = await sitDown({ capabilities: { _meta: { terminal_output: true } } });
    const errors = () =>
      editor.wire.flatMap(({ from, message }) => (from === "agent" && "error" in message ? [message.error.code] : []));
    editor.write('{"jsonrpc":"2.0",\n');
    await editor.until(() => (errors().length === 1 ? true : undefined));
    editor.write("[]\n7\n");
    await editor.until(() => (errors().length === 3 ? true : undefined));
    await expect(editor.agent.request("session/launch", {})).rejects.toMatchObject({ code: -32601 });
    await expect(prompt(editor, "../../etc", "hello")).rejects.toMatchObject({ code: -32002 });
    expect(errors()).toEqual([-32700, -32600, -32600, -32601, -32002]);
    const id = await started(editor);
    const tooMany = Array.from({ length: 101 }, () => ({ type: "text" as const, text: "a" }));
    await expect(editor.agent.request("session/prompt", { sessionId: id, prompt: tooMany })).rejects.toMatchObject({
      code: -32602,
    });
    const turn = prompt(editor, id, "evil");
    const { params, answer } = await editor.permission();
    const shown = JSON.stringify(params);
    expect(shown).toContain("‹U+202E›");
    expect(shown).toContain("Look closely: 2 hidden characters");
    expect(shown).not.toMatch(/\u202E|\\u0007/u);
    answer(choose("allow"));
    await turn;
    expect(editor.text("agent_message_chunk", id)).toBe("Red ‹U+001B›[31malert‹U+200B›.");
    const call = editor.call(params.toolCall.toolCallId);
    expect(call["content"]).toEqual([{ type: "terminal", terminalId: params.toolCall.toolCallId }]);
    expect(call["_meta"]).toMatchObject({
      terminal_output: { data: expect.stringContaining("‹U+202E›gnp") as string },
      terminal_exit: { exit_code: 0 },
    });
    expect(JSON.stringify(editor.updates(id))).not.toMatch(/\u202E|\\u001b|\\u0007/u);
  });
});

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe("without a server", () => {
  it("[E235] it starts one, which outlives the editor", async () => {
    const own = makePlace(SCENARIO);
    const editor = new Editor(own, { env: { QUARTERDECK_PORT: "0", QUARTERDECK_CLAUDE: own.claude } });
    await editor.initialize();
    const address = (): { pid: number } =>
      JSON.parse(readFileSync(join(own.dataDir, "server.json"), "utf8")) as { pid: number };
    const { pid } = address();
    const { sessionId } = await editor.agent.request("session/new", { cwd: own.cwd, mcpServers: [] });
    expect(await prompt(editor, sessionId, "hello")).toEqual({ stopReason: "end_turn" });
    expect(await editor.quit()).toBe(0);
    const second = new Editor(own);
    await second.initialize();
    await second.agent.request("session/load", { sessionId, cwd: own.cwd, mcpServers: [] });
    expect(second.text("agent_message_chunk")).toBe("Hello there.");
    expect(address().pid).toBe(pid);
    expect(await second.quit()).toBe(0);
    process.kill(pid, "SIGTERM");
    await expect.poll(() => isAlive(pid), { timeout: 60_000 }).toBe(false);
    own.remove();
  });
});
