// What the state of a prompt means for code that acts on it. A new state fails the compiler here.

import type { PromptState } from "./row.ts";

/** `waiting`: no turn has begun it. `running`: its turn goes on. `ran`: its turn has ended. `not-run`: no turn begins it, unless a person sends it again. */
type PromptGroup = "waiting" | "running" | "ran" | "not-run";

const GROUPS: Readonly<Record<PromptState, PromptGroup>> = {
  accepted: "waiting",
  sent: "waiting",
  queued: "waiting",
  folded: "running",
  started: "running",
  done: "ran",
  failed: "ran",
  interrupted: "ran",
  cancelled: "not-run",
  held: "not-run",
  blocked: "not-run",
  refused: "not-run",
  discarded: "not-run",
};

export const waitsForTurn = (state: PromptState): boolean => GROUPS[state] === "waiting";
export const hasRun = (state: PromptState): boolean => GROUPS[state] === "ran";
/** Its turn has begun. It may be over. */
export const hasBegun = (state: PromptState): boolean => GROUPS[state] === "running" || hasRun(state);
/** What becomes of it is not known yet. */
export const isUnsettled = (state: PromptState): boolean => waitsForTurn(state) || GROUPS[state] === "running";
/** A person can edit it or take it back. */
export const canBeTakenBack = (state: PromptState): boolean => waitsForTurn(state) || state === "held";
export const didNotRun = (state: PromptState): boolean => GROUPS[state] === "not-run";
