// Branch and state of folders, for header and rail. The page asks the server when a session is new, when its turn has
// ended, and when the page gets the focus. It never asks while a turn runs.

import type { Client, ResultOf, SessionSummary } from "@quarterdeck/client";
import { isRunning } from "@quarterdeck/client/content";
import { useEffect, useRef, useSyncExternalStore } from "react";

export type Brief = ResultOf<"git/brief">["folders"][number];

/** Turns end one after the other. */
const WAIT_MS = 700;
/** Asks at most this often when the window gets the focus again and again. */
const FOCUS_MS = 15_000;
const MOST = 30;

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

const waiting = new Set<string>();
let timer: ReturnType<typeof setTimeout> | undefined;

export const askBriefs = (client: Client, folders: Iterable<string>): void => {
  for (const folder of folders) waiting.add(folder);
  if (waiting.size === 0) return;
  clearTimeout(timer);
  timer = setTimeout(() => {
    const asked = [...waiting].slice(0, MOST);
    waiting.clear();
    client
      .call("git/brief", { folders: asked })
      .then(({ folders: found }) => {
        const next = new Map(briefs);
        for (const folder of asked) next.delete(folder);
        for (const brief of found) next.set(brief.cwd, brief);
        briefs = next;
        for (const listener of listeners) listener();
      })
      // An older server has no such method. Then no branch is shown.
      .catch(() => undefined);
  }, WAIT_MS);
};

/** Folders to ask about, with what was known of each session before. A turn may begin and end between two lists, so rows count too. */
export const newsIn = (
  sessions: readonly Pick<
    SessionSummary,
    "id" | "archived" | "origin" | "phase" | "lastOrder" | "worktree" | "cwd" | "project"
  >[],
  known: Map<string, number>,
): Set<string> => {
  const news = new Set<string>();
  for (const summary of sessions) {
    if (summary.archived || summary.origin !== "quarterdeck" || isRunning(summary.phase)) continue;
    if (known.get(summary.id) === summary.lastOrder || news.size >= MOST) continue;
    known.set(summary.id, summary.lastOrder);
    news.add(gitFolderOf(summary));
    news.add(summary.project);
  }
  return news;
};

export const useAskedBriefs = (client: Client, sessions: readonly SessionSummary[]): void => {
  const known = useRef(new Map<string, number>());
  const asked = useRef(0);
  useEffect(() => askBriefs(client, newsIn(sessions, known.current)), [client, sessions]);
  useEffect(() => {
    const onFocus = (): void => {
      if (document.visibilityState !== "visible" || Date.now() - asked.current < FOCUS_MS) return;
      asked.current = Date.now();
      askBriefs(client, [...briefs.keys()].slice(0, MOST));
    };
    addEventListener("focus", onFocus);
    return () => removeEventListener("focus", onFocus);
  }, [client]);
};
