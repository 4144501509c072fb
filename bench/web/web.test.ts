// The session that the page is measured with, and how a trace is read. `npm run bench -- --smoke web` runs the bench
// itself.
import { createFold } from "@quarterdeck/session";
import { describe, expect, it } from "vitest";

import { factsOfSession } from "./long-session.ts";
import { FROM, longestTask, percentileOf, readTrace, TO } from "./trace.ts";
import type { TraceEvent } from "./trace.ts";

describe("the session", () => {
  const foldOf = (rows: number) => {
    const fold = createFold();
    let seq = 0;
    for (const facts of factsOfSession(rows, "/work"))
      for (const { at, fact } of facts) fold.apply({ seq: ++seq, at, ...fact });
    return fold.rows;
  };

  it("has the stated rows and mix, and is the same each time", () => {
    const rows = foldOf(100);
    const count = (kind: string): number => rows.filter((row) => row.kind === kind).length;
    expect(rows).toHaveLength(100);
    expect(["prompt", "thinking", "text", "tool", "turn"].map(count)).toEqual([5, 10, 15, 65, 5]);
    expect(rows.every((row) => row.kind !== "tool" || row.state === "done")).toBe(true);
    expect(rows.every((row) => row.kind !== "prompt" || row.state === "done")).toBe(true);
    expect(foldOf(100)).toEqual(rows);
  });
});

describe("a trace", () => {
  const thread = { pid: 1, tid: 2 };
  const task = (ts: number, dur: number, more: Partial<TraceEvent> = {}): TraceEvent => ({
    ...thread,
    name: "RunTask",
    ph: "X",
    ts,
    dur,
    tdur: dur / 2,
    ...more,
  });
  const key = (ph: "b" | "e", ts: number, id: string, type = "keydown"): TraceEvent => ({
    ...thread,
    name: "EventTiming",
    ph,
    ts,
    id2: { local: id },
    args: { data: { type } },
  });

  it("is read between its marks, for the thread that made them", () => {
    const events = [
      task(0, 900_000),
      { ...thread, name: FROM, ph: "I", ts: 1_000_000 },
      task(1_100_000, 120_000),
      task(1_300_000, 60_000),
      task(1_400_000, 20_000),
      task(1_500_000, 400_000, { tid: 3 }),
      key("b", 1_500_000, "a"),
      key("b", 1_510_000, "m", "mousedown"),
      key("e", 1_520_000, "a"),
      key("e", 1_700_000, "m"),
      { ...thread, name: TO, ph: "I", ts: 2_000_000 },
      task(2_100_000, 500_000),
    ];
    expect(longestTask(events)).toEqual({ wallMs: 120, cpuMs: 60 });
    expect(readTrace(events)).toEqual({ seconds: 1, busyShare: 0.2, cpuShare: 0.1, longTasks: [120, 60], keys: [20] });
  });

  it("without marks gives no result", () => {
    expect(() => readTrace([task(0, 1)])).toThrow("no marks");
  });

  it("has percentiles from its own values", () => {
    const values = Array.from({ length: 200 }, (_, n) => n + 1);
    expect([0.5, 0.99, 1].map((share) => percentileOf(values, share))).toEqual([100, 198, 200]);
  });
});
