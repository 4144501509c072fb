// `npm run conformance`, with the flags of `arguments`. It runs every case on every CLI version and, if the simulator
// claims the feature, on the simulator. After a full run it writes docs/conformance.md and seen.json, and then tries
// the exclusions: one that no longer holds fails. Exits with 1 if something failed. `--excluded` runs only excluded
// cases, on every version, to show how they fail.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { agreementOf } from "./agreement.ts";
import { argumentsOf, casesNamed, USAGE } from "./arguments.ts";
import { CASES } from "./cases/index.ts";
import { CLI_VERSIONS, claudeProgram } from "@quarterdeck/test-kit/claude-cache";
import { keptRunsIn } from "./kept-runs.ts";
import { runPermissions } from "./permissions/main.ts";
import { reportOf } from "./report.ts";
import { seenIn } from "./seen.ts";
import { runShell } from "./shell/main.ts";
import { exclusionFor, isTried, performAll, runsOf } from "./suite.ts";
import type { Done, Job } from "./suite.ts";
import type { Player } from "./run-case.ts";

// Two parts have a command line of their own.
const [part, ...more] = process.argv.slice(2);
if (part === "permissions") process.exit(await runPermissions(more));
if (part === "shell") process.exit(runShell(more));

const values = argumentsOf(process.argv.slice(2));
if (typeof values === "string") {
  console.error(`${values}\n${USAGE}`);
  process.exit(2);
}
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}

const say = (line: string): void => {
  if (!values.json) console.log(line);
};

const { record } = values;
const began = performance.now();
const versions = values.versions ?? [...CLI_VERSIONS, "simulator"];
const cases = casesNamed(CASES, values.only);
if (typeof cases === "string") {
  console.error(`No case is named like ${cases}. There are: ${CASES.map((one) => one.name).join(", ")}`);
  process.exit(2);
}
const players: Player[] = [];
for (const version of versions) {
  if (version === "simulator") players.push({ kind: "simulator", version });
  else players.push({ kind: "cli", version, program: await claudeProgram(version, say) });
}

const whole = values.only === undefined && values.versions === undefined && !values.excluded;
const jobs = cases
  .flatMap((wanted) => players.map((player): Job => ({ wanted, player })))
  .filter(({ wanted, player }) => !values.excluded || exclusionFor(wanted, player) !== undefined)
  .map((job): Job => {
    if (values.excluded) return { ...job, excluded: "run" };
    return whole && isTried(job.wanted, job.player) ? { ...job, excluded: "try" } : job;
  });
let finished = 0;
const done = await performAll(
  jobs,
  values.jobs,
  (one) => {
    finished++;
    report(one);
  },
  values.resume === undefined ? undefined : keptRunsIn(values.resume),
);

const failed = done.filter(({ outcome }) => outcome.kind === "failed");
const agreement = agreementOf(done);
const stale = whole ? agreement.known.filter(({ count }) => count === 0).map(({ entry }) => entry) : [];
for (const { difference, cases: where } of agreement.unknown) {
  const { kind, issue, what } = difference;
  say(`simulator ${issue} ${kind} ${what} (${String(where.length)}: ${where.slice(0, 3).join(", ")})`);
}
for (const { kind, issue, what } of stale)
  say(`no longer met, remove it from the known differences: ${kind} ${issue} ${what}`);
if (whole) {
  const file = fileURLToPath(new URL("../../docs/conformance.md", import.meta.url));
  writeFileSync(file, reportOf(CASES, versions, done, agreement));
  const seen = fileURLToPath(new URL("seen.json", import.meta.url));
  writeFileSync(seen, `${JSON.stringify(seenIn(runsOf(done)), null, 2)}\n`);
  say("wrote docs/conformance.md and e2e/conformance/seen.json (npm run docs takes it over)");
}
const seconds = Math.round((performance.now() - began) / 1000);
if (values.json) {
  console.log(
    JSON.stringify({
      seconds,
      failed: failed.length,
      compared: agreement.compared,
      knownDifferences: agreement.known.map(({ entry, count }) => ({ ...entry, count })),
      unknownDifferences: agreement.unknown.map(({ difference, cases: where }) => ({ ...difference, cases: where })),
      stale,
      runs: done.map(({ wanted, player, outcome }) => ({
        case: wanted.name,
        area: wanted.area,
        player: player.version,
        outcome: outcome.kind,
        ...(outcome.kind === "failed" && { faults: outcome.faults }),
        ...(outcome.kind === "excluded" && { why: outcome.why }),
        ...(outcome.kind !== "excluded" && { ms: outcome.run?.ms }),
      })),
    }),
  );
}
say(
  `\n${String(cases.length)} cases, ${String(done.length)} runs, ${String(failed.length)} failed; ` +
    `${String(agreement.compared)} compared with the simulator, ${String(agreement.unknown.length)} unknown differences, ` +
    `${String(stale.length)} stale entries; ${String(seconds)} s`,
);
process.exitCode = failed.length + agreement.unknown.length + stale.length > 0 ? 1 : 0;

function report({ wanted, player, outcome }: Done): void {
  const place = `[${String(finished).padStart(String(jobs.length).length)}/${String(jobs.length)}]`;
  const name = `${wanted.name} on ${player.version}`;
  switch (outcome.kind) {
    case "passed":
      say(`${place} ok      ${name} (${(outcome.run.ms / 1000).toFixed(1)} s)`);
      break;
    case "excluded":
      say(`${place} -       ${name}: ${outcome.why}`);
      break;
    case "failed":
      say(`${place} FAILED  ${name}`);
      for (const fault of outcome.faults) say(`          ${fault}`);
  }
  if (record !== undefined && outcome.kind !== "excluded" && outcome.run !== undefined) {
    mkdirSync(record, { recursive: true });
    writeFileSync(join(record, `${wanted.name}@${player.version}.json`), JSON.stringify(outcome.run, null, 1));
  }
}
