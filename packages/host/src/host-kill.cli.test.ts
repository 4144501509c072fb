import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { hostKillRounds } from "./host-kill.fixture.ts";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "quarterdeck-host-kill-"));
});
afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));

it("[D1] a killed host loses nothing that anybody saw, and leaves no process to the next, fifty times", async () => {
  const totals = await hostKillRounds(root, 50, 20_261_115);
  expect(totals.wrong).toEqual([]);
  expect(totals).toMatchObject({ rounds: 50, left: 0 });
  // It has teeth: there was something to lose, and something to end.
  expect(totals.acknowledged).toBeGreaterThan(1000);
  expect(totals.prompts).toBeGreaterThan(50);
  expect(totals.answers).toBeGreaterThan(10);
  expect(totals.orphans).toBeGreaterThan(50);
}, 900_000);
