// Where sessions are kept: the log of each, the rows folded from it, and the registry of all. Two stores implement it, memory
// and SQLite; one contract suite holds both. Acknowledged means committed: a promise of `append` resolves when a power cut can
// no longer take the facts back.

import type { Changes, Event, Fact, Head, Row, SavedFold } from "@quarterdeck/session";
import { HostError } from "../host-error.ts";
import type { StoreErrorCode } from "../host-error.ts";
import type { SessionSummary } from "./session-summary.ts";

export interface SessionRecord {
  readonly id: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly cwd: string;
  readonly title?: string;
  readonly archived: boolean;
  /** The CLI's own id, which `/clear` and a fork change. */
  readonly cliSessionId?: string;
  /** Start options and whatever else the host keeps for a restart. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface NewFact {
  readonly at: number;
  readonly fact: Fact;
}

/** A fold as it stood after `seq`: rows are stored one by one, so that history can be paged without the fold. */
export interface StoredFold {
  readonly seq: number;
  readonly fold: SavedFold;
}

/** The same to be saved, whole or only what changed. */
export interface FoldToSave extends StoredFold {
  /**
   * Set where `fold` has only the rows that changed after `since`, as `Fold.save(since)` gives them, of so many in all. It must
   * go on from what was saved or loaded last; where it does not, nothing is left to load and the next must be whole.
   */
  readonly partial?: { readonly since: number; readonly rowCount: number };
}

/** A saved fold without its rows. */
export interface StoredHead {
  readonly seq: number;
  readonly rev: number;
  readonly rowCount: number;
  readonly head: Head;
}

/** Rows in order. */
export interface RowPage {
  readonly rows: readonly Row[];
  /** Whether there are further ones in the direction of the page. */
  readonly more: boolean;
}

export interface RowWindow {
  readonly rows: readonly Row[];
  readonly moreBefore: boolean;
  readonly moreAfter: boolean;
}

/**
 * What changed in a saved fold, as `Fold.changes` says it; `rev` is how far that goes. One that is lower than what was asked
 * for says that somebody has seen more than was kept: he must begin anew.
 */
export interface StoredChanges extends Changes {
  /** There is more: ask again, with this `rev`. */
  readonly more: boolean;
}

/** A session as a list shows it. All of them are in memory, so that a list costs no reading. */
export interface SessionEntry {
  readonly record: SessionRecord;
  /** When it was last used: its newest fact, or its record. */
  readonly usedAt: number;
  readonly lastSeq: number;
  readonly bytes: number;
  /** Of the saved fold; `lastSeq` says whether facts have come since. */
  readonly summary?: SessionSummary;
}

export interface FoundRow {
  readonly rowId: string;
  readonly order: number;
  readonly excerpt: string;
}

export interface EventStore {
  /**
   * Dense `seq` from 1, in the order of the calls; resolves with the events when they are committed. The facts of one call
   * are kept together or not at all. Where a call fails, so does every later one of the session that still waits: what is
   * kept is always the start of what was handed in.
   */
  append(session: string, facts: readonly NewFact[]): Promise<readonly Event[]>;
  /** Facts after `seq`, oldest first. A short answer is the end of the log: a damaged one throws `corrupt`. */
  read(session: string, after: number, limit: number): readonly Event[];
  lastSeq(session: string): number;

  /**
   * Keeps the fold and its rows; only what changed since the last call is written, so a fold that is saved after `loadFold`
   * gave one must go on from that. A session without a fact or a record has nothing to fold, and nothing is kept.
   */
  saveFold(session: string, stored: FoldToSave): Promise<void>;
  /** Nothing where there is none, or where another fold version wrote it. */
  loadFold(session: string, version: number): StoredFold | undefined;

  // What follows is of the saved fold, and costs what it gives, not what the session has: a first screen is `loadHead` and
  // `rowsBefore(session, Infinity, n)`.

  /** As `loadFold`, without the rows. */
  loadHead(session: string, version: number): StoredHead | undefined;
  /** The last `limit` rows before a place in the order. */
  rowsBefore(session: string, order: number, limit: number): RowPage;
  /** The first `limit` rows after a place in the order. */
  rowsAfter(session: string, order: number, limit: number): RowPage;
  /** The row, and up to `limit` rows on either side of it. Nothing where there is no such row. */
  rowsAround(session: string, rowId: string, limit: number): RowWindow | undefined;
  row(session: string, rowId: string): Row | undefined;
  /** At most `limit` rows that changed after `rev`, with all that was removed and set meanwhile. Nothing where `loadHead` gives none. */
  changesSince(session: string, version: number, rev: number, limit: number): StoredChanges | undefined;

  /** What has been streamed of unfinished blocks, about four times a second. Overwrites; may be lost, as no fact is. */
  saveDrafts(session: string, drafts: Readonly<Record<string, string>>): void;
  loadDrafts(session: string): Readonly<Record<string, string>>;

  putSession(record: SessionRecord): Promise<void>;
  session(id: string): SessionRecord | undefined;
  sessions(): readonly SessionRecord[];
  /** Every session that has a record, the last used first. */
  list(): readonly SessionEntry[];
  /** One of them, without a look at the others. */
  entry(id: string): SessionEntry | undefined;
  /** Really deletes: facts, rows, blobs, index, and what the database kept of them. */
  deleteSession(id: string): Promise<void>;

  /** Full-text search over the rows' words, newest first. Every word of the query must begin a word of the row. */
  search(
    query: string,
    limit: number,
  ): readonly { readonly session: string; readonly rowId: string; readonly excerpt: string }[];
  /** The same within one session, in the order of the rows. */
  findRows(session: string, query: string, limit: number): readonly FoundRow[];
  /** Bytes on disk, in all and by session. */
  usage(): { readonly total: number; readonly sessions: Readonly<Record<string, number>> };
  /** A consistent copy while running: a new folder that the SQLite store opens. */
  backup(path: string): Promise<void>;
  close(): Promise<void>;
}

export interface StoreErrorOptions extends ErrorOptions {
  readonly goodUntil?: number | undefined;
}

export class StoreError extends HostError {
  override readonly name = "StoreError";
  declare readonly code: StoreErrorCode;
  /** Of a damaged log: the last `seq` that can still be read. */
  readonly goodUntil: number | undefined;
  constructor(code: StoreErrorCode, message: string, options?: StoreErrorOptions) {
    super(code, message, options?.goodUntil === undefined ? {} : { goodUntil: options.goodUntil }, options);
    this.goodUntil = options?.goodUntil;
  }
}
