// Rows of agents' conversations, by the tool call that started each. An array stays the same object while its rows do.

import type { Row } from "@quarterdeck/client";
import type { ChildRows } from "./scope.tsx";

const NONE: readonly Row[] = [];

export class RowFamilies implements ChildRows {
  #byParent = new Map<string, readonly Row[]>();
  #calls = new Set<string>();
  #rows: readonly Row[] = [];
  readonly #listeners = new Set<() => void>();

  of(toolUseId: string): readonly Row[] {
    return this.#byParent.get(toolUseId) ?? NONE;
  }

  /** True if the call that started the row's conversation is loaded. Then the row is in its card. */
  standsInside(row: Row): boolean {
    return row.parent !== undefined && this.#calls.has(row.parent);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Called while rendering. `tell` notifies the listeners later. */
  take(rows: readonly Row[]): void {
    if (rows === this.#rows) return;
    this.#rows = rows;
    const found = new Map<string, Row[]>();
    this.#calls = new Set();
    for (const row of rows) {
      if (row.kind === "tool") this.#calls.add(row.toolUseId);
      if (row.parent === undefined) continue;
      const siblings = found.get(row.parent);
      if (siblings === undefined) found.set(row.parent, [row]);
      else siblings.push(row);
    }
    const before = this.#byParent;
    this.#byParent = new Map(
      [...found].map(([parent, now]) => {
        const known = before.get(parent);
        const isSame = known?.length === now.length && now.every((row, index) => row === known[index]);
        return [parent, isSame ? known : now];
      }),
    );
  }

  tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
