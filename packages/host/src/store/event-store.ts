// Stores keep sessions: the log of each session, the rows folded from it, and the registry of all sessions. Two stores
// implement this interface, memory and SQLite, and both pass one contract suite. Acknowledged means committed: when
// `append` resolves, the facts survive a power cut.

import type { Changes, Event, Fact, Head, Row, SavedFold, SearchKind } from "@quarterdeck/session";
import { HostError } from "../host-error.ts";
import type { StoreErrorCode } from "../host-error.ts";
import type { StoredSummary } from "./session-summary.ts";

export interface SessionRecord {
  readonly id: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly cwd: string;
  readonly title?: string;
  readonly archived: boolean;
  /** The CLI's own id, which `/clear` and a fork change. */
  readonly cliSessionId?: string;
  /** Start options and other data that the host needs for a restart. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface NewFact {
  readonly at: number;
  readonly fact: Fact;
}

/** A fold as it was after `seq`. Rows are stored one by one, so that history can be paged without loading the fold. */
export interface StoredFold {
  readonly seq: number;
  readonly fold: SavedFold;
}

/** A fold to save: whole, or only what changed. */
export interface FoldToSave extends StoredFold {
  /**
   * Set if `fold` has only the rows that changed after `since`, as `Fold.save(since)` returns them. `rowCount` counts
   * all rows. A partial fold must continue the fold that was saved or loaded last. If it does not, the store drops the
   * saved fold, and the next save must be whole.
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
  /** Whether more rows follow in the direction of the page. */
  readonly more: boolean;
}

export interface RowWindow {
  readonly rows: readonly Row[];
  readonly moreBefore: boolean;
  readonly moreAfter: boolean;
}

/**
 * What changed in a saved fold, in the form of `Fold.changes`, up to `rev`. If `rev` is lower than the requested one,
 * the client has seen more than was saved and must start again.
 */
export interface StoredChanges extends Changes {
  /** There are more changes: call again with this `rev`. */
  readonly more: boolean;
}

/** A session as a list shows it. All entries are in memory, so that a list reads nothing from disk. */
export interface SessionEntry {
  readonly record: SessionRecord;
  /** Time of the newest fact, or of the last change of the record. */
  readonly usedAt: number;
  readonly lastSeq: number;
  readonly bytes: number;
  /** Summary of the saved fold. Compare its `seq` with `lastSeq` to see whether newer facts exist. */
  readonly summary?: StoredSummary;
}

export interface FoundRow {
  readonly rowId: string;
  readonly order: number;
  readonly excerpt: string;
}

/** Limits a search. What is absent does not limit it. */
export interface SearchFilter {
  readonly sessions?: ReadonlySet<string>;
  /** Rows that began at this time or later, in milliseconds. */
  readonly since?: number;
  /** Rows that began before this time. */
  readonly until?: number;
  readonly kinds?: ReadonlySet<SearchKind>;
}

export interface FoundAnywhere extends FoundRow {
  readonly session: string;
  readonly at: number;
  readonly kind: SearchKind;
}

export interface Found {
  /** Newest first. */
  readonly hits: readonly FoundAnywhere[];
  /** False if there are more hits, or if older rows were not looked at. */
  readonly complete: boolean;
}

export interface EventStore {
  /**
   * Numbers the facts densely from 1, in the order of the calls. Resolves with the events when they are committed. The
   * facts of one call are stored together or not at all. If a call fails, every later waiting call of the session fails
   * too, so the log is always a prefix of what was passed in.
   */
  append(session: string, facts: readonly NewFact[]): Promise<readonly Event[]>;
  /**
   * Facts after `seq`, oldest first. Fewer than `limit` facts mean the end of the log. A damaged log throws `corrupt`.
   */
  read(session: string, after: number, limit: number): readonly Event[];
  lastSeq(session: string): number;

  /**
   * Saves the fold and its rows. The store writes only what changed since the last call, so a fold that is saved after
   * `loadFold` must continue the loaded one. The call does nothing for a session without facts and without a record.
   */
  saveFold(session: string, stored: FoldToSave): Promise<void>;
  /** Returns undefined if no fold is saved or another fold version wrote it. */
  loadFold(session: string, version: number): StoredFold | undefined;

  // The next methods read the saved fold. Their cost depends on the result, not on the size of the session. A first
  // screen needs `loadHead` and `rowsBefore(session, Infinity, n)`.

  /** Like `loadFold`, without the rows. */
  loadHead(session: string, version: number): StoredHead | undefined;
  /** The last `limit` rows before a place in the order. */
  rowsBefore(session: string, order: number, limit: number): RowPage;
  /** The first `limit` rows after a place in the order. */
  rowsAfter(session: string, order: number, limit: number): RowPage;
  /** The row, and up to `limit` rows on each side of it. Undefined if the row does not exist. */
  rowsAround(session: string, rowId: string, limit: number): RowWindow | undefined;
  row(session: string, rowId: string): Row | undefined;
  /**
   * At most `limit` rows that changed after `rev`, with all removals and head changes since then. Undefined if
   * `loadHead` returns undefined.
   */
  changesSince(session: string, version: number, rev: number, limit: number): StoredChanges | undefined;

  /**
   * Saves the streamed text of unfinished blocks, about four times a second. It replaces the last drafts. Unlike facts,
   * drafts may be lost.
   */
  saveDrafts(session: string, drafts: Readonly<Record<string, string>>): void;
  loadDrafts(session: string): Readonly<Record<string, string>>;

  putSession(record: SessionRecord): Promise<void>;
  session(id: string): SessionRecord | undefined;
  sessions(): readonly SessionRecord[];
  /** Every session that has a record, most recently used first. */
  list(): readonly SessionEntry[];
  /** The entry of one session. */
  entry(id: string): SessionEntry | undefined;
  /** Deletes facts, rows, blobs and index entries, and every remaining copy in the database file. */
  deleteSession(id: string): Promise<void>;

  /** Full-text search over the rows' words, newest first. Every word of the query must begin a word of the row. */
  search(query: string, limit: number, filter?: SearchFilter): Found;
  /** Searches one session. Results are in the order of the rows. */
  findRows(session: string, query: string, limit: number): readonly FoundRow[];
  /** Bytes on disk, in total and by session. */
  usage(): { readonly total: number; readonly sessions: Readonly<Record<string, number>> };
  /** Makes a consistent copy while the store runs: a new folder that the SQLite store can open. */
  backup(path: string): Promise<void>;
  close(): Promise<void>;
}

export interface StoreErrorOptions extends ErrorOptions {
  readonly goodUntil?: number | undefined;
}

export class StoreError extends HostError {
  override readonly name = "StoreError";
  declare readonly code: StoreErrorCode;
  /** For a damaged log: the last `seq` that can still be read. */
  readonly goodUntil: number | undefined;
  constructor(code: StoreErrorCode, message: string, options?: StoreErrorOptions) {
    super(code, message, options?.goodUntil === undefined ? {} : { goodUntil: options.goodUntil }, options);
    this.goodUntil = options?.goodUntil;
  }
}
