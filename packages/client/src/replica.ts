// The client's copy of one session: head, drafts, and a window of its rows. It applies frames and knows nothing about
// sockets. Frames have whole rows and fields, so only the newest counts. If a frame cannot be applied, the result says so,
// and the owner subscribes again. Rules: SPEC.md.

import type { Draft, Head, Row } from "@quarterdeck/session";
import { EMPTY_HEAD } from "@quarterdeck/session/bridge";
import type { NotificationParams, ResultOf, SessionChanged, Subscribed } from "@quarterdeck/session/bridge";
import type { Watcher } from "./contract.ts";
import { share, shareItems } from "./share.ts";

export type RowsPage = ResultOf<"session/rows">;
type DraftFrame = NotificationParams<"session/draft">;

/** `stale`: the local state is out of date. `reset`: subscribe without a cursor. */
export type Applied = "ok" | "stale" | "reset";

interface Place {
  readonly epoch: string;
  readonly rev: number;
}
const placeOf = (cursor: string): Place => {
  const colon = cursor.lastIndexOf(":");
  return { epoch: cursor.slice(0, colon), rev: Number(cursor.slice(colon + 1)) };
};

export class Replica {
  head: Head = EMPTY_HEAD;
  rows: readonly Row[] = [];
  drafts: ReadonlyMap<string, Draft> = new Map();
  watchers: readonly Watcher[] = [];
  readOnly = false;
  #place: Place | undefined;
  #byId = new Map<string, Row>();
  /** The window of loaded orders. A border is infinite if there are no rows beyond it. */
  #from = -Infinity;
  #to = Infinity;
  /** Changes that arrived while pages were in flight, because a page may be older. */
  #pages = 0;
  #late = new Map<string, { readonly rev: number; readonly row?: Row }>();

  get cursor(): string | undefined {
    return this.#place && `${this.#place.epoch}:${this.#place.rev}`;
  }
  get more(): boolean {
    return this.#from !== -Infinity;
  }
  get moreAfter(): boolean {
    return this.#to !== Infinity;
  }

  subscribed(answer: Subscribed): Applied {
    if (answer.status === "reset") {
      this.#place = placeOf(answer.cursor);
      this.#late.clear();
      this.head = share(this.head, { ...EMPTY_HEAD, ...answer.head });
      // A window of older rows does not reach the end. Its owner loads it again.
      if (!this.moreAfter) this.#window(answer.rows, answer.more, false);
    } else {
      const applied = this.changed({ ...answer, session: "" });
      if (applied !== "ok") return applied;
    }
    this.watchers = share(this.watchers, answer.watchers);
    this.readOnly = answer.readOnly;
    this.drafts = new Map();
    return this.drafted({ session: "", drafts: answer.drafts });
  }

  changed(frame: SessionChanged): Applied {
    const place = placeOf(frame.cursor);
    if (frame.reset === true || place.epoch !== this.#place?.epoch) return "reset";
    if (place.rev < this.#place.rev) return "ok";
    this.#place = place;
    if (frame.head !== undefined || frame.unset !== undefined) this.#setHead(frame.head ?? {}, frame.unset ?? []);
    if (frame.watchers !== undefined) this.watchers = share(this.watchers, frame.watchers);
    const rows = frame.rows ?? [];
    const removed = frame.removed ?? [];
    if (this.#pages > 0) {
      for (const id of removed) this.#late.set(id, { rev: place.rev });
      for (const row of rows) this.#late.set(row.id, { rev: place.rev, row });
    }
    this.#change(rows, removed);
    this.#endDrafts([...rows.map(({ id }) => id), ...removed]);
    return "ok";
  }

  drafted(frame: DraftFrame): Applied {
    let applied: Applied = "ok";
    if (this.#place === undefined) return applied;
    const drafts = new Map(this.drafts);
    for (const id of frame.ended ?? []) drafts.delete(id);
    for (const { from, text, ...about } of frame.drafts) {
      if (this.#byId.has(about.id)) continue;
      // A piece at 0 says what the draft is, and replaces a draft with the same id.
      const known = from === 0 ? undefined : drafts.get(about.id);
      const before = known?.text ?? "";
      if (from > before.length) applied = "stale";
      else drafts.set(about.id, { ...(known ?? (about as Draft)), ...about, text: before.slice(0, from) + text });
    }
    this.drafts = drafts;
    return applied;
  }

  /** Where the next page before (or after) the window starts. */
  get before(): number {
    return this.#from;
  }
  get after(): number {
    return this.#to;
  }

  /** Frames are kept for the page until `pageArrived`. */
  pageAsked(): void {
    this.#pages++;
  }

  /** Joins a page to the window, or replaces the window by it. Returns false if the window has changed. */
  pageArrived(page: RowsPage | undefined, at: { readonly before?: number; readonly after?: number }): boolean {
    this.#pages--;
    const late = this.#late;
    if (this.#pages === 0) this.#late = new Map();
    const place = page && placeOf(page.cursor);
    if (page === undefined || place?.epoch !== this.#place?.epoch) return false;
    if (at.before !== undefined && at.before !== this.#from) return false;
    if (at.after !== undefined && at.after !== this.#to) return false;
    const newer = [...late.values()].flatMap(({ rev, row }) => (row !== undefined && rev > place!.rev ? [row] : []));
    const gone = [...late].flatMap(([id, { rev, row }]) => (row === undefined && rev > place!.rev ? [id] : []));
    const first = page.moreBefore ? page.rows[0]?.order : -Infinity;
    const last = page.moreAfter ? page.rows.at(-1)?.order : Infinity;
    if (at.before !== undefined) {
      this.#from = first ?? this.#from;
      this.#change(page.rows, []);
    } else if (at.after !== undefined) {
      this.#to = last ?? this.#to;
      this.#change(page.rows, []);
    } else this.#window(page.rows, page.moreBefore, page.moreAfter);
    this.#change(newer, gone);
    return true;
  }

  #setHead(fields: Partial<Head>, unset: readonly string[]): void {
    const head: Record<string, unknown> = { ...this.head, ...fields };
    for (const key of unset) {
      if (key in EMPTY_HEAD) head[key] = EMPTY_HEAD[key as keyof Head];
      else delete head[key];
    }
    this.head = share(this.head, head as unknown as Head);
  }

  #window(rows: readonly Row[], more: boolean, moreAfter: boolean): void {
    const known = this.#byId;
    const shared = rows.map((row) => share(known.get(row.id), row)).toSorted(byOrder);
    this.#byId = new Map(shared.map((row) => [row.id, row]));
    this.#from = more ? (shared[0]?.order ?? Infinity) : -Infinity;
    this.#to = moreAfter ? (shared.at(-1)?.order ?? -Infinity) : Infinity;
    this.rows = shareItems(this.rows, shared);
  }

  /** The cost depends on the changed rows and the rows after them. Earlier rows are copied unchanged. */
  #change(rows: readonly Row[], removed: readonly string[]): void {
    const gone = new Set<string>();
    const put: Row[] = [];
    let lowest = Infinity;
    const leave = (known: Row | undefined): void => {
      if (known === undefined) return;
      gone.add(known.id);
      lowest = Math.min(lowest, known.order);
      this.#byId.delete(known.id);
    };
    for (const id of removed) leave(this.#byId.get(id));
    for (const row of rows) {
      const known = this.#byId.get(row.id);
      if (known !== undefined && known.rev >= row.rev) continue;
      leave(known);
      if (row.order < this.#from || row.order > this.#to) continue;
      const shared = share(known, row);
      this.#byId.set(row.id, shared);
      put.push(shared);
      lowest = Math.min(lowest, row.order);
    }
    if (lowest === Infinity) return;
    const start = firstAtOrAfter(this.rows, lowest);
    const kept = this.rows.slice(start).filter(({ id }) => !gone.has(id));
    this.rows = [...this.rows.slice(0, start), ...merged(kept, put.toSorted(byOrder))];
  }

  #endDrafts(ids: readonly string[]): void {
    if (!ids.some((id) => this.drafts.has(id))) return;
    const drafts = new Map(this.drafts);
    for (const id of ids) drafts.delete(id);
    this.drafts = drafts;
  }
}

const byOrder = (a: Row, b: Row): number => a.order - b.order;

const firstAtOrAfter = (rows: readonly Row[], order: number): number => {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle]!.order < order) low = middle + 1;
    else high = middle;
  }
  return low;
};

const merged = (a: readonly Row[], b: readonly Row[]): Row[] => {
  if (a.length === 0 || b.length === 0 || a.at(-1)!.order < b[0]!.order) return [...a, ...b];
  return [...a, ...b].toSorted(byOrder);
};
