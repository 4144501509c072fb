// What both stores say of a saved fold, and of the list of sessions.

import type { Row, SavedFold } from "@quarterdeck/session";
import type { SessionEntry, StoredChanges, StoredFold, StoredHead } from "./event-store.ts";
import { summaryOf } from "./session-summary.ts";
import type { SessionSummary } from "./session-summary.ts";

/** A saved timeline, with or without its rows. */
export type TimelinePart = Omit<SavedFold["timeline"], "rows">;

export const headOf = ({ seq, fold }: StoredFold): StoredHead => ({
  seq,
  rev: fold.timeline.rev,
  rowCount: fold.timeline.rows.length,
  head: fold.timeline.head,
});

export const summaryOfStored = ({ seq, fold }: StoredFold, before?: SessionSummary): SessionSummary => {
  const { rev, head, nextOrder, rows } = fold.timeline;
  return summaryOf({ seq, rev, head, rowCount: rows.length, lastOrder: nextOrder - 1, rows }, before);
};

/** `rows` are the first that changed after `since`, by `rev`; where there are more, the rest is for the next call. */
export const changesOf = (
  { rev, removed, head, headRevs }: TimelinePart,
  since: number,
  rows: readonly Row[],
  more: boolean,
): StoredChanges => {
  const until = more ? (rows.at(-1)?.rev ?? since) : rev;
  // All of them each time: a client that leaves after this page must miss none that this page's `rev` covers.
  const fields = Object.entries(head).filter(([key]) => (headRevs[key] ?? 0) > since);
  return {
    rev: until,
    rows: rows.toSorted((a, b) => a.order - b.order),
    removed: removed.filter(([, at]) => at > since && at <= until).map(([id]) => id),
    head: Object.fromEntries(fields),
    more,
  };
};

export const byLastUse = (a: SessionEntry, b: SessionEntry): number =>
  b.usedAt - a.usedAt || (a.record.id < b.record.id ? -1 : 1);
