// `npm run bench -- <name | all>` measures the figures that the README claims, next to their peers, in one run.
// Progress goes to stderr. Exits with 1 if a target is missed. With `--smoke` it checks that every bench works, and
// exits with 1 if one does not.
import { cpus, loadavg, totalmem } from "node:os";

import { benchBridgeFirstText } from "./bridge-first-text.ts";
import { benchBridgeLoad } from "./bridge-load.ts";
import { benchBridgeRate } from "./bridge-rate.ts";
import { benchBridgeStore } from "./bridge-store.ts";
import { callOf, USAGE } from "./call.ts";
import type { Bench, Call, Sizes } from "./call.ts";
import { benchClaude } from "./claude.ts";
import { benchDecode } from "./decode.ts";
import { isMet, jsonOfReports, textOfReports } from "./figure.ts";
import type { Report } from "./figure.ts";
import { benchFirstText } from "./first-text.ts";
import { benchKill } from "./kill.ts";
import { benchLines } from "./lines.ts";
import { benchPermissions } from "./permissions.ts";
import { benchPush } from "./push.ts";
import { benchReview } from "./review.ts";
import { benchSession } from "./session.ts";
import { benchSimulator } from "./simulator.ts";
import { smoke } from "./smoke.ts";
import { benchStore } from "./store.ts";
import { benchWeb } from "./web/web.ts";

const say = (line: string): void => console.error(line);

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
  web: ({ rounds = 7, rows, seconds = 30, sessions }: Sizes) => benchWeb({ rounds, rows, seconds, sessions, say }),
  simulator: ({ rounds = 9 }: Sizes) => benchSimulator({ rounds, say }),
  review: ({ rounds = 9, files }: Sizes) => benchReview({ files, rounds, say }),
  kill: ({ rounds = 1000 }: Sizes) => benchKill({ rounds, say }),
  permissions: ({ rounds = 9, rows, random }: Sizes) => benchPermissions({ rounds, rules: rows, random, say }),
  push: ({ rounds = 60 }: Sizes) => benchPush({ rounds, say }),
  claude: ({ rounds = 60, deltas }: Sizes) => benchClaude({ deltas, rounds, say }),
} satisfies Record<Bench, (sizes: Sizes) => Promise<Report>>;

/** Load of the last minute before the run. If it is above the number of cores, the times mean little. */
const loadBefore = Number((loadavg()[0] ?? 0).toFixed(1));
const machine = {
  cpu: cpus()[0]?.model ?? "unknown",
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  system: `${process.platform} ${process.arch}`,
  node: process.versions.node,
  loadBefore,
};

const smokeOf = async (benches: readonly Bench[]): Promise<number> => {
  let isRight = true;
  for (const bench of benches) {
    const wrong = await smoke(bench);
    console.log(wrong.length === 0 ? `${bench}: as it should be` : `${bench}: WRONG\n  ${wrong.join("\n  ")}`);
    isRight &&= wrong.length === 0;
  }
  return isRight ? 0 : 1;
};

const main = async (): Promise<number> => {
  let call: Call;
  try {
    call = callOf(process.argv.slice(2));
  } catch (error) {
    say(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return 2;
  }
  if (call.smoke) return smokeOf(call.benches);
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
