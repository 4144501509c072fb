// The comparison of texts, once it is loaded. Until then, diffs show no marked words and edits that the CLI has not applied are shown whole.

import { useEffect, useSyncExternalStore } from "react";

type Compare = typeof import("./compare.ts");

let loaded: Compare | undefined;
let loading: Promise<void> | undefined;
const listeners = new Set<() => void>();

/** A failure only costs the marked words. The next caller tries again. */
export const loadCompare = (): Promise<void> =>
  (loading ??= import("./compare.ts").then(
    (compare) => {
      loaded = compare;
      for (const listener of listeners) listener();
    },
    () => {
      loading = undefined;
    },
  ));

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** The first screen loads first. */
const AFTER_MS = 500;

export const useCompare = (): Compare | undefined => {
  const compare = useSyncExternalStore(subscribe, () => loaded);
  useEffect(() => {
    if (loaded !== undefined) return undefined;
    const timer = setTimeout(() => void loadCompare(), AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return compare;
};
