// Branch and state of folders, for header and rail.

import type { ResultOf, SessionSummary } from "@quarterdeck/client";
import { useSyncExternalStore } from "react";

export type Brief = ResultOf<"git/brief">["folders"][number];

let briefs: ReadonlyMap<string, Brief> = new Map();
const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useBrief = (folder: string | undefined): Brief | undefined =>
  useSyncExternalStore(subscribe, () => (folder === undefined ? undefined : briefs.get(folder)));

/** The folder whose branch a session shows: its worktree, or the project that it shares with others. */
export const gitFolderOf = ({ worktree, cwd, project }: Pick<SessionSummary, "worktree" | "cwd" | "project">): string =>
  worktree === undefined ? project : cwd;

export const knownBriefs = (): ReadonlyMap<string, Brief> => briefs;
export const setBriefs = (next: ReadonlyMap<string, Brief>): void => {
  briefs = next;
  for (const listener of listeners) listener();
};
