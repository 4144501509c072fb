// What a phase means for those who act on it. A new phase fails the compiler here, and nowhere else has a list of phases.

import type { Phase } from "./head.ts";

/**
 * `starting`: the process is not ready yet. `resting`: the process waits for a prompt. `working`: a turn goes on by itself.
 * `asking`: a turn waits for a person. `over`: there is no process.
 */
type PhaseGroup = "starting" | "resting" | "working" | "asking" | "over";

const GROUPS: Readonly<Record<Phase, PhaseGroup>> = {
  starting: "starting",
  ready: "resting",
  thinking: "working",
  streaming: "working",
  tool: "working",
  awaiting: "asking",
  compacting: "working",
  retrying: "working",
  idle: "resting",
  error: "resting",
  ended: "over",
  died: "over",
};

/** A turn is open: it goes on, or it waits for a person. There is something to stop. */
export const isRunning = (phase: Phase): boolean => GROUPS[phase] === "working" || GROUPS[phase] === "asking";

/** A turn goes on and needs nobody. */
export const isWorking = (phase: Phase): boolean => GROUPS[phase] === "working";

/** The process has no turn and waits for a prompt. */
export const isResting = (phase: Phase): boolean => GROUPS[phase] === "resting";

/** There is no process. */
export const isOver = (phase: Phase): boolean => GROUPS[phase] === "over";
