import type { ResultOf, SessionSummary } from "@quarterdeck/client";
import { describe, expect, it } from "vitest";
import { asItWas, decodeLists } from "./all-sessions.ts";
import { joinHits, joinReports } from "./join-answers.ts";

const hit = (session: string, at: number) => ({ session, rowId: "r", excerpt: "", at, kind: "prompt" as const });
const use = (costUsd: number) => ({ input: 1, output: 2, cacheRead: 3, cacheWrite: 4, costUsd });
const report = (id: string, costUsd: number): ResultOf<"usage/report"> => {
  const sum = { costUsd, turns: 1, apiMs: 10, byModel: { opus: use(costUsd) } };
  return {
    total: sum,
    days: [{ day: "2026-11-18", ...sum }],
    projects: [{ path: "/srv/app", ...sum }],
    sessions: [{ id, project: "/srv/app", ...sum }],
    sessionCount: 1,
  };
};

describe("answers of several machines", () => {
  it("are one list of hits, newest first, and say what is missing", () => {
    const found = [
      { machine: "hub", answer: { hits: [hit("a", 3), hit("b", 1)], complete: true } },
      // An archive has a copy of `a`.
      { machine: "box", answer: { hits: [hit("c", 2), hit("a", 3)], complete: true } },
    ];
    expect(joinHits(found, true)).toEqual({ hits: [hit("a", 3), hit("c", 2), hit("b", 1)], complete: true });
    expect(joinHits(found, true, 2)).toEqual({ hits: [hit("a", 3), hit("c", 2)], complete: false });
    expect(joinHits(found, false).complete).toBe(false);
  });

  it("are one report with sums by day, project and machine", () => {
    const joined = joinReports([
      { machine: "hub", answer: report("a", 1) },
      { machine: "box", answer: report("b", 2) },
    ]);
    const sum = {
      costUsd: 3,
      turns: 2,
      apiMs: 20,
      byModel: { opus: { input: 2, output: 4, cacheRead: 6, cacheWrite: 8, costUsd: 3 } },
    };
    expect(joined).toMatchObject({ total: sum, days: [{ day: "2026-11-18", ...sum }], sessionCount: 2 });
    expect(joined.projects).toEqual([{ path: "/srv/app", ...sum }]);
    expect(joined.sessions.map(({ id }) => id)).toEqual(["b", "a"]);
    expect(joined.machines?.map(({ name, costUsd }) => [name, costUsd])).toEqual([
      ["box", 2],
      ["hub", 1],
    ]);
  });
});

describe("the list of a machine that is away", () => {
  const summary = {
    id: "a",
    cwd: "/srv/app",
    project: "/srv/app",
    updatedAt: 1,
    createdAt: 1,
    live: true,
    phase: "streaming",
    tasks: 1,
    waiting: [],
  } as unknown as SessionSummary;

  it("has nothing that runs or waits", () => {
    expect(asItWas(summary)).toMatchObject({ live: false, phase: "idle", tasks: 0, lastText: "was working" });
    const ready = { ...summary, phase: "ready", tasks: 0, lastText: "Done." } as unknown as SessionSummary;
    expect(asItWas(ready)).toMatchObject({ live: false, lastText: "Done." });
    const asked = { ...summary, waiting: [{ id: "r" }] } as unknown as SessionSummary;
    expect(asItWas(asked)).toMatchObject({ waiting: [], lastText: "had a request" });
  });

  it("is read only if it has the shape of a list", () => {
    for (const odd of [undefined, null, 7, "x", []]) expect(decodeLists(odd)).toEqual({});
    expect(decodeLists({ box: [summary, null, { id: 7 }, "x"], other: "x" })).toEqual({ box: [summary] });
  });
});
