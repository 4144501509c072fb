// Tests of the judge: it must notice a run that breaks a rule. Runs are made by hand, so no process is started.
import { describe, expect, it } from "vitest";
import { casesOf, says, script, uses } from "./case.ts";
import type { Case, CaseSketch } from "./case.ts";
import { faultsOf } from "./check.ts";
import { differencesOf } from "./compare.ts";
import type { Message, Recording } from "./drive.ts";
import { turn } from "./host-script.ts";
import { absent, empty, has, matches, not, present } from "./match.ts";
import type { CaseRun, Player } from "./run-case.ts";

const assistant = (id: string, block: Message, more: Message = {}): Message => ({
  type: "assistant",
  message: { id, model: "m", content: [block] },
  parent_tool_use_id: null,
  ...more,
});
const text = (words: string): Message => ({ type: "text", text: words });
const tool = (id: string): Message => ({ type: "tool_use", id, name: "Read", input: { file_path: "a" } });
const result = (id: string): Message => ({
  type: "user",
  message: { content: [{ type: "tool_result", tool_use_id: id, content: "x" }] },
});
const INIT = { type: "system", subtype: "init", tools: ["Read"], model: "m" };
const END = { type: "result", subtype: "success", is_error: false, result: "Done." };
const GOOD: readonly Message[] = [
  INIT,
  assistant("m1", text("First.")),
  assistant("m1", tool("t1")),
  result("t1"),
  assistant("m2", text("Last.")),
  END,
];

const PLAYER: Player = { kind: "simulator", version: "simulator" };
const caseOf = (sketch: Partial<CaseSketch> = {}): Case =>
  casesOf("plain", [
    {
      name: "case",
      about: "",
      simulator: true,
      scripts: [script("go", says("First.", uses("Read", { file_path: "a" })), says("Last."))],
      host: turn("go"),
      ...sketch,
    },
  ])[0]!;
const runOf = (messages: readonly Message[], more: Partial<Recording> = {}): CaseRun => ({
  phases: [
    {
      lines: messages.map((msg, t) => ({ t, dir: "out", kind: "message", msg })),
      exitCode: 0,
      signal: null,
      stderr: "",
      faults: [],
      ...more,
    },
  ],
  requests: [],
  files: {},
  variables: {},
  ms: 0,
});
const faults = (messages: readonly Message[], sketch?: Partial<CaseSketch>, more?: Partial<Recording>): string =>
  faultsOf(caseOf(sketch), PLAYER, runOf(messages, more)).join("\n");
const without = (index: number): readonly Message[] => GOOD.filter((_, at) => at !== index);

describe("[E64] the check of a run", () => {
  it("accepts a good run", () => {
    expect(faults(GOOD)).toBe("");
  });
  it("notices a missing block", () => {
    expect(faults(without(1))).toContain("not in the scenario");
    expect(faults(without(4))).toContain("go#1 was seen 1 times too few");
  });
  it("notices a block that was seen twice", () => {
    expect(faults([...GOOD.slice(0, 2), ...GOOD.slice(1)])).toContain("not in the scenario (again)");
    expect(faults([...GOOD.slice(0, 5), assistant("m3", text("Last.")), END])).toContain("not in the scenario (again)");
  });
  it("notices steps and blocks in the wrong order", () => {
    const [init, first, use, read, last, end] = GOOD as [Message, Message, Message, Message, Message, Message];
    expect(faults([init, last, first, use, read, end])).toContain("before the step that leads to it");
    expect(faults([init, use, first, read, last, end])).toContain("not in the scenario");
  });
  it("notices a tool use without its result, and an extra result", () => {
    expect(faults(without(3))).toContain("tool uses without a result: t1");
    expect(faults([...GOOD.slice(0, 4), ...GOOD.slice(3)])).toContain("t1 has 2 results");
    expect(faults([...GOOD.slice(0, 4), result("t9"), ...GOOD.slice(4)])).toContain("t9, which was never used");
  });
  it("notices a prompt that was not settled", () => {
    expect(faults(without(5))).toContain("1 results expected");
    expect(faults([...GOOD, { type: "command_lifecycle", command_uuid: "u", state: "started" }])).toContain(
      "left started",
    );
    expect(faults([...GOOD.slice(0, 5), { ...END, is_error: true }])).toContain("result 1 is not");
  });
  it("notices a wrong exit, a line that does not decode and a fault of the host script", () => {
    expect(faults(GOOD, {}, { exitCode: 1 })).toContain("exit 1, not 0");
    expect(faults(GOOD, {}, { faults: ["never saw it"] })).toContain("host: never saw it");
    const lines = [{ t: 0, dir: "out", kind: "unknown", reason: "type", msg: { type: "new" } }] as const;
    expect(faults(GOOD, {}, { lines })).toContain("line is unknown");
  });
  it("checks what its case expects", () => {
    expect(faults(GOOD, { expect: { see: [{ type: "nothing" }] } })).toContain("not seen");
    expect(faults(GOOD, { expect: { never: [INIT] } })).toContain("must not be seen");
    expect(faults(GOOD, { expect: { order: [END, INIT] } })).toContain("not seen in order");
    expect(faults(GOOD, { expect: { count: [{ of: INIT, is: 2 }] } })).toContain("1 times, not 2");
    expect(faults(GOOD, { expect: { asks: ["Bash"] } })).toContain("asked for nothing");
    expect(faults(GOOD, { expect: { files: { "a.txt": "x" } } })).toContain("file a.txt");
    expect(faults(GOOD, { expect: { stderr: "boom" } })).toContain("stderr lacks");
  });
  it("accepts the beginning of a step that may be cut, and no more", () => {
    const cut = [...GOOD.slice(0, 4), assistant("m2", text("La")), END];
    expect(faults(cut, { expect: { partial: ["go#1"] } })).toBe("");
    expect(faults(cut)).toContain("not in the scenario");
    const other = [...GOOD.slice(0, 4), assistant("m2", text("Lo")), END];
    expect(faults(other, { expect: { partial: ["go#1"] } })).toContain("not in the scenario");
  });
});

describe("[E65] the comparison with the CLI", () => {
  const differences = (ours: readonly Message[], theirs = GOOD): readonly string[] =>
    differencesOf(runOf(theirs), runOf(ours)).map(({ kind, issue, what }) => `${issue} ${kind} ${what}`.trim());

  it("ignores ids, values and the order between ids", () => {
    const renamed = JSON.parse(JSON.stringify(GOOD).replaceAll('"m1"', '"x1"').replaceAll('"t1"', '"y1"')) as Message[];
    expect(differences(renamed)).toEqual([]);
    expect(differences([GOOD[1]!, INIT, ...GOOD.slice(2)])).toEqual([]);
  });
  it("notices missing, extra and reordered lines", () => {
    expect(differences(without(1))).toEqual(["lacks-line assistant/text"]);
    expect(differences([...GOOD, { type: "tool_progress" }])).toEqual(["adds-line tool_progress"]);
    expect(differences([GOOD[0]!, GOOD[2]!, GOOD[1]!, ...GOOD.slice(3)])).toEqual(["other-order assistant/text"]);
  });
  it("notices missing and extra fields and other types, at any depth", () => {
    const { model: _, ...lessInit } = INIT;
    expect(differences([lessInit, ...GOOD.slice(1)])).toEqual(["lacks-field system/init model"]);
    expect(differences([{ ...INIT, more: 1 }, ...GOOD.slice(1)])).toEqual(["adds-field system/init more"]);
    expect(differences([{ ...INIT, tools: [1] }, ...GOOD.slice(1)])).toEqual([
      "other-type system/init tools[]: string, not number",
    ]);
  });
});

it("[E64] matches patterns", () => {
  const value = { a: 1, list: [{ b: "xyz" }], none: "" };
  for (const pattern of [
    { a: 1 },
    { list: [{ b: has("y") }] },
    { c: absent },
    { a: present },
    { a: not(2) },
    { none: empty },
  ]) {
    expect(matches(pattern, value)).toBe(true);
  }
  for (const pattern of [
    { a: 2 },
    { list: [{ b: has("q") }] },
    { a: absent },
    { c: present },
    { a: not(1) },
    { list: empty },
  ]) {
    expect(matches(pattern, value)).toBe(false);
  }
});
