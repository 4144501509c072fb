// The scenarios on the simulator, all that it claims, and the quick ones on the newest real CLI. The whole suite, with
// every version and the comparison, is `npm run conformance`.
import { beforeAll, describe, expect, it } from "vitest";
import { CASES } from "./cases/index.ts";
import { AREAS } from "./case.ts";
import { NEWEST, claudeProgram } from "./claude-cache.ts";
import { differencesOf } from "./compare.ts";
import { KNOWN_DIFFERENCES, isKnownAs } from "./known-differences.ts";
import { performAll } from "./suite.ts";
import type { Outcome } from "./suite.ts";
import type { Player } from "./run-case.ts";

const SIMULATOR: Player = { kind: "simulator", version: "simulator" };
const FAST = CASES.filter((one) => one.fast === true);
const CLAIMED = CASES.filter((one) => one.simulator === true);
const outcomes = new Map<string, Outcome>();

const faultsIn = (outcome: Outcome | undefined): readonly string[] =>
  outcome?.kind === "failed" ? outcome.faults : outcome?.kind === "passed" ? [] : ["did not run"];

beforeAll(async () => {
  const newest: Player = { kind: "cli", version: NEWEST, program: await claudeProgram(NEWEST, console.log) };
  const jobs = [
    ...FAST.map((wanted) => ({ wanted, player: newest })),
    ...CLAIMED.map((wanted) => ({ wanted, player: SIMULATOR })),
  ];
  await performAll(jobs, 2, ({ wanted, player, outcome }) => outcomes.set(`${wanted.name}@${player.version}`, outcome));
}, 900_000);

it("has a case for every area, and no name twice", () => {
  expect(AREAS.filter((area) => !CASES.some((one) => one.area === area))).toEqual([]);
  expect(new Set(CASES.map((one) => one.name)).size).toBe(CASES.length);
  expect(CASES.length).toBeGreaterThanOrEqual(60);
});

describe("on the simulator", () => {
  it.each(CLAIMED.map((one) => one.name))("%s", (name) => {
    expect(faultsIn(outcomes.get(`${name}@simulator`))).toEqual([]);
  });
});

describe(`on Claude Code ${NEWEST}`, () => {
  it.each(FAST.map((one) => one.name))("%s", (name) => {
    expect(faultsIn(outcomes.get(`${name}@${NEWEST}`))).toEqual([]);
  });
});

describe("the simulator agrees with it, known differences aside", () => {
  it.each(FAST.filter((one) => one.simulator === true).map((one) => one.name))("%s", (name) => {
    const cli = outcomes.get(`${name}@${NEWEST}`);
    const simulator = outcomes.get(`${name}@simulator`);
    if (cli?.kind !== "passed" || simulator?.kind !== "passed") throw new Error("one of the two runs failed");
    const unknown = differencesOf(cli.run, simulator.run).filter(
      (difference) => !KNOWN_DIFFERENCES.some((known) => isKnownAs(known, name, difference)),
    );
    expect(unknown).toEqual([]);
  });
});
