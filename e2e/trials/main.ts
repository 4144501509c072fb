// `npm run trials -- fleet`: what the fleet promises, tried with real servers and a real NATS server. `--only NAME` runs one trial, `--smoke`
// runs each one small. It prints a table and ends with 1 if something was lost, doubled, allowed or different. A figure of speed that
// misses its target is printed as missed and does not fail the run.

import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { testPrograms } from "../../scripts/test-programs.ts";
import { runTrials, TRIALS } from "./fleet/index.ts";
import { isBroken, tableOf } from "./outcome.ts";
import type { Done } from "./outcome.ts";

const USAGE = `usage: npm run trials -- fleet [--only NAME] [--smoke] [--minutes N]

  --only NAME    one trial; repeatable. There are: ${TRIALS.join(", ")}
  --smoke        each trial small. Its speed says nothing
  --minutes N    a trial repeats nothing more after this time (default 30)`;

const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      only: { type: "string", multiple: true, default: [] },
      smoke: { type: "boolean", default: false },
      minutes: { type: "string", default: "30" },
    },
  });
  const minutes = Number(values.minutes);
  const unknown = values.only.find((name) => !TRIALS.includes(name));
  if (positionals.length !== 1 || positionals[0] !== "fleet" || unknown !== undefined || !(minutes > 0)) {
    console.error(USAGE);
    return 2;
  }
  // Servers start from bundles, as in a test run.
  process.env["QUARTERDECK_TEST_PROGRAMS"] = await testPrograms();
  const done: Done[] = [];
  const size = {
    isSmall: values.smoke,
    limitMs: minutes * 60_000,
    say: (text: string) => console.error(`${new Date().toISOString().slice(11, 19)} ${text}`),
  };
  for await (const each of runTrials(values.only, size)) {
    done.push(each);
    size.say(`${each.trial}: ${each.seconds.toFixed(0)} s`);
    console.error(tableOf([each]));
  }
  console.log(`${tableOf(done)}\n\nLoad of the machine now: ${loadavg()[0]!.toFixed(1)}`);
  return done.some(({ lines }) => isBroken(lines)) ? 1 : 0;
};

try {
  // A trial that failed may have left a connection open.
  process.exit(await main());
} catch (error) {
  console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exit(1);
}
