// How long sessions are kept. This file chooses the sessions to delete; the store deletes them.

import type { EventStore, SessionRecord } from "./event-store.ts";

export interface RetentionPolicy {
  readonly now: number;
  /** Sessions that were not used for longer than this are deleted. */
  readonly maxAgeMs?: number;
  /** While all sessions together take more than this, the least recently used session is deleted. */
  readonly maxBytes?: number;
  /** Sessions to keep whatever their age or size, such as live or pinned ones. */
  readonly isKept: (record: SessionRecord) => boolean;
}

/** Returns the ids of the deleted sessions. */
export const deleteByPolicy = async (store: EventStore, policy: RetentionPolicy): Promise<readonly string[]> => {
  const { now, maxAgeMs = Infinity, maxBytes = Infinity, isKept } = policy;
  let total = Object.values(store.usage().sessions).reduce((sum, size) => sum + size, 0);
  const gone: string[] = [];
  for (const { record, usedAt, bytes } of store.list().toReversed()) {
    if (isKept(record) || (now - usedAt <= maxAgeMs && total <= maxBytes)) continue;
    gone.push(record.id);
    total -= bytes;
  }
  // All at once, so that each file is rewritten once and not once per session.
  await Promise.all(gone.map((id) => store.deleteSession(id)));
  return gone;
};
