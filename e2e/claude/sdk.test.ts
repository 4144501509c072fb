// The official SDK, direct and through `quarterdeck claude`: the same messages, calls and answers. Every difference must be in
// docs/claude.md.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { comparable, makePlace } from "./callers.ts";
import { aborted, conversation, options, resumed, SCRIPTS } from "./scenes.ts";
import type { Scene, Seen } from "./scenes.ts";
import { loadSdk } from "./sdk.ts";
import type { SdkMessage } from "./sdk.ts";

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
      return comparable(await scene(sdk, place), place) as Seen;
    } finally {
      await place.close();
    }
  };
  const [direct, relayed] = await Promise.all([run(false), run(true)]);
  return { direct: inGroups(scene, direct), relayed: inGroups(scene, relayed) };
};

/**
 * By kind, without the kinds that the list names. A call of a function may come before or after a message that was sent at the
 * same time. So may what the CLI tells about itself.
 */
const inGroups = (scene: Scene, seen: Seen) => {
  const groups: Record<string, unknown[]> = {};
  for (const [what, entry] of seen) {
    const { type, subtype } = entry as SdkMessage;
    const kind = what === "message" && type === "system" && subtype !== "init" ? "news" : what;
    if (!LISTED.has(`${scene.name}: ${kind}`)) (groups[kind] ??= []).push(entry);
  }
  groups["news"]?.sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
  return groups;
};

test(
  "[E219] options, permissions, hooks, tools, structured output, control requests and an interrupt are the same as without Quarterdeck",
  { timeout: 5 * MINUTES },
  async () => {
    for (const scene of [options, conversation]) {
      const { direct, relayed } = await bothWays(scene);
      expect(direct["message"]!.length).toBeGreaterThan(3);
      expect(relayed).toEqual(direct);
    }
  },
);

test("[E220] a resume, a fork and an abort are the same as without Quarterdeck", { timeout: 5 * MINUTES }, async () => {
  for (const scene of [resumed, aborted]) {
    const { direct, relayed } = await bothWays(scene);
    expect(Object.keys(direct)).not.toEqual([]);
    expect(relayed).toEqual(direct);
  }
});
