// A server over a large store next to a server over a small store. It measures how soon the server is ready, what an
// idle session costs, and how long a first screen and a catch-up take.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { ServerReady, ServerScreens } from "./bridge-store-reader.ts";
import { grouped, medianOf, medianRatio, rounded } from "./figure.ts";
import type { Report } from "./figure.ts";
import { runReader } from "./reader.ts";

export interface BridgeStoreOptions {
  readonly sessions: number;
  /** Events of all sessions together, and the same number again for the one long session. */
  readonly events: number;
  readonly rounds: number;
  readonly say: (line: string) => void;
}

interface Readings {
  readonly ready: { readonly empty: ServerReady[]; readonly many: ServerReady[] };
  readonly screens: { readonly short: ServerScreens[]; readonly long: ServerScreens[] };
}

/** The long session has this many times the events of the short one. */
const SHORT = 100;
const LEAST_EVENTS = 400;

export const benchBridgeStore = async (options: BridgeStoreOptions): Promise<Report> => {
  const { sessions, events, rounds, say } = options;
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-bench-bridge-store-"));
  const [many, two] = [join(folder, "many"), join(folder, "two")];
  const readings: Readings = { ready: { empty: [], many: [] }, screens: { short: [], long: [] } };
  let places = 0;
  const place = (): string => join(folder, `place-${String((places += 1))}`);
  try {
    const make = (...args: string[]): Promise<unknown> =>
      runReader("store-maker.ts", args, ["--max-old-space-size=8192"]);
    say(`bridge-store: writing ${grouped(sessions)} sessions with ${grouped(events)} events`);
    await make(many, "s", String(sessions), String(Math.ceil(events / sessions)));
    say(`bridge-store: writing one session of ${grouped(events)} events`);
    await make(two, "long", "1", String(events));
    await make(two, "short", "1", String(Math.max(events / SHORT, LEAST_EVENTS)));
    for (let round = 0; round < rounds; round += 1) {
      say(`bridge-store: round ${String(round + 1)} of ${String(rounds)}`);
      for (const name of round % 2 === 0 ? (["empty", "many"] as const) : (["many", "empty"] as const)) {
        const at = place();
        const dataDir = name === "many" ? many : join(at, "data");
        mkdirSync(dataDir, { recursive: true });
        const reading = await runReader<ServerReady>("bridge-store-reader.ts", ["ready", at, dataDir]);
        if (reading.sessions !== (name === "empty" ? 0 : sessions)) throw new Error("sessions are missing");
        readings.ready[name].push(reading);
      }
      for (const first of round % 2 === 0 ? (["short", "long"] as const) : (["long", "short"] as const))
        readings.screens[first].push(
          await runReader<ServerScreens>("bridge-store-reader.ts", ["screens", place(), two, first]),
        );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  return reportOf(options, readings);
};

const reportOf = ({ sessions, events, rounds }: BridgeStoreOptions, { ready, screens }: Readings): Report => {
  const middle = (list: readonly ServerReady[], field: keyof ServerReady): number =>
    medianOf(list.map((one) => one[field]));
  const perSession = (field: "heapBytes" | "residentBytes"): number =>
    Math.max(0, middle(ready.many, field) - middle(ready.empty, field)) / sessions / 1000;
  const all = [...screens.short, ...screens.long];
  const of = (take: (one: ServerScreens) => number): number => medianOf(all.map(take));
  const row = (title: string, list: readonly ServerReady[]): string[] => [
    title,
    middle(list, "milliseconds").toFixed(0),
    middle(list, "listMilliseconds").toFixed(1),
    (middle(list, "heapBytes") / 1e6).toFixed(1),
    (middle(list, "residentBytes") / 1e6).toFixed(1),
  ];
  const look = (title: string, milliseconds: number): string[] => [title, milliseconds.toFixed(2), "", "", ""];
  const first = (which: "short" | "long"): number[] => screens[which].map((one) => one.first);
  return {
    title: `bridge-store: a server over ${grouped(sessions)} sessions with ${grouped(events)} events, median of ${String(rounds)} interleaved rounds`,
    table: [
      ["what", "ms", "list ms", "heap MB", "resident MB"],
      row("server ready, empty store", ready.empty),
      row("server ready, full store", ready.many),
      look("first screen of a fresh server, short session", medianOf(first("short"))),
      look(`first screen of a fresh server, ${grouped(events)} events`, medianOf(first("long"))),
      look(
        "first screen, short session",
        of(({ firstScreen }) => firstScreen.short),
      ),
      look(
        `first screen, ${grouped(events)} events`,
        of(({ firstScreen }) => firstScreen.long),
      ),
      look(
        "catch-up after 10 changes, short session",
        of(({ catchUp }) => catchUp.short),
      ),
      look(
        `catch-up after 10 changes, ${grouped(events)} events`,
        of(({ catchUp }) => catchUp.long),
      ),
      look(
        `catch-up after 100 changes, ${grouped(events)} events`,
        of(({ catchUpTenfold }) => catchUpTenfold),
      ),
    ],
    details: { rounds, sessions, events, statistic: "median of the rounds' ratios", ready, screens },
    figures: [
      {
        name: "serverReadyRatio",
        value: medianRatio(
          ready.many.map(({ milliseconds }) => milliseconds),
          ready.empty.map(({ milliseconds }) => milliseconds),
        ),
        target: { atMost: 2 },
        says: "start of the process to a server that listens, full store / empty store",
      },
      {
        name: "serverIdleSessionKB",
        value: rounded(Math.max(perSession("residentBytes"), perSession("heapBytes"))),
        target: { atMost: 150 },
        says: "memory of a listed stored session whose head was read: resident or heap, whichever is larger",
      },
      {
        name: "serverFirstScreenRatio",
        value: of(({ firstScreen }) => firstScreen.ratio),
        target: { atMost: 1.5 },
        says: "session/subscribe answered, long session / one with a hundredth of its events",
      },
      {
        name: "serverFirstScreenColdRatio",
        value: medianRatio(first("long"), first("short")),
        target: { atMost: 1.5 },
        says: "the same as the first call to a server that has just started",
      },
      {
        name: "serverCatchUpRatio",
        value: of(({ catchUp }) => catchUp.ratio),
        target: { atMost: 1.5 },
        says: "session/subscribe after 10 changes, long session / short one",
      },
      {
        name: "serverCatchUpGrowth",
        value: of(({ catchUp, catchUpTenfold }) => catchUpTenfold / catchUp.long),
        target: { atMost: 10 },
        says: "the same after ten times as many changes; it grows with the number of changes",
      },
    ],
  };
};
