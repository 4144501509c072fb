// `quarterdeck run` at a real terminal, made by `script` of util-linux, with the simulator as the program.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { openSqliteStore } from "@quarterdeck/host";
import { createFold } from "@quarterdeck/session";
import type { Row } from "@quarterdeck/session";
import { afterEach, beforeEach, expect, test } from "vitest";
import { programWords, writeScriptedClaude } from "@quarterdeck/test-kit/programs";
import { ONE_COLOUR, SEVERAL_SIZES } from "@quarterdeck/test-kit/questions";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
let folder: string;

const QUESTIONS = [
  ONE_COLOUR,
  SEVERAL_SIZES,
  { question: "Whose name?", header: "Name", multiSelect: false, options: [{ label: "Mine", description: "" }] },
];
const SCRIPTS = [
  {
    when: "touch",
    steps: [{ say: [{ tool: "Bash", input: { command: "touch made.txt" } }] }, { say: [{ text: "As you wish." }] }],
  },
  {
    when: "colour",
    steps: [{ say: [{ tool: "AskUserQuestion", input: { questions: QUESTIONS } }] }, { say: [{ text: "Thanks." }] }],
  },
  {
    when: "plan",
    steps: [
      { say: [{ tool: "ExitPlanMode", input: { plan: "# Plan\n1. Nothing" } }] },
      { say: [{ text: "Planned." }] },
    ],
  },
  { when: "slow", steps: [{ say: [{ text: "word ".repeat(400) }], pace: { deltaMs: 40, deltaChars: 5 } }] },
];

beforeEach(() => {
  if (spawnSync("script", ["--version"]).status !== 0)
    throw new Error("This test needs a terminal: install `script` of util-linux.");
  folder = mkdtempSync(join(tmpdir(), "quarterdeck-terminal-"));
  for (const name of ["home", "work"]) mkdirSync(join(folder, name));
  writeScriptedClaude(join(folder, "claude"), SCRIPTS);
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

/** Types each answer when its question has been shown. */
const atTerminal = async (
  args: readonly string[],
  typed: readonly (readonly [shown: string, keys: string])[],
): Promise<{ readonly code: number | null; readonly shown: string }> => {
  const own = ["--data-dir", join(folder, "data"), "--claude", join(folder, "claude"), "--cwd", join(folder, "work")];
  const command = [process.execPath, ...programWords("quarterdeck"), "run", ...own, ...args];
  const quoted = command.map((word) => `'${word}'`).join(" ");
  const env = { PATH: process.env["PATH"] ?? "", HOME: join(folder, "home"), TERM: "xterm", SHELL: "/bin/sh" };
  // Sets the size of the terminal: a new one has none.
  const child = spawn("script", ["-qec", `stty cols 100 rows 40; exec ${quoted}`, "/dev/null"], { env });
  let shown = "";
  let seen = 0;
  const left = [...typed];
  child.stdout.on("data", (chunk: Buffer) => {
    shown += stripVTControlCharacters(chunk.toString("utf8"));
    const next = left[0];
    if (next === undefined || !shown.slice(seen).includes(next[0])) return;
    left.shift();
    seen = shown.length;
    child.stdin.write(next[1]);
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  expect(left, shown).toEqual([]);
  return { code, shown };
};

/** Rows of the only session. */
const rowsOf = async (): Promise<readonly Row[]> => {
  const store = await openSqliteStore(join(folder, "data"));
  try {
    const fold = createFold();
    for (const event of store.read(store.sessions()[0]!.id, 0, 10_000)) fold.apply(event);
    return fold.rows;
  } finally {
    await store.close();
  }
};
const toolOf = (rows: readonly Row[]) => rows.find((row) => row.kind === "tool");

test("a key gives a permission, and the allowed call runs", async () => {
  const { code, shown } = await atTerminal(["touch"], [["or a reason to deny: ", "y\r"]]);
  expect(shown).toContain("touch made.txt");
  expect(shown).toContain("a = allow for this session");
  expect(shown).toContain("→ allow");
  expect(shown).toContain("As you wish.");
  expect([code, existsSync(join(folder, "work", "made.txt"))]).toEqual([0, true]);
  expect(toolOf(await rowsOf())).toMatchObject({
    state: "done",
    decision: { behavior: "allow", by: { id: "terminal" } },
  });
});

test("a typed reason is a denial, and the model reads it", async () => {
  const { code, shown } = await atTerminal(["touch"], [["or a reason to deny: ", "not on a Sunday\r"]]);
  expect(shown).toContain("→ deny: not on a Sunday");
  expect([code, readdirSync(join(folder, "work"))]).toEqual([0, []]);
  expect(toolOf(await rowsOf())).toMatchObject({ state: "denied", decision: { reason: "not on a Sunday" } });
});

test("questions are answered by number, by numbers and in words", async () => {
  const { code, shown } = await atTerminal(
    ["colour"],
    [
      ["Arrows or digits, Enter answers, or your own words: ", "2\r"],
      ["Space selects several, Enter answers, or your own words: ", "1,2\r"],
      ["Arrows or digits, Enter answers, or your own words: ", "Ann Other\r"],
    ],
  );
  expect(shown).toContain("→ Blue; S, L; Ann Other");
  expect(shown).toContain("Thanks.");
  expect(code).toBe(0);
  const { result } = toolOf(await rowsOf()) as { result: { text: string } };
  for (const answer of ["Blue", "S, L", "Ann Other"]) expect(result.text).toContain(answer);
});

test("a key approves a plan", async () => {
  const approved = await atTerminal(["--mode", "plan", "plan"], [["or a reason to deny: ", "y\r"]]);
  expect(approved.shown).toContain("A plan, to be approved");
  expect(approved).toMatchObject({ code: 0, shown: expect.stringContaining("Planned.") as unknown });
  expect(toolOf(await rowsOf())).toMatchObject({ name: "ExitPlanMode", state: "done" });
});

test("Ctrl-C stops the turn, during text and during a question", async () => {
  const text = await atTerminal(["slow"], [["word word word", CTRL_C]]);
  expect(text.code).toBe(130);
  expect(text.shown).toContain("continues this session.");
  const question = await atTerminal(["touch"], [["or a reason to deny: ", CTRL_C]]);
  expect(question.code).toBe(130);
  expect(question.shown).not.toContain("AbortError");
  expect(readdirSync(join(folder, "work"))).toEqual([]);
});

test("Ctrl-D at a question does not answer it: the request is denied, and the exit code says so", async () => {
  const { code, shown } = await atTerminal(["touch"], [["or a reason to deny: ", CTRL_D]]);
  expect(shown).toContain("→ deny: Nobody is here to answer.");
  expect(shown).toContain("As you wish.");
  expect([code, readdirSync(join(folder, "work"))]).toEqual([3, []]);
});
