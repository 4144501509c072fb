// The official SDK, direct and through `quarterdeck claude`: the same messages, calls and answers. Every difference must be in
// docs/claude.md.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { comparable, makePlace } from "./callers.ts";
import { fields, flags, OPTION_SCRIPTS, UNTESTED } from "./option-scenes.ts";
import { aborted, conversation, options, resumed, SCRIPTS } from "./scenes.ts";
import type { Scene, Seen } from "./scenes.ts";
import { loadSdk, optionNames } from "./sdk.ts";
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
    const place = await makePlace(isRelayed, [...SCRIPTS, ...OPTION_SCRIPTS]);
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

test(
  "[E220] a resume, a fork and an abort are the same as without Quarterdeck",
  { timeout: 5 * MINUTES, tags: "long" },
  async () => {
    for (const scene of [resumed, aborted]) {
      const { direct, relayed } = await bothWays(scene);
      expect(Object.keys(direct)).not.toEqual([]);
      expect(relayed).toEqual(direct);
    }
  },
);

test(
  "[E248] every option of the SDK is in a scene, or a list says why not, and reaches the CLI and the API unchanged",
  { timeout: 5 * MINUTES, tags: "long" },
  async () => {
    const names = await optionNames();
    expect(names.length).toBeGreaterThan(60);
    expect(names.filter((name) => !isUsed(name))).toEqual(Object.keys(UNTESTED));
    for (const scene of [flags, fields]) {
      const { direct, relayed } = await bothWays(scene);
      expect(relayed).toEqual(direct);
      expect(direct["request"]!.length).toBeGreaterThan(1);
      if (scene === flags) expect(direct).toMatchObject({ "debug file": [true], request: [TOLD, TOLD] });
      else expect(direct).toMatchObject({ forms: [["Who?"]], allowed: [true] });
    }
  },
);

/** A sample of what must arrive, so that two runs that both ignore an option do not pass. */
const TOLD = {
  betas: expect.stringContaining("context-1m-2025-08-07"),
  thinking: { type: "enabled", budget_tokens: 2000, display: "summarized" },
  output_config: { task_budget: { total: 30_000 } },
  tools: [{ name: "Bash" }, { name: "mcp__desk__echo" }],
};

const SCENES = ["scenes.ts", "option-scenes.ts"]
  .map((name) => readFileSync(new URL(name, import.meta.url), "utf8"))
  .join("\n")
  // An option in the list of reasons is not used by that.
  .replace(/UNTESTED[^]*?\n\};/u, "");
const isUsed = (name: string): boolean => new RegExp(`[{, ]${name}(?::|,| \\})`, "u").test(SCENES);
