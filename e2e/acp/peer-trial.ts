// The same calls of an editor to claude-agent-acp and to `quarterdeck acp`, with the same Claude Code and a scripted API. It prints
// every difference, and fails for one without a reason in docs/editors.md. Not part of `npm test`: it needs the other agent.
// Usage: npm install --prefix <folder> @agentclientprotocol/claude-agent-acp@0.99
//        node --conditions=source e2e/acp/peer-trial.ts <folder>

import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { RequestPermissionRequest, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { Script } from "@quarterdeck/simulator";
import { claudeProgram, NEWEST } from "@quarterdeck/test-kit/claude-cache";
import { comparable, makePlace } from "../claude/callers.ts";
import type { Place } from "../claude/callers.ts";
import { Editor } from "./editor.ts";

const [, , folder = ""] = process.argv;
const peer = join(resolve(folder), "node_modules/@agentclientprotocol/claude-agent-acp");

const text = (words: string) => ({ say: [{ text: words }] });
const tool = (name: string, input: Readonly<Record<string, unknown>>) => ({ say: [{ tool: name, input }] });
const SLOW = "All quiet on deck. ".repeat(2000);

/** A scripted API knows no folder, so the scripts name it. */
const scriptsIn = (cwd: string): readonly Script[] => [
  { when: "hello", steps: [{ say: [{ thinking: "A greeting." }, { text: "Hello there." }] }] },
  {
    when: "touch",
    steps: [tool("Bash", { command: "touch made.txt", description: "Make it" }), text("As you wish.")],
  },
  {
    when: "edit",
    steps: [
      tool("Read", { file_path: join(cwd, "note.txt") }),
      tool("Edit", { file_path: join(cwd, "note.txt"), old_string: "one", new_string: "two" }),
      text("Edited."),
    ],
  },
  {
    when: "tasks",
    steps: [
      tool("TaskCreate", { subject: "Greet", description: "Say hello", activeForm: "Greeting" }),
      tool("TaskUpdate", { taskId: "1", status: "in_progress" }),
      text("Listed."),
    ],
  },
  { when: "slow", steps: [{ say: [{ text: SLOW }], pace: { deltaMs: 50, deltaChars: 8 } }] },
];

/** What happened, by scene and kind. Agents that do the same have equal lists. */
type Seen = Map<string, unknown>;

const rest = (value: object, ...without: string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([key, one]) => !without.includes(key) && one !== null));

/** The updates of one scene, without the size of chunks and the number of updates. */
const told = (updates: readonly SessionUpdate[]): Readonly<Record<string, unknown>> => {
  const texts: Record<string, string> = {};
  const calls = new Map<string, Record<string, unknown>[]>();
  const others: Record<string, unknown> = {};
  for (const update of updates) {
    const kind = update.sessionUpdate;
    if ("toolCallId" in update) {
      const known = calls.get(update.toolCallId) ?? [];
      calls.set(update.toolCallId, [...known, rest(update, "toolCallId", "sessionUpdate")]);
    } else if (
      "content" in update &&
      update.content != null &&
      "type" in update.content &&
      update.content.type === "text"
    )
      texts[kind] = (texts[kind] ?? "") + update.content.text;
    else if (update.sessionUpdate === "available_commands_update") {
      others["commands"] = update.availableCommands.map(({ name }) => name).toSorted();
    } else if (update.sessionUpdate === "usage_update") others["usage"] = Object.keys(update).toSorted();
    else others[kind] = rest(update, "sessionUpdate", "_meta");
  }
  const merged = [...calls.values()].map((all): Record<string, unknown> => ({
    ...rest(Object.assign({}, ...all) as object, "_meta", "status"),
    statuses: [...new Set(all.flatMap(({ status }) => (status === undefined ? [] : [status])))],
    meta: [...new Set(all.flatMap((one) => Object.keys((one["_meta"] as object | undefined) ?? {})))].toSorted(),
  }));
  return {
    ...texts,
    ...others,
    ...(merged.length > 0 && {
      titles: merged.map((call) => call["title"]),
      kinds: merged.map((call) => call["kind"]),
      inputs: merged.map((call) => call["rawInput"]),
      places: merged.map((call) => call["locations"] ?? []),
      contents: merged.map((call) => call["content"] ?? []),
      outputs: merged.map((call) => typeof call["rawOutput"]),
      statuses: merged.map((call) => call["statuses"]),
      "call meta": merged.map((call) => call["meta"]),
    }),
  };
};

const dialogOf = ({ toolCall, options }: RequestPermissionRequest): Readonly<Record<string, unknown>> => ({
  "dialog title": toolCall.title,
  "dialog kind": toolCall.kind,
  "dialog diff": toolCall.content?.filter(({ type }) => type === "diff"),
  "dialog choices": options.map(({ kind, name }) => `${kind}: ${name}`),
});

const play = async (isOurs: boolean): Promise<Seen> => {
  const place = await makePlace(isOurs, (home) => scriptsIn(join(dirname(home), "cwd")));
  const seen: Seen = new Map();
  const editors: Editor[] = [];
  try {
    await playAt(place, seen, editors);
  } finally {
    for (const editor of editors) {
      await editor.quit();
      for (const problem of editor.problems) seen.set(`schema: ${problem.slice(0, 200)}`, problem);
    }
    await place.close();
  }
  return seen;
};

const playAt = async (place: Place, seen: Seen, editors: Editor[]): Promise<void> => {
  const note = (scene: string, values: Readonly<Record<string, unknown>>): void => {
    for (const [kind, value] of Object.entries(values)) seen.set(`${scene}: ${kind}`, comparable(value, place));
  };
  const { command } = await claudeProgram(NEWEST);
  const sitDown = (): Editor => {
    const editor = new Editor(
      { root: place.root, home: join(place.root, "home"), dataDir: place.dataDir },
      place.isRelayed
        ? { env: place.env }
        : { words: [join(peer, "dist/index.js")], env: { ...place.env, CLAUDE_CODE_EXECUTABLE: command } },
    );
    editors.push(editor);
    return editor;
  };
  writeFileSync(join(place.cwd, "note.txt"), "one\nthree\n");
  const editor = sitDown();
  const begun = await editor.initialize();
  note("initialize", { version: begun.protocolVersion, ...capabilitiesOf(begun.agentCapabilities) });
  const fresh = await editor.agent.request("session/new", { cwd: place.cwd, mcpServers: [] });
  const id = fresh.sessionId;
  note("new", {
    modes: fresh.modes?.availableModes.map((mode) => mode.id),
    "current mode": fresh.modes?.currentModeId,
    options: fresh.configOptions?.map((option) => option.id),
  });
  const models = fresh.configOptions?.find((option) => option.id === "model");
  const offered = models?.type === "select" ? models.options.flatMap((one) => ("value" in one ? [one.value] : [])) : [];
  note("new", { models: offered });

  /** Prompts, and answers each dialog with the first choice of a kind. */
  const scene = async (name: string, words: string, choice = "allow_once"): Promise<void> => {
    const [from, asked] = [editor.updates(id).length, editor.permissions.length];
    let open = true;
    const turn = editor.agent.request("session/prompt", { sessionId: id, prompt: [{ type: "text", text: words }] });
    const answering = (async (): Promise<void> => {
      for (let at = asked; ; at += 1) {
        const dialog = await editor.until(() => (open ? editor.permissions[at] : "ended"));
        if (typeof dialog === "string") return;
        note(name, dialogOf(dialog.params));
        const option = dialog.params.options.find(({ kind }) => kind === choice);
        dialog.answer({ outcome: { outcome: "selected", optionId: option?.optionId ?? "" } });
      }
    })();
    const { stopReason, ...more } = await turn;
    open = false;
    editor.look();
    await answering;
    note(name, { "stop reason": stopReason, "in the answer": Object.keys(more).toSorted() });
    note(name, { ...told(editor.updates(id).slice(from)), dialogs: editor.permissions.length - asked });
  };
  await scene("text", "hello");
  await scene("allowed command", "touch it");
  await scene("denied command", "touch it again", "reject_once");
  await scene("edit", "edit it");
  await scene("plan", "tasks please");
  const from = editor.updates(id).length;
  await editor.agent.request("session/set_mode", { sessionId: id, modeId: "acceptEdits" });
  const shown = (mode: string) =>
    editor.until(() => (editor.updates(id).some((update) => JSON.stringify(update).includes(mode)) ? true : undefined));
  await shown("acceptEdits");
  note(
    "mode",
    told(
      editor
        .updates(id)
        .slice(from)
        .filter(({ sessionUpdate }) => sessionUpdate === "current_mode_update"),
    ),
  );
  writeFileSync(join(place.cwd, "note.txt"), "one\nfour\n");
  await scene("edit without asking", "edit it once more");
  const set = await editor.agent.request("session/set_config_option", {
    sessionId: id,
    configId: "model",
    value: offered.find((value) => value === "haiku") ?? "default",
  });
  note("model", {
    "current value": set.configOptions.find((option) => option.id === "model")?.currentValue,
    options: set.configOptions.map((option) => option.id),
  });
  const before = editor.text("agent_message_chunk", id).length;
  const slow = editor.agent.request("session/prompt", { sessionId: id, prompt: [{ type: "text", text: "slow" }] });
  await editor.until(() => (editor.text("agent_message_chunk", id).length > before + 20 ? true : undefined));
  await editor.agent.notify("session/cancel", { sessionId: id });
  note("cancel", { "stop reason": (await slow).stopReason });
  for (const method of ["session/prompt", "session/load", "session/close", "session/set_mode"] as const)
    note("unknown session", { [method]: await refusal(editor, method, place.cwd) });
  note("unknown session", { "session/delete": await refusal(editor, "session/delete", place.cwd) });
  note("bad input", { "relative folder": await refusal(editor, "session/new", "work") });
  note("bad input", { "unknown method": await refusal(editor, "session/launch", "") });
  await editor.quit();

  const second = sitDown();
  await second.initialize();
  const { sessions } = await second.agent.request("session/list", { cwd: place.cwd });
  note("list", { fields: sessions.map((one) => Object.keys(rest(one)).toSorted()), title: sessions[0]?.title });
  await second.agent.request("session/load", { sessionId: id, cwd: place.cwd, mcpServers: [] });
  const loaded = told(second.updates(id));
  // A cancelled text may end anywhere.
  note("load", { ...loaded, agent_message_chunk: String(loaded["agent_message_chunk"]).slice(0, 60) });
  note("delete", { answer: await second.agent.request("session/delete", { sessionId: id }) });
  const left = await second.agent.request("session/list", { cwd: place.cwd });
  note("delete", { left: left.sessions.length });
};

const capabilitiesOf = (value: unknown): Record<string, unknown> => {
  const { sessionCapabilities, ...more } = (value ?? {}) as Record<string, object>;
  return { ...rest(more, "_meta"), "session capabilities": Object.keys(sessionCapabilities ?? {}).toSorted() };
};

const NOBODY = "00000000-0000-4000-8000-000000000000";
const refusal = async (editor: Editor, method: string, cwd: string): Promise<unknown> => {
  const params: Readonly<Record<string, object>> = {
    "session/prompt": { sessionId: NOBODY, prompt: [{ type: "text", text: "hello" }] },
    "session/set_mode": { sessionId: NOBODY, modeId: "plan" },
    "session/load": { sessionId: NOBODY, cwd, mcpServers: [] },
    "session/new": { cwd, mcpServers: [] },
  };
  try {
    await editor.agent.request(method, params[method] ?? { sessionId: NOBODY });
    return "answered";
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
};

/** The first column of the table of differences. A star stands for any scene. */
const reasons = (): readonly RegExp[] => {
  const page = readFileSync(new URL("../../docs/editors.md", import.meta.url), "utf8");
  const [, table = ""] = /^\| difference[^\n]*\n\|[- |]+\n((?:\|[^\n]*\n)+)/mu.exec(page) ?? [];
  return [...table.matchAll(/^\| `([^`]+)`/gmu)].map(
    ([, name = ""]) => new RegExp(`^${name.replaceAll(/[()]/gu, String.raw`\$&`).replaceAll("*", ".*")}$`, "u"),
  );
};

const { version } = JSON.parse(readFileSync(join(peer, "package.json"), "utf8")) as { version: string };
const [theirs, ours] = await Promise.all([play(false), play(true)]);
const known = reasons();
const used = new Set<RegExp>();
let same = 0;
let unexplained = 0;
for (const name of new Set([...theirs.keys(), ...ours.keys()])) {
  const [before, after] = [JSON.stringify(theirs.get(name)), JSON.stringify(ours.get(name))];
  if (before === after) {
    same += 1;
    continue;
  }
  const reason = known.find((pattern) => pattern.test(name));
  if (reason === undefined) unexplained += 1;
  else used.add(reason);
  console.log(
    `${reason === undefined ? "NO REASON" : "differs"} ${name}\n  theirs ${before ?? "-"}\n  ours   ${after ?? "-"}`,
  );
}
const stale = known.filter((pattern) => !used.has(pattern));
for (const pattern of stale) console.log(`STALE REASON ${pattern.source}`);
console.log(
  `claude-agent-acp ${version}, Claude Code ${NEWEST}: ${String(same)} the same, ${String(unexplained)} without a reason`,
);
process.exitCode = unexplained + stale.length > 0 || same === 0 ? 1 : 0;
