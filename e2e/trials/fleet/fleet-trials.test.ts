// Trials of the fleet once, small, all with the same servers. What they measure is not compared with any time here.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { IS_WHOLE } from "@quarterdeck/test-kit/how-much";
import { SMALL, smallWorld } from "./index.ts";
import type { World } from "./world.ts";

/** The others take longer than all of these. e2e/fleet/fleet.test.ts has an archive and what happens without NATS. */
const SHORT = new Set(["nats-killed", "permissions", "revoked"]);

let world: World;
beforeAll(async () => {
  world = await smallWorld();
});
afterAll(() => world.close());

describe("[E77] the trials of the fleet", () => {
  it.each(Object.entries(SMALL).filter(([name]) => IS_WHOLE || SHORT.has(name)))(
    "%s: nothing is lost, doubled, allowed or different",
    async (_name, trial) => {
      const lines = await trial(world, { isSmall: true, limitMs: 60_000, say: () => undefined });
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.filter(({ kind, isMet }) => kind === "safety" && !isMet)).toEqual([]);
    },
  );
});
