// Measures a stored folder, in a fresh process. Prints one line of JSON.
// Usage: store-reader.ts ready <folder>
// Time until the host is open and has its list. Run with --expose-gc.
// Usage: store-reader.ts screens <folder> <turns>
// First screens and catch-ups of the sessions `short` and `long`.
// Usage: store-reader.ts search <folder>
// Searches of all kinds over all sessions.
import { Host, openSqliteStore } from "@quarterdeck/host";
import type { SearchFilter } from "@quarterdeck/host";
import { FOLD_VERSION } from "@quarterdeck/session";

import { medianOf, medianRatio } from "./figure.ts";

export interface Ready {
  /** Since the start of the process. */
  readonly milliseconds: number;
  readonly sessions: number;
  readonly listMilliseconds: number;
  /** After a collection. */
  readonly heapBytes: number;
  readonly residentBytes: number;
}

/** Milliseconds, the median of several readings, and the median of the ratios of consecutive readings. */
export interface Screens {
  readonly firstScreen: Pair;
  readonly catchUp: Pair;
  /** The long session, after ten times as many changes. */
  readonly catchUpTenfold: number;
}
export interface Pair {
  readonly short: number;
  readonly long: number;
  readonly ratio: number;
}

/** Milliseconds of CPU and of the clock, at the 95th of a hundred searches, the slowest kind, and how many kinds there are. */
export interface Searches {
  readonly cpuP95: number;
  readonly p95: number;
  readonly slowest: { readonly about: string; readonly cpu: number };
  readonly kinds: number;
  /** Hits of all kinds: a store in which nothing is found measures nothing. */
  readonly hits: number;
}

const SCREEN_ROWS = 100;
const READINGS = 40;

const [, , work, folder = ""] = process.argv;

const ready = async (): Promise<Ready> => {
  const host = await Host.open({
    store: await openSqliteStore(folder),
    claude: { command: process.execPath },
    environment: () => ({}),
    dataDirId: "bench-store-ready",
  });
  const openedAt = performance.now();
  const sessions = host.list().length;
  const milliseconds = performance.now();
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  await host.close();
  return {
    milliseconds,
    sessions,
    listMilliseconds: milliseconds - openedAt,
    heapBytes: heapUsed + external,
    residentBytes: rss,
  };
};

const screens = async (): Promise<Screens> => {
  const store = await openSqliteStore(folder);
  const timeOf = (look: () => number, wanted: number): number => {
    const startedAt = performance.now();
    const seen = look();
    const took = performance.now() - startedAt;
    if (seen !== wanted) throw new Error(`${String(seen)} rows were seen, and not ${String(wanted)}`);
    return took;
  };
  const firstScreen = (session: string) => (): number => {
    store.loadHead(session, FOLD_VERSION);
    return store.rowsBefore(session, Infinity, SCREEN_ROWS).rows.length;
  };
  /** The `rev` after which this many rows changed. */
  const revBefore = (session: string, rows: number): number => {
    const page = store.rowsBefore(session, Infinity, rows + 1).rows;
    return page[0]!.rev;
  };
  const catchUp = (session: string, rows: number): (() => number) => {
    const rev = revBefore(session, rows);
    return () => store.changesSince(session, FOLD_VERSION, rev, 10_000)?.rows.length ?? 0;
  };
  const looks = {
    screenShort: { look: firstScreen("short"), wanted: SCREEN_ROWS },
    screenLong: { look: firstScreen("long"), wanted: SCREEN_ROWS },
    changesShort: { look: catchUp("short", SCREEN_ROWS / 2), wanted: SCREEN_ROWS / 2 },
    changesLong: { look: catchUp("long", SCREEN_ROWS / 2), wanted: SCREEN_ROWS / 2 },
    tenfold: { look: catchUp("long", SCREEN_ROWS * 5), wanted: SCREEN_ROWS * 5 },
  };
  const times = Object.fromEntries(Object.keys(looks).map((name) => [name, [] as number[]]));
  for (let reading = 0; reading <= READINGS; reading += 1) {
    const all = Object.entries(looks);
    for (const [name, { look, wanted }] of reading % 2 === 0 ? all : all.toReversed()) {
      const took = timeOf(look, wanted);
      // The first reading does not count: code and pages are cold, and the first contender would pay for all.
      if (reading > 0) times[name]!.push(took);
    }
  }
  await store.close();
  const pairOf = (short: keyof typeof looks, long: keyof typeof looks): Pair => ({
    short: medianOf(times[short]!),
    long: medianOf(times[long]!),
    ratio: medianRatio(times[long]!, times[short]!),
  });
  return {
    firstScreen: pairOf("screenShort", "screenLong"),
    catchUp: pairOf("changesShort", "changesLong"),
    catchUpTenfold: medianOf(times["tenfold"]!),
  };
};

/** What people type: rare and frequent words, beginnings, several words, a path, and filters that let much or nothing pass. */
const SEARCHES: readonly (readonly [query: string, filter?: SearchFilter])[] = [
  ["splitter"],
  ["s"],
  ["folder-77"],
  ["ls folder-9"],
  ["splitter hands whole"],
  ["a file"],
  ["absent"],
  ["splitter", { kinds: new Set(["answer"]) }],
  ["folder", { kinds: new Set(["command"]) }],
  ["splitter", { kinds: new Set(["prompt"]) }],
  ["a", { kinds: new Set(["file", "prompt"]) }],
  ["splitter", { sessions: new Set(["s-7"]) }],
  ["folder-1", { sessions: new Set(Array.from({ length: 50 }, (_, n) => `s-${String(n * 20)}`)) }],
  ["splitter", { since: 500 }],
  ["splitter", { until: 5 }],
  ["absent", { kinds: new Set(["answer"]), since: 1 }],
];
const SEARCH_ROUNDS = 8;

const search = async (): Promise<Searches> => {
  const store = await openSqliteStore(folder);
  const times: { about: string; cpu: number; wall: number }[] = [];
  let hits = 0;
  for (let round = 0; round < SEARCH_ROUNDS; round += 1) {
    for (const [query, filter] of SEARCHES) {
      const [cpuBefore, startedAt] = [process.cpuUsage(), performance.now()];
      hits += store.search(query, 50, filter).hits.length;
      const { user, system } = process.cpuUsage(cpuBefore);
      const about = [query, ...Object.keys(filter ?? {})].join(" ");
      times.push({ about, cpu: (user + system) / 1000, wall: performance.now() - startedAt });
    }
  }
  await store.close();
  const p95 = (values: readonly number[]): number =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0;
  const slowest = times.toSorted((a, b) => b.cpu - a.cpu)[0]!;
  return {
    cpuP95: p95(times.map(({ cpu }) => cpu)),
    p95: p95(times.map(({ wall }) => wall)),
    slowest: { about: slowest.about, cpu: slowest.cpu },
    kinds: SEARCHES.length,
    hits,
  };
};

console.log(JSON.stringify(work === "search" ? await search() : work === "ready" ? await ready() : await screens()));
