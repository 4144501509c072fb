// Alarms that the CLI has set for itself. They end with its process. Only the tool calls that set them show that they
// exist (measured on 2.1.325). There is no task and no request, and the phase is idle.

import type { Row, ToolRow } from "@quarterdeck/session";

interface Rows {
  rowsBefore(order: number, limit: number): { readonly rows: readonly Row[] };
}

const PAGE = 200;
/** The CLI drops a job after this time. */
const EXPIRY_MS = 7 * 24 * 3600 * 1000;

/** Whether the process would start a turn by itself later. */
export const hasSchedule = (session: Rows, now: number): boolean => {
  const deleted = new Set<unknown>();
  let isWakeupKnown = false;
  for (let before = Infinity; ;) {
    const { rows } = session.rowsBefore(before, PAGE);
    for (const row of rows.toReversed()) {
      if (row.kind === "mark" && row.what === "resumed") return false;
      if (row.kind !== "tool" || row.result?.ok !== true) continue;
      const { id, recurring, nextFireAt, scheduledFor, stopped } = structuredOf(row);
      if (row.name === "CronDelete") deleted.add(row.input["id"]);
      const isOver =
        recurring === false && typeof nextFireAt === "number" ? nextFireAt <= now : now - row.at > EXPIRY_MS;
      if (row.name === "CronCreate" && !deleted.has(id) && !isOver) return true;
      if (row.name !== "ScheduleWakeup" || isWakeupKnown) continue;
      // The newest wakeup replaces earlier ones.
      isWakeupKnown = true;
      if (stopped !== true && typeof scheduledFor === "number" && scheduledFor > now) return true;
    }
    if (rows.length < PAGE) return false;
    before = rows[0]!.order;
  }
};

const structuredOf = ({ result }: ToolRow): Readonly<Record<string, unknown>> => {
  const structured = result?.structured;
  return typeof structured === "object" && structured !== null ? { ...structured } : {};
};
