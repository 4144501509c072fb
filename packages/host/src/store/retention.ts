// How long sessions are kept. The store deletes what it is told to; this says what.

import type { EventStore, SessionRecord } from "./event-store.ts";

export interface RetentionPolicy {
  readonly now: number;
  /** Sessions that have not been used for longer go. */
  readonly maxAgeMs?: number;
  /** While all sessions together take more, the one that was used longest ago goes. */
  readonly maxBytes?: number;
  /** Whatever its age or size: a live session, one that is pinned. */
  readonly isKept: (record: SessionRecord) => boolean;
}

/** Gives the ids of those that went. */
export const deleteByPolicy = async (store: EventStore, policy: RetentionPolicy): Promise<readonly string[]> => {
  const { now, maxAgeMs = Infinity, maxBytes = Infinity, isKept } = policy;
  let total = Object.values(store.usage().sessions).reduce((sum, size) => sum + size, 0);
  const gone: string[] = [];
  for (const { record, usedAt, bytes } of store.list().toReversed()) {
    if (isKept(record) || (now - usedAt <= maxAgeMs && total <= maxBytes)) continue;
    gone.push(record.id);
    total -= bytes;
  }
  // Together, so that a file is written anew once and not for each of them.
  await Promise.all(gone.map((id) => store.deleteSession(id)));
  return gone;
};
