// The timeline: rows by id and in order, changes since a `rev`, and the head. It knows nothing about messages. Every write
// costs O(1) in the number of rows.

import type { Head } from "./head.ts";
import { EMPTY_HEAD } from "./head.ts";
import type { Draft } from "./draft.ts";
import type { Row } from "./row.ts";

export interface Changes {
  readonly rev: number;
  readonly rows: readonly Row[];
  readonly removed: readonly string[];
  readonly head: Partial<Head>;
}

export interface SavedTimeline {
  readonly rev: number;
  readonly nextOrder: number;
  readonly rows: readonly Row[];
  readonly removed: readonly (readonly [string, number])[];
  readonly head: Head;
  readonly headRevs: Readonly<Record<string, number>>;
}

/** New text of a draft. `draft` belongs to the fold and keeps changing. Copy it to keep it. */
export interface DraftGrowth {
  readonly draft: Draft;
  readonly from: number;
  readonly text: string;
}

type Unplaced<R> = R extends Row ? Omit<R, "order" | "rev"> : never;
export type NewRow = Unplaced<Row>;
export type RowPatch<R extends Row = Row> = Partial<Omit<R, "id" | "kind" | "order" | "rev">>;

export class Timeline {
  rev = 0;
  head: Head = EMPTY_HEAD;
  /** Hundreds of deltas a second change drafts in place. Readers get copies. */
  readonly drafts = new Map<string, { -readonly [K in keyof Draft]: Draft[K] }>();
  /** What the current event added to a draft, so readers need not search a long text. */
  growth: DraftGrowth | undefined;
  #nextOrder = 1;
  #rows = new Map<string, Row>();
  /** Rows by ascending order. An abandoned place stays empty until there are too many. */
  #places: { order: number; id: string | undefined }[] = [];
  #placeOf = new Map<string, number>();
  #removed = new Map<string, number>();
  #headRevs: Record<string, number> = {};
  /** Ids by ascending rev, with repeats. It is compacted when most entries are repeats. */
  #trail: { rev: number; id: string }[] = [];

  get rows(): readonly Row[] {
    return this.#places.flatMap(({ id }) => (id === undefined ? [] : this.#rows.get(id)!));
  }

  /** The last `limit` rows before a place in the order, in order. */
  rowsBefore(order: number, limit: number): readonly Row[] {
    const rows: Row[] = [];
    for (let at = this.#firstFrom(order) - 1; at >= 0 && rows.length < limit; at--) this.#take(at, rows);
    return rows.reverse();
  }

  /** The first `limit` rows after a place in the order. */
  rowsAfter(order: number, limit: number): readonly Row[] {
    const rows: Row[] = [];
    for (let at = this.#firstFrom(order + 1); at < this.#places.length && rows.length < limit; at++)
      this.#take(at, rows);
    return rows;
  }

  #take(at: number, into: Row[]): void {
    const { id } = this.#places[at]!;
    if (id !== undefined) into.push(this.#rows.get(id)!);
  }

  /** The first place whose order is at least this. */
  #firstFrom(order: number): number {
    let [low, high] = [0, this.#places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#places[middle]!.order < order) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  get size(): number {
    return this.#rows.size;
  }

  get lastOrder(): number {
    return this.#nextOrder - 1;
  }

  row(id: string): Row | undefined {
    return this.#rows.get(id);
  }

  insert(row: NewRow): void {
    this.#place({ ...row, order: this.#nextOrder++, rev: ++this.rev });
  }

  update<R extends Row>(row: R, patch: RowPatch<R>): void {
    this.#put({ ...row, ...patch, rev: ++this.rev });
  }

  /** Another row at the same place. */
  replace(row: Row): void {
    this.#put({ ...row, rev: ++this.rev });
  }

  /** Puts the row at the end. */
  move<R extends Row>(row: R, patch: RowPatch<R>): void {
    this.#leave(row.id);
    this.#place({ ...row, ...patch, order: this.#nextOrder++, rev: ++this.rev });
  }

  remove(id: string): void {
    if (!this.#rows.has(id)) return;
    this.#leave(id);
    this.#rows.delete(id);
    this.#removed.set(id, ++this.rev);
    this.#mark(id);
  }

  setHead(patch: Partial<Head>): void {
    this.rev++;
    this.head = { ...this.head, ...patch };
    for (const key of Object.keys(patch)) this.#headRevs[key] = this.rev;
  }

  since(rev: number): Changes {
    const ids = new Set<string>();
    for (let at = this.#trail.length - 1; at >= 0 && this.#trail[at]!.rev > rev; at--) ids.add(this.#trail[at]!.id);
    const rows = [...ids].flatMap((id) => this.#rows.get(id) ?? []).toSorted((a, b) => a.order - b.order);
    const removed = [...ids].filter((id) => !this.#rows.has(id) && (this.#removed.get(id) ?? 0) > rev);
    const fields = Object.entries(this.head).filter(([key]) => (this.#headRevs[key] ?? 0) > rev);
    return { rev: this.rev, rows, removed, head: Object.fromEntries(fields) };
  }

  /** With `since`, saves only rows that changed after it, for a caller that has the others. */
  save(since?: number): SavedTimeline {
    return {
      rev: this.rev,
      nextOrder: this.#nextOrder,
      rows: since === undefined ? this.rows : this.since(since).rows,
      removed: [...this.#removed],
      head: this.head,
      headRevs: { ...this.#headRevs },
    };
  }

  static restore(saved: SavedTimeline): Timeline {
    const timeline = new Timeline();
    timeline.rev = saved.rev;
    timeline.head = saved.head;
    timeline.#nextOrder = saved.nextOrder;
    timeline.#rows = new Map(saved.rows.map((row) => [row.id, row]));
    timeline.#setPlaces(saved.rows);
    timeline.#removed = new Map(saved.removed);
    timeline.#headRevs = { ...saved.headRevs };
    timeline.#rebuildTrail();
    return timeline;
  }

  #place(row: Row): void {
    this.#placeOf.set(row.id, this.#places.length);
    this.#places.push({ order: row.order, id: row.id });
    this.#put(row);
  }

  #leave(id: string): void {
    const at = this.#placeOf.get(id);
    if (at !== undefined) this.#places[at]!.id = undefined;
    this.#placeOf.delete(id);
    if (this.#places.length > 2 * this.#placeOf.size + 64) this.#setPlaces(this.rows);
  }

  #setPlaces(rows: readonly Row[]): void {
    this.#places = rows.map(({ order, id }) => ({ order, id }));
    this.#placeOf = new Map(rows.map(({ id }, at) => [id, at]));
  }

  #put(row: Row): void {
    this.#rows.set(row.id, row);
    this.#removed.delete(row.id);
    this.#mark(row.id);
  }

  #mark(id: string): void {
    this.#trail.push({ rev: this.rev, id });
    if (this.#trail.length > 2 * (this.#rows.size + this.#removed.size) + 64) this.#rebuildTrail();
  }

  #rebuildTrail(): void {
    this.#trail = [
      ...[...this.#rows.values()].map(({ rev, id }) => ({ rev, id })),
      ...[...this.#removed].map(([id, rev]) => ({ rev, id })),
    ].toSorted((a, b) => a.rev - b.rev);
  }
}
