// Read access to a session, in memory or only stored: the same head, rows and changes.

import type { Draft, Head, Row } from "@quarterdeck/session";
import type { EventStore, RowPage, RowWindow, StoredChanges } from "../store/event-store.ts";

export interface ReadableSession {
  readonly id: string;
  readonly head: Head;
  /** Together with `rev`, the position of a client. In a new epoch, the client starts again. */
  readonly epoch: string;
  readonly rev: number;
  readonly seq: number;
  readonly rowCount: number;
  readonly drafts: readonly Draft[];
  readonly isLive: boolean;
  row(id: string): Row | undefined;
  rowsBefore(order: number, limit: number): RowPage;
  rowsAfter(order: number, limit: number): RowPage;
  rowsAround(rowId: string, limit: number): RowWindow | undefined;
  /** At most `limit` rows that changed after `rev`, and the changed head fields. */
  changesSince(rev: number, limit: number): StoredChanges;
}

/**
 * Undefined if facts came after the fold was saved, or if the fold still shows a process that is gone. Open the session
 * instead.
 */
export const storedView = (store: EventStore, id: string, version: number): ReadableSession | undefined => {
  const stored = store.loadHead(id, version);
  if (stored === undefined || stored.seq !== store.lastSeq(id) || stored.head.process?.running === true)
    return undefined;
  const { head, rev, seq, rowCount } = stored;
  return {
    id,
    head,
    rev,
    seq,
    rowCount,
    epoch: head.epoch ?? "",
    drafts: [],
    isLive: false,
    row: (rowId) => store.row(id, rowId),
    rowsBefore: (order, limit) => store.rowsBefore(id, order, limit),
    rowsAfter: (order, limit) => store.rowsAfter(id, order, limit),
    rowsAround: (rowId, limit) => store.rowsAround(id, rowId, limit),
    changesSince: (since, limit) =>
      store.changesSince(id, version, since, limit) ?? { rev, rows: [], removed: [], head: {}, more: false },
  };
};
