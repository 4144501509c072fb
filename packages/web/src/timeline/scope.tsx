// What every row may need besides itself. The object stays the same while the session is open, so rows do not render again.
// Rows follow parts that change with `useScopeHead`.

import { createContext, useCallback, useContext, useSyncExternalStore, type ReactNode } from "react";
import type { Head, Row, SessionView } from "@quarterdeck/client";
import type { SessionActions } from "../store/session-actions.ts";
import { ChoicesProvider, type KeptChoices } from "../content/kept-choices.ts";
import type { Entry } from "./entries.ts";

export interface TimelineScope {
  readonly view: SessionView;
  /** Always the newest, although the scope stays the same. */
  readonly actions: SessionActions;
  readonly kept: KeptChoices;
  readonly openMenu: (row: Row, trigger: HTMLElement) => void;
  /** Draws an entry. A card with a conversation inside draws its rows with it. */
  readonly renderEntry: (entry: Entry) => ReactNode;
  /** Rows of an agent's conversation, by the tool call that started it. The same array while the rows are the same. */
  readonly children: ChildRows;
}

export interface ChildRows {
  of(toolUseId: string): readonly Row[];
  subscribe(listener: () => void): () => void;
}

const ScopeContext = createContext<TimelineScope | undefined>(undefined);

export const ScopeProvider = ({ value, children }: { readonly value: TimelineScope; readonly children: ReactNode }) => (
  <ScopeContext value={value}>
    <ChoicesProvider value={value.kept}>{children}</ChoicesProvider>
  </ScopeContext>
);

export const useScope = (): TimelineScope => {
  const scope = useContext(ScopeContext);
  if (scope === undefined) throw new Error("Rows stand in a timeline.");
  return scope;
};

/** A part of the head. Renders again only when that part changes. `select` must return the same object for the same head. */
export const useScopeHead = <T,>(select: (head: Head) => T): T => {
  const { view } = useScope();
  return useSyncExternalStore(
    useCallback((listener) => view.subscribe(listener), [view]),
    () => select(view.snapshot.head),
  );
};

export const useChildRows = (toolUseId: string): readonly Row[] => {
  const { children } = useScope();
  return useSyncExternalStore(
    useCallback((listener) => children.subscribe(listener), [children]),
    () => children.of(toolUseId),
  );
};

/** If several rows report the same error, only one offers the next step. */
export const useIsLast = (id: string, isSuch: (row: Row) => boolean): boolean => {
  const { view } = useScope();
  return useSyncExternalStore(
    useCallback((listener) => view.subscribe(listener), [view]),
    () => view.snapshot.rows.findLast(isSuch)?.id === id,
  );
};
