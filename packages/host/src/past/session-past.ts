// Compares the log of a session with the CLI's transcript. Both name messages by the same uuids (measured on 2.1.38 and
// 2.1.325).

import { randomUUID } from "node:crypto";
import { isRecord } from "@quarterdeck/protocol";
import type { ClaudeOptions } from "@quarterdeck/protocol";
import type { Event, Fact, Row } from "@quarterdeck/session";
import type { EventStore, SessionRecord } from "../store/event-store.ts";
import { HostError } from "../host-error.ts";

type Imported = Extract<Fact, { type: "imported" }>;

/** How many facts of the log are read at once, backwards from its end. */
const LOOK_BACK = 5000;

const valueOf = (event: Event): unknown =>
  event.type === "imported" ? event.entry : event.type === "received" ? event.message : undefined;

/** Uuid of a message of the conversation. Prompts that we sent do not count, because the CLI may not have read them. */
export const uuidOf = (event: Event): string | undefined => {
  const { type, uuid } = (valueOf(event) ?? {}) as Record<string, unknown>;
  return (type === "assistant" || type === "user") && typeof uuid === "string" ? uuid : undefined;
};

/** Uuids of the newest messages in the log. Searches backwards until it finds some. */
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
 * What a transcript has after the last known message. Everything if no message is known. Nothing if the two share no
 * message, because then it is another conversation.
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

/** Uuid of the message that a row came from, or of the last message before it. A fork can start there. */
const messageAtRow = (store: EventStore, session: Rows, rowId: string): string | undefined => {
  const named = session.row(rowId);
  if (named === undefined)
    throw new HostError("unknown-row", `Row ${rowId} does not exist.`, { id: session.id, rowId });
  for (let row: Row | undefined = named; row !== undefined; row = session.rowsBefore(row.order, 1).rows.at(-1)) {
    for (const seq of row.seqs.toReversed()) {
      const [event] = store.read(session.id, seq - 1, 1);
      if (event !== undefined && isConversation(event)) return uuidOf(event);
    }
  }
  return undefined;
};

/** The message that a fork goes up to. Nothing if it has all of the past, or none. */
export const forkPlace = (
  store: EventStore,
  session: Rows,
  { atRow, beforeRow }: { readonly atRow?: string; readonly beforeRow?: string },
): string | undefined => {
  if (atRow !== undefined) return messageAtRow(store, session, atRow);
  if (beforeRow === undefined) return undefined;
  const row = session.row(beforeRow);
  if (row === undefined)
    throw new HostError("unknown-row", `Row ${beforeRow} does not exist.`, { id: session.id, rowId: beforeRow });
  const last = session.rowsBefore(row.order, 1).rows.at(-1);
  return last === undefined ? undefined : messageAtRow(store, session, last.id);
};

/** In the conversation itself, not in that of an agent. */
const isConversation = (event: Event): boolean =>
  uuidOf(event) !== undefined &&
  typeof (valueOf(event) as Record<string, unknown>)["parent_tool_use_id"] !== "string" &&
  (event.type !== "imported" || event.parent === undefined);

/** Like the CLI does in a fork. With the parent's id, the next process would continue the parent. */
const renamed = (fact: Fact, id: string): Fact => {
  if (fact.type === "received" && isRecord(fact.message) && typeof fact.message["session_id"] === "string")
    return { ...fact, message: { ...fact.message, session_id: id } };
  if (fact.type === "imported" && isRecord(fact.entry) && typeof fact.entry["sessionId"] === "string")
    return { ...fact, entry: { ...fact.entry, sessionId: id } };
  return fact;
};

/** What the CLI has stored of a session. */
export type StoredByCli = "conversation" | "only its name" | "nothing";

/**
 * How the CLI continues: it resumes what it stored, starts again, or repeats the fork. If a file with the id exists but
 * is empty, the id is taken, so a new id is used. If a conversation must exist, the CLI is told to resume it, so that
 * it reports the loss.
 */
export const goingOn = (
  cliId: string,
  kept: StoredByCli,
  { settings }: SessionRecord,
  mustBeKept: boolean,
): Pick<ClaudeOptions, "resume" | "sessionId" | "forkSession" | "resumeSessionAt"> => {
  if (kept === "conversation") return { resume: cliId };
  const sessionId = kept === "nothing" ? cliId : randomUUID();
  const fork = settings["fork"] as ForkFrom | undefined;
  if (fork !== undefined) return { ...fork, sessionId };
  return mustBeKept && kept === "nothing" ? { resume: cliId } : { sessionId };
};

export interface ForkFrom {
  readonly resume: string;
  readonly forkSession: true;
  readonly resumeSessionAt?: string;
}

/**
 * Options to repeat the fork if the first fork stored nothing. They name the last message, because later messages of
 * the parent are not part of the fork.
 */
export const forkFrom = (store: EventStore, parent: Rows, cliId: string, at: string | undefined): ForkFrom => {
  const last = parent.rowsBefore(Infinity, 1).rows.at(-1)?.id;
  const until = at ?? (last === undefined ? undefined : messageAtRow(store, parent, last));
  return { resume: cliId, forkSession: true, ...(until !== undefined && { resumeSessionAt: until }) };
};

/**
 * Copies all facts of a session to another, or those up to the message with this uuid. Then records the end of the
 * process, because the copy has none.
 */
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
      events.map(({ seq: _seq, at, ...fact }) => ({ at, fact: renamed(fact, to) })),
    );
    after = page.at(-1)!.seq;
  }
  const at = Date.now();
  const ends: readonly Fact[] = [
    { type: "stdin-closed" },
    { type: "process-exited", code: 0, signal: null },
    { type: "forked", from },
  ];
  await store.append(
    to,
    ends.map((fact) => ({ at, fact })),
  );
};
