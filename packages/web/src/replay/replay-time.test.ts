import type { Row } from "@quarterdeck/client";
import { describe, expect, it } from "vitest";
import { rowsAt, stepFrom, stepsUpTo, tapeOf } from "./replay-time.ts";

const row = (id: string, at: number, more: object): Row =>
  ({ id, order: at, rev: 1, at, seqs: [], ...more }) as unknown as Row;
const ROWS = [
  row("p1", 1_000, { kind: "prompt", content: "a" }),
  row("t1", 1_200, { kind: "tool", name: "Bash", state: "done", result: { ok: true, text: "x" }, endedAt: 1_800 }),
  row("m1", 1_500, { kind: "text", text: "meanwhile" }),
  row("p2", 9_000_000, { kind: "prompt", content: "b" }),
  row("m2", 9_000_400, { kind: "text", text: "end" }),
];

describe("a replay", () => {
  const tape = tapeOf(ROWS);
  const seen = (place: number): string[] =>
    rowsAt(tape, place).map(({ id, ...rest }) => ("state" in rest ? `${id} ${rest.state}` : id));

  it("shows what there was at a time, with tools that still run", () => {
    expect(tape.duration).toBe(3_200);
    expect(seen(0)).toEqual(["p1"]);
    expect(seen(300)).toEqual(["p1", "t1 running"]);
    expect(rowsAt(tape, 300)[1]).not.toHaveProperty("result");
    // The same object, so that it is not drawn again.
    expect(rowsAt(tape, 300)[1]).toBe(rowsAt(tape, 400)[1]);
    expect(seen(600)).toEqual(["p1", "t1 running", "m1"]);
    expect(seen(800)).toEqual(["p1", "t1 done", "m1"]);
    expect(rowsAt(tape, Infinity)).toBe(ROWS);
    expect([0, 200, 800, 2_800, 9_999].map((place) => stepsUpTo(tape, place))).toEqual([1, 2, 4, 5, 6]);
  });

  it("steps forward and back, to any row, to prompts and to tools", () => {
    const forward = (place: number, kind?: "prompt" | "tool"): number => stepFrom(tape, place, 1, kind);
    expect([forward(0), forward(200), forward(500), forward(800)]).toEqual([200, 500, 800, 2_800]);
    expect([forward(0, "prompt"), forward(0, "tool"), forward(2_800, "prompt")]).toEqual([2_800, 200, 3_200]);
    expect([stepFrom(tape, Infinity, -1), stepFrom(tape, 2_800, -1, "prompt"), stepFrom(tape, 0, -1)]).toEqual([
      2_800, 0, 0,
    ]);
  });

  it("steps through what happened in the same millisecond", () => {
    const done = { kind: "tool", state: "done", result: { ok: true, text: "" }, endedAt: 20 };
    const burst = tapeOf([
      row("p", 10, { kind: "prompt", content: "a" }),
      row("t1", 20, done),
      row("t2", 20, done),
      row("m", 20, { kind: "text", text: "end" }),
    ]);
    const first = stepFrom(burst, 0, 1, "tool");
    expect(rowsAt(burst, first)).toMatchObject([{ id: "p" }, { id: "t1", state: "running" }]);
    const second = stepFrom(burst, first, 1, "tool");
    expect(rowsAt(burst, second).map(({ id }) => id)).toEqual(["p", "t1", "t2"]);
    expect(rowsAt(burst, stepFrom(burst, second, 1)).map(({ id }) => id)).toEqual(["p", "t1", "t2"]);
    expect(rowsAt(burst, burst.duration)).toHaveLength(4);
    expect(stepFrom(burst, burst.duration, -1, "tool")).toBe(second);
  });

  it("has a place for everything in an empty session", () => {
    const empty = tapeOf([]);
    expect([rowsAt(empty, 0), stepFrom(empty, 0, 1), stepsUpTo(empty, 0)]).toEqual([[], 0, 0]);
  });
});
