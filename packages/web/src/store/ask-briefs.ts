// Asks the server for branches: when a session is new, when its turn has ended, and when the page gets the focus. It never asks while a turn
// runs. Loaded after the first screen.

import type { Client, SessionSummary } from "@quarterdeck/client";
import { isRunning } from "@quarterdeck/client/content";
import { useEffect, useRef } from "react";
import { gitFolderOf, knownBriefs, setBriefs } from "./git-briefs.ts";

/** Turns end one after the other. */
const WAIT_MS = 700;
/** Asks at most this often when the window gets the focus again and again. */
const FOCUS_MS = 15_000;
const MOST = 30;

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
        const next = new Map(knownBriefs());
        for (const folder of asked) next.delete(folder);
        for (const brief of found) next.set(brief.cwd, brief);
        setBriefs(next);
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

export interface AskedBriefsProps {
  readonly client: Client;
  readonly sessions: readonly SessionSummary[];
}

export const AskedBriefs = ({ client, sessions }: AskedBriefsProps) => {
  const known = useRef(new Map<string, number>());
  const asked = useRef(0);
  useEffect(() => askBriefs(client, newsIn(sessions, known.current)), [client, sessions]);
  useEffect(() => {
    const onFocus = (): void => {
      if (document.visibilityState !== "visible" || Date.now() - asked.current < FOCUS_MS) return;
      asked.current = Date.now();
      askBriefs(client, [...knownBriefs().keys()].slice(0, MOST));
    };
    addEventListener("focus", onFocus);
    return () => removeEventListener("focus", onFocus);
  }, [client]);
  return null;
};
