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
  "[D1] keeps every acknowledged fact when it is killed, wherever that is, fifty times",
  { timeout: 600_000 },
  async () => {
    // Of its own for each try: what another has left there was not acknowledged to this one.
    const totals = await killRounds(await mkdtemp(join(root, "data-")), 50, 20_261_115);
    expect(totals.wrong).toEqual([]);
    expect(totals.rounds).toBe(50);
    expect(totals.acknowledged).toBeGreaterThan(1000);
  },
);
