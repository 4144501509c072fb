// Which folds a person has opened or closed, while the session is open.

import { createContext, useCallback, useContext, useSyncExternalStore } from "react";

/** Open and closed folds of rows. They must survive when a row is removed from the page. */
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

const ChoicesContext = createContext<KeptChoices | undefined>(undefined);
export const ChoicesProvider = ChoicesContext.Provider;

/** A choice that survives when the row is removed from the page. Without a choice, the default applies. */
export const useKept = (key: string, initial: boolean): readonly [boolean, (value: boolean) => void] => {
  const kept = useContext(ChoicesContext);
  if (kept === undefined) throw new Error("Wrap this in ChoicesProvider.");
  const value = useSyncExternalStore(kept.subscribe, () => kept.get(key));
  const set = useCallback((next: boolean) => kept.set(key, next), [kept, key]);
  return [value ?? initial, set];
};
