// Parts of a session's snapshot. A component that uses one renders when that part changes, not with every delta.

import type { Head, PromptRow, Row, SessionView, TurnRow, Watcher } from "@quarterdeck/client";
import { useCallback, useSyncExternalStore } from "react";
import { pendingPrompts, type PendingPrompts } from "./queue.ts";

const usePart = <T>(view: SessionView, read: () => T): T => {
  const subscribe = useCallback((listener: () => void) => view.subscribe(listener), [view]);
  return useSyncExternalStore(subscribe, read);
};

export const useHead = (view: SessionView): Head => usePart(view, () => view.snapshot.head);
export const useStatus = (view: SessionView) => usePart(view, () => view.snapshot.status);
export const useReadOnly = (view: SessionView): boolean => usePart(view, () => view.snapshot.readOnly);
export const useWatchers = (view: SessionView): readonly Watcher[] => usePart(view, () => view.snapshot.watchers);
export const useIsEmpty = (view: SessionView): boolean =>
  usePart(view, () => view.snapshot.status === "ready" && view.snapshot.rows.length === 0 && !view.snapshot.more);

/** Computed once for each array of rows. */
const onceFor = <T>(compute: (rows: readonly Row[]) => T) => {
  const known = new WeakMap<readonly Row[], { readonly value: T }>();
  return (rows: readonly Row[]): T => {
    const old = known.get(rows);
    if (old !== undefined) return old.value;
    const value = compute(rows);
    known.set(rows, { value });
    return value;
  };
};

const lastTurnOf = onceFor(
  (rows): TurnRow | undefined =>
    rows.findLast((row) => row.kind === "turn" && row.parent === undefined) as TurnRow | undefined,
);
export const useLastTurn = (view: SessionView): TurnRow | undefined =>
  usePart(view, () => lastTurnOf(view.snapshot.rows));

const promptsOf = onceFor((rows): readonly PromptRow[] =>
  rows.filter((row): row is PromptRow => row.kind === "prompt" && row.parent === undefined && row.origin === undefined),
);
/** What people typed, oldest first, in the loaded rows. */
export const readPrompts = (view: SessionView): readonly PromptRow[] => promptsOf(view.snapshot.rows);

const pendingOf = new WeakMap<SessionView, { readonly key: string; readonly value: PendingPrompts }>();
/** Prompts that wait or were returned. The same object while they are unchanged. */
export const usePendingPrompts = (view: SessionView): PendingPrompts =>
  usePart(view, () => {
    const value = pendingPrompts(promptsOf(view.snapshot.rows), view.snapshot.head.queue);
    const key = [...value.waiting, ...value.held].map(({ id, rev }) => `${id} ${rev}`).join();
    const old = pendingOf.get(view);
    if (old?.key === key) return old.value;
    pendingOf.set(view, { key, value });
    return value;
  });
