// What the newest session of a folder knows of its CLI: commands and models. They are offered before a new session has a process.

import type { Head, SessionSummary } from "@quarterdeck/client";
import { useEffect, useMemo, useState } from "react";
import { useClient, useSessionList } from "../store/client.tsx";

export type KnownHead = Pick<Head, "commands" | "about" | "model">;

/** The newest session of the folder, else the newest of all: most commands are the same everywhere. */
const sessionToAsk = (sessions: readonly SessionSummary[], cwd: string): string | undefined => {
  const own = sessions.filter(({ origin }) => origin === "quarterdeck").toSorted((a, b) => b.updatedAt - a.updatedAt);
  return (own.find((one) => one.cwd === cwd || one.project === cwd) ?? own[0])?.id;
};

export const useKnownHead = (cwd: string): KnownHead | undefined => {
  const client = useClient();
  const { status, sessions } = useSessionList();
  const [known, setKnown] = useState<{ readonly id: string; readonly head: KnownHead }>();
  const id = useMemo(() => (status === "ready" ? sessionToAsk(sessions, cwd) : undefined), [status, sessions, cwd]);
  useEffect(() => {
    if (id === undefined) return undefined;
    const view = client.session(id);
    let isOpen = true;
    // Read once, then left: nobody looks at that session here.
    const leave = (): void => {
      if (isOpen) view.close();
      isOpen = false;
    };
    const read = (): void => {
      const { status: now, head } = view.snapshot;
      if (now === "ready") setKnown({ id, head });
      if (now === "ready" || now === "failed") {
        stop();
        leave();
      }
    };
    const stop = view.subscribe(read);
    read();
    return () => {
      stop();
      leave();
    };
  }, [client, id]);
  return known?.head;
};
