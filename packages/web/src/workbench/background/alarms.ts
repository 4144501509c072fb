// Alarms that the CLI has set for itself. They live in its process. Only the calls that set them show that they exist.

import type { Row, ToolRow } from "@quarterdeck/client";
import { WORDS } from "./words.ts";

export interface Alarm {
  readonly row: ToolRow;
  /** What will be done. */
  readonly what: string;
  /** When, in the words of the CLI or of the call. */
  readonly when: string;
  /** The next time, if the CLI said it. */
  readonly at?: number;
  readonly repeats: boolean;
  readonly state: "waits" | "over" | "deleted" | "replaced" | "gone";
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
const wordOf = (...values: readonly unknown[]): string =>
  values.find((value): value is string => typeof value === "string" && value !== "") ?? "";

/** Newest first. `isLive`: the process of the last row still runs. */
export const alarmsIn = (rows: readonly Row[], now: number, isLive: boolean): readonly Alarm[] => {
  const alarms: Alarm[] = [];
  const deleted = new Set<unknown>();
  let isGone = !isLive;
  let hasWakeup = false;
  for (const row of rows.toReversed()) {
    if (row.kind === "mark" && row.what === "resumed") isGone = true;
    if (row.kind !== "tool" || row.result?.ok !== true) continue;
    const { id, humanSchedule, nextFireAt, recurring, scheduledFor, stopped } = fieldsOf(row.result.structured);
    const { cron, prompt, reason, delaySeconds, recurring: wanted, stop } = row.input;
    if (row.name === "CronDelete") deleted.add(row.input["id"]);
    if (row.name === "CronCreate") {
      const repeats = (recurring ?? wanted) !== false;
      const at = typeof nextFireAt === "number" ? { at: nextFireAt } : {};
      const isOver = !repeats && at.at !== undefined && at.at <= now;
      const state = isGone ? "gone" : deleted.has(id) ? "deleted" : isOver ? "over" : "waits";
      alarms.push({ row, what: wordOf(prompt), when: wordOf(humanSchedule, cron), repeats, state, ...at });
    }
    if (row.name !== "ScheduleWakeup") continue;
    if (stop === true || stopped === true) {
      hasWakeup = true;
      continue;
    }
    const at = typeof scheduledFor === "number" ? { at: scheduledFor } : {};
    const isOver = at.at !== undefined && at.at <= now;
    const state = isGone ? "gone" : isOver ? "over" : hasWakeup ? "replaced" : "waits";
    hasWakeup = true;
    const when = typeof delaySeconds === "number" ? WORDS.after(delaySeconds) : "";
    alarms.push({ row, what: wordOf(reason, prompt), when, repeats: false, state, ...at });
  }
  return alarms;
};
