// Writes to one volume, each call in one transaction, on the writer thread. It gets bodies as text. In a row, it reads
// only the words for search.

import type { Row } from "@quarterdeck/session";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { StoreError } from "../event-store.ts";
import { indexTextOf } from "../search-words.ts";
import type { Blobs } from "./blobs.ts";
import { DRAFT_PARTS, partOfPiece, partsOfDraft } from "./draft-pieces.ts";
import type { DraftWrites } from "./draft-pieces.ts";
import { eventLabel, partLabel, rowLabel, seal, sumOfSession } from "./sealed.ts";
import type { Vault } from "./sealed.ts";
import { bytesOf, emptyLog, inTransaction, openToWrite, eventPlaceOf, rewrite, spaceOf } from "./volume.ts";
import type { VolumeOptions } from "./volume.ts";

export interface SessionWrites {
  readonly key: number;
  readonly id: string;
  readonly isNew: boolean;
  readonly events:
    | { readonly first: number; readonly at: readonly number[]; readonly bodies: readonly string[] }
    | undefined;
  /** Applied in this order. */
  readonly folds: readonly FoldWrite[];
  /** Applied in this order. */
  readonly drafts: readonly DraftWrites[];
  /** By name. Null deletes the part. */
  readonly parts: Readonly<Record<string, string | null>>;
}

export interface FoldWrite {
  /** Null while rows are still being written in slices: no fold can be loaded until then. */
  readonly body: string | null;
  readonly memory: string | null;
  readonly rows: readonly RowWrite[];
  readonly removed: readonly string[];
  /** If set, all other rows are deleted. */
  readonly kept: readonly string[] | undefined;
}

export interface RowWrite {
  readonly id: string;
  readonly order: number;
  readonly rev: number;
  readonly at: number;
  readonly body: string;
}

export interface WrittenVolume {
  /** Size of the file. */
  readonly size: number;
  /** Size of each session by key, if the session is new or more than drafts was written. */
  readonly bytes: ReadonlyMap<number, number>;
  /** Blobs that no row names any more. */
  readonly unneeded: readonly { readonly space: string; readonly hash: string }[];
}

export class VolumeWriter {
  readonly #volume: number;
  readonly #blobs: Blobs;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #syncs = true;
  /** Blobs that the current transaction wrote and replaced. */
  #newBlobs: { space: string; hash: string }[] = [];
  #oldBlobs: { space: string; hash: string }[] = [];

  constructor(folder: string, volume: number, blobs: Blobs, options: VolumeOptions = {}) {
    this.#volume = volume;
    this.#blobs = blobs;
    this.#database = openToWrite(folder, volume, options);
  }

  write(sessions: readonly SessionWrites[]): WrittenVolume {
    this.#newBlobs = [];
    this.#oldBlobs = [];
    const bytes = new Map<number, number>();
    this.#mustSync(!sessions.every(isDraftsAlone));
    try {
      inTransaction(this.#database, () => {
        for (const session of sessions) {
          for (const write of session.drafts) this.#writeDrafts(this.#vaultOf(session), session.key, write);
          if (session.isNew || !isDraftsAlone(session)) bytes.set(session.key, this.#writeSession(session));
        }
      });
    } catch (error) {
      for (const { space, hash } of this.#newBlobs) this.#blobs.remove(space, hash);
      throw error;
    }
    const unneeded = this.#oldBlobs.filter(({ space, hash }) => !this.isNeeded(space, hash));
    return { size: bytesOf(this.#database), bytes, unneeded };
  }

  /**
   * Deletes the sessions from every table. `doChores` then removes them from the file; `volume.ts` says why that is a
   * second step.
   */
  delete(keys: readonly number[]): void {
    this.#mustSync(true);
    inTransaction(this.#database, () => {
      for (const key of keys) {
        this.#run("DELETE FROM word WHERE rowid IN (SELECT n FROM row WHERE session = ?)", key);
        this.#run("DELETE FROM row WHERE session = ?", key);
        this.#run("DELETE FROM event WHERE place BETWEEN ? AND ?", eventPlaceOf(key, 0), eventPlaceOf(key + 1, 0) - 1);
        this.#run("DELETE FROM part WHERE session = ?", key);
        this.#run("DELETE FROM session WHERE key = ?", key);
      }
      for (const key of keys) this.#run("INSERT INTO deleted (key) VALUES (?)", key);
    });
  }

  /** Finishes earlier deletes, also those that a crash interrupted. */
  doChores(): number {
    const deleted = this.#prepare("SELECT key FROM deleted").all() as { key: number }[];
    if (deleted.length > 0) {
      this.#mustSync(true);
      for (const { key } of deleted) this.#blobs.removeSpace(spaceOf(this.#volume, key));
      rewrite(this.#database);
      emptyLog(this.#database);
      this.#run("DELETE FROM deleted");
    }
    return bytesOf(this.#database);
  }

  isNeeded(space: string, hash: string): boolean {
    const key = Number(space.slice(space.indexOf("-") + 1));
    const inEvents = "SELECT 1 FROM event WHERE blob = ? AND place BETWEEN ? AND ?";
    return (
      this.#get(inEvents, hash, eventPlaceOf(key, 0), eventPlaceOf(key + 1, 0) - 1) !== undefined ||
      this.#get("SELECT 1 FROM row WHERE blob = ? AND session = ?", hash, key) !== undefined ||
      this.#get("SELECT 1 FROM part WHERE blob = ? AND session = ?", hash, key) !== undefined
    );
  }

  close(): void {
    this.#database.close();
  }

  /** Drafts need not survive a power cut, only our process. The next commit of anything else syncs them. */
  #mustSync(syncs: boolean): void {
    if (syncs === this.#syncs) return;
    this.#database.exec(`PRAGMA synchronous = ${syncs ? "FULL" : "NORMAL"}`);
    this.#syncs = syncs;
  }

  #vaultOf({ key, id }: SessionWrites): Vault {
    return { blobs: this.#blobs, space: spaceOf(this.#volume, key), session: id };
  }

  #writeSession(session: SessionWrites): number {
    const { key, id, isNew, events, folds, parts } = session;
    const vault = this.#vaultOf(session);
    if (isNew) {
      const insert =
        "INSERT INTO session (key, id, last_seq, bytes, sum) VALUES (?, ?, 0, 0, ?) ON CONFLICT (key) DO NOTHING";
      this.#run(insert, key, id, sumOfSession(key, id));
    }
    let grown = 0;
    for (const fold of folds) grown += this.#writeFold(vault, key, fold);
    for (const [name, body] of Object.entries(parts)) grown += this.#writePart(vault, key, name, body);
    if (events === undefined) {
      const update = "UPDATE session SET bytes = bytes + ? WHERE key = ? RETURNING bytes";
      return (this.#get(update, grown, key) as { bytes: number }).bytes;
    }
    grown += this.#writeEvents(vault, key, events);
    const { first, bodies } = events;
    const update = "UPDATE session SET last_seq = ?, bytes = bytes + ? WHERE key = ? AND last_seq = ? RETURNING bytes";
    const updated = this.#get(update, first + bodies.length - 1, grown, key, first - 1) as
      | { bytes: number }
      | undefined;
    if (updated === undefined) {
      throw new StoreError("corrupt", `The log of session ${id} does not end before ${first}, as it should.`);
    }
    return updated.bytes;
  }

  #writeEvents(vault: Vault, key: number, events: NonNullable<SessionWrites["events"]>): number {
    const { first, at, bodies } = events;
    let grown = 0;
    for (const [index, text] of bodies.entries()) {
      const seq = first + index;
      const { body, blob, sum, bytes, newBlob } = seal(vault, eventLabel(seq, at[index]!), text);
      if (newBlob !== undefined) this.#newBlobs.push({ space: vault.space, hash: newBlob });
      const insert = "INSERT INTO event (place, at, body, blob, sum) VALUES (?, ?, ?, ?, ?)";
      this.#run(insert, eventPlaceOf(key, seq), at[index]!, body, blob, sum);
      grown += bytes;
    }
    return grown;
  }

  #writeFold(vault: Vault, key: number, { body, memory, rows, removed, kept }: FoldWrite): number {
    let grown = this.#writePart(vault, key, "fold", body) + this.#writePart(vault, key, "memory", memory);
    for (const row of rows) grown += this.#writeRow(vault, key, row);
    let gone = removed;
    if (kept !== undefined) {
      const ids = new Set(kept);
      const stored = this.#prepare("SELECT id FROM row WHERE session = ?").all(key) as { id: string }[];
      gone = stored.flatMap(({ id }) => (ids.has(id) ? [] : id));
    }
    for (const id of gone) grown -= this.#removeRow(vault, key, id);
    return grown;
  }

  #writeRow(vault: Vault, key: number, row: RowWrite): number {
    const { id, order, rev, at } = row;
    const old = this.#oldRow(vault, key, id);
    const { body, blob, sum, bytes, newBlob } = seal(vault, rowLabel(id, order, rev, at), row.body);
    if (newBlob !== undefined) this.#newBlobs.push({ space: vault.space, hash: newBlob });
    const { n } = this.#get(
      `INSERT INTO row (session, id, position, rev, at, body, blob, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (session, id) DO UPDATE SET position = excluded.position, rev = excluded.rev, at = excluded.at,
         body = excluded.body, blob = excluded.blob, sum = excluded.sum
       RETURNING n`,
      key,
      id,
      order,
      rev,
      at,
      body,
      blob,
      sum,
    ) as { n: number };
    if (old !== undefined) this.#run("DELETE FROM word WHERE rowid = ?", n);
    const words = indexTextOf(JSON.parse(row.body) as Row);
    if (words !== "") this.#run("INSERT INTO word (rowid, text) VALUES (?, ?)", n, words);
    return bytes - (old?.bytes ?? 0);
  }

  #removeRow(vault: Vault, key: number, id: string): number {
    const old = this.#oldRow(vault, key, id);
    if (old === undefined) return 0;
    this.#run("DELETE FROM word WHERE rowid = ?", old.n);
    this.#run("DELETE FROM row WHERE n = ?", old.n);
    return old.bytes;
  }

  #oldRow({ space }: Vault, key: number, id: string): { n: number; bytes: number } | undefined {
    const select = "SELECT n, octet_length(body) AS bytes, blob FROM row WHERE session = ? AND id = ?";
    const old = this.#get(select, key, id) as { n: number; bytes: number | null; blob: string | null } | undefined;
    return old === undefined ? undefined : { n: old.n, bytes: this.#bytesOfOld(space, old) };
  }

  /** Drafts come four times a second and are soon deleted, so their bytes are not counted. */
  #writeDrafts(vault: Vault, key: number, { forget, pieces }: DraftWrites): void {
    const remove = "DELETE FROM part WHERE session = ? AND name BETWEEN ? AND ?";
    const removed = (
      forget === undefined
        ? this.#prepare(`${remove} RETURNING blob`).all(key, ...DRAFT_PARTS)
        : forget.flatMap((name) => {
            const [first, last] = partsOfDraft(name);
            // Longer names belong to another draft whose name begins with this one.
            return this.#prepare(`${remove} AND length(name) = length(?) RETURNING blob`).all(key, first, last, first);
          })
    ) as { blob: string | null }[];
    for (const { blob: hash } of removed) if (hash !== null) this.#oldBlobs.push({ space: vault.space, hash });
    for (const { name, n, body } of pieces) {
      if (n === 0) this.#writePart(vault, key, partOfPiece(name, n), body);
      else this.#putPart(vault, key, partOfPiece(name, n), body);
    }
  }

  #writePart(vault: Vault, key: number, name: string, text: string | null): number {
    const select = "SELECT octet_length(body) AS bytes, blob FROM part WHERE session = ? AND name = ?";
    const old = this.#get(select, key, name) as { bytes: number | null; blob: string | null } | undefined;
    const freed = old === undefined ? 0 : this.#bytesOfOld(vault.space, old);
    if (text === null) {
      this.#run("DELETE FROM part WHERE session = ? AND name = ?", key, name);
      return -freed;
    }
    return this.#putPart(vault, key, name, text) - freed;
  }

  #putPart(vault: Vault, key: number, name: string, text: string): number {
    const { body, blob, sum, bytes, newBlob } = seal(vault, partLabel(name), text);
    if (newBlob !== undefined) this.#newBlobs.push({ space: vault.space, hash: newBlob });
    this.#run(
      "INSERT OR REPLACE INTO part (session, name, body, blob, sum) VALUES (?, ?, ?, ?, ?)",
      key,
      name,
      body,
      blob,
      sum,
    );
    return bytes;
  }

  #bytesOfOld(space: string, { bytes, blob }: { bytes: number | null; blob: string | null }): number {
    if (blob === null) return bytes ?? 0;
    this.#oldBlobs.push({ space, hash: blob });
    return this.#blobs.sizeOf(space, blob);
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }

  #run(sql: string, ...values: (string | number | null)[]): number {
    return Number(this.#prepare(sql).run(...values).changes);
  }

  #get(sql: string, ...values: (string | number | null)[]): unknown {
    return this.#prepare(sql).get(...values);
  }
}

const isDraftsAlone = ({ events, folds, parts }: SessionWrites): boolean =>
  events === undefined && folds.length === 0 && Object.keys(parts).length === 0;
