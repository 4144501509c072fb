// `npm run conformance -- permissions`: measures the recorded cases again with the real CLIs and reports every difference from the
// record. Exit code 1 if there is one.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { batchesOf } from "./batches.ts";
import { corpusText, definitionOf, MEASURED_VERSIONS } from "./case.ts";
import type { Corpus, PermissionCase, RecordedCase, Verdict } from "./case.ts";
import { BASE, CASES } from "./cases/index.ts";
import { openLaboratory, programFor } from "./laboratory.ts";
import { measure } from "./session.ts";
import type { Program } from "./session.ts";

export const CORPUS_FILE = fileURLToPath(
  new URL("../../../packages/permissions/fixtures/corpus.json", import.meta.url),
);
const ABOUT =
  "Permission verdicts of real Claude Code CLIs, measured with a scripted API by `npm run conformance -- permissions --write`.";

const USAGE = `usage: npm run conformance -- permissions [--only REGEX] [--versions a,b] [--jobs N] [--alone] [--new] [--write] [--cases FILE]
  --only REGEX     cases whose id or group matches
  --versions LIST  CLI versions, with commas (default: ${MEASURED_VERSIONS.join(",")})
  --jobs N         how many processes run at a time (default: 2)
  --alone          one process for each case; without it, cases that cannot influence each other share one
  --new            only cases that have no verdict yet
  --write          store the verdicts in the record
  --cases FILE     measure the cases of another file in the same format`;

interface Measured {
  readonly one: PermissionCase;
  readonly version: string;
  readonly verdict: Verdict;
}

export const runPermissions = async (argv: readonly string[]): Promise<number> => {
  const values = flagsOf(argv);
  if (typeof values === "string" || values.help) {
    console.error(typeof values === "string" ? `${values}\n${USAGE}` : USAGE);
    return typeof values === "string" ? 2 : 0;
  }
  const record = recordIn(values.cases);
  const recorded = new Map(record.cases.map((one) => [one.id, one]));
  const wanted = values.only === undefined ? /(?:)/ : new RegExp(values.only);
  const cases = (values.cases === undefined ? CASES : record.cases).filter(
    ({ id, group }) => wanted.test(id) || wanted.test(group),
  );
  const lab = openLaboratory(record.base);
  const measured: Measured[] = [];
  try {
    const jobs: { batch: readonly PermissionCase[]; program: Program }[] = [];
    for (const version of values.versions?.split(",") ?? MEASURED_VERSIONS) {
      const program = await programFor(version, lab.root, console.log);
      const todo = cases.filter(({ id }) => !values.new || recorded.get(id)?.verdicts?.[version] === undefined);
      const batches = values.alone ? todo.map((one) => [one]) : batchesOf(todo);
      for (const batch of batches) jobs.push({ batch, program });
    }
    console.log(`${String(cases.length)} cases, ${String(jobs.length)} processes`);
    const began = Date.now();
    let done = 0;
    const work = async (): Promise<void> => {
      for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
        const { batch, program } = job;
        const verdicts = await measure(batch, program, lab);
        done++;
        if (done % 10 === 0) console.log(`${String(done)} processes done, ${String(jobs.length)} left`);
        for (const [index, one] of batch.entries()) {
          const verdict = verdicts[index];
          // The session ended early: the case is measured again, in its own process.
          if (verdict === undefined) jobs.push({ batch: [one], program });
          else measured.push({ one, version: program.version, verdict });
        }
        if (values.write && jobs.length % 6 === 0) write(values.cases, record, measured);
      }
    };
    await Promise.all(Array.from({ length: Number(values.jobs) }, work));
    console.log(`${String(Math.round((Date.now() - began) / 1000))} s`);
  } finally {
    lab.close();
  }
  if (values.write) write(values.cases, record, measured);
  return report(measured, recorded);
};

const report = (measured: readonly Measured[], recorded: ReadonlyMap<string, RecordedCase>): number => {
  let differences = 0;
  let errors = 0;
  for (const { one, version, verdict } of measured) {
    const was = recorded.get(one.id)?.verdicts?.[version];
    if (verdict.verdict === "error") {
      errors++;
      if (was?.verdict !== "error") console.log(`${one.id} ${version} error: ${String(verdict["message"])}`);
    }
    if (was === undefined || was.verdict === verdict.verdict) continue;
    differences++;
    console.log(`${one.id} ${version} is ${verdict.verdict}, the record says ${was.verdict} (${one.note})`);
  }
  const total = `${String(measured.length)} verdicts, ${String(errors)} of them errors`;
  console.log(`${total}; ${String(differences)} differ from the record`);
  return differences > 0 ? 1 : 0;
};

const recordIn = (file: string | undefined): Corpus => {
  if (file !== undefined) return JSON.parse(readFileSync(file, "utf8")) as Corpus;
  try {
    const { cases } = JSON.parse(readFileSync(CORPUS_FILE, "utf8")) as Corpus;
    const defined = new Map(CASES.map((one) => [one.id, JSON.stringify(one)]));
    // The verdict of a case that was changed since is the verdict of another case.
    const kept = cases.filter((one) => defined.get(one.id) === JSON.stringify(definitionOf(one)));
    return { about: ABOUT, base: BASE, cases: kept };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return { about: ABOUT, base: BASE, cases: [] };
  }
};

/** The cases as they are defined now, with the verdicts of this run over those of the record. */
const write = (file: string | undefined, record: Corpus, measured: readonly Measured[]): void => {
  const found = new Map<string, Record<string, Verdict>>();
  for (const { id, verdicts } of record.cases) found.set(id, { ...verdicts });
  for (const { one, version, verdict } of measured) found.set(one.id, { ...found.get(one.id), [version]: verdict });
  const cases = (file === undefined ? CASES : record.cases).map((one) => ({
    ...one,
    verdicts: inOrder(found.get(one.id)),
  }));
  writeFileSync(file ?? CORPUS_FILE, corpusText({ about: ABOUT, base: record.base, cases }));
};

const inOrder = (verdicts: Readonly<Record<string, Verdict>> = {}): Readonly<Record<string, Verdict>> =>
  Object.fromEntries(
    MEASURED_VERSIONS.flatMap((version) => {
      const verdict = verdicts[version];
      return verdict === undefined ? [] : [[version, verdict]];
    }),
  );

const flagsOf = (argv: readonly string[]) => {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        only: { type: "string" },
        versions: { type: "string" },
        jobs: { type: "string", default: "2" },
        cases: { type: "string" },
        alone: { type: "boolean", default: false },
        new: { type: "boolean", default: false },
        write: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).split(/\.\s/)[0] ?? "";
  }
};
