// `npm run bench -- <name | all>`: measures the figures that the README claims, beside their peers, in one run. Progress
// goes to stderr. Ends with 1 where a target is missed.
import { cpus, loadavg, totalmem } from "node:os";
import { parseArgs } from "node:util";

import { benchBridgeFirstText } from "./bridge-first-text.ts";
import { benchBridgeLoad, DEFAULT_LOAD } from "./bridge-load.ts";
import type { Load } from "./bridge-load.ts";
import { benchBridgeRate } from "./bridge-rate.ts";
import { benchBridgeStore } from "./bridge-store.ts";
import { benchDecode } from "./decode.ts";
import { isMet, jsonOfReports, textOfReports } from "./figure.ts";
import type { Report } from "./figure.ts";
import { benchFirstText } from "./first-text.ts";
import { benchKill } from "./kill.ts";
import { benchLines } from "./lines.ts";
import { benchSession } from "./session.ts";
import { benchSimulator } from "./simulator.ts";
import { benchStore } from "./store.ts";
import { benchWeb } from "./web/web.ts";

const say = (line: string): void => console.error(line);

interface Sizes {
  /** Where the call names none, each bench has its own. */
  readonly rounds: number | undefined;
  readonly deltas: number;
  readonly mib: readonly [number, number];
  readonly sessions: number;
  readonly events: number;
  readonly load: Load;
  readonly rows: number;
  /** Where the call names none, each bench has its own. */
  readonly seconds: number | undefined;
  readonly withSdk: boolean;
  readonly withCloudCli: boolean;
}

const BENCHES = {
  decode: ({ rounds = 9, deltas, withSdk }: Sizes) => benchDecode({ deltas, rounds, withSdk, say }),
  lines: ({ rounds = 9, mib }: Sizes) => benchLines({ mib, rounds, say }),
  session: ({ rounds = 9, deltas, withSdk }: Sizes) => benchSession({ deltas, rounds, withSdk, say }),
  "first-text": ({ rounds = 60 }: Sizes) => benchFirstText({ rounds, say }),
  store: ({ rounds = 5, sessions, events }: Sizes) => benchStore({ sessions, events, rounds, say }),
  "bridge-load": ({ rounds = 5, load, seconds = 8 }: Sizes) => benchBridgeLoad({ load, seconds, rounds, say }),
  "bridge-rate": ({ rounds = 5, deltas, withSdk }: Sizes) => benchBridgeRate({ deltas, rounds, withSdk, say }),
  "bridge-store": ({ rounds = 5, sessions, events }: Sizes) => benchBridgeStore({ sessions, events, rounds, say }),
  "bridge-first-text": ({ rounds = 3, withCloudCli }: Sizes) => benchBridgeFirstText({ rounds, withCloudCli, say }),
  web: ({ rounds = 7, rows, seconds = 30 }: Sizes) => benchWeb({ rounds, rows, seconds, say }),
  simulator: ({ rounds = 9 }: Sizes) => benchSimulator({ rounds, say }),
  kill: ({ rounds = 1000 }: Sizes) => benchKill({ rounds, say }),
} satisfies Record<string, (sizes: Sizes) => Promise<Report>>;
type Bench = keyof typeof BENCHES;
const NAMES = Object.keys(BENCHES) as Bench[];
/** Names for several. */
const GROUPS: Readonly<Record<string, readonly Bench[]>> = {
  bridge: ["bridge-load", "bridge-rate", "bridge-store", "bridge-first-text"],
  all: NAMES,
};

const USAGE = `usage: npm run bench -- <${[...NAMES, ...Object.keys(GROUPS)].join(" | ")}> [options]

  --json           one JSON object that names each figure
  --rounds N       interleaved rounds (default 9; web 7; store and bridge 5; first-text 60 turns; kill 1000 kills of each)
  --deltas N       decode, session, bridge-rate: text deltas (default 200000)
  --mib S,L        lines: MiB of the short and of the long line (default 16,64)
  --sessions N     store, bridge-store: stored sessions (default 1000)
  --events N       store, bridge-store: events of all of them, and again of one (default 1000000)
  --load SxC       bridge-load: sessions that stream, and clients (default 20x40; the large one is 100x200)
  --rows N         web: rows of the long session (default 10000)
  --seconds N      bridge-load: seconds of each round (default 8); web: seconds of streaming (default 30)
  --without-sdk    decode, session, bridge-rate: leave the Agent SDK out; otherwise it is fetched once
  --without-cloudcli  bridge-first-text: leave CloudCLI out; otherwise it is fetched once (1.4 GB)`;

const positive = (name: string, value: string): number => {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1) throw new Error(`${name} must be a positive whole number`);
  return number;
};

const parsed = (): { readonly benches: readonly Bench[]; readonly json: boolean; readonly sizes: Sizes } => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: "boolean", default: false },
      rounds: { type: "string" },
      deltas: { type: "string", default: "200000" },
      mib: { type: "string", default: "16,64" },
      sessions: { type: "string", default: "1000" },
      events: { type: "string", default: "1000000" },
      load: { type: "string", default: `${String(DEFAULT_LOAD.sessions)}x${String(DEFAULT_LOAD.clients)}` },
      rows: { type: "string", default: "10000" },
      seconds: { type: "string" },
      "without-sdk": { type: "boolean", default: false },
      "without-cloudcli": { type: "boolean", default: false },
    },
  });
  const [wanted, ...more] = positionals;
  const known = NAMES.find((bench) => bench === wanted);
  const group = Object.hasOwn(GROUPS, wanted ?? "") ? GROUPS[wanted!] : undefined;
  const benches = known === undefined ? group : [known];
  if (more.length > 0 || benches === undefined) throw new Error("name one bench");
  const [short = "", long = "", ...others] = values.mib.split(",");
  if (others.length > 0) throw new Error("--mib takes two sizes");
  const [live = "", clients = "", ...rest] = values.load.split("x");
  if (rest.length > 0) throw new Error("--load takes sessions x clients, such as 20x40");
  return {
    benches,
    json: values.json,
    sizes: {
      rounds: values.rounds === undefined ? undefined : positive("--rounds", values.rounds),
      deltas: positive("--deltas", values.deltas),
      mib: [positive("--mib", short), positive("--mib", long)],
      sessions: positive("--sessions", values.sessions),
      events: positive("--events", values.events),
      load: { sessions: positive("--load", live), clients: positive("--load", clients) },
      rows: positive("--rows", values.rows),
      seconds: values.seconds === undefined ? undefined : positive("--seconds", values.seconds),
      withSdk: !values["without-sdk"],
      withCloudCli: !values["without-cloudcli"],
    },
  };
};

/** Of the last minute, before the run: above the number of cores the times say little. */
const loadBefore = Number((loadavg()[0] ?? 0).toFixed(1));
const machine = {
  cpu: cpus()[0]?.model ?? "unknown",
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  system: `${process.platform} ${process.arch}`,
  node: process.versions.node,
  loadBefore,
};

const main = async (): Promise<number> => {
  let call: ReturnType<typeof parsed>;
  try {
    call = parsed();
  } catch (error) {
    say(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return 2;
  }
  const reports: Record<string, Report> = {};
  for (const bench of call.benches) reports[bench] = await BENCHES[bench](call.sizes);
  const all = Object.values(reports);
  if (call.json) {
    console.log(JSON.stringify({ ...jsonOfReports(reports), machine }));
  } else {
    const { cpu, cores, memoryGiB, system, node } = machine;
    console.log(textOfReports(all));
    console.log(`\n${cpu}, ${String(cores)} cores, ${String(memoryGiB)} GiB, ${system}, Node ${node}`);
    if (loadBefore > cores)
      console.log(`The machine was busy before (load ${String(loadBefore)}): run again when it is idle.`);
  }
  return all.every((report) => report.figures.every(isMet)) ? 0 : 1;
};

try {
  process.exitCode = await main();
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
