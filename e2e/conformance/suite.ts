// The suite as a whole: which case runs on which player, and the outcome of each. `main` and the tests use it.
import { exclusionOf } from "./case.ts";
import type { Case } from "./case.ts";
import { faultsOf } from "./check.ts";
import { runCase } from "./run-case.ts";
import type { CaseRun, Player } from "./run-case.ts";

export type Outcome =
  | { readonly kind: "passed"; readonly run: CaseRun }
  | { readonly kind: "failed"; readonly faults: readonly string[]; readonly run?: CaseRun }
  | { readonly kind: "excluded"; readonly why: string };

export interface Job {
  readonly wanted: Case;
  readonly player: Player;
  /** Runs the case where it is excluded, too. */
  readonly regardless?: boolean;
}

export interface Done extends Job {
  readonly outcome: Outcome;
}

export const exclusionFor = (wanted: Case, player: Player): string | undefined => {
  if (player.kind === "cli") return exclusionOf(wanted, player.version);
  return wanted.simulator === true ? undefined : wanted.simulator;
};

export const perform = async ({ wanted, player, regardless }: Job): Promise<Outcome> => {
  const why = exclusionFor(wanted, player);
  if (why !== undefined && regardless !== true) return { kind: "excluded", why };
  try {
    const run = await runCase(wanted, player);
    const faults = faultsOf(wanted, player, run);
    return faults.length === 0 ? { kind: "passed", run } : { kind: "failed", faults, run };
  } catch (error) {
    return {
      kind: "failed",
      faults: [`the run broke: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`],
    };
  }
};

/** Performs all jobs, `width` at a time, in their order. */
export const performAll = async (
  jobs: readonly Job[],
  width: number,
  onDone: (done: Done) => void,
): Promise<readonly Done[]> => {
  const all: Done[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let job = jobs[next++]; job !== undefined; job = jobs[next++]) {
      const done = { ...job, outcome: await perform(job) };
      all.push(done);
      onDone(done);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, width) }, work));
  return all;
};

/** What was played, whether it passed or not. */
export const runsOf = (done: readonly Done[]): readonly { readonly player: Player; readonly run: CaseRun }[] =>
  done.flatMap(({ player, outcome }) =>
    outcome.kind === "excluded" || outcome.run === undefined ? [] : [{ player, run: outcome.run }],
  );
