// The whole suite: which case runs on which player, and the outcome of each. `main` and the tests use it.
import { exclusionOf } from "./case.ts";
import type { Case } from "./case.ts";
import { faultsOf } from "./check.ts";
import type { Patience } from "./drive.ts";
import type { KeptRuns } from "./kept-runs.ts";
import { runCase } from "./run-case.ts";
import type { CaseRun, Player } from "./run-case.ts";
import { byVersion } from "./seen.ts";

export type Outcome =
  | { readonly kind: "passed"; readonly run: CaseRun }
  | { readonly kind: "failed"; readonly faults: readonly string[]; readonly run?: CaseRun }
  | { readonly kind: "excluded"; readonly why: string };

export interface Job {
  readonly wanted: Case;
  readonly player: Player;
  /** For an excluded case: `run` it anyway, or only `try` whether the exclusion still holds. */
  readonly excluded?: "run" | "try";
}

export interface Done extends Job {
  readonly outcome: Outcome;
}

export const exclusionFor = (wanted: Case, player: Player): string | undefined => {
  if (player.kind === "cli") return exclusionOf(wanted, player.version);
  return wanted.simulator === true ? undefined : wanted.simulator;
};

/** Shorter limits for an excluded case, which is expected to fail. */
const IMPATIENT: Patience = { waitMs: 10_000, exitMs: 5000 };

export const perform = async (job: Job, kept?: KeptRuns): Promise<Outcome> => {
  const why = exclusionFor(job.wanted, job.player);
  if (why === undefined || job.excluded === "run") return performed(job, kept);
  if (job.excluded !== "try") return { kind: "excluded", why };
  const tried = await performed(job, kept, IMPATIENT);
  return tried.kind === "passed"
    ? { kind: "failed", faults: [`it is excluded, but it holds: ${why}`], run: tried.run }
    : { kind: "excluded", why };
};

const performed = async (job: Job, kept?: KeptRuns, patience?: Patience): Promise<Outcome> => {
  const { wanted, player } = job;
  const before = kept?.find(wanted, player);
  // A failed run is repeated, unless it only tries an exclusion, where a failure is expected.
  if (before !== undefined) {
    const outcome = judged(job, before);
    if (outcome.kind === "passed" || job.excluded === "try") return outcome;
  }
  try {
    const run = await runCase(wanted, player, patience);
    kept?.keep(wanted, player, run);
    return judged(job, run);
  } catch (error) {
    return {
      kind: "failed",
      faults: [`the run broke: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`],
    };
  }
};

const judged = ({ wanted, player }: Job, run: CaseRun): Outcome => {
  const faults = faultsOf(wanted, player, run);
  return faults.length === 0 ? { kind: "passed", run } : { kind: "failed", faults, run };
};

/**
 * Whether an exclusion is tried on this player: always on the simulator, otherwise on the newest version that its entry
 * names. All versions of an entry share its reason, so one is enough. `--excluded` runs every one.
 */
export const isTried = (wanted: Case, player: Player): boolean =>
  player.kind === "simulator" ||
  (wanted.excluded ?? []).some(({ versions }) => versions.toSorted(byVersion).at(-1) === player.version);

/** Runs all jobs, `width` at a time, in order. */
export const performAll = async (
  jobs: readonly Job[],
  width: number,
  onDone: (done: Done) => void,
  kept?: KeptRuns,
): Promise<readonly Done[]> => {
  const all: Done[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let job = jobs[next++]; job !== undefined; job = jobs[next++]) {
      const done = { ...job, outcome: await perform(job, kept) };
      all.push(done);
      onDone(done);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, width) }, work));
  return all;
};

/** All runs, passed or not. */
export const runsOf = (done: readonly Done[]): readonly { readonly player: Player; readonly run: CaseRun }[] =>
  done.flatMap(({ player, outcome }) =>
    outcome.kind === "excluded" || outcome.run === undefined ? [] : [{ player, run: outcome.run }],
  );
