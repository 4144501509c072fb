// A large store next to a small store. It measures how soon a host is open, the memory of an idle session, and the cost
// of a first screen and a catch-up.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { grouped, medianOf, rounded } from "./figure.ts";
import type { Report } from "./figure.ts";
import { runReader } from "./reader.ts";
import type { Ready, Screens, Searches } from "./store-reader.ts";

export interface StoreOptions {
  readonly sessions: number;
  /** Events of all sessions together, and the same number again for the one long session. */
  readonly events: number;
  readonly rounds: number;
  readonly say: (line: string) => void;
}

/** The long session has this many times the events of the short one. */
const SHORT = 100;

export const benchStore = async ({ sessions, events, rounds, say }: StoreOptions): Promise<Report> => {
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-bench-store-"));
  const [empty, many, two] = ["empty", "many", "two"].map((name) => join(folder, name)) as [string, string, string];
  const ready: { empty: Ready[]; many: Ready[] } = { empty: [], many: [] };
  const screens: Screens[] = [];
  const searches: Searches[] = [];
  try {
    mkdirSync(empty);
    const make = (...args: string[]): Promise<unknown> =>
      runReader("store-maker.ts", args, ["--max-old-space-size=8192"]);
    say(`store: writing ${grouped(sessions)} sessions with ${grouped(events)} events`);
    await make(many, "s", String(sessions), String(Math.ceil(events / sessions)));
    say(`store: writing one session of ${grouped(events)} events`);
    await make(two, "long", "1", String(events));
    await make(two, "short", "1", String(Math.max(events / SHORT, MOST_ROWS_SEEN * 2)));
    for (let round = 0; round < rounds; round += 1) {
      say(`store: round ${String(round + 1)} of ${String(rounds)}`);
      for (const name of round % 2 === 0 ? (["empty", "many"] as const) : (["many", "empty"] as const)) {
        const reading = await runReader<Ready>(
          "store-reader.ts",
          ["ready", name === "empty" ? empty : many],
          ["--expose-gc"],
        );
        if (reading.sessions !== (name === "empty" ? 0 : sessions)) throw new Error("sessions are missing");
        ready[name].push(reading);
      }
      screens.push(await runReader<Screens>("store-reader.ts", ["screens", two]));
      const searched = await runReader<Searches>("store-reader.ts", ["search", many]);
      if (searched.hits === 0) throw new Error("nothing was found");
      searches.push(searched);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return reportOf(sessions, events, rounds, ready, screens, searches);
};

const MOST_ROWS_SEEN = 1000;

const reportOf = (
  sessions: number,
  events: number,
  rounds: number,
  ready: { readonly empty: readonly Ready[]; readonly many: readonly Ready[] },
  screens: readonly Screens[],
  searches: readonly Searches[],
): Report => {
  const middle = (list: readonly Ready[], field: keyof Ready): number => medianOf(list.map((one) => one[field]));
  const perSession = (field: "heapBytes" | "residentBytes"): number =>
    Math.max(0, middle(ready.many, field) - middle(ready.empty, field)) / sessions / 1000;
  const ratios = (of: (one: Screens) => number): number => medianOf(screens.map(of));
  const row = (title: string, list: readonly Ready[]): string[] => [
    title,
    middle(list, "milliseconds").toFixed(0),
    middle(list, "listMilliseconds").toFixed(2),
    (middle(list, "heapBytes") / 1e6).toFixed(1),
    (middle(list, "residentBytes") / 1e6).toFixed(1),
  ];
  const look = (title: string, of: (one: Screens) => number): string[] => [title, ratios(of).toFixed(2), "", "", ""];
  return {
    title: `store: ${grouped(sessions)} sessions with ${grouped(events)} events, median of ${String(rounds)} interleaved rounds`,
    table: [
      ["what", "ms", "list ms", "heap MB", "resident MB"],
      row("host open, empty", ready.empty),
      row("host open, full", ready.many),
      look("first screen, short session", ({ firstScreen }) => firstScreen.short),
      look(`first screen, ${grouped(events)} events`, ({ firstScreen }) => firstScreen.long),
      look("catch-up after 50 rows, short session", ({ catchUp }) => catchUp.short),
      look(`catch-up after 50 rows, ${grouped(events)} events`, ({ catchUp }) => catchUp.long),
      look(`search, p95 of ${String(searches[0]?.kinds ?? 0)} kinds`, () => medianOf(searches.map(({ p95 }) => p95))),
      look(`catch-up after 500 rows, ${grouped(events)} events`, ({ catchUpTenfold }) => catchUpTenfold),
    ],
    details: { rounds, statistic: "median of the rounds' ratios", ready, screens, searches },
    figures: [
      {
        name: "readyRatio",
        value: medianOf(ready.many.map(({ milliseconds }, round) => milliseconds / ready.empty[round]!.milliseconds)),
        target: { atMost: 2 },
        says: "time from the start of the process to a host with its list / the same of an empty store",
      },
      {
        name: "idleSessionKB",
        value: rounded(Math.max(perSession("residentBytes"), perSession("heapBytes"))),
        target: { atMost: 150 },
        says: "memory of one stored session that is not open: resident or heap, whichever is larger",
      },
      {
        name: "firstScreenRatio",
        value: ratios(({ firstScreen }) => firstScreen.ratio),
        target: { atMost: 1.5 },
        says: "head and last 100 rows of the long session / of one with a hundredth of its events",
      },
      {
        name: "catchUpRatio",
        value: ratios(({ catchUp }) => catchUp.ratio),
        target: { atMost: 1.5 },
        says: "what changed in 50 rows, of the long session / of the short one",
      },
      {
        name: "searchCpuP95",
        value: rounded(medianOf(searches.map(({ cpuP95 }) => cpuP95))),
        target: { atMost: 100 },
        says: "milliseconds of CPU for a search over all sessions, at the 95th of a hundred, with and without filters",
      },
      {
        name: "searchP95",
        value: rounded(medianOf(searches.map(({ p95 }) => p95))),
        says: "the same by the clock, which other work on the machine prolongs",
      },
      {
        name: "catchUpGrowth",
        value: ratios(({ catchUp, catchUpTenfold }) => catchUpTenfold / catchUp.long),
        says: "the same after ten times as many changes; it grows with the number of changes",
      },
    ],
  };
};
