import { expect, it } from "vitest";
import { canBeTakenBack, didNotRun, hasBegun, hasRun, isUnsettled, waitsForTurn } from "./prompt-states.ts";
import type { PromptState } from "./row.ts";

const STATES: readonly PromptState[] = [
  ...(["accepted", "sent", "queued", "folded", "started", "done", "failed", "interrupted"] as const),
  ...(["cancelled", "held", "blocked", "refused", "discarded"] as const),
];

it("a prompt waits, has begun or does not run", () => {
  expect(STATES.filter(waitsForTurn)).toEqual(["accepted", "sent", "queued"]);
  expect(STATES.filter(hasBegun)).toEqual(["folded", "started", "done", "failed", "interrupted"]);
  expect(STATES.filter(didNotRun)).toEqual(["cancelled", "held", "blocked", "refused", "discarded"]);
});

it("[P3] a prompt is unsettled until its turn ends, and a person can take it back until its turn begins", () => {
  expect(STATES.filter(isUnsettled)).toEqual(["accepted", "sent", "queued", "folded", "started"]);
  expect(STATES.filter(hasRun)).toEqual(["done", "failed", "interrupted"]);
  expect(STATES.filter(canBeTakenBack)).toEqual(["accepted", "sent", "queued", "held"]);
});
