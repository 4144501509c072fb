// A session's view without a server: a fold of events, filled by hand.

import type { Draft, Row, SessionSnapshot, SessionView } from "@quarterdeck/client";
import { createFold, type Event, type Fold, type Streamed } from "@quarterdeck/session";

export class FoldView implements SessionView {
  readonly id: string;
  readonly fold: Fold = createFold();
  readonly events: Event[] = [];
  snapshot: SessionSnapshot;
  readonly #listeners = new Set<() => void>();
  readonly #draftListeners = new Map<string, Set<(draft: Draft | undefined) => void>>();
  #known = new Map<string, Row>();
  /** The window: this many rows before its end. Its end is the last row, unless the person went to older rows. */
  #shown = Number.POSITIVE_INFINITY;
  #end = Number.POSITIVE_INFINITY;
  #extra: readonly Row[] = [];
  #waits = false;

  constructor(id: string) {
    this.id = id;
    this.snapshot = this.#make();
  }

  feed(event: Event | Streamed): void {
    this.fold.apply(event);
    if (event.type !== "streamed") this.events.push(event);
    this.changed();
  }

  /** Rows that no recording has. */
  add(rows: readonly Row[]): void {
    this.#extra = [...this.#extra, ...rows];
    this.changed();
  }

  show(count: number): void {
    this.#shown = count;
    this.changed();
  }

  changed(): void {
    if (this.#waits) return;
    this.#waits = true;
    requestAnimationFrame(() => {
      this.#waits = false;
      this.snapshot = this.#make();
      for (const listener of this.#listeners) listener();
      for (const [id, listeners] of this.#draftListeners) {
        const draft = this.snapshot.drafts.find((entry) => entry.id === id);
        for (const listener of listeners) listener(draft);
      }
    });
  }

  /** Every row, loaded or not. */
  get all(): readonly Row[] {
    return [...this.fold.rows, ...this.#extra];
  }

  #make(): SessionSnapshot {
    const all = this.all.map((row) => {
      const known = this.#known.get(row.id);
      if (known?.rev === row.rev) return known;
      this.#known.set(row.id, row);
      return row;
    });
    const end = Math.min(this.#end, all.length);
    const rows = all.slice(Math.max(0, end - this.#shown), end);
    return {
      status: "ready",
      head: this.fold.head,
      rows,
      drafts: this.fold.drafts,
      more: rows.length < end,
      moreAfter: end < all.length,
      watchers: [],
      readOnly: false,
    };
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  subscribeDraft(id: string, listener: (draft: Draft | undefined) => void): () => void {
    const listeners = this.#draftListeners.get(id) ?? new Set();
    this.#draftListeners.set(id, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Simulates the delay of a request. */
  async #travel(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 60));
  }

  async #drawn(): Promise<void> {
    this.changed();
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  }

  async loadBefore(limit = 100): Promise<void> {
    await this.#travel();
    this.#shown += limit;
    await this.#drawn();
  }

  async loadAfter(limit = 100): Promise<void> {
    await this.#travel();
    this.#end += limit;
    this.#shown += limit;
    await this.#drawn();
  }

  async loadAround(rowId: string): Promise<boolean> {
    await this.#travel();
    const { all } = this;
    const at = all.findIndex((row) => row.id === rowId);
    if (at === -1) return false;
    this.#end = Math.min(all.length, at + 50);
    this.#shown = 100;
    await this.#drawn();
    return true;
  }

  async loadEnd(): Promise<void> {
    await this.#travel();
    this.#end = Number.POSITIVE_INFINITY;
    this.#shown = 100;
    await this.#drawn();
  }

  close(): void {}
}
