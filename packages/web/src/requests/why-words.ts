// Why a request was made, and what a rule would have allowed, in words. Pure.

import type { ResultOf } from "@quarterdeck/client";
import { modeName } from "../words/names.ts";
import { placeWords } from "../words/scopes.ts";
import { reasonsOf, type Asked } from "./asked.ts";
import { WORDS } from "./words.ts";
import { sentence } from "../words/sentences.ts";

export type Tested = ResultOf<"rules/test">;
export type RuleReach = Tested["rules"][number];

export interface WhyWords {
  /** Reasons in the CLI's own words. */
  readonly own: readonly string[];
  readonly rule?: string;
  /** Where the rule is. */
  readonly place?: string;
  readonly words?: string;
  readonly warnings: readonly string[];
}

/** Our own prediction is left out if it is not what happened. */
/** Reasons of the CLI that our own words already give. */
const REPEATED_BY_MODE = /^This command requires approval\b/u;
const REPEATED = /^(?:This command requires approval|Path is outside allowed working directories)\b/u;

export const whyOf = (asked: Asked, tested: Tested | undefined): WhyWords => {
  const own = reasonsOf(asked);
  if (tested === undefined || tested.behavior !== "ask") return { own, warnings: [] };
  const { reason, mode } = tested;
  const { rule, kind, words, warnings } = reason;
  if (rule !== undefined)
    return { own: own.filter((each) => !each.includes(rule)), rule, place: placeWords(reason), warnings };
  const isByMode = kind === "default" || kind === "mode";
  const isRepeated = isByMode ? REPEATED_BY_MODE : REPEATED;
  const others = own.filter((each) => !isRepeated.test(each));
  return { own: others, words: isByMode ? WORDS.inMode(sentence(words), modeName(mode)) : sentence(words), warnings };
};

export const reachWords = ({ newly, matched }: Pick<RuleReach, "newly" | "matched">, calls: number): string => {
  if (calls === 0) return WORDS.noCalls;
  if (newly === 0) return matched === 0 ? WORDS.matchesNone(calls) : WORDS.matchesOld(matched, calls);
  return WORDS.matchesNew(newly, calls);
};
