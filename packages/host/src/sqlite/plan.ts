// What one commit writes of each session: the facts with their numbers, and of a fold only what changed.

import type { Row } from "@quarterdeck/session";
import type { SessionRecord, StoredFold } from "../event-store.ts";
import type { SessionSummary } from "../session-summary.ts";
import { summaryOfStored } from "../stored-fold.ts";
import type { Known, Lineage } from "./registry.ts";
import type { FoldPart } from "./volume-reader.ts";
import type { FoldWrite, RowWrite, SessionWrites } from "./volume-writer.ts";
import type { RowSlice, Write } from "./write-queue.ts";

/** What one commit writes of one session. */
export interface Plan {
  readonly known: Known;
  readonly at: number[];
  readonly bodies: string[];
  readonly folds: FoldWrite[];
  lineage: Lineage | undefined;
  record?: SessionRecord;
  summary?: SessionSummary;
  drafts?: Readonly<Record<string, string>>;
}

export const addToPlan = (plans: Map<string, Plan>, known: Known, write: Write): void => {
  let plan = plans.get(known.id);
  if (plan === undefined) plans.set(known.id, (plan = { known, at: [], bodies: [], folds: [], lineage: known.fold }));
  switch (write.kind) {
    case "append":
      write.first = known.lastSeq + plan.bodies.length + 1;
      plan.at.push(...write.facts.map(({ at }) => at));
      plan.bodies.push(...write.bodies);
      return;
    case "fold":
      plan.folds.push(foldWrite(plan.lineage, write.stored));
      plan.lineage = lineageOf(write.stored);
      plan.summary = summaryOfStored(write.stored);
      return;
    case "rows":
      plan.folds.push({ body: null, rows: write.rows.map(rowWrite), removed: [], kept: undefined });
      plan.lineage = { version: write.version, rev: write.upTo, hasStrangers: true };
      return;
    case "record":
      plan.record = write.record;
      return;
    case "drafts":
      plan.drafts = write.drafts;
      return;
    case "delete":
  }
};

export const writesOf = ({ known, at, bodies, folds, record, summary, drafts }: Plan): SessionWrites => ({
  key: known.key,
  id: known.id,
  isNew: !known.isStored,
  events: bodies.length === 0 ? undefined : { first: known.lastSeq + 1, at, bodies },
  folds,
  parts: {
    ...(record !== undefined && { record: JSON.stringify(record) }),
    ...(summary !== undefined && { summary: JSON.stringify(summary) }),
    ...(drafts !== undefined && { drafts: Object.keys(drafts).length === 0 ? null : JSON.stringify(drafts) }),
  },
});

/** The plan is committed. */
export const keepPlan = ({ known, at, bodies, lineage, record, summary }: Plan, bytes: number): void => {
  known.isStored = true;
  known.lastSeq += bodies.length;
  known.lastAt = at.at(-1) ?? known.lastAt;
  known.bytes = bytes;
  known.fold = lineage;
  if (record !== undefined) known.record = record;
  if (summary !== undefined) known.summary = summary;
};

/** So many rows take about as long as a commit should. */
const ROWS_AT_ONCE = 500;

/** What is to be written ahead of a fold, so that nobody else waits for all of it: none where it is small. */
export const slicesOf = (known: Known, { fold }: StoredFold): readonly RowSlice[] => {
  const { rev } = startOf(known.fold, fold);
  const changed = fold.timeline.rows.filter((row) => row.rev > rev).toSorted((a, b) => a.rev - b.rev);
  const slices: RowSlice[] = [];
  for (let at = 0; at + ROWS_AT_ONCE < changed.length; at += ROWS_AT_ONCE) {
    const rows = changed.slice(at, at + ROWS_AT_ONCE);
    slices.push({ kind: "rows", session: known.id, version: fold.version, rows, upTo: rows.at(-1)!.rev });
  }
  return slices;
};

const foldWrite = (lineage: Lineage | undefined, { seq, fold }: StoredFold): FoldWrite => {
  const { version, memory } = fold;
  const { rows, ...timeline } = fold.timeline;
  const part: FoldPart = { seq, rows: rows.length, version, timeline, memory };
  const { rev: from, hasStrangers } = startOf(lineage, fold);
  return {
    body: JSON.stringify(part),
    rows: rows.filter(({ rev }) => rev > from).map(rowWrite),
    removed: timeline.removed.filter(([, rev]) => rev > from).map(([id]) => id),
    kept: hasStrangers ? rows.map(({ id }) => id) : undefined,
  };
};

/** A fold that does not go on from what is kept is written from its beginning. */
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
