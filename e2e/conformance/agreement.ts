// The suite's verdict on the simulator: all differences from the newest CLI over all cases. Known ones are counted. New
// ones fail, and so do known ones that did not occur.
import { NEWEST } from "@quarterdeck/test-kit/claude-cache";
import { differencesOf } from "./compare.ts";
import type { Difference } from "./compare.ts";
import { KNOWN_DIFFERENCES, isKnownAs } from "./known-differences.ts";
import type { KnownDifference } from "./known-differences.ts";
import type { Done } from "./suite.ts";

export interface Agreement {
  /** Number of cases that ran on both. */
  readonly compared: number;
  /** With the number of cases in which each occurred. */
  readonly known: readonly { readonly entry: KnownDifference; readonly count: number }[];
  readonly unknown: readonly { readonly difference: Difference; readonly cases: readonly string[] }[];
}

export const agreementOf = (done: readonly Done[]): Agreement => {
  const runs = new Map<string, Done>();
  for (const one of done) runs.set(`${one.wanted.name}@${one.player.version}`, one);
  const met = new Map<KnownDifference, Set<string>>(KNOWN_DIFFERENCES.map((entry) => [entry, new Set()]));
  const unknown = new Map<string, { difference: Difference; cases: string[] }>();
  let compared = 0;
  for (const { wanted, player, outcome } of done) {
    if (player.kind !== "simulator" || outcome.kind !== "passed") continue;
    const newest = runs.get(`${wanted.name}@${NEWEST}`)?.outcome;
    if (newest?.kind !== "passed") continue;
    compared++;
    for (const difference of differencesOf(newest.run, outcome.run)) {
      const known = KNOWN_DIFFERENCES.find((entry) => isKnownAs(entry, wanted.name, difference));
      if (known !== undefined) met.get(known)?.add(wanted.name);
      else {
        const key = `${difference.kind} ${difference.issue} ${difference.what}`;
        const entry = unknown.get(key) ?? { difference, cases: [] };
        unknown.set(key, entry);
        if (!entry.cases.includes(wanted.name)) entry.cases.push(wanted.name);
      }
    }
  }
  return {
    compared,
    known: [...met].map(([entry, cases]) => ({ entry, count: cases.size })),
    unknown: [...unknown.values()].toSorted((a, b) => b.cases.length - a.cases.length),
  };
};
