// Periodic checks of live processes, if the user asked for them: releases idle processes, and reports (or ends) those
// that use too much memory. Without these settings, nothing here runs.

import { isResting } from "@quarterdeck/session";
import type { Head } from "@quarterdeck/session";
import { hasWorkers, memoryByMarker } from "../process/descendants.ts";
import { hasSchedule } from "./schedules.ts";
import { ownerOf } from "../session/session.ts";
import type { Session } from "../session/session.ts";

export interface MemoryLimit {
  /** Limit for all processes of a session together. */
  readonly maxBytes: number;
  /** `tell` (default) sends an event, once per process. `end` also closes the session, which can be resumed. */
  readonly then?: "tell" | "end";
  readonly everyMs?: number;
}

export interface WatchedSession {
  readonly session: Session;
  readonly marker: string;
}

export interface WatchOptions {
  readonly live: () => readonly WatchedSession[];
  /** Called before the process is ended. */
  readonly onRelease: (session: Session) => void;
  readonly releaseIdleAfterMs?: number | undefined;
  readonly memory?: MemoryLimit | undefined;
  readonly onError: (error: unknown) => void;
}

const MEMORY_MS = 5000;

/** Returns a function that stops the checks. */
export const watchLive = (options: WatchOptions): (() => void) => {
  const { releaseIdleAfterMs: idleMs, memory, onError, live, onRelease } = options;
  const every = (ms: number, look: (one: WatchedSession) => Promise<unknown>): NodeJS.Timeout => {
    let isLooking = false;
    const lookAtAll = async (): Promise<void> => {
      isLooking = true;
      const outcomes = await Promise.allSettled(live().map(look));
      isLooking = false;
      for (const outcome of outcomes) if (outcome.status === "rejected") onError(outcome.reason);
    };
    return setInterval(() => {
      if (!isLooking) void lookAtAll();
    }, ms).unref();
  };
  const timers = [
    ...(idleMs === undefined ? [] : [every(Math.max(20, idleMs / 4), (one) => releaseIdle(one, idleMs, onRelease))]),
    ...(memory === undefined ? [] : [every(memory.everyMs ?? MEMORY_MS, (one) => measure(one, memory))]),
  ];
  return () => timers.forEach((timer) => clearInterval(timer));
};

/** Ends the process that has been idle longest, if it was idle for at least `idleMs`. Returns whether it ended one. */
export const releaseOne = async (
  live: readonly WatchedSession[],
  idleMs: number,
  onRelease: WatchOptions["onRelease"],
): Promise<boolean> => {
  const byRest = live.toSorted((a, b) => a.session.head.lastEventAt - b.session.head.lastEventAt);
  for (const one of byRest) if (await releaseIdle(one, idleMs, onRelease)) return true;
  return false;
};

const releaseIdle = async (
  { session, marker }: WatchedSession,
  idleMs: number,
  onRelease: WatchOptions["onRelease"],
): Promise<boolean> => {
  const { pid } = session.head.process ?? {};
  if (!isIdle(session, idleMs) || pid === undefined) return false;
  if (hasSchedule(session, Date.now())) return false;
  // A server that the model left running is work too, though no task reports it.
  if ((await hasWorkers(marker, pid)) || !isIdle(session, idleMs)) return false;
  onRelease(session);
  await session.close({ interrupt: false });
  return true;
};

const isIdle = (session: Session, idleMs: number): boolean =>
  isAtRest(session.head) &&
  !session.isLeaving &&
  !ownerOf(session).isAwaited() &&
  Date.now() - session.head.lastEventAt > idleMs;

const isAtRest = ({ phase, requests, queue, tasks }: Head): boolean =>
  isResting(phase) && requests.length === 0 && queue.length === 0 && tasks.every((task) => task.endedAt !== undefined);

/** Reported once per process, so that the log does not fill with it. */
const told = new WeakMap<Session, number>();

const measure = async (
  { session, marker }: WatchedSession,
  { maxBytes, then = "tell" }: MemoryLimit,
): Promise<void> => {
  const { incarnation = 0 } = session.head.process ?? {};
  if (told.get(session) === incarnation) return;
  const bytes = await memoryByMarker(marker);
  if (bytes <= maxBytes || !session.isLive) return;
  told.set(session, incarnation);
  await ownerOf(session).note({ type: "memory-exceeded", bytes, limitBytes: maxBytes, ends: then === "end" });
  if (then === "end") await session.close();
};
