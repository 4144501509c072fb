// How far each session was read on this device. Rows have a rising order, and rows above the stored one are unread.

import { isRecord } from "@quarterdeck/client/content";
import type { SessionSummary } from "@quarterdeck/client";
import { kept } from "./kept.ts";

type Seen = Readonly<Record<string, number>>;
/** The oldest entries are dropped first. A session that was never opened here counts as read. */
const MOST = 500;

const decode = (value: unknown): Seen =>
  Object.fromEntries(
    Object.entries(isRecord(value) ? value : {}).filter(
      (each): each is [string, number] => typeof each[1] === "number",
    ),
  );

export const seen = kept("seen", decode);

export const withSeen = (before: Seen, id: string, order: number): Seen => {
  if ((before[id] ?? -1) >= order) return before;
  const { [id]: _, ...others } = before;
  return Object.fromEntries([...Object.entries(others), [id, order]].slice(-MOST));
};

export const markSeen = (id: string, order: number): void => {
  const before = seen.get();
  const after = withSeen(before, id, order);
  if (after !== before) seen.set(after);
};

/** Shown as unread until somebody opens it. */
export const markUnread = ({ id, lastOrder }: SessionSummary): void => seen.set({ ...seen.get(), [id]: lastOrder - 1 });

export const isUnread = (summary: SessionSummary, known: Seen): boolean => {
  const order = known[summary.id];
  return order !== undefined && summary.lastOrder > order;
};
