// Alarms that the CLI has set for itself: jobs and wakeups. They end with its process. Only the tool calls that set them show that they
// exist (measured on 2.1.325). There is no task and no request, and the phase is idle.

import { isRecord } from "@quarterdeck/protocol";
import type { Row, ToolRow } from "./row.ts";

export interface Alarm {
  readonly row: ToolRow;
  /** What will be done. */
  readonly what: string;
  /** The times of a job, in the words of the CLI or of the call. */
  readonly when?: string;
  /** A wakeup comes this long after its call. */
  readonly delaySeconds?: number;
  /** The next time, if the CLI said it. */
  readonly at?: number;
  readonly repeats: boolean;
  readonly state: "waits" | "over" | "deleted" | "replaced" | "gone";
}

/** The CLI drops a job after this time. */
const EXPIRY_MS = 7 * 24 * 3600 * 1000;

/** True for tools that set an alarm. */
export const setsAlarm = (tool: string): boolean => tool === "CronCreate" || tool === "ScheduleWakeup";

/** Newest first, as the rows must be. `isLive`: the process of the first row still runs. */
export function* alarmsIn(newestFirst: Iterable<Row>, now: number, isLive = true): Generator<Alarm> {
  const deleted = new Set<unknown>();
  let isGone = !isLive;
  let hasWakeup = false;
  for (const row of newestFirst) {
    if (row.kind === "mark" && row.what === "resumed") isGone = true;
    if (row.kind !== "tool" || row.result?.ok !== true) continue;
    if (row.name === "CronDelete") deleted.add(row.input["id"]);
    if (row.name === "CronCreate") {
      const job = jobOf(row, now);
      yield isGone ? { ...job, state: "gone" } : deleted.has(said(row)["id"]) ? { ...job, state: "deleted" } : job;
    }
    if (row.name !== "ScheduleWakeup") continue;
    // The newest wakeup replaces earlier ones. It may also stop them.
    const wakeup = wakeupOf(row, now);
    if (wakeup !== undefined)
      yield isGone ? { ...wakeup, state: "gone" } : hasWakeup ? { ...wakeup, state: wasNeeded(wakeup) } : wakeup;
    hasWakeup = true;
  }
}

const wasNeeded = ({ state }: Alarm): Alarm["state"] => (state === "waits" ? "replaced" : state);

const jobOf = (row: ToolRow, now: number): Alarm => {
  const { humanSchedule, nextFireAt, recurring } = said(row);
  const { cron, prompt, recurring: wanted } = row.input;
  const repeats = (recurring ?? wanted) !== false;
  const at = typeof nextFireAt === "number" ? nextFireAt : undefined;
  const isOver = !repeats && at !== undefined ? at <= now : now - row.at > EXPIRY_MS;
  const when = firstText(humanSchedule, cron);
  return {
    row,
    what: firstText(prompt),
    ...(when !== "" && { when }),
    ...(at !== undefined && { at }),
    repeats,
    state: isOver ? "over" : "waits",
  };
};

/** Undefined for a call that only stops a loop. */
const wakeupOf = (row: ToolRow, now: number): Alarm | undefined => {
  const { scheduledFor, stopped } = said(row);
  const { prompt, reason, delaySeconds, stop } = row.input;
  if (stop === true || stopped === true) return undefined;
  const at = typeof scheduledFor === "number" ? scheduledFor : undefined;
  return {
    row,
    what: firstText(reason, prompt),
    ...(typeof delaySeconds === "number" && { delaySeconds }),
    ...(at !== undefined && { at }),
    repeats: false,
    state: at !== undefined && at > now ? "waits" : "over",
  };
};

const said = ({ result }: ToolRow): Readonly<Record<string, unknown>> =>
  isRecord(result?.structured) ? result.structured : {};
const firstText = (...values: readonly unknown[]): string =>
  values.find((value): value is string => typeof value === "string" && value !== "") ?? "";
