// What one commit writes for each session: facts with their numbers, and the changed parts of a fold.

import type { Row } from "@quarterdeck/session";
import type { FoldToSave, SessionRecord, StoredFold } from "../event-store.ts";
import type { StoredSummary } from "../session-summary.ts";
import { summaryOfStored } from "../stored-fold.ts";
import type { DraftWrites } from "./draft-pieces.ts";
import type { KnownSession, Lineage } from "./registry.ts";
import type { FoldPart } from "./volume-reader.ts";
import type { FoldWrite, RowWrite, SessionWrites } from "./volume-writer.ts";
import type { RowSlice, Write } from "./write-queue.ts";

/** What one commit writes for one session. */
export interface WritePlan {
  readonly known: KnownSession;
  readonly at: number[];
  readonly bodies: string[];
  readonly folds: FoldWrite[];
  lineage: Lineage | undefined;
  record?: SessionRecord;
  /** Null if the saved fold was dropped. */
  summary?: StoredSummary | null;
  readonly drafts: DraftWrites[];
}

export const addToPlan = (plans: Map<string, WritePlan>, known: KnownSession, write: Write): void => {
  let plan = plans.get(known.id);
  if (plan === undefined) {
    plans.set(known.id, (plan = { known, at: [], bodies: [], folds: [], drafts: [], lineage: known.fold }));
  }
  switch (write.kind) {
    case "append":
      write.first = known.lastSeq + plan.bodies.length + 1;
      plan.at.push(...write.facts.map(({ at }) => at));
      plan.bodies.push(...write.bodies);
      return;
    case "fold":
      plan.folds.push(foldWrite(plan.lineage, write.stored));
      if (goesOn(plan.lineage, write.stored)) {
        plan.lineage = lineageOf(write.stored);
        plan.summary = summaryOfStored(write.stored, plan.summary ?? known.summary);
      } else {
        plan.lineage = undefined;
        plan.summary = null;
      }
      return;
    case "rows":
      plan.folds.push({ ...NO_FOLD, rows: write.rows.map(rowWrite) });
      plan.lineage = { version: write.version, rev: write.upTo, hasStrangers: !write.isPartial };
      return;
    case "record":
      plan.record = write.record;
      return;
    case "drafts":
      plan.drafts.push(write.drafts);
      return;
    case "delete":
  }
};

export const writesOf = ({ known, at, bodies, folds, record, summary, drafts }: WritePlan): SessionWrites => ({
  key: known.key,
  id: known.id,
  isNew: !known.isStored,
  events: bodies.length === 0 ? undefined : { first: known.lastSeq + 1, at, bodies },
  folds,
  drafts,
  parts: {
    ...(record !== undefined && { record: JSON.stringify(record) }),
    ...(summary !== undefined && { summary: summary && JSON.stringify(summary) }),
  },
});

/** Updates the registry after the plan was committed. */
export const keepPlan = ({ known, at, bodies, lineage, record, summary }: WritePlan, bytes = known.bytes): void => {
  known.isStored = true;
  known.lastSeq += bodies.length;
  known.lastAt = at.at(-1) ?? known.lastAt;
  known.bytes = bytes;
  known.fold = lineage;
  if (record !== undefined) known.record = record;
  if (summary !== undefined) known.summary = summary ?? undefined;
};

/** The number of rows that one commit can write in reasonable time. */
const ROWS_AT_ONCE = 500;

/**
 * Row slices to commit before a large fold, so that other writes need not wait for all of it. Empty for a small fold.
 */
export const slicesOf = (known: KnownSession, stored: FoldToSave): readonly RowSlice[] => {
  if (!goesOn(known.fold, stored)) return [];
  const { fold } = stored;
  const { rev } = startOf(known.fold, fold);
  const changed = fold.timeline.rows.filter((row) => row.rev > rev).toSorted((a, b) => a.rev - b.rev);
  const slices: RowSlice[] = [];
  for (let at = 0; at + ROWS_AT_ONCE < changed.length; at += ROWS_AT_ONCE) {
    const rows = changed.slice(at, at + ROWS_AT_ONCE);
    const upTo = rows.at(-1)!.rev;
    slices.push({
      kind: "rows",
      session: known.id,
      version: fold.version,
      rows,
      upTo,
      isPartial: stored.partial !== undefined,
    });
  }
  return slices;
};

const NO_FOLD: FoldWrite = { body: null, memory: null, rows: [], removed: [], kept: undefined };

const foldWrite = (lineage: Lineage | undefined, stored: FoldToSave): FoldWrite => {
  if (!goesOn(lineage, stored)) return NO_FOLD;
  const { seq, fold, partial } = stored;
  const { version, memory } = fold;
  const { rows, ...timeline } = fold.timeline;
  const part: FoldPart = { seq, rows: partial?.rowCount ?? rows.length, version, timeline };
  const { rev: from, hasStrangers } = startOf(lineage, fold);
  return {
    body: JSON.stringify(part),
    memory: JSON.stringify(memory),
    rows: rows.filter(({ rev }) => rev > from).map(rowWrite),
    // Slices have advanced `from`, but they removed no rows.
    removed: timeline.removed.filter(([, rev]) => rev > Math.min(from, partial?.since ?? from)).map(([id]) => id),
    kept: hasStrangers ? rows.map(({ id }) => id) : undefined,
  };
};

/** A whole fold is always accepted. A part is accepted only if all rows before it are stored, and no others. */
const goesOn = (last: Lineage | undefined, { fold, partial }: FoldToSave): boolean =>
  partial === undefined ||
  (last?.version === fold.version && !last.hasStrangers && last.rev >= partial.since && last.rev <= fold.timeline.rev);

/** A fold that does not continue the stored one is written from its beginning. */
const startOf = (last: Lineage | undefined, { version, timeline }: StoredFold["fold"]): Lineage =>
  last?.version === version && last.rev <= timeline.rev ? last : { version, rev: 0, hasStrangers: true };

export const lineageOf = ({ fold }: StoredFold): Lineage => ({
  version: fold.version,
  rev: fold.timeline.rev,
  hasStrangers: false,
});

const rowWrite = (row: Row): RowWrite => ({
  id: row.id,
  order: row.order,
  rev: row.rev,
  at: row.at,
  body: JSON.stringify(row),
});
