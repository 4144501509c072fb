// `quarterdeck fleet archive`: copies of the sessions of other machines, in a data directory of their own. They are pulled: the archive asks for
// the facts after its own last one. A server with that data directory reads and searches them while the machine is off. What was deleted
// on the machine is deleted here too, and does not come back.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@quarterdeck/client";
import { makeFolder, openSqliteStore, StoreError } from "@quarterdeck/host";
import type { SqliteStore } from "@quarterdeck/host";
import { createFold } from "@quarterdeck/session";
import type { Event } from "@quarterdeck/session";
import type { SessionSummary } from "@quarterdeck/session/bridge";
import { seesAll } from "@quarterdeck/session/bridge/seen-answers";
import { everySession } from "../remote/find-session.ts";
import { openedOn } from "../remote/machine-client.ts";
import { explained } from "../remote/remote-client.ts";
import type { LocalClientOptions } from "../serve/local-client.ts";
import { UserError } from "../user-error.ts";

const PAGE = 500;

export interface Archived {
  readonly machine: string;
  readonly sessions: number;
  /** New facts. */
  readonly facts: number;
  readonly deleted: number;
}

export interface ArchiveOptions extends LocalClientOptions {
  readonly machines: readonly string[];
  readonly into: string;
}

export const archiveMachines = async (options: ArchiveOptions): Promise<readonly Archived[]> => {
  makeFolder(options.into, 0o700);
  const store = await openSqliteStore(options.into).catch((error: unknown) => {
    if (error instanceof StoreError && error.code === "locked")
      throw new UserError(`A server uses ${options.into}. Stop it while the archive is updated.`);
    throw error;
  });
  try {
    const done: Archived[] = [];
    for (const machine of options.machines) {
      const client = await openedOn(options, machine);
      try {
        done.push(await archiveOne(client, machine, store, options.into));
      } catch (error) {
        throw explained(error, machine);
      } finally {
        client.close();
      }
    }
    return done;
  } finally {
    await store.close();
  }
};

/** Where a copy is from, and how far it goes. If its log is longer, a server has written to it since. */
interface Origin {
  readonly machine: string;
  readonly seq: number;
}
const originOf = (store: SqliteStore, id: string): Origin | undefined =>
  store.session(id)?.settings["archivedFrom"] as Origin | undefined;

const archiveOne = async (client: Client, machine: string, store: SqliteStore, into: string): Promise<Archived> => {
  // Only an admin sees the facts as they are.
  const role = client.info?.device.role;
  if (role === undefined || !seesAll(role))
    throw new UserError(`An archive needs the role admin on ${machine}. Its owner decides: quarterdeck fleet allow.`);
  const deleted = readDeleted(into);
  const listed = (await everySession(client)).filter(({ origin }) => origin === "quarterdeck");
  const there = new Set(listed.map(({ id }) => id));
  const gone = store
    .sessions()
    .flatMap(({ id }) => (originOf(store, id)?.machine === machine && !there.has(id) ? [id] : []));
  // This comes first. If the process is killed after it, deleted sessions do not come back.
  writeDeleted(into, [...deleted, ...gone]);
  for (const id of gone) await store.deleteSession(id);
  let facts = 0;
  for (const summary of listed) if (!deleted.has(summary.id)) facts += await pulled(client, machine, summary, store);
  return { machine, sessions: listed.length, facts, deleted: gone.length };
};

/** Returns the number of new facts. */
const pulled = async (
  client: Client,
  machine: string,
  summary: SessionSummary,
  store: SqliteStore,
): Promise<number> => {
  const { id, cwd, title, archived, createdAt, updatedAt } = summary;
  const origin = originOf(store, id);
  if (store.session(id) !== undefined && origin?.machine !== machine)
    throw new UserError(`The archive has a session ${id} of another machine. Use another folder with --into.`);
  const put = (seq: number): Promise<void> => {
    const from: Origin = { machine, seq };
    const named = title === undefined ? {} : { title };
    return store.putSession({
      id,
      cwd,
      ...named,
      archived,
      createdAt,
      updatedAt,
      settings: { cli: {}, archivedFrom: from },
    });
  };
  let after = origin?.seq ?? 0;
  // The copy has other facts, or the log was replaced on the machine. All of it is copied again.
  const { lastSeq } = await client.call("session/events", { session: id, after, limit: 1 });
  if (store.lastSeq(id) !== after || lastSeq < after) {
    await store.deleteSession(id);
    after = 0;
  }
  const first = after;
  await put(after);
  for (;;) {
    const { events } = await client.call("session/events", { session: id, after, limit: PAGE });
    const next = (events as readonly Event[]).filter(({ seq }) => seq > after);
    if (next.length === 0) break;
    if (next[0]!.seq !== after + 1) throw new UserError(`${machine} sent a log of ${id} with a gap.`);
    await store.append(
      id,
      next.map(({ seq: _seq, at, ...fact }) => ({ at, fact })),
    );
    after = next.at(-1)!.seq;
    await put(after);
  }
  if (after > first || origin === undefined) await fold(store, id);
  return after - first;
};

/** Search and lists read the fold. */
const fold = async (store: SqliteStore, id: string): Promise<void> => {
  const whole = createFold();
  for (let seq = 0; ;) {
    const events = store.read(id, seq, PAGE);
    for (const event of events) whole.apply(event);
    if (events.length < PAGE) break;
    seq = events.at(-1)!.seq;
  }
  if (whole.seq > 0) await store.saveFold(id, { seq: whole.seq, fold: whole.save() });
};

const deletedIn = (into: string): string => join(into, "archive-deleted.json");
const readDeleted = (into: string): ReadonlySet<string> =>
  new Set(existsSync(deletedIn(into)) ? (JSON.parse(readFileSync(deletedIn(into), "utf8")) as string[]) : []);
const writeDeleted = (into: string, ids: readonly string[]): void =>
  writeFileSync(deletedIn(into), `${JSON.stringify([...new Set(ids)])}\n`, { mode: 0o600 });
