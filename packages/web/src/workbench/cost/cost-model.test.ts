import { describe, expect, it } from "vitest";
import {
  agentsIn,
  budgetIn,
  cacheShareOf,
  columnsOf,
  csvOf,
  kindsOf,
  rangeOf,
  usedTokens,
  topOf,
  turnsCsv,
} from "./cost-model.ts";
import type { Head, Row, TurnRow } from "@quarterdeck/client";
import type { UsageOfMachines } from "./cost-model.ts";

const use = (costUsd: number) => ({ input: 10, output: 5, cacheRead: 80, cacheWrite: 10, costUsd });
const sum = (costUsd: number, model = "opus") => ({
  costUsd,
  turns: 1,
  apiMs: 1500,
  byModel: { [model]: use(costUsd) },
});
const REPORT: UsageOfMachines = {
  total: { costUsd: 4, turns: 2, apiMs: 3000, byModel: { haiku: use(1), opus: use(3) } },
  days: [
    { day: "2026-11-01", ...sum(3) },
    { day: "2026-11-03", ...sum(1, "haiku") },
  ],
  projects: [],
  sessions: [{ id: "s1", title: '=cmd("x"), quoted', project: "/code/tide", ...sum(3) }],
  sessionCount: 1,
};

describe("the cost panel's figures", () => {
  it("cover whole days of the reader, today included", () => {
    const now = new Date(2026, 10, 18, 9, 30).getTime();
    const { from, days } = rangeOf(7, now);
    expect(from).toBe(new Date(2026, 10, 12).getTime());
    expect([days.length, days[0], days.at(-1)]).toEqual([7, "2026-11-12", "2026-11-18"]);
    expect(new Set(rangeOf(365, now).days).size).toBe(365);
  });

  it("count the cache's share of what went in, and every kind of token", () => {
    expect(cacheShareOf(sum(1))).toBe(0.8);
    expect(cacheShareOf({ byModel: {} })).toBe(0);
    expect(usedTokens(sum(1))).toBe(105);
  });

  it("have a column for each day, with the most expensive model first, and none for days without cost", () => {
    const columns = columnsOf(REPORT, ["2026-11-01", "2026-11-02", "2026-11-03"]);
    expect(columns.map(({ costUsd }) => costUsd)).toEqual([3, 0, 1]);
    expect(columns[0]!.parts).toEqual([{ model: "opus", costUsd: 3 }]);
    expect(topOf(columns)).toBe(5);
    expect(topOf(columns, 8)).toBe(10);
  });

  it("have a column for each week of a year, and lose no cost", () => {
    const days = Array.from({ length: 365 }, (_, at) => new Date(Date.UTC(2026, 0, 1 + at)).toISOString().slice(0, 10));
    const columns = columnsOf(REPORT, days);
    expect(columns).toHaveLength(53);
    expect(columns.reduce((total, { costUsd }) => total + costUsd, 0)).toBe(4);
  });

  it("are no formula in a spreadsheet", () => {
    expect(csvOf(REPORT).split("\r\n")[1]).toBe(
      's1,"\'=cmd(""x""), quoted",/code/tide,1,105,80,10,10,5,0.8000,1.5,3.000000',
    );
  });

  it("name each kind of token, and sum to all of them", () => {
    const kinds = kindsOf(REPORT.total);
    expect(kinds.map(({ name, tokens }) => `${name} ${tokens}`)).toEqual([
      "From the cache 160",
      "New input 20",
      "Written to the cache 20",
      "Output 10",
    ]);
    expect(kinds.reduce((total, { tokens }) => total + tokens, 0)).toBe(usedTokens(REPORT.total));
  });

  it("have a line for the budget of a day or a week, unless it is far above all columns", () => {
    const columns = columnsOf(REPORT, ["2026-11-01", "2026-11-02"]);
    expect(budgetIn(columns, 4, false)).toBe(4);
    expect(budgetIn(columns, 4, true)).toBe(28);
    expect(budgetIn(columns, 1000, false)).toBeUndefined();
    expect(budgetIn(columns, undefined, false)).toBeUndefined();
  });

  it("have a line for each turn of a session in its file", () => {
    const turn = { ...sum(0.25), at: 0, steps: 2, durationMs: 2500 } as unknown as TurnRow;
    expect(turnsCsv([turn]).split("\r\n")[1]).toBe(
      "1,1970-01-01T00:00:00.000Z,opus,2,105,80,10,10,5,0.8000,2.5,1.5,0.250000",
    );
  });

  it("take what an agent used from its result, or from its task while it works", () => {
    const call = (id: string, structured?: object) =>
      ({
        kind: "tool",
        id: `tool/${id}`,
        toolUseId: id,
        name: "Agent",
        input: { subagent_type: "Explore", description: `look ${id}` },
        ...(structured !== undefined && { result: { structured } }),
      }) as unknown as Row;
    const task = { toolUseId: "b", tokens: 70, toolUses: 1, startedAt: 5 } as unknown as Head["tasks"][number];
    const done = { totalTokens: 50, totalToolUseCount: 2, totalDurationMs: 900 };
    expect(agentsIn([call("a", done), call("b"), { kind: "tool", name: "Bash" } as Row], [task])).toEqual([
      { rowId: "tool/b", name: "Explore", about: "look b", tokens: 70, tools: 1 },
      { rowId: "tool/a", name: "Explore", about: "look a", tokens: 50, tools: 2, ms: 900 },
    ]);
  });
});
