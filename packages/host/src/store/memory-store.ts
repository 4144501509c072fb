// A store without a disk, for tests and for programs that keep nothing. It is also the model that tests compare the
// SQLite store with. It stores text, not objects, so a caller that changes an object later does not change the store.

import type { Event, Fact, Row } from "@quarterdeck/session";
import { StoreError } from "./event-store.ts";
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
import { foundAnywhere, newestFirst } from "./search-filter.ts";
import { rowMatcher } from "./search-words.ts";
import { byLastUse, changesOf, headOf, savedOn, summaryOfStored } from "./stored-fold.ts";

interface Kept {
  readonly facts: { readonly at: number; readonly body: string }[];
  record?: string;
  fold?: string;
  drafts: string;
}

export const createMemoryStore = (): EventStore => new MemoryStore();

class MemoryStore implements EventStore {
  readonly #sessions = new Map<string, Kept>();
  #isClosed = false;

  async append(session: string, facts: readonly NewFact[]): Promise<readonly Event[]> {
    this.#mustBeOpen();
    if (facts.length === 0) return [];
    const kept = this.#place(session);
    const first = kept.facts.length + 1;
    for (const { at, fact } of facts) kept.facts.push({ at, body: JSON.stringify(fact) });
    return facts.map(({ at, fact }, index) => ({ seq: first + index, at, ...fact }));
  }

  read(session: string, after: number, limit: number): readonly Event[] {
    const facts = this.#find(session)?.facts.slice(after, after + Math.max(0, limit)) ?? [];
    return facts.map(({ at, body }, index) => ({ seq: after + index + 1, at, ...(JSON.parse(body) as Fact) }));
  }

  lastSeq(session: string): number {
    return this.#find(session)?.facts.length ?? 0;
  }

  async saveFold(session: string, stored: FoldToSave): Promise<void> {
    const kept = this.#find(session);
    if (kept === undefined) return;
    const saved = savedOn(stored.partial && this.#fold(session), stored);
    if (saved === undefined) delete kept.fold;
    else kept.fold = JSON.stringify(saved);
  }

  loadFold(session: string, version: number): StoredFold | undefined {
    const stored = this.#fold(session);
    return stored?.fold.version === version ? stored : undefined;
  }

  loadHead(session: string, version: number): StoredHead | undefined {
    const stored = this.loadFold(session, version);
    return stored && headOf(stored);
  }

  rowsBefore(session: string, order: number, limit: number): RowPage {
    const rows = this.#rows(session).filter((row) => row.order < order);
    return { rows: rows.slice(Math.max(0, rows.length - limit)), more: rows.length > limit };
  }

  rowsAfter(session: string, order: number, limit: number): RowPage {
    const rows = this.#rows(session).filter((row) => row.order > order);
    return { rows: rows.slice(0, limit), more: rows.length > limit };
  }

  rowsAround(session: string, rowId: string, limit: number): RowWindow | undefined {
    const rows = this.#rows(session);
    const at = rows.findIndex(({ id }) => id === rowId);
    if (at === -1) return undefined;
    const [from, to] = [Math.max(0, at - limit), at + limit + 1];
    return { rows: rows.slice(from, to), moreBefore: from > 0, moreAfter: to < rows.length };
  }

  row(session: string, rowId: string): Row | undefined {
    return this.#rows(session).find(({ id }) => id === rowId);
  }

  changesSince(session: string, version: number, rev: number, limit: number): StoredChanges | undefined {
    const stored = this.loadFold(session, version);
    if (stored === undefined) return undefined;
    const changed = stored.fold.timeline.rows.filter((row) => row.rev > rev).toSorted((a, b) => a.rev - b.rev);
    const most = Math.max(1, limit);
    return changesOf(stored.fold.timeline, rev, changed.slice(0, most), changed.length > most);
  }

  saveDrafts(session: string, drafts: Readonly<Record<string, string>>): void {
    const kept = this.#find(session);
    if (kept !== undefined) kept.drafts = JSON.stringify(drafts);
  }

  loadDrafts(session: string): Readonly<Record<string, string>> {
    return JSON.parse(this.#find(session)?.drafts ?? "{}") as Record<string, string>;
  }

  async putSession(record: SessionRecord): Promise<void> {
    this.#mustBeOpen();
    this.#place(record.id).record = JSON.stringify(record);
  }

  session(id: string): SessionRecord | undefined {
    const record = this.#find(id)?.record;
    return record === undefined ? undefined : (JSON.parse(record) as SessionRecord);
  }

  sessions(): readonly SessionRecord[] {
    this.#mustBeOpen();
    return [...this.#sessions.keys()]
      .flatMap((id) => this.session(id) ?? [])
      .toSorted((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : 1));
  }

  list(): readonly SessionEntry[] {
    this.#mustBeOpen();
    return [...this.#sessions.keys()].flatMap((id) => this.entry(id) ?? []).toSorted(byLastUse);
  }

  entry(id: string): SessionEntry | undefined {
    const record = this.session(id);
    const kept = this.#find(id);
    if (record === undefined || kept === undefined) return undefined;
    const stored = this.#fold(id);
    return {
      record,
      usedAt: Math.max(record.updatedAt, kept.facts.at(-1)?.at ?? 0),
      lastSeq: kept.facts.length,
      bytes: bytesOf(kept),
      ...(stored !== undefined && { summary: summaryOfStored(stored) }),
    };
  }

  async deleteSession(id: string): Promise<void> {
    this.#mustBeOpen();
    this.#sessions.delete(id);
  }

  search(query: string, limit: number, filter: SearchFilter = {}): Found {
    this.#mustBeOpen();
    const match = rowMatcher(query);
    const hits = [...this.#sessions.keys()].flatMap((session) =>
      this.#rows(session).flatMap((row) => {
        const found = match(row);
        return (found && foundAnywhere(session, row, found, filter)) ?? [];
      }),
    );
    return { hits: hits.toSorted(newestFirst).slice(0, limit), complete: hits.length <= limit };
  }

  findRows(session: string, query: string, limit: number): readonly FoundRow[] {
    const match = rowMatcher(query);
    return this.#rows(session)
      .flatMap((row) => match(row) ?? [])
      .slice(0, limit);
  }

  usage(): { total: number; sessions: Readonly<Record<string, number>> } {
    this.#mustBeOpen();
    const kept = [...this.#sessions];
    const total = kept.reduce((sum, [, one]) => sum + bytesOf(one) + Buffer.byteLength(one.drafts), 0);
    return { total, sessions: Object.fromEntries(kept.map(([id, one]) => [id, bytesOf(one)])) };
  }

  async backup(path: string): Promise<void> {
    this.#mustBeOpen();
    // Imported only here: a program that keeps nothing needs no database.
    const { openSqliteStore } = await import("./sqlite-store.ts");
    const copy = await openSqliteStore(path);
    try {
      for (const [id, { facts, record, fold, drafts }] of this.#sessions) {
        await copy.append(
          id,
          facts.map(({ at, body }) => ({ at, fact: JSON.parse(body) as Fact })),
        );
        if (record !== undefined) await copy.putSession(JSON.parse(record) as SessionRecord);
        if (fold !== undefined) await copy.saveFold(id, JSON.parse(fold) as StoredFold);
        copy.saveDrafts(id, JSON.parse(drafts) as Record<string, string>);
      }
    } finally {
      await copy.close();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  #fold(session: string): StoredFold | undefined {
    const fold = this.#find(session)?.fold;
    return fold === undefined ? undefined : (JSON.parse(fold) as StoredFold);
  }

  #rows(session: string): readonly Row[] {
    return this.#fold(session)?.fold.timeline.rows ?? [];
  }

  #find(session: string): Kept | undefined {
    this.#mustBeOpen();
    return this.#sessions.get(session);
  }

  #place(session: string): Kept {
    let kept = this.#sessions.get(session);
    if (kept === undefined) this.#sessions.set(session, (kept = { facts: [], drafts: "{}" }));
    return kept;
  }

  #mustBeOpen(): void {
    if (this.#isClosed) throw new StoreError("closed", "The store is closed.");
  }
}

const bytesOf = ({ facts, record, fold }: Kept): number =>
  [...facts.map(({ body }) => body), record ?? "", fold ?? ""].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
