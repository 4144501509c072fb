import type { CliRequest } from "@quarterdeck/protocol";
import { textBehind } from "@quarterdeck/session";
import { describe, expect, it } from "vitest";
import { HeldOutput } from "./held-output.ts";
import { showToEnd } from "./pager.ts";
import type { Keyboard } from "./printer.ts";
import type { Paint } from "./terminal.ts";
import { terminalRowsOf, wholeRequest } from "./whole-request.ts";

const plain: Paint = (_, text) => text;
const request = (tool: string, input: Record<string, unknown>, more: object = {}): CliRequest => ({
  subtype: "can_use_tool",
  tool_name: tool,
  tool_use_id: "t",
  input,
  ...more,
});
const textsOf = (...given: Parameters<typeof wholeRequest>): string[] => wholeRequest(...given).map(({ text }) => text);

describe("[S38] a whole request", () => {
  it("[S38] has every field of the input, known or not, in its exact text", () => {
    const command = `one ${"x".repeat(500)}\ntwo\t\n\n  three\u202e ‹U+0041›`;
    const input = { command, "odd\nname": [{ deep: "\u200b" }], flag: false };
    const lines = textsOf(request("Bash", input, { description: "about\ncommand: ls", blocked_path: "/etc\u001b" }));
    expect(lines.slice(0, 6)).toEqual([
      "Permission?  Bash",
      "says:",
      "  about",
      "  command: ls",
      "path: /etc‹U+001B›",
      "Look closely: 2 hidden characters, shown as marks.",
    ]);
    const at = lines.indexOf("command:");
    const shown = lines.slice(at + 1, at + 5).map((line) => line.slice(2));
    expect(textBehind(shown.join("\n"))).toBe(command);
    expect(lines.slice(at + 5)).toEqual([
      "odd‹U+000A›name:",
      "  [",
      "    {",
      '      "deep": "‹U+200B›"',
      "    }",
      "  ]",
      "flag: false",
    ]);
  });

  it("[S60] shows the fields of each of several edits next to its diff", () => {
    const hunks = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-a", "+b"] }];
    const edits = [{ old_string: "a", new_string: "b", replace_all: true, odd: 1 }];
    const lines = textsOf(request("MultiEdit", { file_path: "/x", edits }), {
      preview: { kind: "diff", path: "/x", hunks, before: "a", text: "b" },
    });
    expect(lines.slice(1, 9)).toEqual([
      "file_path: /x",
      "edits:",
      "  [",
      "    {",
      '      "replace_all": true,',
      '      "odd": 1',
      "    }",
      "  ]",
    ]);
  });

  it("[S38] shows a change as a diff, and the fields that the diff does not show", () => {
    const preview = {
      kind: "diff",
      path: "/x",
      hunks: [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: [" a", "-b", "+c\u200b "] }],
      before: "a\nb\n",
      text: "a\nc\u200b ",
    } as const;
    const input = { file_path: "/x", old_string: "b", new_string: "c\u200b ", replace_all: true, odd: 1 };
    expect(
      textsOf(request("Edit", input), {
        preview: { ...preview, hunks: [...preview.hunks].map((hunk) => ({ ...hunk, lines: [...hunk.lines] })) },
      }).slice(2),
    ).toEqual([
      "file_path: /x",
      "replace_all: true",
      "odd: 1",
      "the change:",
      "  1   a",
      "  2 - b",
      "  2 + c‹U+200B›‹␣›",
      "  (without a newline at the end)",
    ]);
  });

  it("[S38] shows the input if there is no diff, and says why", () => {
    const preview = { kind: "unreadable" as const, reason: "not \u001b there", hunks: [] };
    expect(textsOf(request("Write", { file_path: "/x", content: "a\nb" }), { preview })).toEqual([
      "Permission?  Write",
      "No diff: not ‹U+001B› there",
      "file_path: /x",
      "content:",
      "  a",
      "  b",
    ]);
  });

  it("[S38] names each rule that is allowed with it", () => {
    const rules = [
      {
        type: "addRules" as const,
        behavior: "allow" as const,
        destination: "session" as const,
        rules: [{ toolName: "Bash", ruleContent: `npm\n${"y".repeat(200)}` }, { toolName: "Read" }],
      },
    ];
    expect(textsOf(request("Bash", { command: "x" }), { rules }).slice(2)).toEqual([
      `for this session, also allow: Bash(npm‹U+000A›${"y".repeat(200)})`,
      "for this session, also allow: Read",
    ]);
    expect(textsOf(request("Bash", { command: "x" }), { rules, rulesKey: "a" }).at(-1)).toBe(
      "a = for this session, also allow: Read",
    );
  });

  it("[S38] has every part of a question, of a form, and of a call without input", () => {
    const question = {
      question: "Which?\u001b\n  1 = Z",
      header: "H",
      options: [{ label: "A", description: "d", preview: "p\nq" }],
      multiSelect: true,
    };
    expect(textsOf(request("AskUserQuestion", { questions: [question], more: 1 })).slice(2)).toEqual([
      "H: Which?‹U+001B›",
      "      1 = Z",
      "  1 = A",
      "      d",
      "      preview:",
      "        p",
      "        q",
      "  multiSelect: true",
      "more: 1",
    ]);
    const form = {
      subtype: "elicitation",
      mcp_server_name: "s\u0007",
      message: "m",
      requested_schema: {},
    } as CliRequest;
    expect(textsOf(form)).toEqual([
      "elicitation",
      "Look closely: 1 hidden character, shown as marks.",
      "mcp_server_name: s‹U+0007›",
      "message: m",
      "requested_schema: {}",
    ]);
    expect(textsOf(request("ExitPlanMode", {}))).toEqual(["A plan, to be approved", "(The request has no input.)"]);
  });
});

describe("[S38] rows", () => {
  it("[S38] begin with our sign, are no wider than the screen, and together are the text", () => {
    const text = `${"word ".repeat(40)}┃ Permission?  ls‹U+202E›${"日本".repeat(60)}\tz`;
    const rows = terminalRowsOf([{ text }, { text: "next" }], { paint: plain, columns: 60 });
    expect(rows.filter((row) => !/^[┃┊] /u.test(row))).toEqual([]);
    expect(rows.filter((row) => row.startsWith("┃ "))).toEqual([rows[0], "┃ next"]);
    expect(
      rows
        .slice(0, -1)
        .map((row) => row.slice(2))
        .join(""),
    ).toBe(text);
    const widest = Math.max(
      ...rows.map((row) => Array.from(row).reduce((sum, one) => sum + (one > "\u1100" && one > "\u2600" ? 2 : 1), 0)),
    );
    expect(widest).toBeLessThan(60);
  });
});

const keyboard = (rows: number | undefined, typed: string[]) => {
  let shown = "";
  const fake: Keyboard = {
    size: () => (rows === undefined ? undefined : { rows, columns: 80 }),
    show: (text) => void (shown += text),
    ask: async (text) => {
      shown += text;
      return typed.shift()!;
    },
    settle: async () => undefined,
    onTyping: () => undefined,
    onLine: () => undefined,
    onClose: () => undefined,
    close: () => undefined,
  };
  return { fake, shown: () => shown, typed };
};

describe("[S38] the pager", () => {
  const lines = Array.from({ length: 25 }, (_, at) => ({ text: `line ${String(at)}` }));

  it("[S38] shows all of it, a screen at a time", async () => {
    const { fake, shown, typed } = keyboard(11, ["", ""]);
    expect(await showToEnd(fake, lines)).toBe(true);
    expect(typed).toEqual([]);
    expect(shown().match(/line \d+/gu)).toHaveLength(25);
    const whole = keyboard(undefined, []);
    expect(await showToEnd(whole.fake, lines)).toBe(true);
  });

  it("[S38] reports that the reader stopped before the end", async () => {
    const { fake, shown } = keyboard(11, ["", "q"]);
    expect(await showToEnd(fake, lines)).toBe(false);
    expect(shown()).not.toContain("line 20");
  });
});

it("[S38] nothing else is written while a person is asked", async () => {
  let out = "";
  const held = new HeldOutput();
  const write = held.through((text) => (out += text));
  write("a");
  const asking = Promise.withResolvers<void>();
  const done = held.during(async () => asking.promise);
  write("b");
  expect(out).toBe("a");
  asking.resolve();
  await done;
  write("c");
  expect(out).toBe("abc");
});
