import type { JsonValue } from "@quarterdeck/protocol";
import { createFold } from "@quarterdeck/session";
import type { Event, Streamed } from "@quarterdeck/session";
import { describe, expect, test } from "vitest";
import { RECORDINGS } from "@quarterdeck/test-kit/recordings";
import { Printout } from "./printout.ts";
import type { PrintoutOptions } from "./printout.ts";
import { cellWidthOf } from "./terminal.ts";
import type { Paint } from "./terminal.ts";

const plain: Paint = (_, text) => text;

/** A session that is printed after each of its events. */
const printed = (options: Partial<PrintoutOptions> = {}) => {
  let out = "";
  const fold = createFold();
  const printout = new Printout({ write: (text) => (out += text), paint: plain, width: 80, ...options });
  const apply = (event: Event | Streamed): void => {
    const { rev } = fold;
    fold.apply(event);
    printout.show({ rows: fold.changes(rev).rows, head: fold.head, drafts: fold.drafts });
  };
  const play = (message: Message): void =>
    apply(
      message["type"] === "stream_event"
        ? { type: "streamed", at: 0, message: message as JsonValue }
        : { type: "received", seq: fold.seq + 1, at: 0, message: message as JsonValue },
    );
  return { fold, printout, apply, play, text: () => (printout.end(), out) };
};

type Message = Readonly<Record<string, unknown>>;
const said = (...content: unknown[]): Message => ({
  type: "assistant",
  message: { id: "m", role: "assistant", content },
});
const stream = (event: unknown): Message => ({ type: "stream_event", event });
const call = (id: string, name: string, input: unknown) => ({ type: "tool_use", id, name, input });
const result = (
  id: string,
  content: string,
  more: Record<string, unknown> = {},
  block: Record<string, unknown> = {},
): Message => ({
  type: "user",
  message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content, ...block }] },
  ...more,
});
const read = (...messages: Message[]): string => {
  const { play, text } = printed();
  for (const message of messages) play(message);
  return text();
};

test("a stopped turn is not reported as a failure", () => {
  const stopped = {
    type: "result",
    subtype: "error_during_execution",
    is_error: true,
    duration_ms: 1200,
    errors: ["[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=null"],
  };
  expect(read({ ...stopped, terminal_reason: "aborted_streaming" })).toBe("  ✗ 1.2 s · aborted_streaming\n");
  expect(read({ ...stopped, errors: ["no luck"] })).toContain("no luck");
});

describe("text", () => {
  const streamed = (...texts: string[]) => [
    stream({ type: "message_start", message: { id: "m", role: "assistant", content: [] } }),
    stream({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    ...texts.map((text) => stream({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })),
  ];

  test("is written once, streamed or not", () => {
    const complete = said({ type: "text", text: "Hello there." });
    expect(read(complete)).toBe("  Hello there.\n");
    expect(read(...streamed("Hel", "lo there."), complete, stream({ type: "content_block_stop", index: 0 }))).toBe(
      "  Hello there.\n",
    );
  });

  test("has its sources below, without control characters", () => {
    const complete = said({
      type: "text",
      text: "High water is at six.",
      citations: [
        { type: "web_search_result_location", url: "https://tides.example/a", title: "Tides\u001b[2J" },
        { type: "page_location", document_title: "Chart", start_page_number: 3 },
      ],
    });
    const words = "  High water is at six.\n  1. Tides https://tides.example/a\n  2. Chart, p. 3\n";
    expect(read(complete)).toBe(words);
    expect(read(...streamed("High ", "water"), complete, stream({ type: "content_block_stop", index: 0 }))).toBe(words);
  });

  test("is not interrupted by other output while it streams", () => {
    const { printout, play, text } = printed();
    const [start, block, first, second] = streamed("One ", "two.");
    for (const one of [start, block, first]) play(one!);
    play({ type: "system", subtype: "notification", key: "k", text: "news", priority: "low" });
    printout.note("a note");
    play(second!);
    play(stream({ type: "content_block_stop", index: 0 }));
    expect(text()).toBe("  One two.\n\n  news\n  a note\n");
  });
});

describe("tools", () => {
  test("a call and its result are one block; the result of another call is named again", () => {
    const text = read(
      said(call("a", "Bash", { command: "ls" })),
      said(call("b", "Read", { file_path: "/x/y.txt" })),
      result("b", "1\tz", {
        tool_use_result: {
          type: "text",
          file: { filePath: "/x/y.txt", content: "z", numLines: 1, startLine: 1, totalLines: 1 },
        },
      }),
      result("a", "y.txt"),
    );
    expect(text).toBe("  ● Bash  ls\n  ● Read  /x/y.txt\n    1 line\n  ↳ Bash  ls\n    y.txt\n");
  });

  test("long output is shortened, and failures show their exit code", () => {
    const output = Array.from({ length: 20 }, (_, at) => `line ${at}`).join("\n");
    const text = read(
      said(call("a", "Bash", { command: "seq" })),
      result("a", output),
      said(call("b", "Bash", { command: "false" })),
      result("b", "Exit code 3\nno way", {}, { is_error: true }),
    );
    expect(text).toContain("    line 5\n    ... 14 more lines\n");
    expect(text).toContain("  ● Bash  false\n    no way\n    exit code 3\n");
  });

  test("a change is shown as a diff with line numbers", () => {
    const structuredPatch = [
      { oldStart: 9, oldLines: 2, newStart: 9, newLines: 3, lines: [" same", "-old", "+new", "+more"] },
    ];
    const text = read(
      said(call("a", "Edit", { file_path: "/x/a.ts", old_string: "old", new_string: "new\nmore" })),
      result("a", "done", {
        tool_use_result: { filePath: "/x/a.ts", oldString: "old", newString: "new\nmore", structuredPatch },
      }),
    );
    expect(text).toBe("  ● Edit  /x/a.ts\n     9   same\n    10 - old\n    10 + new\n    11 + more\n");
  });

  test("a permission is below its call, with its choices and its answer", () => {
    const { printout, play, text } = printed();
    play(said(call("a", "Bash", { command: "npm test" })));
    play({
      type: "control_request",
      request_id: "1",
      request: {
        subtype: "can_use_tool",
        tool_name: "Bash",
        tool_use_id: "a",
        input: { command: "npm test" },
        description: "Run the tests",
        permission_suggestions: [
          {
            type: "addRules",
            rules: [{ toolName: "Bash", ruleContent: "npm test" }],
            behavior: "allow",
            destination: "localSettings",
          },
        ],
      },
    });
    printout.answer("once");
    play(result("a", "ok"));
    expect(text()).toBe(
      "  ● Bash  npm test\n    ┃ Permission?  Run the tests\n    ┃ [once] [always: allow Bash(npm test)] [no]\n" +
        "    ┃ → once\n    ok\n",
    );
  });

  test("a run of changes to the task list is shown as one list", () => {
    const todos = [
      { content: "Dig", status: "completed" },
      { content: "Plant", status: "in_progress" },
      { content: "Water", status: "pending" },
    ];
    const text = read(
      said(call("a", "TodoWrite", { todos: todos.map((todo) => ({ ...todo, status: "pending" })) })),
      result("a", "ok"),
      said(call("b", "TodoWrite", { todos })),
      result("b", "ok"),
      said({ type: "text", text: "On it." }),
    );
    expect(text).toBe("  Tasks  1/3\n  ☑ Dig\n  ▶ Plant\n  ☐ Water\n\n  On it.\n");
  });

  test("a subagent's work is below its name", () => {
    const inside = (content: unknown): Message => ({
      type: "assistant",
      parent_tool_use_id: "a",
      message: { role: "assistant", content: [content] },
    });
    const text = read(
      said(call("a", "Task", { description: "Look around", prompt: "p", subagent_type: "Explore" })),
      inside(call("b", "Bash", { command: "ls" })),
      result("b", "x", { parent_tool_use_id: "a" }),
      said({ type: "text", text: "Meanwhile." }),
      inside({ type: "text", text: "Found it." }),
    );
    expect(text).toBe(
      "  ◆ Agent Explore  Look around\n    │ Bash  ls\n    │   x\n\n  Meanwhile.\n\n" +
        "  ◆ Agent Explore  Look around\n    │ Found it.\n",
    );
  });
});

describe("the end of a turn", () => {
  const ended = (more: Message): Message => ({ type: "result", is_error: false, duration_ms: 2440, ...more });

  test("shows the time, the cost of this turn only, and the steps", () => {
    const text = read(
      ended({ subtype: "success", result: "", total_cost_usd: 0.5, num_turns: 1 }),
      ended({ subtype: "success", result: "", total_cost_usd: 0.5123, num_turns: 3 }),
    );
    expect(text).toBe("  ✓ 2.4 s · $0.5000 · 1 step\n  ✓ 2.4 s · $0.0123 · 3 steps\n");
  });

  test("shows the error once", () => {
    expect(
      read(ended({ subtype: "error_max_turns", is_error: true, errors: ["too many"], terminal_reason: "max_turns" })),
    ).toBe("  ✗ 2.4 s · max_turns\n    too many\n");
    const failed = {
      type: "assistant",
      is_api_error_message: true,
      message: { role: "assistant", model: "<synthetic>", content: [{ type: "text", text: "API Error" }] },
    };
    expect(read(failed, ended({ subtype: "success", is_error: true, result: "API Error" }))).toBe(
      "  API Error\n\n  ✗ 2.4 s\n",
    );
  });
});

describe("the task list is the one of the fold", () => {
  const created = (id: string, subject: string): Message[] => [
    said(call(`create ${id}`, "TaskCreate", { subject, description: subject })),
    result(`create ${id}`, `Task #${id} created`, { tool_use_result: { task: { id, subject } } }),
  ];
  const update = (id: string, input: unknown, outcome: unknown, block: Record<string, unknown> = {}): Message[] => [
    said(call(id, "TaskUpdate", input)),
    result(id, "Task not found", { tool_use_result: outcome }, block),
  ];

  test("a failed update changes nothing, whether the tool or its answer reports the failure", () => {
    const done = { taskId: "1", status: "completed" };
    const outcome = { success: false, taskId: "1", updatedFields: [], error: "Task not found" };
    const list = "  Tasks  0/1\n  ☐ Dig\n";
    expect(read(...created("1", "Dig"), ...update("u", done, outcome))).toBe(list);
    const failed = update("u", done, "Error: Task not found", { is_error: true });
    expect(read(...created("1", "Dig"), ...failed)).toBe(`${list}\n  ↳ TaskUpdate  #1\n    Task not found\n`);
  });

  test("a list of all tasks replaces the tasks", () => {
    const tasks = [{ id: "2", subject: "Plant", status: "in_progress", blockedBy: [] }];
    const text = read(
      ...created("1", "Dig"),
      ...created("2", "Plant"),
      said(call("l", "TaskList", {})),
      result("l", "#2 [in_progress] Plant", { tool_use_result: { tasks } }),
    );
    expect(text).toBe("  Tasks  0/1\n  ▶ Plant\n");
  });

  test("a single requested task is added", () => {
    const task = { id: "1", subject: "Dig deeper", description: "", status: "completed", blocks: [], blockedBy: [] };
    const text = read(
      ...created("1", "Dig"),
      said(call("g", "TaskGet", { taskId: "1" })),
      result("g", "Task #1: Dig deeper", { tool_use_result: { task } }),
    );
    expect(text).toBe("  Tasks  1/1\n  ☑ Dig deeper\n");
  });

  test("a subagent has its own list", () => {
    const todos = [{ content: "Dig", status: "pending" }];
    const inside = { parent_tool_use_id: "a" };
    const text = read(
      { ...said(call("t", "TodoWrite", { todos })), ...inside },
      result("t", "ok", inside),
      said({ type: "text", text: "Done." }),
    );
    expect(text).toBe("  Done.\n");
  });
});

describe("rows and head that arrive at once", () => {
  const asked = (subtype: string, more: Message): Message => ({
    type: "control_request",
    request_id: "1",
    request: { subtype, ...more },
  });

  test("a row that arrives complete is printed completely and in order", () => {
    const { fold, printout, text } = printed();
    const message = said(call("a", "Bash", { command: "ls" }));
    const ask = asked("can_use_tool", { tool_name: "Bash", tool_use_id: "a", input: { command: "ls" } });
    const denial = { behavior: "deny", message: "not now" };
    const answer = { type: "control_response", response: { subtype: "success", request_id: "1", response: denial } };
    const by = { id: "d1", name: "Phone" };
    fold.apply({ type: "received", seq: 1, at: 0, message: message as JsonValue });
    fold.apply({ type: "received", seq: 2, at: 0, message: ask as JsonValue });
    fold.apply({ type: "sent", seq: 3, at: 0, message: answer as JsonValue, by });
    fold.apply({
      type: "received",
      seq: 4,
      at: 0,
      message: result("a", "not now", {}, { is_error: true }) as JsonValue,
    });
    printout.show(fold);
    printout.show(fold);
    expect(text()).toBe("  ● Bash  ls\n    ┃ → deny: not now (Phone)\n    not now\n");
  });

  test("known rows are skipped, and what they gain is written", () => {
    const { fold, printout, play, text } = printed();
    for (const message of [said(call("a", "Bash", { command: "ls" })), said({ type: "text", text: "Old." })])
      fold.apply({ type: "received", seq: fold.seq + 1, at: 0, message: message as JsonValue });
    printout.skip(fold, fold.rows.at(-1)!.order);
    play(result("a", "file"));
    play(said({ type: "text", text: "New." }));
    expect(text()).toBe("  ↳ Bash  ls\n    file\n\n  New.\n");
  });

  test("an open request is shown, even if the rest is skipped", () => {
    const { fold, printout, text } = printed();
    const input = { command: "ls" };
    const ask = asked("can_use_tool", { tool_name: "Bash", tool_use_id: "a", input });
    fold.apply({ type: "received", seq: 1, at: 0, message: ask as JsonValue });
    printout.skip(fold, fold.rows.at(-1)!.order);
    printout.show(fold);
    printout.show(fold);
    expect(text()).toBe("    ┃ Permission?  Bash  ls\n    ┃ [once] [no]\n");
  });

  test("a text that was cut is written to its end, once", () => {
    const { fold, apply, play, text } = printed();
    play(stream({ type: "message_start", message: { id: "m", role: "assistant", content: [] } }));
    play(stream({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }));
    play(stream({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "One two" } }));
    apply({ type: "drafts-left", seq: 1, at: 0, drafts: fold.drafts });
    expect(text()).toBe("  One two\n");
  });

  test("stderr and the end of the process come from the head", () => {
    const { apply, text } = printed();
    apply({ type: "process-started", seq: 1, at: 0 });
    apply({ type: "stderr", seq: 2, at: 0, text: "one\n" });
    apply({ type: "stderr", seq: 3, at: 0, text: "two\n" });
    apply({ type: "process-exited", seq: 4, at: 0, code: 3, signal: null });
    expect(text()).toBe("  one\n  two\n  The CLI ended with code 3.\n");
  });

  test("a prompt that a hook blocked shows the reason", () => {
    const { apply, play, text } = printed();
    apply({ type: "prompt-accepted", seq: 1, at: 0, uuid: "u", content: "hello" });
    play({ type: "system", subtype: "informational", content: "no greetings", prevent_continuation: true });
    expect(text()).toBe("> hello\n\n  no greetings\n");
  });
});

describe("recordings of three versions", () => {
  const play = (events: readonly (Event | Streamed)[]): string => {
    const { apply, text } = printed({ showsAnswers: false, hidesPrompt: ({ origin }) => origin === undefined });
    for (const event of events) apply(event);
    return text();
  };
  const played = RECORDINGS.map(({ name, events }) => ({ name, events, text: play(events) }));
  const isResult = (event: Event | Streamed): boolean =>
    event.type === "received" && (event.message as { type?: unknown }).type === "result";
  /** Text that was streamed and then cut off, without a complete message. */
  const CUT = ["09j_interrupt_with_queue", "09k_interrupt_cancel_queued", "17r_sigterm_midturn"];

  test("there are many", () => {
    expect(RECORDINGS.length).toBeGreaterThan(200);
  });

  test("each looks the same with and without partial messages, and every turn ends", () => {
    for (const { name, events, text } of played) {
      expect(text.match(/^ {2}[✓✗] /gmu) ?? [], name).toHaveLength(events.filter(isResult).length);
      const whole = play(events.filter(({ type }) => type !== "streamed"));
      if (!CUT.some((cut) => name.includes(cut))) expect(whole, name).toBe(text);
    }
  });

  test("no line is wider than the terminal, unless a single word is", () => {
    const lines = played.flatMap(({ text }) => text.split("\n"));
    const hasLongWord = (line: string) => line.split(" ").some((word) => cellWidthOf(word) > 78);
    expect(lines.filter((line) => cellWidthOf(line) > 80 && !hasLongWord(line))).toEqual([]);
  });
});
