// What this browser remembers. A browser may refuse storage (private windows, a full disk). Then a value lasts as long
// as the page.

const PREFIX = "quarterdeck.";
const inMemory = new Map<string, string>();

export const readKept = (key: string): unknown => {
  const text = inMemory.get(key) ?? readStorage(PREFIX + key);
  if (text === null || text === undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Written by another version, or by hand: treated as missing.
    return undefined;
  }
};

export const writeKept = (key: string, value: unknown): void => {
  try {
    if (value === undefined) localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, JSON.stringify(value));
    inMemory.delete(key);
  } catch {
    // Refused or full: the value is kept in memory.
    if (value === undefined) inMemory.delete(key);
    else inMemory.set(key, JSON.stringify(value));
  }
};

const readStorage = (key: string): string | null => {
  try {
    return localStorage.getItem(key);
  } catch {
    // Storage is disabled.
    return null;
  }
};

/** A value that components follow and that survives a reload. */
export interface Kept<T> {
  readonly get: () => T;
  readonly set: (value: T) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

export const kept = <T>(key: string, decode: (value: unknown) => T): Kept<T> => {
  let current: T | undefined;
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  const onStorage = (event: StorageEvent): void => {
    if (event.key !== null && event.key !== PREFIX + key) return;
    current = undefined;
    tell();
  };
  return {
    get: () => (current ??= decode(readKept(key))),
    set: (value) => {
      current = value;
      writeKept(key, value);
      tell();
    },
    subscribe: (listener) => {
      // A change in another tab applies here too.
      if (listeners.size === 0) addEventListener("storage", onStorage);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) removeEventListener("storage", onStorage);
      };
    },
  };
};
