// The bench of the page runs once, small: every figure has its name and its limit. What a machine reaches is not asserted.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

import { createFold } from "@quarterdeck/session";
import { describe, expect, it } from "vitest";

import { factsOfSession } from "./long-session.ts";
import { FROM, percentileOf, readTrace, TO } from "./trace.ts";
import type { TraceEvent } from "./trace.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));

describe("npm run bench -- web", () => {
  it("opens, scrolls and streams into a session, and names every figure with its limit", async () => {
    const sizes = ["--rows", "200", "--seconds", "2", "--rounds", "1"];
    const stdout = await new Promise<string>((resolve, reject) => {
      execFile(process.execPath, ["--conditions=source", MAIN, "web", "--json", ...sizes], (error, out, said) => {
        // 1: a limit was missed, which a small run may.
        if (error === null || error.code === 1) resolve(out);
        else reject(new Error(said));
      });
    });
    const json = JSON.parse(stdout) as Record<string, unknown>;
    const number = expect.any(Number) as number;
    const load = { shownMs: number, wireBytes: number, codeGzipBytes: number };
    expect(json).toMatchObject({
      webWireKB: number,
      webCodeGzipKB: number,
      webElements: number,
      webFirstScreenRatio: number,
      webBusyShare: number,
      webTasksAbove50: number,
      webTasksAbove100: number,
      webHeapRatio: number,
      webBlocksAgain: 0,
      webKeyP99: number,
      targets: {
        webWireKB: { atMost: 200 },
        webCodeGzipKB: { atMost: 180 },
        webElements: { atMost: 1500 },
        webFirstScreenRatio: { atMost: 1.5 },
        webBusyShare: { atMost: 0.6 },
        webTasksAbove50: { atMost: 2 },
        webTasksAbove100: { atMost: 0 },
        webBlocksAgain: { atMost: 0 },
        webKeyP99: { atMost: 50 },
      },
      details: {
        web: { sessions: { short: { rows: 100 }, long: { rows: 200 } }, loads: { short: [load], long: [load] } },
      },
    });
    expect(json["webElements"]).toBeLessThan(1500);
  });
});

describe("the session", () => {
  const foldOf = (rows: number) => {
    const fold = createFold();
    let seq = 0;
    for (const facts of factsOfSession(rows, "/work"))
      for (const { at, fact } of facts) fold.apply({ seq: ++seq, at, ...fact });
    return fold.rows;
  };

  it("has the rows and the mix that it says, and is the same each time", () => {
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

  it("is read between its marks, of the thread that made them", () => {
    const main = readTrace([
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
    ]);
    expect(main).toEqual({ seconds: 1, busyShare: 0.2, cpuShare: 0.1, longTasks: [120, 60], keys: [20] });
  });

  it("without marks is none", () => {
    expect(() => readTrace([task(0, 1)])).toThrow("no marks");
  });

  it("has percentiles that it has seen", () => {
    const values = Array.from({ length: 200 }, (_, n) => n + 1);
    expect([0.5, 0.99, 1].map((share) => percentileOf(values, share))).toEqual([100, 198, 200]);
  });
});
