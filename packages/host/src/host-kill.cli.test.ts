import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { startApi } from "@quarterdeck/simulator";
import { claudeProgram } from "@quarterdeck/test-kit/claude-cache";
import { cleanEnv } from "@quarterdeck/test-kit/clean-env";
import { IS_WHOLE, roundsOf } from "@quarterdeck/test-kit/how-much";
import { hostKillRounds, KILL_SCENARIO } from "./host-kill.fixture.ts";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "quarterdeck-host-kill-"));
});
afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));

it("[D1] a killed host loses nothing that anyone saw, and leaves no process to the next", async () => {
  // `npm run bench -- kill` does it a thousand times. Two hosts at a time, each with its own folders, because they
  // mostly wait.
  const rounds = roundsOf(10);
  const halves = await Promise.all(
    [20_261_115, 20_261_116].map((seed) => hostKillRounds(join(root, `simulator-${seed}`), rounds, seed)),
  );
  const sumOf = (count: "rounds" | "left" | "acknowledged" | "prompts" | "answers" | "orphans"): number =>
    halves.reduce((sum, totals) => sum + totals[count], 0);
  expect(halves.flatMap(({ wrong }) => wrong)).toEqual([]);
  expect([sumOf("rounds"), sumOf("left")]).toEqual([2 * rounds, 0]);
  // The test is not empty: there was data to lose, and there were processes to end.
  expect(sumOf("acknowledged")).toBeGreaterThan(IS_WHOLE ? 400 : 20);
  expect(sumOf("prompts")).toBeGreaterThan(IS_WHOLE ? 20 : 2);
  if (!IS_WHOLE) return;
  expect(sumOf("answers")).toBeGreaterThan(4);
  expect(sumOf("orphans")).toBeGreaterThan(20);
}, 900_000);

it("[D1] the same with the real CLI", { tags: "long", timeout: 300_000 }, async () => {
  const rounds = roundsOf(5);
  const { command, args } = await claudeProgram("2.1.325");
  const api = await startApi({ scenario: { name: "kill", scripts: KILL_SCENARIO.scripts } });
  onTestFinished(() => api.close());
  const {
    HOME: _home,
    TMPDIR: _tmp,
    ...env
  } = cleanEnv({
    home: root,
    tmp: root,
    apiUrl: api.url,
    compileCache: join(root, "compiled"),
  });
  const agent = { command, prefixArgs: args, env };
  const totals = await hostKillRounds(join(root, "real"), rounds, 3, () => {}, agent);
  expect(totals.wrong).toEqual([]);
  expect(totals).toMatchObject({ rounds, left: 0 });
  if (!IS_WHOLE) return;
  expect(totals.acknowledged).toBeGreaterThan(50);
  expect(totals.prompts).toBeGreaterThan(2);
  expect(totals.orphans).toBeGreaterThan(2);
});
