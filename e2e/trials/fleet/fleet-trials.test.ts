// Each trial of the fleet once, small, all with the same servers. What they measure is not compared with any time here.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SMALL, smallWorld } from "./index.ts";
import type { World } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await smallWorld();
});
afterAll(() => world.close());

describe("the trials of the fleet", () => {
  it.each(Object.entries(SMALL))("%s: nothing is lost, doubled, allowed or different", async (_name, trial) => {
    const lines = await trial(world, { isSmall: true, limitMs: 60_000, say: () => undefined });
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter(({ kind, isMet }) => kind === "safety" && !isMet)).toEqual([]);
  });
});
