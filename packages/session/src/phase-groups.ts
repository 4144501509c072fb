// What a phase means for code that acts on it. A new phase fails the compiler here, and no other file has a list of
// phases.

import type { Phase } from "./head.ts";

/**
 * `starting`: the process is not ready yet. `resting`: the process waits for a prompt. `working`: a turn runs by
 * itself. `asking`: a turn waits for a person. `over`: there is no process.
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

/** A turn is open: it runs, or it waits for a person. It can be stopped. */
export const isRunning = (phase: Phase): boolean => GROUPS[phase] === "working" || GROUPS[phase] === "asking";

/** A turn runs and needs nobody. */
export const isWorking = (phase: Phase): boolean => GROUPS[phase] === "working";

/** A turn runs, and no row shows what it does. A running tool and a retry have rows. Streamed text is a draft: look there first. */
export const worksUnseen = (phase: Phase): boolean => isWorking(phase) && phase !== "tool" && phase !== "retrying";

/** A person may need hours to answer, and a tool may run long. Silence then says nothing about the CLI. */
export const mayBeSilent = (phase: Phase): boolean => phase === "tool" || GROUPS[phase] === "asking";

/** The process has no turn and waits for a prompt. */
export const isResting = (phase: Phase): boolean => GROUPS[phase] === "resting";

/** The last turn is over and did not fail. Closing a session during a turn is no failure. */
export const hasFinished = (phase: Phase): boolean => phase === "idle" || phase === "ended";

/** The last turn failed, or the process died. */
export const hasFailed = (phase: Phase): boolean => phase === "error" || phase === "died";

/** A turn is over, waits for a person or was cut off. Before the first turn, there is no pause. */
export const isPause = (phase: Phase): boolean => phase !== "starting" && phase !== "ready" && !isWorking(phase);

/** There is no process. */
export const isOver = (phase: Phase): boolean => GROUPS[phase] === "over";
