// `npm run bench -- <decode|lines|session|simulator|all>`: measures the figures that the README claims, beside their peers, in
// one run. Progress goes to stderr. Ends with 1 where a target is missed.
import { cpus, loadavg, totalmem } from "node:os";
import { parseArgs } from "node:util";

import { benchDecode } from "./decode.ts";
import { isMet, jsonOfReports, textOfReports } from "./figure.ts";
import type { Report } from "./figure.ts";
import { benchLines } from "./lines.ts";
import { benchSession } from "./session.ts";
import { benchSimulator } from "./simulator.ts";

const BENCHES = ["decode", "lines", "session", "simulator"] as const;
type Bench = (typeof BENCHES)[number];

const USAGE = `usage: npm run bench -- <decode | lines | session | simulator | all> [options]

  --json           one JSON object that names each figure
  --rounds N       interleaved rounds (default 9)
  --deltas N       decode, session: text deltas (default 200000)
  --mib S,L        lines: MiB of the short and of the long line (default 16,64)
  --without-sdk    decode, session: leave the Agent SDK out; otherwise it is fetched once`;

const say = (line: string): void => console.error(line);

const positive = (name: string, value: string): number => {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1) throw new Error(`${name} must be a positive whole number`);
  return number;
};

const parsed = () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: "boolean", default: false },
      rounds: { type: "string", default: "9" },
      deltas: { type: "string", default: "200000" },
      mib: { type: "string", default: "16,64" },
      "without-sdk": { type: "boolean", default: false },
    },
  });
  const [wanted, ...more] = positionals;
  const known = BENCHES.find((bench) => bench === wanted);
  if (more.length > 0 || (known === undefined && wanted !== "all")) throw new Error("name one bench");
  const [short = "", long = "", ...others] = values.mib.split(",");
  if (others.length > 0) throw new Error("--mib takes two sizes");
  return {
    benches: known === undefined ? BENCHES : [known],
    json: values.json,
    rounds: positive("--rounds", values.rounds),
    deltas: positive("--deltas", values.deltas),
    mib: [positive("--mib", short), positive("--mib", long)] as const,
    withSdk: !values["without-sdk"],
  };
};

const run = (bench: Bench, { rounds, deltas, mib, withSdk }: ReturnType<typeof parsed>): Promise<Report> => {
  switch (bench) {
    case "decode":
      return benchDecode({ deltas, rounds, withSdk, say });
    case "lines":
      return benchLines({ mib, rounds, say });
    case "session":
      return benchSession({ deltas, rounds, withSdk, say });
    case "simulator":
      return benchSimulator({ rounds, say });
  }
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
  for (const bench of call.benches) reports[bench] = await run(bench, call);
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
