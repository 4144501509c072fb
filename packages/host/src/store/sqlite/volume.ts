// A volume is one database file, its schema, and the sessions that started while it was the newest. Only VACUUM removes
// the last trace of a deleted session from a file, because split pages keep old copies even with `secure_delete`. A
// VACUUM must stay short, so a store has many volumes instead of one large file.

import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";
import { StoreError } from "../event-store.ts";
import { doing, failureOf } from "./failure.ts";
import { makePrivateFile, syncFolder } from "./folder.ts";

/**
 * Step n takes a database from version n to n + 1. The first step creates the schema. A released step is never changed.
 */
export type Migration = (database: DatabaseSync) => void;

export const MIGRATIONS: readonly Migration[] = [
  (database) => {
    database.exec(`
      CREATE TABLE session (
        key INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        last_seq INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        sum INTEGER NOT NULL
      ) STRICT;
      -- place = key * 2^32 + seq: one tree, in the order in which a log is read.
      CREATE TABLE event (
        place INTEGER PRIMARY KEY,
        at REAL NOT NULL,
        body TEXT,
        blob TEXT,
        sum INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX event_blob ON event (blob) WHERE blob IS NOT NULL;
      CREATE TABLE row (
        n INTEGER PRIMARY KEY,
        session INTEGER NOT NULL,
        id TEXT NOT NULL,
        position INTEGER NOT NULL,
        rev INTEGER NOT NULL,
        at REAL NOT NULL,
        body TEXT,
        blob TEXT,
        sum INTEGER NOT NULL,
        UNIQUE (session, id)
      ) STRICT;
      CREATE INDEX row_position ON row (session, position);
      CREATE INDEX row_blob ON row (blob) WHERE blob IS NOT NULL;
      -- record, fold, drafts
      CREATE TABLE part (
        session INTEGER NOT NULL,
        name TEXT NOT NULL,
        body TEXT,
        blob TEXT,
        sum INTEGER NOT NULL,
        PRIMARY KEY (session, name)
      ) STRICT, WITHOUT ROWID;
      -- Words by row.n; the text itself is in the rows alone.
      CREATE VIRTUAL TABLE word USING fts5 (
        text, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2"
      );
      -- Sessions whose last trace is still to go: a crash must not make us forget it.
      CREATE TABLE deleted (key INTEGER PRIMARY KEY) STRICT;
    `);
  },
  // Finds what changed after a rev without a scan of all rows.
  (database) => database.exec("CREATE INDEX row_rev ON row (session, rev)"),
];

const PLACES = 2 ** 32;
export const eventPlaceOf = (key: number, seq: number): number => key * PLACES + seq;
export const seqOfPlace = (place: number): number => place % PLACES;

export const fileOfVolume = (volume: number): string => `sessions-${String(volume).padStart(4, "0")}.db`;
export const spaceOf = (volume: number, key: number): string => `${volume}-${key}`;

export const volumesIn = (folder: string): readonly number[] =>
  readdirSync(folder)
    .flatMap((name) => /^sessions-(\d{4,})\.db$/.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b);

/** Reads only the header of the file, so that the file of a newer program is refused unchanged. */
export const refuseNewer = (folder: string, volume: number, migrations = MIGRATIONS): void => {
  const path = join(folder, fileOfVolume(volume));
  const header = Buffer.alloc(100);
  const length = doing(`${path} cannot be read`, () => {
    const handle = openSync(path, "r");
    try {
      return readSync(handle, header, 0, header.length, 0);
    } finally {
      closeSync(handle);
    }
  });
  // The process died right after it created the file.
  if (length === 0) return;
  if (length < header.length || header.toString("latin1", 0, 16) !== "SQLite format 3\0") {
    throw new StoreError("corrupt", `${path} is not a database. Restore it from a backup, or move it away.`);
  }
  refuseVersion(path, header.readUInt32BE(60), migrations);
};

const refuseVersion = (path: string, version: number, migrations: readonly Migration[]): void => {
  if (version <= migrations.length) return;
  throw new StoreError(
    "newer-schema",
    `${path} was written by a newer version (schema ${version}; this version supports ${migrations.length}). Nothing was changed.`,
  );
};

export interface VolumeOptions {
  readonly migrations?: readonly Migration[];
  /** Max pages of the file. */
  readonly maxPages?: number | undefined;
}

/** The only connection that writes. */
export const openToWrite = (folder: string, volume: number, options: VolumeOptions = {}): DatabaseSync => {
  const { migrations = MIGRATIONS, maxPages } = options;
  const path = join(folder, fileOfVolume(volume));
  return opening(path, () => {
    makePrivateFile(path);
    syncFolder(folder);
    const database = new DatabaseSync(path);
    try {
      database.exec(`
        PRAGMA busy_timeout = 5000;
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = FULL;
        PRAGMA fullfsync = ON;
        PRAGMA checkpoint_fullfsync = ON;
        PRAGMA secure_delete = ON;
        PRAGMA journal_size_limit = ${16 * 1024 * 1024};
        ${SAFE_READING}
      `);
      if (maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${maxPages}`);
      migrate(database, path, migrations);
      checkSchema(database, path, migrations);
    } catch (error) {
      database.close();
      throw error;
    }
    return database;
  });
};

/** A read-only connection. It may still create the shared memory file, as every reader of a WAL must. */
export const openToRead = (folder: string, volume: number): DatabaseSync => {
  const path = join(folder, fileOfVolume(volume));
  return opening(path, () => {
    const database = new DatabaseSync(path);
    database.exec(`PRAGMA busy_timeout = 5000; PRAGMA query_only = ON; ${SAFE_READING}`);
    return database;
  });
};

/** Limits the harm that a damaged file can do. */
const SAFE_READING = "PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF;";

const opening = (path: string, open: () => DatabaseSync): DatabaseSync => {
  try {
    return open();
  } catch (error) {
    throw failureOf(error, `${path} cannot be opened`);
  }
};

const migrate = (database: DatabaseSync, path: string, migrations: readonly Migration[]): void => {
  const version = volumeVersionOf(database);
  refuseVersion(path, version, migrations);
  for (const [step, migration] of migrations.entries()) {
    if (step < version) continue;
    inTransaction(database, () => {
      migration(database);
      database.exec(`PRAGMA user_version = ${step + 1}`);
    });
  }
};

/** The schema is text in the file. A flipped bit in it could change the meaning of every query. */
const checkSchema = (database: DatabaseSync, path: string, migrations: readonly Migration[]): void => {
  const isSame = isDeepStrictEqual(schemaOf(database), modelSchemaOf(migrations));
  const { shared } = database
    .prepare("SELECT count(*) - count(DISTINCT rootpage) AS shared FROM sqlite_schema WHERE rootpage > 0")
    .get() as { shared: number };
  if (!isSame || shared > 0) throw new StoreError("corrupt", `${path} is damaged: its tables do not match its schema.`);
};

/** By migrations, because all volumes of a store share one schema. */
const modelSchemas = new WeakMap<readonly Migration[], unknown>();
const modelSchemaOf = (migrations: readonly Migration[]): unknown => {
  if (!modelSchemas.has(migrations)) {
    const model = new DatabaseSync(":memory:");
    for (const migration of migrations) migration(model);
    modelSchemas.set(migrations, schemaOf(model));
    model.close();
  }
  return modelSchemas.get(migrations);
};

const schemaOf = (database: DatabaseSync): unknown =>
  database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").all();

export const volumeVersionOf = (database: DatabaseSync): number =>
  (database.prepare("PRAGMA user_version").get() as { user_version: number }).user_version;

/** All or nothing. */
export const inTransaction = <T>(database: DatabaseSync, work: () => T): T => {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    // SQLite rolls back by itself after some failures, such as a full disk.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
};

export const bytesOf = (database: DatabaseSync): number => {
  const { page_count: pages } = database.prepare("PRAGMA page_count").get() as { page_count: number };
  const { page_size: size } = database.prepare("PRAGMA page_size").get() as { page_size: number };
  return pages * size;
};

/** Moves the write-ahead log into the file and empties it, so that no overwritten or deleted data stays in the log. */
export const emptyLog = (database: DatabaseSync): void => {
  const { busy } = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get() as { busy: number };
  if (busy !== 0)
    throw new StoreError("locked", "Another program reads the database, so its write-ahead log cannot be emptied.");
};

/** For a larger file, VACUUM uses a temporary file instead of memory. */
const VACUUM_IN_MEMORY = 256 * 1024 * 1024;

/** Rewrites the file without the deleted data. */
export const rewrite = (database: DatabaseSync): void => {
  // The index keeps words of deleted rows until its segments are merged.
  database.exec("INSERT INTO word (word) VALUES ('optimize')");
  database.exec(`PRAGMA temp_store = ${bytesOf(database) <= VACUUM_IN_MEMORY ? "MEMORY" : "FILE"}`);
  database.exec("VACUUM");
};
