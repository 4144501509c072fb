// What a session's log and the CLI's transcript say of each other: both name messages by the same uuids (measured on 2.1.38 and
// 2.1.325).

import type { Event, Fact, Row } from "@quarterdeck/session";
import type { EventStore } from "./event-store.ts";

type Imported = Extract<Fact, { type: "imported" }>;

/** How far back the log is looked at, at once: a transcript goes on from its end. */
const LOOK_BACK = 5000;

const valueOf = (event: Event): unknown =>
  event.type === "imported" ? event.entry : event.type === "received" ? event.message : undefined;

/** Of what was said in the conversation, not of what we sent: that may never have been read. */
const uuidOf = (event: Event): string | undefined => {
  const { type, uuid } = (valueOf(event) ?? {}) as Record<string, unknown>;
  return (type === "assistant" || type === "user") && typeof uuid === "string" ? uuid : undefined;
};

/** Of the newest messages in the log, however much that is none has come since. */
export const uuidsOf = (store: EventStore, id: string): ReadonlySet<string> => {
  const uuids = new Set<string>();
  for (let end = store.lastSeq(id); end > 0 && uuids.size === 0; end -= LOOK_BACK) {
    for (let after = Math.max(0, end - LOOK_BACK); after < end; after += 1000) {
      for (const event of store.read(id, after, 1000)) {
        const uuid = uuidOf(event);
        if (uuid !== undefined) uuids.add(uuid);
      }
    }
  }
  return uuids;
};

/**
 * What a transcript has after the last message that is known: all of it where none is, but nothing where the two share none, for
 * then it is another conversation.
 */
export const newsOf = (transcript: readonly Event[], known: ReadonlySet<string>): readonly Imported[] => {
  const last = transcript.findLastIndex((event) => known.has(uuidOf(event) ?? ""));
  if (last === -1 && known.size > 0) return [];
  return transcript.slice(last + 1).flatMap((event) => {
    if (event.type !== "imported") return [];
    const { seq: _seq, at: _at, ...fact } = event;
    return [fact];
  });
};

interface Rows {
  readonly id: string;
  row(id: string): Row | undefined;
  rowsBefore(order: number, limit: number): { readonly rows: readonly Row[] };
}

/** The message that a row came from, or the last one before it: where a fork can be made. */
export const messageAtRow = (store: EventStore, session: Rows, rowId: string): string | undefined => {
  for (let row = session.row(rowId); row !== undefined; row = session.rowsBefore(row.order, 1).rows.at(-1)) {
    for (const seq of row.seqs.toReversed()) {
      const [event] = store.read(session.id, seq - 1, 1);
      if (event !== undefined && isConversation(event)) return uuidOf(event);
    }
  }
  return undefined;
};

/** In the conversation itself, not in that of an agent. */
const isConversation = (event: Event): boolean =>
  uuidOf(event) !== undefined &&
  typeof (valueOf(event) as Record<string, unknown>)["parent_tool_use_id"] !== "string" &&
  (event.type !== "imported" || event.parent === undefined);

/** All facts of one session to another, or those up to the message with this uuid. The process stays where it is. */
export const copyFacts = async (store: EventStore, from: string, to: string, upTo?: string): Promise<void> => {
  let isCut = false;
  for (let after = 0; !isCut;) {
    const page = store.read(from, after, 1000);
    const end = upTo === undefined ? -1 : page.findIndex((event) => uuidOf(event) === upTo);
    isCut = end !== -1;
    const events = isCut ? page.slice(0, end + 1) : page;
    if (events.length === 0) break;
    await store.append(
      to,
      events.map(({ seq: _seq, at, ...fact }) => ({ at, fact })),
    );
    after = page.at(-1)!.seq;
  }
  const at = Date.now();
  const ends = [{ type: "stdin-closed" }, { type: "process-exited", code: 0, signal: null }] as const;
  await store.append(
    to,
    ends.map((fact) => ({ at, fact })),
  );
};
