// The official SDK, direct and through `quarterdeck claude`: the same messages, calls and answers. Every difference must be in
// docs/claude.md.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { comparable, makePlace } from "./callers.ts";
import { aborted, conversation, options, resumed, SCRIPTS } from "./scenes.ts";
import type { Scene } from "./scenes.ts";
import { loadSdk } from "./sdk.ts";

/** Names of rows of the table "Differences": `conversation: what`. */
const LISTED: ReadonlySet<string> = new Set(
  [...readFileSync(new URL("../../docs/claude.md", import.meta.url), "utf8").matchAll(/^\| `([^`|]+)` +\|/gmu)].map(
    (match) => match[1]!,
  ),
);

const MINUTES = 60_000;

const bothWays = async (scene: Scene) => {
  const sdk = await loadSdk();
  const run = async (isRelayed: boolean) => {
    const place = await makePlace(isRelayed, SCRIPTS);
    try {
      return comparable(await scene(sdk, place), place) as readonly (readonly [string, unknown])[];
    } finally {
      await place.close();
    }
  };
  const direct = await run(false);
  const relayed = await run(true);
  // Without the entries that the list names.
  const left = (seen: typeof direct) => seen.filter(([what]) => !LISTED.has(`${scene.name}: ${what}`));
  return { direct: left(direct), relayed: left(relayed) };
};

test(
  "[E219] options, permissions, hooks, tools, structured output, control requests and an interrupt are the same as without Quarterdeck",
  { timeout: 5 * MINUTES },
  async () => {
    for (const scene of [options, conversation]) {
      const { direct, relayed } = await bothWays(scene);
      expect(direct.length).toBeGreaterThan(3);
      expect(relayed).toEqual(direct);
    }
  },
);

test("[E220] a resume, a fork and an abort are the same as without Quarterdeck", { timeout: 5 * MINUTES }, async () => {
  for (const scene of [resumed, aborted]) {
    const { direct, relayed } = await bothWays(scene);
    expect(direct.length).toBeGreaterThan(0);
    expect(relayed).toEqual(direct);
  }
});
