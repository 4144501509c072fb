// All scenarios on the simulator, if it claims them, and the quick ones on the newest real CLI. `npm run conformance`
// runs the whole suite, with every version and the whole comparison.
import { beforeAll, describe, expect, it } from "vitest";
import { CASES } from "./cases/index.ts";
import { AREAS } from "./case.ts";
import type { Case } from "./case.ts";
import { NEWEST, claudeProgram } from "@quarterdeck/test-kit/claude-cache";
import { differencesOf } from "./compare.ts";
import { KNOWN_DIFFERENCES, isKnownAs } from "./known-differences.ts";
import { perform } from "./suite.ts";
import type { Outcome } from "./suite.ts";
import type { Player } from "./run-case.ts";

const SIMULATOR: Player = { kind: "simulator", version: "simulator" };
const FAST = CASES.filter((one) => one.fast === true);
const CLAIMED = CASES.filter((one) => one.simulator === true);
const TIMEOUT_MS = 300_000;
let newest: Player;

// Needs the network once: a missing CLI is downloaded, and the test is never skipped.
beforeAll(async () => {
  newest = { kind: "cli", version: NEWEST, program: await claudeProgram(NEWEST, console.log) };
});

/** Each case runs once per player, however many tests use it. The runner's concurrency limits the number. */
const outcomes = new Map<string, Promise<Outcome>>();
const outcomeOf = (wanted: Case, player: Player): Promise<Outcome> => {
  const key = `${wanted.name}@${player.version}`;
  const outcome = outcomes.get(key) ?? perform({ wanted, player });
  outcomes.set(key, outcome);
  return outcome;
};

const faultsIn = (outcome: Outcome): readonly string[] => {
  if (outcome.kind === "excluded") return [`did not run: ${outcome.why}`];
  return outcome.kind === "failed" ? outcome.faults : [];
};

it("[E66] has a case for every area, and no name twice", () => {
  expect(AREAS.filter((area) => !CASES.some((one) => one.area === area))).toEqual([]);
  expect(new Set(CASES.map((one) => one.name)).size).toBe(CASES.length);
  expect(CASES.length).toBeGreaterThanOrEqual(60);
});

describe.concurrent("[E66] on the simulator", { timeout: TIMEOUT_MS }, () => {
  it.each(CLAIMED)("$name", async (one) => {
    expect(faultsIn(await outcomeOf(one, SIMULATOR))).toEqual([]);
  });
});

describe.concurrent(`[E67] on Claude Code ${NEWEST}`, { timeout: TIMEOUT_MS }, () => {
  it.each(FAST)("$name, and the simulator agrees, except for known differences", async (one) => {
    const cli = await outcomeOf(one, newest);
    expect(faultsIn(cli)).toEqual([]);
    if (one.simulator !== true) return;
    const simulator = await outcomeOf(one, SIMULATOR);
    expect(faultsIn(simulator)).toEqual([]);
    if (cli.kind !== "passed" || simulator.kind !== "passed") return;
    const unknown = differencesOf(cli.run, simulator.run).filter(
      (difference) => !KNOWN_DIFFERENCES.some((known) => isKnownAs(known, one.name, difference)),
    );
    expect(unknown).toEqual([]);
  });
});
