// Facts, records and comparisons for tests of stores.

import { FOLD_VERSION } from "@quarterdeck/session";
import type { Fact, Fold } from "@quarterdeck/session";
import type { EventStore, NewFact, SessionRecord } from "./event-store.ts";

export const said = (id: string, text: string): Fact => ({
  type: "received",
  message: {
    type: "assistant",
    uuid: `uuid-${id}`,
    session_id: "cli-session",
    parent_tool_use_id: null,
    message: { id, role: "assistant", model: "model", content: [{ type: "text", text }] },
  },
});

export const typed = (uuid: string, content: string): Fact => ({ type: "prompt-accepted", uuid, content });

export const facts = (...all: Fact[]): NewFact[] => all.map((fact, index) => ({ at: 1000 + index, fact }));

export const recordOf = (id: string, more: Partial<SessionRecord> = {}): SessionRecord => ({
  id,
  createdAt: 1,
  updatedAt: 2,
  cwd: "/project",
  archived: false,
  settings: { model: "opus" },
  ...more,
});

/** Appends, folds and saves, as a session does. */
export const converse = async (store: EventStore, session: string, fold: Fold, ...all: Fact[]): Promise<void> => {
  for (const event of await store.append(session, facts(...all))) fold.apply(event);
  await store.saveFold(session, { seq: fold.seq, fold: fold.save() });
};

export const everythingOf = (store: EventStore, session: string): unknown => ({
  record: store.session(session),
  lastSeq: store.lastSeq(session),
  events: store.read(session, 0, 1_000_000),
  fold: store.loadFold(session, FOLD_VERSION),
  page: store.rowsBefore(session, Number.MAX_SAFE_INTEGER, 3),
  head: store.loadHead(session, FOLD_VERSION),
  changes: store.changesSince(session, FOLD_VERSION, 3, 1000),
  entry: entryOf(store, session),
  drafts: store.loadDrafts(session),
});

/** Without `bytes`, which each store counts in its own way. */
const entryOf = (store: EventStore, session: string): unknown => {
  const entry = store.list().find(({ record }) => record.id === session);
  return entry === undefined ? undefined : { ...entry, bytes: 0 };
};

export const NOTHING = {
  record: undefined,
  lastSeq: 0,
  events: [],
  fold: undefined,
  page: { rows: [], more: false },
  head: undefined,
  changes: undefined,
  entry: undefined,
  drafts: {},
};
