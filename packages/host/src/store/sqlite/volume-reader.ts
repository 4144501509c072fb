// Reads one volume, on the calling thread. Every record is checked as it is read: a wrong record is reported as damage
// and never returned.

import type { Event, Fact, Row } from "@quarterdeck/session";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { StoreError } from "../event-store.ts";
import type { SessionRecord, StoredFold } from "../event-store.ts";
import type { StoredSummary } from "../session-summary.ts";
import type { Blobs } from "./blobs.ts";
import { doing, failureOf } from "./failure.ts";
import { DRAFT_PARTS, draftsOf } from "./draft-pieces.ts";
import { eventLabel, partLabel, rowLabel, sumOfSession, unseal } from "./sealed.ts";
import type { Sealed, Vault } from "./sealed.ts";
import { bytesOf, fileOfVolume, openToRead, eventPlaceOf, seqOfPlace, spaceOf } from "./volume.ts";

/** A session as the volume stores it. */
export interface VolumeEntry {
  readonly key: number;
  readonly id: string;
  readonly lastSeq: number;
  /** The time of the last fact. */
  readonly lastAt: number;
  readonly bytes: number;
  readonly record: SessionRecord | undefined;
  readonly summary: StoredSummary | undefined;
  /** What is damaged, as text. */
  readonly damage: string | undefined;
}

/** The saved fold without its rows, which have their own table. */
export interface FoldPart {
  readonly seq: number;
  readonly rows: number;
  readonly version: number;
  readonly timeline: Omit<StoredFold["fold"]["timeline"], "rows">;
  /** Only schema 1 stored it here. Now it is a separate part, because most readers do not need it. */
  readonly memory?: StoredFold["fold"]["memory"];
}

/** A place in the table of rows. */
export interface FoundPlace {
  readonly n: number;
  readonly session: number;
  readonly at: number;
}
export interface FoundPlaces {
  readonly places: readonly FoundPlace[];
  /** False if there are more, or if older matches were not looked at. */
  readonly complete: boolean;
}

/** SQL over the columns of `row`, with its values. Empty: every row. */
export interface RowCondition {
  readonly where: string;
  readonly values: readonly (string | number)[];
}

type StoredRow = Sealed & { session: number; id: string; position: number; rev: number; at: number };

export class VolumeReader {
  readonly #volume: number;
  readonly #blobs: Blobs;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(folder: string, volume: number, blobs: Blobs) {
    this.#volume = volume;
    this.#blobs = blobs;
    this.#database = openToRead(folder, volume);
  }

  get size(): number {
    return this.#reading(() => bytesOf(this.#database));
  }

  /** All reads inside `work` see one moment, whatever is committed meanwhile. */
  atOnce<T>(work: () => T): T {
    if (this.#database.isTransaction) return work();
    this.#database.exec("BEGIN");
    try {
      return work();
    } finally {
      this.#database.exec("COMMIT");
    }
  }

  sessions(): readonly VolumeEntry[] {
    return this.#reading(() => {
      const rows = this.#prepare("SELECT key, id, last_seq, bytes, sum FROM session").all() as {
        key: number;
        id: string;
        last_seq: number;
        bytes: number;
        sum: number;
      }[];
      return rows.map(({ key, id, last_seq: lastSeq, bytes, sum }) => {
        const body = this.#part(key, id, "record");
        const { seq: stored, at: lastAt } = this.#storedLast(key);
        // The summary is derived from the log, so a damaged summary counts as missing.
        const summary = this.#part(key, id, "summary");
        let damage: string | undefined;
        if (sum !== sumOfSession(key, id)) damage = "its name cannot be read";
        else if (body === null) damage = "its record cannot be read";
        else if (stored !== lastSeq) damage = `its log should end at ${lastSeq} and ends at ${stored}`;
        const record =
          typeof body !== "string" || damage !== undefined ? undefined : (JSON.parse(body) as SessionRecord);
        return {
          key,
          id,
          lastSeq: Math.max(lastSeq, stored),
          lastAt,
          bytes,
          record,
          summary: typeof summary === "string" ? (JSON.parse(summary) as StoredSummary) : undefined,
          damage,
        };
      });
    });
  }

  /** Keys of sessions that are deleted but may still be in the file. */
  deleted(): readonly number[] {
    return this.#reading(() => {
      const rows = this.#prepare("SELECT key FROM deleted").all() as { key: number }[];
      return rows.map(({ key }) => key);
    });
  }

  events(key: number, id: string, after: number, limit: number, lastSeq: number): Event[] {
    const until = Math.min(after + limit, lastSeq);
    const events: Event[] = [];
    const bad = (cause?: unknown): StoreError => {
      const good = after + events.length;
      return new StoreError("corrupt", `The log of session ${id} is damaged after ${good}.`, {
        cause,
        goodUntil: good,
      });
    };
    try {
      const select = "SELECT place, at, body, blob, sum FROM event WHERE place > ? AND place <= ? ORDER BY place";
      const vault = this.#vault(key, id);
      for (const stored of this.#prepare(select).iterate(eventPlaceOf(key, after), eventPlaceOf(key, until))) {
        const { place, at, ...sealed } = stored as unknown as Sealed & { place: number; at: number };
        const seq = seqOfPlace(place);
        const body = seq === after + events.length + 1 ? unseal(vault, eventLabel(seq, at), sealed) : undefined;
        if (body === undefined) throw bad();
        events.push({ seq, at, ...(JSON.parse(body) as Fact) });
      }
    } catch (error) {
      const failure = failureOf(error, `The log of session ${id} cannot be read`);
      throw failure instanceof StoreError && failure.code === "corrupt" ? bad(error) : failure;
    }
    if (after + events.length < until) throw bad();
    return events;
  }

  /** Derived from the log. A damaged fold counts as missing, and the host folds the log again. */
  foldPart(key: number, id: string, version: number): FoldPart | undefined {
    const body = this.#reading(() => this.#part(key, id, "fold"));
    const part = typeof body === "string" ? (JSON.parse(body) as FoldPart) : undefined;
    return part?.version === version ? part : undefined;
  }

  /** The fold with its rows. */
  fold(key: number, id: string, version: number): StoredFold | undefined {
    try {
      return this.atOnce(() => {
        const part = this.foldPart(key, id, version);
        if (part === undefined) return undefined;
        const rows = this.#rows(id, "session = ? ORDER BY position", key);
        const memory = part.memory ?? this.#memory(key, id);
        if (rows.length !== part.rows || memory === undefined) return undefined;
        return { seq: part.seq, fold: { version, timeline: { ...part.timeline, rows }, memory } };
      });
    } catch (error) {
      const failure = failureOf(error, `The fold of session ${id} cannot be read`);
      if (failure instanceof StoreError && failure.code === "corrupt") return undefined;
      throw failure;
    }
  }

  #memory(key: number, id: string): StoredFold["fold"]["memory"] | undefined {
    const body = this.#part(key, id, "memory");
    return typeof body === "string" ? (JSON.parse(body) as StoredFold["fold"]["memory"]) : undefined;
  }

  rowsBefore(key: number, id: string, order: number, limit: number): Row[] {
    return this.#rows(
      id,
      "session = ? AND position < ? ORDER BY position DESC LIMIT ?",
      key,
      order,
      limit,
    ).toReversed();
  }

  rowsAfter(key: number, id: string, order: number, limit: number): Row[] {
    return this.#rows(id, "session = ? AND position > ? ORDER BY position LIMIT ?", key, order, limit);
  }

  /** In order of `rev`. */
  rowsSince(key: number, id: string, rev: number, limit: number): Row[] {
    return this.#rows(id, "session = ? AND rev > ? ORDER BY rev LIMIT ?", key, rev, limit);
  }

  row(key: number, id: string, rowId: string): Row | undefined {
    return this.#rows(id, "session = ? AND row.id = ?", key, rowId)[0];
  }

  #rows(id: string, where: string, ...values: (string | number)[]): Row[] {
    return this.#reading(() => {
      const rows = this.#prepare(`SELECT ${ROW} FROM row WHERE ${where}`).all(...values) as unknown as StoredRow[];
      return rows.map((row) => this.#openRow(row, id));
    });
  }

  /** Drafts are not facts, so damaged drafts count as missing. */
  drafts(key: number, id: string): Readonly<Record<string, string>> {
    const vault = this.#vault(key, id);
    const select = "SELECT name, body, blob, sum FROM part WHERE session = ? AND name BETWEEN ? AND ? ORDER BY name";
    const parts = this.#reading(() => this.#prepare(select).all(key, ...DRAFT_PARTS)) as unknown as NamedPart[];
    return draftsOf(parts.map(({ name, ...sealed }) => ({ name, body: unseal(vault, partLabel(name), sealed) })));
  }

  /**
   * Rows that match, newest first, without their contents. `where` limits them. At most `most` matches are looked at, so
   * that a frequent word with a filter that lets nothing pass cannot block the thread.
   */
  search(match: string, limit: number, most: number, { where, values }: RowCondition): FoundPlaces {
    return this.#reading(() => {
      const newest = "SELECT rowid AS n FROM word WHERE word MATCH ? ORDER BY rowid DESC LIMIT ?";
      if (where === "") {
        const select = `SELECT row.n, row.session, row.at FROM (${newest}) AS hit CROSS JOIN row ON row.n = hit.n`;
        const places = this.#prepare(select).all(match, limit + 1) as unknown as FoundPlace[];
        return { places, complete: places.length <= limit };
      }
      const select = `SELECT row.n, row.session, row.at FROM (${newest}) AS hit CROSS JOIN row ON row.n = hit.n WHERE ${where} LIMIT ?`;
      const places = this.#prepare(select).all(match, most, ...values, limit + 1) as unknown as FoundPlace[];
      if (places.length > limit) return { places, complete: false };
      const count = `SELECT count(*) AS matches FROM (SELECT 1 FROM word WHERE word MATCH ? LIMIT ?)`;
      const { matches } = this.#prepare(count).get(match, most + 1) as { matches: number };
      return { places, complete: matches <= most };
    });
  }

  /** The row that `search` found. */
  rowAt(n: number, id: string): Row | undefined {
    return this.#rows(id, "n = ?", n)[0];
  }

  /** Searches one session. Results are in row order. */
  find(key: number, id: string, match: string, limit: number): Row[] {
    return this.#reading(() => {
      const select = `SELECT ${ROW} FROM row JOIN word ON word.rowid = row.n WHERE word MATCH ? AND session = ? ORDER BY position LIMIT ?`;
      const rows = this.#prepare(select).all(match, key, limit) as unknown as StoredRow[];
      return rows.map((row) => this.#openRow(row, id));
    });
  }

  /** Reads everything once: SQLite checks the pages, we check the records. */
  check(): readonly string[] {
    const found: string[] = [];
    const note = (work: () => void): void => {
      try {
        work();
      } catch (error) {
        found.push(`${fileOfVolume(this.#volume)}: ${error instanceof Error ? error.message : String(error)}`);
      }
    };
    note(() => {
      const result = this.#prepare("PRAGMA integrity_check").all() as { integrity_check: string }[];
      for (const { integrity_check: text } of result) {
        if (text !== "ok") found.push(`${fileOfVolume(this.#volume)}: ${text}`);
      }
    });
    note(() => {
      for (const { key, id, lastSeq, damage } of this.sessions()) {
        if (damage !== undefined) found.push(`Session ${id}: ${damage}.`);
        for (let at = 0; at < lastSeq; at += 1000) note(() => void this.events(key, id, at, 1000, lastSeq));
        note(() => void this.rowsBefore(key, id, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER));
      }
    });
    return found;
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #storedLast(key: number): { readonly seq: number; readonly at: number } {
    const select = "SELECT place, at FROM event WHERE place BETWEEN ? AND ? ORDER BY place DESC LIMIT 1";
    const last = this.#prepare(select).get(eventPlaceOf(key, 0), eventPlaceOf(key + 1, 0) - 1) as
      | { place: number; at: number }
      | undefined;
    return last === undefined ? { seq: 0, at: 0 } : { seq: seqOfPlace(last.place), at: last.at };
  }

  /** Null if the part is damaged. */
  #part(key: number, id: string, name: string): string | null | undefined {
    const select = "SELECT body, blob, sum FROM part WHERE session = ? AND name = ?";
    const sealed = this.#prepare(select).get(key, name) as unknown as Sealed | undefined;
    if (sealed === undefined) return undefined;
    return unseal(this.#vault(key, id), partLabel(name), sealed) ?? null;
  }

  #openRow({ session, id, position, rev, at, ...sealed }: StoredRow, sessionId: string): Row {
    const body = unseal(this.#vault(session, sessionId), rowLabel(id, position, rev, at), sealed);
    if (body === undefined) throw new StoreError("corrupt", `Row ${id} of session ${sessionId} is damaged.`);
    return JSON.parse(body) as Row;
  }

  #vault(key: number, session: string): Vault {
    return { blobs: this.#blobs, space: spaceOf(this.#volume, key), session };
  }

  #reading<T>(work: () => T): T {
    return doing(`${fileOfVolume(this.#volume)} cannot be read`, work);
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }
}

interface NamedPart extends Sealed {
  readonly name: string;
}

const ROW = "row.session, row.id, row.position, row.rev, row.at, row.body, row.blob, row.sum";
