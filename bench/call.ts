// The command line of `npm run bench`: which benches to run, and how large.
import { parseArgs } from "node:util";

import { DEFAULT_LOAD } from "./bridge-load.ts";
import type { Load } from "./bridge-load.ts";

export const NAMES = [
  "decode",
  "lines",
  "session",
  "first-text",
  "store",
  "bridge-load",
  "bridge-rate",
  "bridge-store",
  "bridge-first-text",
  "web",
  "simulator",
  "review",
  "kill",
  "permissions",
  "push",
  "claude",
] as const;
export type Bench = (typeof NAMES)[number];

/** Names for groups of benches. */
const GROUPS: Readonly<Record<string, readonly Bench[]>> = {
  bridge: ["bridge-load", "bridge-rate", "bridge-store", "bridge-first-text"],
  all: NAMES,
};

export interface Sizes {
  /** Each bench has its own default. */
  readonly rounds: number | undefined;
  readonly deltas: number;
  readonly mib: readonly [number, number];
  readonly sessions: number;
  readonly events: number;
  readonly load: Load;
  readonly rows: number;
  /** Random rules and calls. */
  readonly random: number;
  readonly files: number;
  /** Each bench has its own default. */
  readonly seconds: number | undefined;
  readonly withSdk: boolean;
  readonly withCloudCli: boolean;
}

export interface Call {
  readonly benches: readonly Bench[];
  readonly json: boolean;
  readonly smoke: boolean;
  readonly sizes: Sizes;
}

export const USAGE = `usage: npm run bench -- <${[...NAMES, ...Object.keys(GROUPS)].join(" | ")}> [options]
       npm run bench -- --smoke [name]

  --smoke          run each bench once, small, and check its counts and the names of its figures, not the speed
  --json           one JSON object that names each figure
  --rounds N       interleaved rounds (default 9; web 7; push 60 requests; claude 60 turns; store and bridge 5; first-text 60 turns; kill 1000 kills of each)
  --deltas N       decode, session, bridge-rate, claude: text deltas (default 200000)
  --mib S,L        lines: MiB of the short and of the long line (default 16,64)
  --sessions N     store, bridge-store, web: stored sessions (default 1000)
  --events N       store, bridge-store: events of all of them, and again of one (default 1000000)
  --load SxC       bridge-load: sessions that stream, and clients (default 20x40; the large one is 100x200)
  --rows N         web: rows of the long session; permissions: rules, and as many calls (default 10000)
  --random N       permissions: random rules and calls (default 1000000)
  --files N        review: files of the folder (default 50000)
  --seconds N      bridge-load: seconds of each round (default 8); web: seconds of streaming (default 30)
  --without-sdk    decode, session, bridge-rate: leave the Agent SDK out; otherwise it is fetched once
  --without-cloudcli  bridge-first-text: leave CloudCLI out; otherwise it is fetched once (1.4 GB)`;

const positive = (name: string, value: string): number => {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1) throw new Error(`${name} must be a positive whole number`);
  return number;
};

/** Throws an error that says what is wrong with the arguments. */
export const callOf = (args: readonly string[]): Call => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: "boolean", default: false },
      smoke: { type: "boolean", default: false },
      rounds: { type: "string" },
      deltas: { type: "string", default: "200000" },
      mib: { type: "string", default: "16,64" },
      sessions: { type: "string", default: "1000" },
      events: { type: "string", default: "1000000" },
      load: { type: "string", default: `${String(DEFAULT_LOAD.sessions)}x${String(DEFAULT_LOAD.clients)}` },
      rows: { type: "string", default: "10000" },
      random: { type: "string", default: "1000000" },
      files: { type: "string", default: "50000" },
      seconds: { type: "string" },
      "without-sdk": { type: "boolean", default: false },
      "without-cloudcli": { type: "boolean", default: false },
    },
  });
  const [wanted = values.smoke ? "all" : "", ...more] = positionals;
  const known = NAMES.find((bench) => bench === wanted);
  const group = Object.hasOwn(GROUPS, wanted) ? GROUPS[wanted] : undefined;
  const benches = known === undefined ? group : [known];
  if (more.length > 0 || benches === undefined) throw new Error("name one bench");
  const [short = "", long = "", ...others] = values.mib.split(",");
  if (others.length > 0) throw new Error("--mib takes two sizes");
  const [live = "", clients = "", ...rest] = values.load.split("x");
  if (rest.length > 0) throw new Error("--load takes sessions x clients, such as 20x40");
  return {
    benches,
    json: values.json,
    smoke: values.smoke,
    sizes: {
      rounds: values.rounds === undefined ? undefined : positive("--rounds", values.rounds),
      deltas: positive("--deltas", values.deltas),
      mib: [positive("--mib", short), positive("--mib", long)],
      sessions: positive("--sessions", values.sessions),
      events: positive("--events", values.events),
      load: { sessions: positive("--load", live), clients: positive("--load", clients) },
      rows: positive("--rows", values.rows),
      random: positive("--random", values.random),
      files: positive("--files", values.files),
      seconds: values.seconds === undefined ? undefined : positive("--seconds", values.seconds),
      withSdk: !values["without-sdk"],
      withCloudCli: !values["without-cloudcli"],
    },
  };
};
