// What is worth a notification between two states of a session, and whether a receiver wants it now. Pure.

import { hasFinished, isRunning } from "@quarterdeck/session";
import type { OpenRequest, Phase } from "@quarterdeck/session";
import type { NotifyChoices } from "./notify-file.ts";

/** What is remembered of a session. */
export interface Seen {
  readonly phase: Phase;
  readonly requests: readonly OpenRequest[];
}

export interface Happenings {
  readonly opened: readonly OpenRequest[];
  /** Ids. */
  readonly closed: readonly string[];
  readonly ended?: "finished" | "failed";
}

export const happeningsBetween = (before: Seen | undefined, after: Seen | undefined): Happenings => {
  const [old, now] = [before?.requests ?? [], after?.requests ?? []];
  const opened = now.filter(({ id }) => !old.some((one) => one.id === id));
  const closed = old.filter(({ id }) => !now.some((one) => one.id === id)).map(({ id }) => id);
  const isOver = before !== undefined && after !== undefined && isRunning(before.phase) && !isRunning(after.phase);
  return {
    opened,
    closed,
    ...(isOver && { ended: hasFinished(after.phase) ? "finished" : "failed" }),
  };
};

/** Minutes since midnight in a time zone. */
const minuteAt = (at: number, timeZone: string): number => {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  return minuteOf(format.format(at));
};
const minuteOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3, 5));

/** Equal times mean the whole day. */
export const isQuiet = ({ quiet }: NotifyChoices, at: number): boolean => {
  if (quiet === null) return false;
  const [from, to, now] = [minuteOf(quiet.from), minuteOf(quiet.to), minuteAt(at, quiet.timeZone)];
  return from < to ? now >= from && now < to : now >= from || now < to;
};

export const isTimeZone = (timeZone: string): boolean => {
  try {
    minuteAt(0, timeZone);
    return true;
  } catch {
    // Not a name that this server knows.
    return false;
  }
};

export interface NoteSubject {
  readonly event: "waiting" | "finished" | "failed";
  readonly session: string;
  readonly project: string;
  readonly machine?: string;
}

/** Whether the receiver wants it at all. */
export const wants = (choices: NotifyChoices, { event, session, project, machine = "" }: NoteSubject): boolean =>
  choices[event] &&
  !choices.mutedSessions.includes(session) &&
  !choices.mutedProjects.includes(project) &&
  !choices.mutedMachines.includes(machine);
