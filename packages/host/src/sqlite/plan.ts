// What one commit writes of each session: the facts with their numbers, and of a fold only what changed.

import type { Row } from "@quarterdeck/session";
import type { SessionRecord, StoredFold } from "../event-store.ts";
import type { Known } from "./registry.ts";
import type { FoldPart } from "./volume-reader.ts";
import type { FoldWrite, RowWrite, SessionWrites } from "./volume-writer.ts";
import type { Write } from "./write-queue.ts";

/** What one commit writes of one session. */
export interface Plan {
  readonly known: Known;
  readonly at: number[];
  readonly bodies: string[];
  fold?: StoredFold;
  record?: SessionRecord;
  drafts?: Readonly<Record<string, string>>;
  /** After the commit. */
  keep(bytes: number): void;
}

export const addToPlan = (plans: Map<string, Plan>, known: Known, write: Write): void => {
  let planned = plans.get(known.id);
  if (planned === undefined) plans.set(known.id, (planned = newPlan(known)));
  switch (write.kind) {
    case "append":
      write.first = known.lastSeq + planned.bodies.length + 1;
      planned.at.push(...write.facts.map(({ at }) => at));
      planned.bodies.push(...write.bodies);
      return;
    case "fold":
      planned.fold = write.stored;
      return;
    case "record":
      planned.record = write.record;
      return;
    case "drafts":
      planned.drafts = write.drafts;
      return;
    case "delete":
  }
};

const newPlan = (known: Known): Plan => ({
  known,
  at: [],
  bodies: [],
  keep(bytes) {
    known.isStored = true;
    known.lastSeq += this.bodies.length;
    known.bytes = bytes;
    if (this.record !== undefined) known.record = this.record;
    if (this.fold !== undefined) known.fold = { version: this.fold.fold.version, rev: this.fold.fold.timeline.rev };
  },
});

export const writesOf = ({ known, at, bodies, fold, record, drafts }: Plan): SessionWrites => ({
  key: known.key,
  id: known.id,
  ...(bodies.length > 0 && { events: { first: known.lastSeq + 1, at, bodies } }),
  ...(fold !== undefined && { fold: foldWrite(known, fold) }),
  parts: {
    ...(record !== undefined && { record: JSON.stringify(record) }),
    ...(drafts !== undefined && { drafts: Object.keys(drafts).length === 0 ? null : JSON.stringify(drafts) }),
  },
});

const foldWrite = ({ fold: last }: Known, { seq, fold }: StoredFold): FoldWrite => {
  const { version, memory } = fold;
  const { rows, ...timeline } = fold.timeline;
  const part: FoldPart = { seq, rows: rows.length, version, timeline, memory };
  const from = last?.version === version && last.rev <= timeline.rev ? last.rev : undefined;
  const changed = from === undefined ? rows : rows.filter(({ rev }) => rev > from);
  const removed = from === undefined ? [] : timeline.removed.filter(([, rev]) => rev > from).map(([id]) => id);
  return { body: JSON.stringify(part), rows: changed.map(rowWrite), removed, isWhole: from === undefined };
};

const rowWrite = (row: Row): RowWrite => ({
  id: row.id,
  order: row.order,
  rev: row.rev,
  at: row.at,
  body: JSON.stringify(row),
});
