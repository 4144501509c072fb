// A session's view without a server: a fold of events, fed by hand.

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
  #shown = Number.POSITIVE_INFINITY;
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

  #make(): SessionSnapshot {
    const all = [...this.fold.rows, ...this.#extra].map((row) => {
      const known = this.#known.get(row.id);
      if (known?.rev === row.rev) return known;
      this.#known.set(row.id, row);
      return row;
    });
    const rows = all.slice(-this.#shown);
    return {
      status: "ready",
      head: this.fold.head,
      rows,
      drafts: this.fold.drafts,
      more: rows.length < all.length,
      moreAfter: false,
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

  async loadBefore(limit = 100): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 60));
    this.show(this.#shown + limit);
  }

  async loadAfter(): Promise<void> {}

  async loadAround(rowId: string): Promise<boolean> {
    const found = [...this.fold.rows, ...this.#extra].some((row) => row.id === rowId);
    if (found) this.show(Number.POSITIVE_INFINITY);
    return found;
  }

  async loadEnd(): Promise<void> {}

  close(): void {}
}
