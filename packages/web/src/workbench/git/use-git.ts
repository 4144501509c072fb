// What git says of the session's folder. It is asked when the tab opens, when a turn ends, when the page gets the focus, and after each
// change that this tab makes.

import type { Client, Method, ParamsOf, ResultOf, SessionView } from "@quarterdeck/client";
import { isRunning } from "@quarterdeck/client/content";
import { useCallback, useEffect, useRef, useState } from "react";
import { toast, toastError } from "../../parts/toast.tsx";
import { askBriefs } from "../../store/ask-briefs.ts";
import { gitFolderOf } from "../../store/git-briefs.ts";
import { useHead } from "../../store/session.ts";

export type GitTree = NonNullable<ResultOf<"git/state">["tree"]>;
export type GitFile = GitTree["unstaged"][number];
export type Worktree = ResultOf<"git/worktrees">["worktrees"][number];

export interface GitLook {
  /** `gone`: the worktree of this session was removed. `tree` is the main one then. */
  readonly status: "loading" | "ready" | "none" | "gone" | "failed";
  readonly tree?: GitTree;
  readonly problem?: string;
  /** Counts how often it was looked at: other lists are read again with it. */
  readonly times: number;
}

/** A turn ends with several messages. */
const AFTER_TURN_MS = 400;
const FOCUS_MS = 3000;

export interface GitDeck extends GitLook {
  readonly client: Client;
  readonly session: string;
  /** The session's turn runs. */
  readonly running: boolean;
  readonly busy: boolean;
  readonly look: () => Promise<void>;
  /** Makes a change and reads the state again. Undefined if it failed. The person has seen the error. */
  readonly change: <M extends Method>(
    method: M,
    params: Omit<ParamsOf<M>, "commandId" | "session">,
    place?: { readonly cwd: string },
  ) => Promise<ResultOf<M> | undefined>;
  readonly undo: (id: string, cwd?: string) => Promise<void>;
}

/** If the worktree of a session was removed, its repository still exists. */
const mainTreeOf = async (client: Client, session: string): Promise<Omit<GitLook, "times"> | undefined> => {
  const summary = client.sessions.snapshot.sessions.find(({ id }) => id === session);
  if (summary?.worktree === undefined) return undefined;
  const { tree } = await client.call("git/state", { cwd: summary.worktree.repository });
  return tree === undefined ? undefined : { status: "gone", tree };
};

export const useGit = (client: Client, view: SessionView): GitDeck => {
  const session = view.id;
  const { phase, gauges } = useHead(view);
  const running = isRunning(phase);
  // A short turn may begin and end between two looks at the phase.
  const { turns } = gauges;
  const [seen, setSeen] = useState<GitLook>({ status: "loading", times: 0 });
  const [busy, setBusy] = useState(false);
  const last = useRef({ at: 0, asked: 0 });

  const look = useCallback(async (): Promise<void> => {
    const asked = ++last.current.asked;
    last.current.at = Date.now();
    const show = (next: Omit<GitLook, "times">): void => {
      // A later question has a newer answer.
      if (asked === last.current.asked) setSeen(({ times }) => ({ ...next, times: times + 1 }));
    };
    try {
      const { tree } = await client.call("git/state", { session });
      show(tree === undefined ? { status: "none" } : { status: "ready", tree });
    } catch (error) {
      const failed = { status: "failed", problem: error instanceof Error ? error.message : String(error) } as const;
      show((await mainTreeOf(client, session).catch(() => undefined)) ?? failed);
    }
  }, [client, session]);

  useEffect(() => {
    // While a turn runs, nothing can be changed here anyway.
    if (running && last.current.asked > 0) return undefined;
    const timer = setTimeout(() => void look(), last.current.asked === 0 ? 0 : AFTER_TURN_MS);
    return () => clearTimeout(timer);
  }, [look, running, turns]);
  useEffect(() => {
    const onFocus = (): void => {
      if (Date.now() - last.current.at > FOCUS_MS) void look();
    };
    addEventListener("focus", onFocus);
    return () => removeEventListener("focus", onFocus);
  }, [look]);

  const change: GitDeck["change"] = useCallback(
    async (method, params, place) => {
      setBusy(true);
      try {
        const where = place ?? { session };
        // The parameters are those of the method: only the command's id and the place were left out.
        return await client.command(method, { ...where, ...params } as never);
      } catch (error) {
        toastError(error);
        return undefined;
      } finally {
        await look();
        setBusy(false);
        const summary = client.sessions.snapshot.sessions.find(({ id }) => id === session);
        if (summary !== undefined) askBriefs(client, [gitFolderOf(summary), summary.project]);
      }
    },
    [client, session, look],
  );
  const undo = useCallback(
    async (id: string, cwd?: string): Promise<void> => {
      const done = await change("git/undo", { id }, cwd === undefined ? undefined : { cwd });
      if (done !== undefined) toast(done.words, { tone: "good" });
    },
    [change],
  );
  return { ...seen, client, session, running, busy, look, change, undo };
};
