import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { decodeValue } from "@quarterdeck/protocol";
import type { JsonValue, Message } from "@quarterdeck/protocol";
import { describe, expect, test } from "vitest";
import { cellsOf } from "./terminal.ts";
import type { Paint } from "./terminal.ts";
import { Transcript } from "./transcript.ts";

const plain: Paint = (_, text) => text;

const transcript = (width = 80) => {
  let out = "";
  const writer = new Transcript({ write: (text) => (out += text), paint: plain, width });
  return { writer, text: () => (writer.end(), out) };
};

/** A message of the CLI as it would be decoded; one that is not known is a fault of the test. */
const message = (value: Record<string, unknown>): Message => {
  const decoded = decodeValue(value as JsonValue);
  if (decoded.kind !== "message") throw new Error(`not a message: ${JSON.stringify(value)}`);
  return decoded.message;
};
const said = (...content: unknown[]) => message({ type: "assistant", message: { role: "assistant", content } });
const stream = (event: unknown) => message({ type: "stream_event", event });
const call = (id: string, name: string, input: unknown) => ({ type: "tool_use", id, name, input });
const result = (id: string, content: string, more: Record<string, unknown> = {}, block: Record<string, unknown> = {}) =>
  message({
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content, ...block }] },
    ...more,
  });
const read = (...messages: Message[]): string => {
  const { writer, text } = transcript();
  for (const one of messages) writer.message(one);
  return text();
};

test("a turn that was stopped is no failure to be explained", () => {
  const stopped = {
    type: "result",
    subtype: "error_during_execution",
    is_error: true,
    duration_ms: 1200,
    errors: ["[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=null"],
  };
  expect(read(message({ ...stopped, terminal_reason: "aborted_streaming" }))).toBe("  ✗ 1.2 s · aborted_streaming\n");
  expect(read(message({ ...stopped, errors: ["no luck"] }))).toContain("no luck");
});

describe("text", () => {
  const streamed = (...texts: string[]) => [
    stream({ type: "message_start", message: { role: "assistant", content: [] } }),
    stream({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    ...texts.map((text) => stream({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })),
  ];

  test("is written once, whether it was streamed or not", () => {
    const complete = said({ type: "text", text: "Hello there." });
    expect(read(complete)).toBe("  Hello there.\n");
    expect(read(...streamed("Hel", "lo there."), complete, stream({ type: "content_block_stop", index: 0 }))).toBe(
      "  Hello there.\n",
    );
  });

  test("is not broken by what comes while it is streamed", () => {
    const { writer, text } = transcript();
    const [start, block, first, second] = streamed("One ", "two.");
    for (const one of [start, block, first]) writer.message(one!);
    writer.message(message({ type: "system", subtype: "notification", key: "k", text: "news", priority: "low" }));
    writer.note("a note");
    writer.message(second!);
    writer.message(stream({ type: "content_block_stop", index: 0 }));
    expect(text()).toBe("  One two.\n\n  news\n  a note\n");
  });
});

describe("tools", () => {
  test("a call and its result are one block, others are named again", () => {
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

  test("long output is shortened, and failures tell their exit code", () => {
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

  test("a permission stands under its call, with its choices and its answer", () => {
    const { writer, text } = transcript();
    writer.message(said(call("a", "Bash", { command: "npm test" })));
    writer.message(
      message({
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
      }),
    );
    writer.answer("once");
    writer.message(result("a", "ok"));
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

  test("a subagent's work stands under its name", () => {
    const inside = (content: unknown) =>
      message({ type: "assistant", parent_tool_use_id: "a", message: { role: "assistant", content: [content] } });
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
  const ended = (more: Record<string, unknown>) =>
    message({ type: "result", is_error: false, duration_ms: 2440, ...more });

  test("tells time, the cost of this turn alone, and steps", () => {
    const text = read(
      ended({ subtype: "success", result: "", total_cost_usd: 0.5, num_turns: 1 }),
      ended({ subtype: "success", result: "", total_cost_usd: 0.5123, num_turns: 3 }),
    );
    expect(text).toBe("  ✓ 2.4 s · $0.5000 · 1 step\n  ✓ 2.4 s · $0.0123 · 3 steps\n");
  });

  test("tells what went wrong, once", () => {
    expect(
      read(ended({ subtype: "error_max_turns", is_error: true, errors: ["too many"], terminal_reason: "max_turns" })),
    ).toBe("  ✗ 2.4 s · max_turns\n    too many\n");
    const failed = {
      type: "assistant",
      is_api_error_message: true,
      message: { role: "assistant", content: [{ type: "text", text: "API Error" }] },
    };
    expect(read(message(failed), ended({ subtype: "success", is_error: true, result: "API Error" }))).toBe(
      "  API Error\n\n  ✗ 2.4 s\n",
    );
  });
});

describe("recordings of three versions", () => {
  const root = fileURLToPath(new URL("../../../protocol/fixtures/recordings", import.meta.url));
  const recordings = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ndjson"))
    .map((file) => {
      const lines = readFileSync(`${root}/${file}`, "utf8").trimEnd().split("\n");
      const messages = lines
        .map((line) => JSON.parse(line) as { dir: string; msg?: JsonValue })
        .flatMap(({ dir, msg }) => (dir === "out" && msg !== undefined ? [decodeValue(msg)] : []))
        .flatMap((decoded) => (decoded.kind === "message" ? [decoded.message] : []));
      return { file, messages };
    });
  /** Text that was streamed and then cut off: no complete message ever came. */
  const CUT = ["09j_interrupt_with_queue", "09k_interrupt_cancel_queued", "17r_sigterm_midturn"];

  test("there are many", () => {
    expect(recordings.length).toBeGreaterThan(200);
  });

  test("each reads the same with and without partial messages, and every turn ends", () => {
    for (const { file, messages } of recordings) {
      const text = read(...messages);
      const turns = messages.filter(({ type }) => type === "result").length;
      expect(text.match(/^ {2}[✓✗] /gmu) ?? [], file).toHaveLength(turns);
      const whole = read(...messages.filter(({ type }) => type !== "stream_event"));
      if (!CUT.some((name) => file.includes(name))) expect(whole, file).toBe(text);
    }
  });

  test("no line is wider than the terminal, unless a single word is", () => {
    const lines = recordings.flatMap(({ messages }) => read(...messages).split("\n"));
    const hasLongWord = (line: string) => line.split(" ").some((word) => cellsOf(word) > 78);
    expect(lines.filter((line) => cellsOf(line) > 80 && !hasLongWord(line))).toEqual([]);
  });
});
