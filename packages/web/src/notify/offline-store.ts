// The last rows of recent sessions, kept by this browser for reading without a network, if a person chose that: ten sessions, for a week.
// The page and the service worker delete all of it when the device is revoked or the choice ends.

import { inBrowserStore } from "@quarterdeck/client";

const STORE = ["quarterdeck-offline", "sessions"] as const;
const MOST_SESSIONS = 10;
const MOST_MS = 7 * 24 * 60 * 60_000;

export interface OfflineRow {
  readonly id: string;
  readonly who: "you" | "claude" | "tool" | "note";
  readonly text: string;
}
export interface OfflineSession {
  readonly id: string;
  readonly title: string;
  readonly project: string;
  readonly savedAt: number;
  readonly rows: readonly OfflineRow[];
}

/** Newest first. Sessions that were saved more than a week ago are deleted. */
export const readOffline = async (now = Date.now()): Promise<readonly OfflineSession[]> => {
  const all = await inBrowserStore<OfflineSession[]>(STORE, "readonly", (store) => store.getAll());
  const old = all.filter(({ savedAt }) => now - savedAt > MOST_MS);
  for (const { id } of old) await inBrowserStore(STORE, "readwrite", (store) => store.delete(id));
  return all.filter((session) => !old.includes(session)).toSorted((a, b) => b.savedAt - a.savedAt);
};

export const saveOffline = async (session: OfflineSession): Promise<void> => {
  await inBrowserStore(STORE, "readwrite", (store) => store.put(session, session.id));
  for (const { id } of (await readOffline()).slice(MOST_SESSIONS))
    await inBrowserStore(STORE, "readwrite", (store) => store.delete(id));
};

export const clearOffline = (): Promise<unknown> => inBrowserStore(STORE, "readwrite", (store) => store.clear());
