import { describe, expect, it } from "vitest";
import { usageReport } from "./usage-report.ts";
import type { Reported } from "./usage-report.ts";

const HOUR = 3_600_000;
const cost = (costUsd: number, tokens = 1) => ({
  input: tokens,
  output: tokens,
  cacheRead: tokens,
  cacheWrite: tokens,
  costUsd,
});
const spentAt = (iso: string, costUsd: number, model = "opus") => ({
  hour: Math.floor(Date.parse(iso) / HOUR),
  turns: 1,
  apiMs: 10,
  byModel: { [model]: cost(costUsd) },
});
const session = (id: string, project: string, ...spent: ReturnType<typeof spentAt>[]): Reported => ({
  overview: { id, title: `Title of ${id}`, spent },
  project,
});
const SESSIONS = [
  session("a", "/code/tide", spentAt("2026-11-17T23:30:00Z", 1), spentAt("2026-11-18T10:00:00Z", 2)),
  session("b", "/code/moon", spentAt("2026-11-18T11:00:00Z", 4, "haiku")),
  session("c", "/code/moon"),
];

describe("[B9] a report of what sessions cost", () => {
  it("sums by day of the reader's time zone, by project and by session, the most expensive first", () => {
    const utc = usageReport(SESSIONS, { timeZone: "UTC", limit: 10 });
    expect(utc.days.map(({ day, costUsd }) => [day, costUsd])).toEqual([
      ["2026-11-17", 1],
      ["2026-11-18", 6],
    ]);
    const berlin = usageReport(SESSIONS, { timeZone: "Europe/Berlin", limit: 10 });
    expect(berlin.days.map(({ day, costUsd }) => [day, costUsd])).toEqual([["2026-11-18", 7]]);
    expect(utc.projects.map(({ path, costUsd }) => [path, costUsd])).toEqual([
      ["/code/moon", 4],
      ["/code/tide", 3],
    ]);
    expect(utc.sessions.map(({ id, costUsd, turns }) => [id, costUsd, turns])).toEqual([
      ["b", 4, 1],
      ["a", 3, 2],
    ]);
    expect(utc.total).toEqual({
      costUsd: 7,
      turns: 3,
      apiMs: 30,
      byModel: { opus: cost(3, 2), haiku: cost(4, 1) },
    });
  });

  it("leaves out what is outside its range, and counts sessions that it does not name", () => {
    const from = Date.parse("2026-11-18T00:00:00Z");
    const to = Date.parse("2026-11-18T11:00:00Z");
    expect(usageReport(SESSIONS, { from, to, timeZone: "UTC", limit: 10 }).total.costUsd).toBe(2);
    const short = usageReport(SESSIONS, { timeZone: "UTC", limit: 1 });
    expect([short.sessions.length, short.sessionCount]).toEqual([1, 2]);
  });

  it("refuses a time zone that does not exist", () => {
    expect(() => usageReport(SESSIONS, { timeZone: "Atlantis/Harbour", limit: 1 })).toThrow(RangeError);
  });
});
