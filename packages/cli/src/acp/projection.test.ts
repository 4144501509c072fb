// What an editor is told, from rows, drafts and head alone.

import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { EMPTY_HEAD } from "@quarterdeck/session/bridge";
import type { Draft, Head, PromptRow, Row, TextRow, ToolRow } from "@quarterdeck/session";
import { describe, expect, it } from "vitest";
import { abilitiesOf } from "./abilities.ts";
import { Projection } from "./projection.ts";
import { fenced, GrowingText } from "./shown-text.ts";

const base = { order: 1, rev: 1, at: 0, seqs: [1] };
const text = (id: string, words: string): TextRow => ({ ...base, kind: "text", id, messageId: "m", text: words });
const draft = (id: string, words: string): Draft => ({
  id,
  kind: "text",
  messageId: "m",
  index: 0,
  at: 0,
  text: words,
});
const prompt = (id: string, uuid: string): PromptRow => ({
  ...base,
  kind: "prompt",
  id,
  uuid,
  content: id,
  state: "done",
});
const tool = (more: Partial<ToolRow>): ToolRow => ({
  ...base,
  kind: "tool",
  id: "tool/t",
  messageId: "m",
  toolUseId: "t",
  name: "Bash",
  input: { command: "ls" },
  state: "running",
  ...more,
});

const editor = (capabilities = {}) => {
  const projection = new Projection({
    abilities: abilitiesOf({ clientCapabilities: capabilities }),
    folders: ["/srv/app"],
    isOwn: ({ uuid }) => uuid === "own",
  });
  const sees = (rows: readonly Row[], drafts: readonly Draft[] = [], head: Head = EMPTY_HEAD): SessionUpdate[] =>
    projection.conversation({ rows, drafts, head });
  return { projection, sees };
};
const words = (updates: readonly SessionUpdate[]): string[] =>
  updates.flatMap((update) =>
    "content" in update && !Array.isArray(update.content) && update.content?.type === "text"
      ? [update.content.text]
      : [],
  );

describe("a projection", () => {
  it("tells each part of a text once, from draft to row, also if some were missed", () => {
    const { sees } = editor();
    expect(words(sees([], [draft("a", "Hel")]))).toEqual(["Hel"]);
    expect(words(sees([], [draft("a", "Hello th")]))).toEqual(["lo th"]);
    const row = text("a", "Hello there.");
    expect(words(sees([row]))).toEqual(["ere."]);
    expect(sees([row])).toEqual([]);
    expect(words(sees([row, text("b", "Next.")], [draft("c", "Mo")]))).toEqual(["Next.", "Mo"]);
  });

  it("never echoes the editor's own prompt, and shows those of others", () => {
    const { sees } = editor();
    expect(sees([prompt("p1", "own"), prompt("p2", "phone")])).toEqual([
      { sessionUpdate: "user_message_chunk", messageId: "p2", content: { type: "text", text: "p2" } },
    ]);
  });

  it("tells only the changed fields of a call, and the content again after a dialog", () => {
    const { sees } = editor();
    expect(sees([tool({ state: "asking" })])).toMatchObject([
      { sessionUpdate: "tool_call", status: "pending", kind: "execute" },
    ]);
    expect(sees([tool({ rev: 2 })])).toEqual([
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "t",
        status: "in_progress",
        title: "ls",
        content: [],
        rawInput: { command: "ls" },
      },
    ]);
    const denied = tool({
      rev: 3,
      state: "denied",
      decision: { behavior: "deny", decider: "person", by: { id: "1", name: "Phone" }, reason: "No." },
    });
    expect(sees([denied])).toEqual([
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "t",
        status: "failed",
        content: [{ type: "content", content: { type: "text", text: "denied by Phone: No." } }],
      },
    ]);
  });

  it("repeats the status of a call that has ended with each later update", () => {
    const { sees } = editor();
    sees([tool({ state: "denied" })]);
    expect(sees([tool({ rev: 2, state: "denied", result: { ok: false, text: "No.", tool: "Bash" } })])).toMatchObject([
      { sessionUpdate: "tool_call_update", toolCallId: "t", status: "failed", rawOutput: "No." },
    ]);
  });

  it("shows a command that has ended as a terminal that begins, and then its output", () => {
    const ended = tool({
      state: "done",
      result: { ok: true, text: "a.ts", tool: "Bash" },
    });
    for (const [ability, output] of [
      ["terminal_output", "terminal_output"],
      ["terminal_output_delta", "terminal_output_delta"],
    ] as const) {
      const { sees } = editor({ _meta: { [ability]: true } });
      const updates = sees([ended]);
      expect(updates).toMatchObject([
        { sessionUpdate: "tool_call", status: "in_progress", content: [{ type: "terminal", terminalId: "t" }] },
        { sessionUpdate: "tool_call_update", status: "completed", rawOutput: "a.ts" },
      ]);
      expect(updates.map(({ _meta: meta }) => meta)).toEqual([
        { terminal_info: { terminal_id: "t", cwd: "/srv/app" } },
        {
          terminal_info: { terminal_id: "t", cwd: "/srv/app" },
          [output]: { terminal_id: "t", data: "a.ts" },
          terminal_exit: { terminal_id: "t", exit_code: 0, signal: null },
        },
      ]);
      // The output is appended by the editor, so it is never sent twice.
      expect(sees([{ ...ended, rev: 2 }])).toEqual([]);
    }
  });

  it("shows the words of a subagent in the call that runs it, and then its result", () => {
    const { sees } = editor();
    const agent = (more: Partial<ToolRow> = {}) =>
      tool({ name: "Agent", input: { description: "Look", prompt: "Look around." }, ...more });
    const content = (said: string) => [{ type: "content", content: { type: "text", text: said } }];
    const call = agent();
    sees([call]);
    const subagentText = (id: string, said: string): TextRow => ({ ...text(id, said), parent: "t" });
    const [first, second] = [subagentText("s1", "I look."), subagentText("s2", "I see\u200B.")];
    expect(sees([call, first])).toEqual([
      { sessionUpdate: "tool_call_update", toolCallId: "t", content: content("I look.") },
    ]);
    expect(sees([call, first, second])).toEqual([
      { sessionUpdate: "tool_call_update", toolCallId: "t", content: content("I look.\n\nI see‹U+200B›.") },
    ]);
    const result = { ok: true, text: "All clear.", tool: "Agent" } as const;
    expect(sees([agent({ rev: 2, state: "done", result }), first, second])).toMatchObject([
      { sessionUpdate: "tool_call_update", status: "completed", content: content("All clear.") },
    ]);
  });

  it("names places only inside of the folders", () => {
    const { sees } = editor();
    const read = (path: string) =>
      sees([tool({ id: path, toolUseId: path, name: "Read", input: { file_path: path } })])[0];
    expect(read("/srv/app/a.ts")).toMatchObject({ locations: [{ path: "/srv/app/a.ts" }] });
    for (const path of ["/dev/zero", "/srv/app/../x", "/srv/application/a", "a.ts"])
      expect(read(path)).toMatchObject({ locations: [] });
  });

  it("says in words what an editor has no notice for", () => {
    const error: Row = { ...base, kind: "error", id: "e", source: "api", text: "The API is overloaded." };
    expect(words(editor().sees([error]))).toEqual(["\n\nQuarterdeck: The API is overloaded.\n\n"]);
    expect(editor({ session: { notices: {} } }).sees([error])).toEqual([
      {
        sessionUpdate: "notice",
        severity: "error",
        title: "The API is overloaded.",
        description: "The API is overloaded.",
      },
    ]);
  });
});

describe("text", () => {
  it("that grows never splits a character, and marks what is hidden as the whole would be", () => {
    const whole = "a\u{1F468}\u200D\u{1F469}b\u200Bc\u001B[31m\u{1F600}";
    for (let cut = 0; cut <= whole.length; cut++) {
      const growing = new GrowingText();
      const parts = growing.next(whole.slice(0, cut), false) + growing.next(whole, true);
      expect(parts).toBe("a\u{1F468}\u200D\u{1F469}b‹U+200B›c‹U+001B›[31m\u{1F600}");
    }
  });

  it("cannot end the block that it stands in", () => {
    expect(fenced("a\n```\nb")).toBe("````\na\n```\nb\n````");
  });
});
