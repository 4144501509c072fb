// A search over all sessions that does not depend on what is saved. The store has an index of the saved rows. Rows of
// sessions in memory that changed since then are matched here, with the same matcher.

import { FOLD_VERSION } from "@quarterdeck/session";
import type { Row } from "@quarterdeck/session";
import type { ReadableSession } from "./session/readable-session.ts";
import type { EventStore, Found, SearchFilter } from "./store/event-store.ts";
import { foundAnywhere, newestFirst } from "./store/search-filter.ts";
import { rowMatcher } from "./store/search-words.ts";

export const searchSessions = (
  store: EventStore,
  /** Sessions that may have rows which are not saved. */
  inMemory: readonly ReadableSession[],
  query: string,
  limit: number,
  filter: SearchFilter = {},
): Found => {
  const changed = new Map<string, ReadonlyMap<string, Row>>();
  for (const session of inMemory) {
    if (filter.sessions?.has(session.id) === false || store.session(session.id) === undefined) continue;
    const saved = store.loadHead(session.id, FOLD_VERSION)?.rev ?? 0;
    if (session.rev === saved) continue;
    const { rows, removed } = session.changesSince(saved, Infinity);
    const fresh = new Map<string, Row>(rows.map((row) => [row.id, row]));
    changed.set(session.id, new Map([...fresh, ...removed.map((id): [string, Row] => [id, GONE])]));
  }
  const dropped = [...changed.values()].reduce((sum, rows) => sum + rows.size, 0);
  const saved = store.search(query, limit + Math.min(dropped, limit), filter);
  const kept = saved.hits.filter(({ session, rowId }) => changed.get(session)?.has(rowId) !== true);
  const match = rowMatcher(query);
  const fresh = [...changed].flatMap(([session, rows]) =>
    [...rows.values()].flatMap((row) => {
      const found = row === GONE ? undefined : match(row);
      return (found && foundAnywhere(session, row, found, filter)) ?? [];
    }),
  );
  const hits = [...kept, ...fresh].toSorted(newestFirst);
  return { hits: hits.slice(0, limit), complete: saved.complete && hits.length <= limit };
};

/** Stands for a row that was removed. It is never returned. */
const GONE: Row = { id: "", order: 0, rev: 0, at: 0, seqs: [], kind: "noise", reason: "", size: 0 };
