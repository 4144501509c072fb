import { expect, it } from "vitest";
import type { Phase } from "./head.ts";
import { hasFailed, hasFinished, isOver, isPause, isResting, isRunning, isWorking } from "./phase-groups.ts";

const PHASES: readonly Phase[] = [
  ...(["starting", "ready", "thinking", "streaming", "tool", "awaiting"] as const),
  ...(["compacting", "retrying", "idle", "error", "ended", "died"] as const),
];

it("a turn that waits for a person is running but not working", () => {
  expect(PHASES.filter(isRunning)).toEqual(["thinking", "streaming", "tool", "awaiting", "compacting", "retrying"]);
  expect(PHASES.filter(isWorking)).toEqual(["thinking", "streaming", "tool", "compacting", "retrying"]);
});

it("a session rests only while it has a process", () => {
  expect(PHASES.filter(isResting)).toEqual(["ready", "idle", "error"]);
  expect(PHASES.filter(isOver)).toEqual(["ended", "died"]);
});

it("a turn has finished if it did not fail, also when its session was closed", () => {
  expect(PHASES.filter(hasFinished)).toEqual(["idle", "ended"]);
});

it("a failed turn is not a finished one, and a dead process has failed too", () => {
  expect(PHASES.filter(hasFailed)).toEqual(["error", "died"]);
});

it("a pause comes after a turn or while it waits for a person, never before the first turn", () => {
  expect(PHASES.filter(isPause)).toEqual(["awaiting", "idle", "error", "ended", "died"]);
});
