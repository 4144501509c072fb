// What every row may need beside itself. The object stays the same for as long as the session is open, so that rows do not
// render again for its sake; what changes is followed piece by piece (`useHead`).

import { createContext, useCallback, useContext, useSyncExternalStore, type ReactNode } from "react";
import type { Head, Row, SessionView } from "@quarterdeck/client";
import type { SessionActions } from "../app/session-actions.ts";
import type { Entry } from "./entries.ts";

export interface TimelineScope {
  readonly view: SessionView;
  /** Always the newest, though the scope stays. */
  readonly actions: SessionActions;
  readonly kept: KeptChoices;
  readonly openMenu: (row: Row, trigger: HTMLElement) => void;
  /** Draws an entry; a card that has a conversation inside draws its rows with it. */
  readonly renderEntry: (entry: Entry) => ReactNode;
  /** Rows of an agent's conversation, by the tool call that began it; the same array while they are the same. */
  readonly children: ChildRows;
}

export interface ChildRows {
  of(toolUseId: string): readonly Row[];
  subscribe(listener: () => void): () => void;
}

const ScopeContext = createContext<TimelineScope | undefined>(undefined);
export const ScopeProvider = ScopeContext.Provider;

export const useScope = (): TimelineScope => {
  const scope = useContext(ScopeContext);
  if (scope === undefined) throw new Error("Rows stand in a timeline.");
  return scope;
};

/** A part of the head. Renders again only when that part is another; `select` must give the same object for the same head. */
export const useHead = <T,>(select: (head: Head) => T): T => {
  const { view } = useScope();
  return useSyncExternalStore(
    useCallback((listener) => view.subscribe(listener), [view]),
    () => select(view.snapshot.head),
  );
};

/** What was opened or closed in rows: it must outlive a row's leaving the page. */
export class KeptChoices {
  readonly #values = new Map<string, boolean>();
  readonly #listeners = new Set<() => void>();

  get(key: string): boolean | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: boolean): void {
    this.#values.set(key, value);
    for (const listener of this.#listeners) listener();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

/** A choice that outlives the row's leaving the page. What was never chosen goes on following its default. */
export const useKept = (key: string, initial: boolean): readonly [boolean, (value: boolean) => void] => {
  const { kept } = useScope();
  const value = useSyncExternalStore(kept.subscribe, () => kept.get(key));
  const set = useCallback((next: boolean) => kept.set(key, next), [kept, key]);
  return [value ?? initial, set];
};

export const useChildRows = (toolUseId: string): readonly Row[] => {
  const { children } = useScope();
  return useSyncExternalStore(
    useCallback((listener) => children.subscribe(listener), [children]),
    () => children.of(toolUseId),
  );
};

/** Of several that tell of the same, one offers the way on. */
export const useIsLast = (id: string, isSuch: (row: Row) => boolean): boolean => {
  const { view } = useScope();
  return useSyncExternalStore(
    useCallback((listener) => view.subscribe(listener), [view]),
    () => view.snapshot.rows.findLast(isSuch)?.id === id,
  );
};
