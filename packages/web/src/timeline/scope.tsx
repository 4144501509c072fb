// What every row may need beside itself. The object stays the same for as long as the session is open, so that rows do not
// render again for its sake; what changes is followed piece by piece (`useHead`).

import { createContext, useCallback, useContext, useSyncExternalStore, type ReactNode } from "react";
import type { Head, Row, SessionView } from "@quarterdeck/client";
import type { SessionActions } from "../store/session-actions.ts";
import { ChoicesProvider, type KeptChoices } from "../content/kept-choices.ts";
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

/** A part of the head. Renders again only when that part is another; `select` must give the same object for the same head. */
export const useHead = <T,>(select: (head: Head) => T): T => {
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

/** Of several that tell of the same, one offers the way on. */
export const useIsLast = (id: string, isSuch: (row: Row) => boolean): boolean => {
  const { view } = useScope();
  return useSyncExternalStore(
    useCallback((listener) => view.subscribe(listener), [view]),
    () => view.snapshot.rows.findLast(isSuch)?.id === id,
  );
};
