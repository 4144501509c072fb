// What every row may need beside itself. The object stays the same for as long as the session is open, so that rows do not
// render again for its sake; what changes is followed piece by piece (`useHead`).

import { createContext, useCallback, useContext, useState, useSyncExternalStore } from "react";
import type { Head, Row, SessionView } from "@quarterdeck/client";
import type { SessionActions } from "../app/session-actions.ts";

export interface TimelineScope {
  readonly view: SessionView;
  /** Always the newest, though the scope stays. */
  readonly actions: SessionActions;
  /** What was opened, closed or chosen in a row: it must outlive the row's leaving the page. */
  readonly kept: Map<string, unknown>;
  readonly openMenu: (row: Row, trigger: HTMLElement) => void;
  readonly showRaw: (row: Row) => void;
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

/** State that outlives the row's leaving the page. */
export const useKept = <T,>(key: string, initial: T): readonly [T, (value: T) => void] => {
  const { kept } = useScope();
  const [value, setValue] = useState<T>(() => (kept.has(key) ? (kept.get(key) as T) : initial));
  const set = useCallback(
    (next: T) => {
      kept.set(key, next);
      setValue(next);
    },
    [kept, key],
  );
  // What was never chosen goes on following its default.
  return [kept.has(key) ? value : initial, set];
};

export const useChildRows = (toolUseId: string): readonly Row[] => {
  const { children } = useScope();
  return useSyncExternalStore(
    useCallback((listener) => children.subscribe(listener), [children]),
    () => children.of(toolUseId),
  );
};
