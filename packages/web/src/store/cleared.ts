// Conversations whose earlier rows are hidden in this page: nothing is sent, nothing is lost, and a reload shows them again.

import { useCallback, useSyncExternalStore } from "react";

const cleared = new Map<string, number>();
const listeners = new Set<() => void>();
const tell = (): void => {
  for (const listener of listeners) listener();
};
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The order of the last row that is hidden. */
export const useClearedTo = (session: string): number | undefined =>
  useSyncExternalStore(
    subscribe,
    useCallback(() => cleared.get(session), [session]),
  );

export const clearTo = (session: string, order: number): void => {
  cleared.set(session, order);
  tell();
};

export const showCleared = (session: string): void => {
  if (cleared.delete(session)) tell();
};
