// One answer from the answers of several machines.

import type { ResultOf } from "@quarterdeck/client";

export type Reports<T> = readonly { readonly machine: string; readonly answer: T }[];
type Report = ResultOf<"usage/report">;
type Sum = Report["total"];

const DEFAULT_HITS = 50;
const MOST_SESSIONS = 100;

export const joinHits = (
  found: Reports<ResultOf<"sessions/search">>,
  isAll: boolean,
  limit = DEFAULT_HITS,
): ResultOf<"sessions/search"> => {
  const known = new Set<string>();
  const hits = found
    .flatMap(({ answer }) => answer.hits)
    // An archive has copies of rows.
    .filter(({ session, rowId }) => !known.has(`${session} ${rowId}`) && known.add(`${session} ${rowId}`))
    .toSorted((a, b) => b.at - a.at);
  const complete = isAll && hits.length <= limit && found.every(({ answer }) => answer.complete);
  return { hits: hits.slice(0, limit), complete };
};

/** Also by machine, which one machine alone does not have. */
export interface FleetReport extends Report {
  readonly machines?: readonly ({ readonly name: string } & Sum)[];
}

export const joinReports = (found: Reports<Report>): FleetReport => {
  const parts = found.map(({ answer }) => answer);
  return {
    total: sumOf(parts.map(({ total }) => total)),
    days: grouped(
      parts.flatMap(({ days }) => days),
      ({ day }) => day,
    )
      .map(([day, sums]) => ({ day, ...sumOf(sums) }))
      .toSorted((a, b) => (a.day < b.day ? -1 : 1)),
    projects: grouped(
      parts.flatMap(({ projects }) => projects),
      ({ path }) => path,
    )
      .map(([path, sums]) => ({ path, ...sumOf(sums) }))
      .toSorted(dearestFirst),
    sessions: parts
      .flatMap(({ sessions }) => sessions)
      .toSorted(dearestFirst)
      .slice(0, MOST_SESSIONS),
    sessionCount: parts.reduce((sum, { sessionCount }) => sum + sessionCount, 0),
    machines: found.map(({ machine, answer }) => ({ name: machine, ...answer.total })).toSorted(dearestFirst),
  };
};

const dearestFirst = (a: { readonly costUsd: number }, b: { readonly costUsd: number }): number =>
  b.costUsd - a.costUsd;

const grouped = <T>(items: readonly T[], keyOf: (item: T) => string): (readonly [string, readonly T[]])[] => [
  ...Map.groupBy(items, keyOf),
];

const sumOf = (sums: readonly Sum[]): Sum => {
  const byModel: Sum["byModel"] = {};
  for (const [model, use] of sums.flatMap((sum) => Object.entries(sum.byModel))) {
    const known = (byModel[model] ??= { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0 });
    for (const key of Object.keys(known) as (keyof typeof known)[]) known[key] += use[key];
  }
  const total = (key: "costUsd" | "turns" | "apiMs"): number => sums.reduce((sum, each) => sum + each[key], 0);
  return { costUsd: total("costUsd"), turns: total("turns"), apiMs: total("apiMs"), byModel };
};
