import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { killRounds } from "./store-kill.fixture.ts";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "quarterdeck-kill-"));
});
afterAll(() => rm(root, { recursive: true }));

it(
  "[D1] keeps every acknowledged fact when it is killed at any moment, twenty times",
  { timeout: 600_000 },
  async () => {
    // `npm run bench -- kill` does it a thousand times.
    const totals = await killRounds(root, 20, 20_261_115);
    expect(totals.wrong).toEqual([]);
    expect(totals.rounds).toBe(20);
    expect(totals.acknowledged).toBeGreaterThan(400);
  },
);
