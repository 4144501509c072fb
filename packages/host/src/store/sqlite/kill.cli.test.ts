import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { roundsOf } from "@quarterdeck/test-kit/how-much";
import { killRounds } from "./store-kill.fixture.ts";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "quarterdeck-kill-"));
});
afterAll(() => rm(root, { recursive: true }));

it("[D1] keeps every acknowledged fact when it is killed at any moment", { timeout: 600_000 }, async () => {
  // `npm run bench -- kill` does it a thousand times.
  const rounds = roundsOf(20);
  const totals = await killRounds(root, rounds, 20_261_115);
  expect(totals.wrong).toEqual([]);
  expect(totals.rounds).toBe(rounds);
  expect(totals.acknowledged).toBeGreaterThan(10 * rounds);
});
