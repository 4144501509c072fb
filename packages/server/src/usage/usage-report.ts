// What sessions cost, by day, project, model and session. Everything comes from the summaries in memory, so a year costs no reading.

import type { SessionOverview } from "@quarterdeck/host";
import { addCosts } from "@quarterdeck/session";
import type { ModelCost } from "@quarterdeck/session";
import type { ResultOf } from "@quarterdeck/session/bridge";

type Report = ResultOf<"usage/report">;
type Sum = Report["total"];

export interface Reported {
  readonly overview: Pick<SessionOverview, "id" | "title" | "spent" | "forkOf">;
  readonly project: string;
}

export interface ReportRange {
  /** Milliseconds. Whole hours count: the one in which the range begins too. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** An IANA name. Throws a RangeError for other names. */
  readonly timeZone: string;
  /** Max number of named sessions. All sessions are counted. */
  readonly limit: number;
}

const HOUR_MS = 3_600_000;

export const usageReport = (sessions: readonly Reported[], { from, to, timeZone, limit }: ReportRange): Report => {
  const [first, last] = [(from ?? -Infinity) / HOUR_MS, (to ?? Infinity) / HOUR_MS];
  const dayOf = daysIn(timeZone);
  const total = new Total();
  const days = new Map<string, Total>();
  const projects = new Map<string, Total>();
  const found: { id: string; title?: string; project: string; forkOf?: string; total: Total }[] = [];
  for (const { overview, project } of sessions) {
    const own = new Total();
    for (const spending of overview.spent ?? []) {
      if (spending.hour < Math.floor(first) || spending.hour >= last) continue;
      for (const sum of [total, own, of(days, dayOf(spending.hour)), of(projects, project)]) sum.add(spending);
    }
    if (own.turns === 0) continue;
    const { id, title, forkOf } = overview;
    const named = { ...(title !== undefined && { title }), ...(forkOf !== undefined && { forkOf }) };
    found.push({ id, project, ...named, total: own });
  }
  const dearest = found.toSorted((a, b) => b.total.costUsd - a.total.costUsd);
  return {
    total: total.sum,
    days: [...days].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([day, sum]) => ({ day, ...sum.sum })),
    projects: [...projects]
      .toSorted(([, a], [, b]) => b.costUsd - a.costUsd)
      .map(([path, sum]) => ({ path, ...sum.sum })),
    sessions: dearest.slice(0, limit).map(({ total: own, ...about }) => ({ ...about, ...own.sum })),
    sessionCount: found.length,
  };
};

class Total {
  turns = 0;
  #apiMs = 0;
  readonly #byModel = new Map<string, ModelCost>();

  add({ turns, apiMs, byModel }: { turns: number; apiMs: number; byModel: Readonly<Record<string, ModelCost>> }): void {
    this.turns += turns;
    this.#apiMs += apiMs;
    for (const [model, cost] of Object.entries(byModel)) {
      this.#byModel.set(model, addCosts(this.#byModel.get(model), cost));
    }
  }

  get costUsd(): number {
    return [...this.#byModel.values()].reduce((sum, { costUsd }) => sum + costUsd, 0);
  }

  get sum(): Sum {
    const byModel = Object.fromEntries(this.#byModel);
    return { costUsd: this.costUsd, turns: this.turns, apiMs: this.#apiMs, byModel };
  }
}

const of = (totals: Map<string, Total>, key: string): Total => {
  const known = totals.get(key) ?? new Total();
  totals.set(key, known);
  return known;
};

/** The day of an hour in a time zone: `2026-11-18`. Formatting is slow, so each hour is formatted once. */
const daysIn = (timeZone: string): ((hour: number) => string) => {
  const format = new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
  const known = new Map<number, string>();
  return (hour) => {
    const day = known.get(hour) ?? format.format(hour * HOUR_MS);
    known.set(hour, day);
    return day;
  };
};
