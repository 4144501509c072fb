// Where a session is read from: from memory while the host has it there, else from the store, which costs what is shown and not
// what the session has; or from the CLI's own transcript, where a terminal began it.

import { randomUUID } from "node:crypto";
import type { EventStore, RowPage, RowWindow, Session, Transcript } from "@quarterdeck/host";
import { followTranscript } from "@quarterdeck/host";
import { createFold, FOLD_VERSION } from "@quarterdeck/session";
import type { Changes, Draft, DraftGrowth, Event, Fold, Head, Row } from "@quarterdeck/session";

export interface SessionSource {
  readonly kind: "memory" | "store" | "transcript";
  /** In memory: whose it is. */
  readonly of?: Session;
  /** With `rev`: where a client stands. */
  readonly epoch: string;
  readonly rev: number;
  readonly head: Head;
  readonly drafts: readonly Draft[];
  hasRow(id: string): boolean;
  row(id: string): Row | undefined;
  /** Nothing where more than `most` rows changed, or where `since` is not of this fold. */
  changes(since: number, most: number): Changes | undefined;
  before(order: number, limit: number): RowPage;
  after(order: number, limit: number): RowPage;
  around(rowId: string, limit: number): RowWindow | undefined;
  /** Called after each event, with what it added to a draft. */
  subscribe(listener: (growth: DraftGrowth | undefined) => void): () => void;
  /** Where something is held open for it. */
  close?(): void;
}

export const memorySource = (session: Session): SessionSource => ({
  kind: "memory",
  of: session,
  get epoch() {
    return session.epoch;
  },
  get rev() {
    return session.rev;
  },
  get head() {
    return session.head;
  },
  get drafts() {
    return session.drafts;
  },
  hasRow: (id) => session.row(id) !== undefined,
  row: (id) => session.row(id),
  changes: (since, most) => atMost(session.changes(since), most),
  before: (order, limit) => session.rowsBefore(order, limit),
  after: (order, limit) => session.rowsAfter(order, limit),
  around: (rowId, limit) => session.rowsAround(rowId, limit),
  subscribe: (listener) => session.subscribe(() => listener(session.growth)),
});

/** Nothing where the store has not all of it folded: the host must open it. */
export const storedSource = (store: EventStore, session: string): SessionSource | undefined => {
  const stored = store.loadHead(session, FOLD_VERSION);
  if (stored === undefined || stored.seq !== store.lastSeq(session) || stored.head.process?.running === true)
    return undefined;
  const { rev, head } = stored;
  return {
    kind: "store",
    epoch: head.epoch ?? "",
    rev,
    head,
    drafts: [],
    hasRow: (id) => store.row(session, id) !== undefined,
    row: (id) => store.row(session, id),
    changes: (since, most) => {
      const changes = store.changesSince(session, FOLD_VERSION, since, most);
      return changes === undefined || changes.more || changes.rev < since ? undefined : changes;
    },
    before: (order, limit) => store.rowsBefore(session, order, limit),
    after: (order, limit) => store.rowsAfter(session, order, limit),
    around: (rowId, limit) => store.rowsAround(session, rowId, limit),
    // Nothing happens to it there: whoever changes it opens it first.
    subscribe: () => () => {},
  };
};

/** Followed as long as somebody listens. */
export const transcriptSource = async (
  transcript: Transcript,
  onError: (error: unknown) => void,
): Promise<SessionSource> => {
  const epoch = randomUUID();
  const fold = createFold(undefined, { epoch });
  const listeners = new Set<(growth: DraftGrowth | undefined) => void>();
  const read = Promise.withResolvers<void>();
  const close = followTranscript(
    transcript.path,
    (events: readonly Event[]) => {
      for (const event of events) fold.apply(event);
      for (const listener of listeners) listener(undefined);
      read.resolve();
    },
    (error) => {
      read.reject(error);
      onError(error);
    },
  );
  await read.promise;
  return foldSource(fold, epoch, listeners, close);
};

const foldSource = (
  fold: Fold,
  epoch: string,
  listeners: Set<(growth: DraftGrowth | undefined) => void>,
  close: () => void,
): SessionSource => {
  const before = (order: number, limit: number): RowPage => {
    const rows = fold.rowsBefore(order, limit + 1);
    return { rows: rows.slice(Math.max(0, rows.length - limit)), more: rows.length > limit };
  };
  const after = (order: number, limit: number): RowPage => {
    const rows = fold.rowsAfter(order, limit + 1);
    return { rows: rows.slice(0, limit), more: rows.length > limit };
  };
  return {
    kind: "transcript",
    epoch,
    get rev() {
      return fold.rev;
    },
    get head() {
      return { ...fold.head, phase: "ended" as const };
    },
    drafts: [],
    hasRow: (id) => fold.row(id) !== undefined,
    row: (id) => fold.row(id),
    changes: (since, most) => atMost(fold.changes(since), most),
    before,
    after,
    around: (rowId, limit) => {
      const row = fold.row(rowId);
      if (row === undefined) return undefined;
      const [earlier, later] = [before(row.order, limit), after(row.order, limit)];
      return { rows: [...earlier.rows, row, ...later.rows], moreBefore: earlier.more, moreAfter: later.more };
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close,
  };
};

const atMost = (changes: Changes, most: number): Changes | undefined =>
  changes.rows.length > most ? undefined : changes;
