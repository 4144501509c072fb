// What both stores derive from a saved fold, and the order of the session list.

import type { Row, SavedFold } from "@quarterdeck/session";
import type { FoldToSave, SessionEntry, StoredChanges, StoredFold, StoredHead } from "./event-store.ts";
import { summaryOf } from "./session-summary.ts";
import type { StoredSummary } from "./session-summary.ts";

/** A saved timeline without its rows. */
export type TimelinePart = Omit<SavedFold["timeline"], "rows">;

export const headOf = ({ seq, fold }: StoredFold): StoredHead => ({
  seq,
  rev: fold.timeline.rev,
  rowCount: fold.timeline.rows.length,
  head: fold.timeline.head,
});

/** `before` is the summary of the fold that a partial fold continues. */
export const summaryOfStored = ({ seq, fold, partial }: FoldToSave, before?: StoredSummary): StoredSummary => {
  const { rev, head, nextOrder, rows } = fold.timeline;
  const rowCount = partial?.rowCount ?? rows.length;
  return summaryOf({ seq, rev, head, rowCount, lastOrder: nextOrder - 1, rows }, partial && before);
};

/** The fold after a save. Undefined if a partial fold does not continue the fold before. */
export const savedOn = (before: StoredFold | undefined, { seq, fold, partial }: FoldToSave): StoredFold | undefined => {
  if (partial === undefined) return { seq, fold };
  const { rev = 0, rows: kept = [] } = before?.fold.timeline ?? {};
  const goesOn = before?.fold.version === fold.version && rev >= partial.since && rev <= fold.timeline.rev;
  if (!goesOn) return undefined;
  const { rows, removed } = fold.timeline;
  const byId = new Map([...kept, ...rows].map((row) => [row.id, row]));
  for (const [id] of removed) byId.delete(id);
  const all = [...byId.values()].toSorted((a, b) => a.order - b.order);
  return { seq, fold: { ...fold, timeline: { ...fold.timeline, rows: all } } };
};

/** `rows` are the first rows that changed after `since`, by `rev`. If `more` is set, the next call returns the rest. */
export const changesOf = (
  { rev, removed, head, headRevs }: TimelinePart,
  since: number,
  rows: readonly Row[],
  more: boolean,
): StoredChanges => {
  const until = more ? (rows.at(-1)?.rev ?? since) : rev;
  // Every page has all changed head fields. A client that leaves after this page must not miss a field that its `rev`
  // covers.
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
