// Limits of the plan as rows: what `get_usage` says, and what came with `rate_limit_event` since.

import type { Head } from "@quarterdeck/client";
import { fieldsOf, listOf, textOf, type Fields } from "../use-request.ts";

export interface PlanRow {
  readonly name: string;
  /** From 0 to 1. */
  readonly share?: number;
  /** Milliseconds. */
  readonly resetsAt?: number;
  readonly status?: string;
}

const NAMES: Readonly<Record<string, string>> = {
  five_hour: "5 hours",
  seven_day: "7 days",
  seven_day_opus: "7 days, Opus",
  seven_day_sonnet: "7 days, Sonnet",
  seven_day_oauth_apps: "7 days, apps",
  seven_day_overage_included: "7 days, with extra usage",
  overage: "Extra usage",
};
const nameOf = (type: string): string => (Object.hasOwn(NAMES, type) ? NAMES[type]! : type.replaceAll("_", " "));

/** The CLI gives percent and a time as text here. */
const reported = (name: string, { utilization, resets_at: at }: Fields): PlanRow[] => {
  if (typeof utilization !== "number") return [];
  const resetsAt = Date.parse(textOf(at));
  return [{ name, share: utilization / 100, ...(Number.isFinite(resetsAt) && { resetsAt }) }];
};

export const planRows = (usage: Fields | undefined, limits: Head["limits"]): readonly PlanRow[] => {
  const { model_scoped: scoped, ...windows } = fieldsOf(usage?.["rate_limits"]);
  const rows = new Map<string, PlanRow>();
  for (const [type, window] of Object.entries(windows))
    for (const row of reported(nameOf(type), fieldsOf(window))) rows.set(row.name, row);
  for (const model of listOf(scoped))
    for (const row of reported(textOf(model["display_name"]) || "Model", model)) rows.set(row.name, row);
  for (const [type, { status, resetsAt, utilization }] of Object.entries(limits ?? {})) {
    const name = nameOf(type);
    rows.set(name, {
      ...rows.get(name),
      name,
      status,
      ...(resetsAt !== undefined && { resetsAt: resetsAt * 1000 }),
      ...(utilization !== undefined && { share: utilization }),
    });
  }
  return [...rows.values()];
};
