// The store on disk, with SQLite through `node:sqlite`. Writes are queued here and committed on a separate thread. On
// this thread, 2,000 facts a second kept it busy with the disk most of the time (measured). Reads run on this thread
// and see committed data only.

import type { Event, Row } from "@quarterdeck/session";
import type {
  EventStore,
  FoldToSave,
  Found,
  FoundRow,
  NewFact,
  RowPage,
  RowWindow,
  SearchFilter,
  SessionEntry,
  SessionRecord,
  StoredChanges,
  StoredFold,
  StoredHead,
} from "./event-store.ts";
import { StoreError } from "./event-store.ts";
import { foundRow, matchExpressionOf, phrasesOf } from "./search-words.ts";
import { Blobs } from "./sqlite/blobs.ts";
import { copyStore } from "./sqlite/copy.ts";
import { DraftPieces } from "./sqlite/draft-pieces.ts";
import { failureOf } from "./sqlite/failure.ts";
import { FewOpen } from "./sqlite/few-open.ts";
import { closeToOthers, makePrivateFolder, sizeOfFolder } from "./sqlite/folder.ts";
import { takeLock } from "./sqlite/lock.ts";
import type { Lock } from "./sqlite/lock.ts";
import { addToPlan, keepPlan, lineageOf, slicesOf, writesOf } from "./sqlite/plan.ts";
import type { WritePlan } from "./sqlite/plan.ts";
import { Registry } from "./sqlite/registry.ts";
import type { KnownSession } from "./sqlite/registry.ts";
import { searchVolumes } from "./sqlite/search-volumes.ts";
import { refuseNewer, volumesIn } from "./sqlite/volume.ts";
import { VolumeReader } from "./sqlite/volume-reader.ts";
import { CLOSED, WriteQueue } from "./sqlite/write-queue.ts";
import type { Append, Write } from "./sqlite/write-queue.ts";
import { errorOf, Writer } from "./sqlite/writer.ts";
import { byLastUse, changesOf } from "./stored-fold.ts";

export interface SqliteStoreOptions {
  /** A volume accepts new sessions until it has this size. */
  readonly volumeBytes?: number;
  /** Max pages of a volume. A fact that needs one more is refused as on a full disk. */
  readonly maxPages?: number;
}

export interface SqliteStore extends EventStore {
  /**
   * Damage that was found when the store was opened, as text. The readable part of such a session can still be read.
   */
  readonly damage: readonly string[];
  /** Reads everything once and returns what is damaged. */
  check(): readonly string[];
}

const VOLUME_BYTES = 64 * 1024 * 1024;

export const openSqliteStore = async (folder: string, options: SqliteStoreOptions = {}): Promise<SqliteStore> => {
  makePrivateFolder(folder);
  const lock = takeLock(folder);
  try {
    for (const volume of volumesIn(folder)) refuseNewer(folder, volume);
    closeToOthers(folder);
    return await OpenStore.open(folder, lock, options);
  } catch (error) {
    lock.release();
    throw failureOf(error, `${folder} cannot be opened`);
  }
};

class OpenStore implements SqliteStore {
  readonly #folder: string;
  readonly #lock: Lock;
  readonly #writer: Writer;
  readonly #queue: WriteQueue;
  readonly #registry: Registry;
  readonly #readers: FewOpen<VolumeReader>;
  /** Latest drafts. They are read more often than they are committed. */
  readonly #drafts = new Map<string, Readonly<Record<string, string>>>();
  readonly #pieces = new DraftPieces();
  /** Volumes whose files may still contain deleted data. */
  readonly #unclean = new Set<number>();
  /**
   * Sessions whose rows are being written over several commits. Later folds wait, so that an older fold never
   * overwrites a newer one.
   */
  readonly #slicing = new Map<string, Promise<void>>();
  #turn: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;
  readonly damage: string[] = [];

  private constructor(folder: string, lock: Lock, options: SqliteStoreOptions) {
    const blobs = new Blobs(folder);
    this.#folder = folder;
    this.#lock = lock;
    this.#registry = new Registry(options.volumeBytes ?? VOLUME_BYTES);
    this.#readers = new FewOpen((volume) => new VolumeReader(folder, volume, blobs));
    this.#queue = new WriteQueue((writes) => this.#commit(writes));
    this.#writer = new Writer({ folder, maxPages: options.maxPages }, (error) => this.#queue.end(error));
  }

  static async open(folder: string, lock: Lock, options: SqliteStoreOptions): Promise<OpenStore> {
    const store = new OpenStore(folder, lock, options);
    try {
      await store.#writer.must({ kind: "open", sweepSince: lock.crashedOwnerSince });
      for (const volume of volumesIn(folder)) {
        const reader = store.#readers.get(volume);
        const entries = reader.sessions();
        const deleted = reader.deleted();
        if (deleted.length > 0) store.#unclean.add(volume);
        store.#registry.addVolume(volume, reader.size, entries, deleted);
        for (const { id, damage } of entries) if (damage !== undefined) store.damage.push(`Session ${id}: ${damage}.`);
      }
    } catch (error) {
      store.#readers.closeAll();
      await store.#writer.end();
      throw error;
    }
    return store;
  }

  async append(session: string, facts: readonly NewFact[]): Promise<readonly Event[]> {
    this.#mustBeOpen();
    if (facts.length === 0) return [];
    const bodies = facts.map(({ fact }) => JSON.stringify(fact));
    const characters = bodies.reduce((sum, body) => sum + body.length, 0);
    const append: Append = { kind: "append", session, facts, bodies, characters, first: 0 };
    await this.#queue.add(append);
    return facts.map(({ at, fact }, index) => ({ seq: append.first + index, at, ...fact }));
  }

  read(session: string, after: number, limit: number): readonly Event[] {
    const known = this.#find(session);
    if (known === undefined || after >= known.lastSeq || limit <= 0) return [];
    return this.#reader(known).events(known.key, session, after, limit, known.lastSeq);
  }

  lastSeq(session: string): number {
    return this.#find(session)?.lastSeq ?? 0;
  }

  async saveFold(session: string, stored: FoldToSave): Promise<void> {
    this.#mustBeOpen();
    while (this.#slicing.has(session)) await this.#slicing.get(session);
    const known = this.#registry.get(session);
    const slices = known === undefined ? [] : slicesOf(known, stored);
    const slicing = Promise.withResolvers<void>();
    if (slices.length > 0) this.#slicing.set(session, slicing.promise);
    let saved: Promise<void>;
    try {
      for (const slice of slices) await this.#queue.add(slice);
      saved = this.#queue.add({ kind: "fold", session, stored });
    } finally {
      if (slices.length > 0) this.#slicing.delete(session);
      slicing.resolve();
    }
    await saved;
  }

  loadFold(session: string, version: number): StoredFold | undefined {
    const known = this.#find(session);
    if (known === undefined) return undefined;
    const stored = this.#reader(known).fold(known.key, session, version);
    known.fold = stored && lineageOf(stored);
    return stored;
  }

  loadHead(session: string, version: number): StoredHead | undefined {
    const known = this.#find(session);
    const part = known && this.#reader(known).foldPart(known.key, session, version);
    return part && { seq: part.seq, rev: part.timeline.rev, rowCount: part.rows, head: part.timeline.head };
  }

  rowsBefore(session: string, order: number, limit: number): RowPage {
    const known = this.#find(session);
    if (known === undefined) return { rows: [], more: false };
    const rows = this.#reader(known).rowsBefore(known.key, session, order, limit + 1);
    return { rows: rows.slice(Math.max(0, rows.length - limit)), more: rows.length > limit };
  }

  rowsAfter(session: string, order: number, limit: number): RowPage {
    const known = this.#find(session);
    if (known === undefined) return { rows: [], more: false };
    const rows = this.#reader(known).rowsAfter(known.key, session, order, limit + 1);
    return { rows: rows.slice(0, limit), more: rows.length > limit };
  }

  rowsAround(session: string, rowId: string, limit: number): RowWindow | undefined {
    const known = this.#find(session);
    if (known === undefined) return undefined;
    return this.#reader(known).atOnce(() => {
      const row = this.row(session, rowId);
      if (row === undefined) return undefined;
      const before = this.rowsBefore(session, row.order, limit);
      const after = this.rowsAfter(session, row.order, limit);
      return { rows: [...before.rows, row, ...after.rows], moreBefore: before.more, moreAfter: after.more };
    });
  }

  row(session: string, rowId: string): Row | undefined {
    const known = this.#find(session);
    return known && this.#reader(known).row(known.key, session, rowId);
  }

  changesSince(session: string, version: number, rev: number, limit: number): StoredChanges | undefined {
    const known = this.#find(session);
    if (known === undefined) return undefined;
    const reader = this.#reader(known);
    return reader.atOnce(() => {
      const part = reader.foldPart(known.key, session, version);
      if (part === undefined) return undefined;
      const most = Math.max(1, limit);
      const rows = reader.rowsSince(known.key, session, rev, most + 1);
      return changesOf(part.timeline, rev, rows.slice(0, most), rows.length > most);
    });
  }

  saveDrafts(session: string, drafts: Readonly<Record<string, string>>): void {
    this.#mustBeOpen();
    if (this.#registry.get(session) === undefined) return;
    this.#drafts.set(session, { ...drafts });
    const writes = this.#pieces.next(session, drafts);
    if (writes.forget?.length === 0 && writes.pieces.length === 0) return;
    // Drafts are not facts: the next ones follow in a moment, and a failed fact reports a full disk.
    this.#queue.add({ kind: "drafts", session, drafts: writes }).catch(() => this.#pieces.lose(session));
  }

  loadDrafts(session: string): Readonly<Record<string, string>> {
    const known = this.#find(session);
    if (known === undefined) return {};
    return this.#drafts.get(session) ?? this.#reader(known).drafts(known.key, session);
  }

  async putSession(record: SessionRecord): Promise<void> {
    this.#mustBeOpen();
    await this.#queue.add({ kind: "record", session: record.id, record: structuredClone(record) });
  }

  session(id: string): SessionRecord | undefined {
    const known = this.#find(id);
    if (known?.damage !== undefined) throw damageOf(known);
    return known?.record;
  }

  sessions(): readonly SessionRecord[] {
    this.#mustBeOpen();
    return this.#registry.stored
      .flatMap(({ record }) => record ?? [])
      .toSorted((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : 1));
  }

  list(): readonly SessionEntry[] {
    this.#mustBeOpen();
    return this.#registry.stored.flatMap((known) => entryOf(known) ?? []).toSorted(byLastUse);
  }

  entry(id: string): SessionEntry | undefined {
    const known = this.#find(id);
    return known && entryOf(known);
  }

  async deleteSession(id: string): Promise<void> {
    this.#mustBeOpen();
    await this.#queue.add({ kind: "delete", session: id });
    await this.#inTurn(() => this.#rewrite());
  }

  search(query: string, limit: number, filter: SearchFilter = {}): Found {
    this.#mustBeOpen();
    const phrases = phrasesOf(query);
    if (phrases.length === 0 || limit <= 0) return { hits: [], complete: true };
    return searchVolumes(this.#registry, (volume) => this.#readers.get(volume), { phrases, limit, filter });
  }

  findRows(session: string, query: string, limit: number): readonly FoundRow[] {
    const known = this.#find(session);
    const phrases = phrasesOf(query);
    if (known === undefined || phrases.length === 0 || limit <= 0) return [];
    return this.#reader(known)
      .find(known.key, session, matchExpressionOf(phrases), limit)
      .map((row) => foundRow(row, phrases));
  }

  usage(): { total: number; sessions: Readonly<Record<string, number>> } {
    this.#mustBeOpen();
    const sessions = Object.fromEntries(this.#registry.stored.map(({ id, bytes }) => [id, bytes]));
    return { total: sizeOfFolder(this.#folder), sessions };
  }

  async backup(path: string): Promise<void> {
    this.#mustBeOpen();
    await this.#inTurn(() => this.#copyTo(path));
  }

  check(): readonly string[] {
    this.#mustBeOpen();
    return volumesIn(this.#folder).flatMap((volume) => this.#readers.get(volume).check());
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#queue.idle();
    this.#queue.end(CLOSED());
    // A failed rewrite was reported to the caller of the delete, and the next start retries it.
    await this.#inTurn(() => this.#rewrite()).catch(() => {});
    this.#readers.closeAll();
    try {
      await this.#writer.must({ kind: "close" });
    } finally {
      await this.#writer.end();
      this.#lock.release();
    }
  }

  #find(session: string): KnownSession | undefined {
    this.#mustBeOpen();
    return this.#registry.get(session);
  }

  #reader({ volume }: KnownSession): VolumeReader {
    return this.#readers.get(volume);
  }

  #mustBeOpen(): void {
    if (this.#closing !== undefined) throw CLOSED();
  }

  async #commit(writes: readonly Write[]): Promise<ReadonlyMap<string, unknown>> {
    if (writes[0]?.kind === "delete") return this.#delete(writes.map(({ session }) => session));
    const failed = new Map<string, unknown>();
    const plans = new Map<string, WritePlan>();
    for (const write of writes) {
      // Rows and drafts of an unknown session would bring back a session that was just deleted.
      const isKept = write.kind === "append" || write.kind === "record" || plans.has(write.session);
      const known = isKept ? this.#registry.place(write.session) : this.#registry.get(write.session);
      if (known?.damage !== undefined) failed.set(write.session, damageOf(known));
      else if (known !== undefined) addToPlan(plans, known, write);
    }
    const byVolume = Map.groupBy(plans.values(), ({ known }) => known.volume);
    const volumes = [...byVolume].map(([volume, ofVolume]) => ({ volume, sessions: ofVolume.map(writesOf) }));
    const outcomes = volumes.length === 0 ? [] : await this.#writer.do({ kind: "write", volumes });
    for (const [index, [volume, ofVolume]] of [...byVolume].entries()) {
      const outcome = outcomes[index]!;
      if (outcome.ok) this.#registry.setSize(volume, outcome.size);
      for (const done of ofVolume) {
        if (outcome.ok) keepPlan(done, outcome.bytes.get(done.known.key));
        else failed.set(done.known.id, errorOf(outcome.failure));
      }
    }
    return failed;
  }

  async #delete(sessions: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    const failed = new Map<string, unknown>();
    const known = [...new Set(sessions)].flatMap((session) => this.#registry.get(session) ?? []);
    const byVolume = [...Map.groupBy(known, ({ volume }) => volume)];
    const volumes = byVolume.map(([volume, ofVolume]) => ({ volume, keys: ofVolume.map(({ key }) => key) }));
    const outcomes = volumes.length === 0 ? [] : await this.#writer.do({ kind: "delete", volumes });
    for (const [index, [volume, ofVolume]] of byVolume.entries()) {
      const outcome = outcomes[index]!;
      if (outcome.ok) this.#unclean.add(volume);
      for (const one of ofVolume) {
        if (!outcome.ok) failed.set(one.id, errorOf(outcome.failure));
        else {
          this.#registry.forget(one);
          this.#drafts.delete(one.id);
          this.#pieces.lose(one.id);
        }
      }
    }
    return failed;
  }

  /** If it fails, for example on a full disk, the next delete or the next start retries it. */
  async #rewrite(): Promise<void> {
    const volumes = [...this.#unclean];
    if (volumes.length === 0) return;
    const outcomes = await this.#writer.do({ kind: "rewrite", volumes });
    for (const [index, volume] of volumes.entries()) {
      const outcome = outcomes[index]!;
      if (!outcome.ok) throw errorOf(outcome.failure);
      this.#unclean.delete(volume);
      this.#registry.setSize(volume, outcome.size);
    }
  }

  /**
   * Runs copies and rewrites one after the other. A copy reads an older state of a file and needs every blob that its
   * rows name.
   */
  async #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work);
    // The caller gets the error. The next task only needs to know that this one is over.
    this.#turn = done.catch(() => {});
    await done;
  }

  async #copyTo(path: string): Promise<void> {
    await this.#writer.must({ kind: "keep-blobs", keep: true });
    try {
      await copyStore(this.#folder, path);
    } finally {
      await this.#writer.must({ kind: "keep-blobs", keep: false });
    }
  }
}

const damageOf = ({ id, damage }: KnownSession): StoreError =>
  new StoreError("corrupt", `Session ${id}: ${damage ?? ""}.`);

const entryOf = ({ record, lastAt, lastSeq, bytes, summary }: KnownSession): SessionEntry | undefined =>
  record && {
    record,
    usedAt: Math.max(record.updatedAt, lastAt),
    lastSeq,
    bytes,
    ...(summary !== undefined && { summary }),
  };
