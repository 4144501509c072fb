// Limits of the plan as rows: what `get_usage` says, and what came with `rate_limit_event` since.

import type { Head } from "@quarterdeck/client";
import { byKey } from "../../words/by-key.ts";
import { fieldsOf, listOf, textOf, type Fields } from "../../content/fields.ts";
import { WORDS } from "./words.ts";

export interface PlanRow {
  readonly name: string;
  /** From 0 to 1. */
  readonly share?: number;
  /** Milliseconds. */
  readonly resetsAt?: number;
  readonly status?: string;
}

const nameOf = (type: string): string => byKey(WORDS.limits, type).replaceAll("_", " ");

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
    for (const row of reported(textOf(model["display_name"]) || WORDS.model, model)) rows.set(row.name, row);
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
