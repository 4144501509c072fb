// Where a session is read from: the host's view in memory or in the store, or the CLI's transcript if a terminal
// started the session.

import { randomUUID } from "node:crypto";
import { followTranscript, Session } from "@quarterdeck/host";
import type { RowPage, ReadableSession, Transcript } from "@quarterdeck/host";
import { createFold } from "@quarterdeck/session";
import type { Changes, DraftGrowth, Event, Fold } from "@quarterdeck/session";
import { fitsInFrame } from "./within-size.ts";

type Listener = (growth: DraftGrowth | undefined) => void;

export interface SessionSource {
  readonly kind: "memory" | "store" | "transcript";
  readonly view: ReadableSession;
  /** Called after each event, with what it added to a draft. */
  subscribe(listener: Listener): () => void;
  /** Set if the source holds something open. */
  close?(): void;
}

/** A stored session does not change: the host opens a session before it changes it. */
export const sourceOf = (view: ReadableSession): SessionSource =>
  view instanceof Session
    ? { kind: "memory", view, subscribe: (listener) => view.subscribe(() => listener(view.growth)) }
    : { kind: "store", view, subscribe: () => () => {} };

/**
 * If many rows change at once, for example for a client that was away, their size is checked. It is not checked for
 * each frame.
 */
const MANY_ROWS = 20;

/**
 * Undefined if more than `most` rows changed, if the changes do not fit into a frame, or if `since` is not a rev of
 * this fold.
 */
export const changesOf = (view: ReadableSession, since: number, most: number): Changes | undefined => {
  const changes = view.changesSince(since, most);
  if (changes.more || changes.rev < since) return undefined;
  return changes.rows.length > MANY_ROWS && !fitsInFrame(changes.rows) ? undefined : changes;
};

/** Follows the transcript until it is closed. */
export const transcriptSource = async (
  { id, path }: Transcript,
  onError: (error: unknown) => void,
): Promise<SessionSource> => {
  const epoch = randomUUID();
  const fold = createFold(undefined, { epoch });
  const listeners = new Set<Listener>();
  const read = Promise.withResolvers<void>();
  const close = followTranscript(
    path,
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
  try {
    await read.promise;
  } catch (error) {
    close();
    throw error;
  }
  return {
    kind: "transcript",
    view: foldView(id, epoch, fold),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close,
  };
};

const foldView = (id: string, epoch: string, fold: Fold): ReadableSession => {
  const rowsBefore = (order: number, limit: number): RowPage => {
    const rows = fold.rowsBefore(order, limit + 1);
    return { rows: rows.slice(Math.max(0, rows.length - limit)), more: rows.length > limit };
  };
  const rowsAfter = (order: number, limit: number): RowPage => {
    const rows = fold.rowsAfter(order, limit + 1);
    return { rows: rows.slice(0, limit), more: rows.length > limit };
  };
  return {
    id,
    epoch,
    get rev() {
      return fold.rev;
    },
    get seq() {
      return fold.seq;
    },
    get rowCount() {
      return fold.rowCount;
    },
    get head() {
      return { ...fold.head, phase: "ended" as const };
    },
    drafts: [],
    isLive: false,
    row: (rowId) => fold.row(rowId),
    rowsBefore,
    rowsAfter,
    rowsAround: (rowId, limit) => {
      const row = fold.row(rowId);
      if (row === undefined) return undefined;
      const [before, after] = [rowsBefore(row.order, limit), rowsAfter(row.order, limit)];
      return { rows: [...before.rows, row, ...after.rows], moreBefore: before.more, moreAfter: after.more };
    },
    changesSince: (since, limit) => {
      const changes = fold.changes(since);
      return { ...changes, more: changes.rows.length > limit };
    },
  };
};
