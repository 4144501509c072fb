// Earlier sessions, ours and those begun in a terminal.

import type { SessionSummary } from "@quarterdeck/client";
import { useEffect, useState } from "react";
import { formatAge, shortPath } from "../words/format.ts";
import { go, hrefOf } from "../store/route.ts";
import { Badge } from "../parts/badge.tsx";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { toastError } from "../parts/toast.tsx";
import { useClient, useServerInfo } from "../store/client.tsx";
import { useNow } from "../store/now.ts";
import { resume, takeOver } from "./session-commands.ts";
import { sessionTitleOf, sessionWords } from "../words/session-words.ts";
import { WORDS } from "./dialog-words.ts";
import "./dialogs.css";

const PAGE = 60;
/** We get no message when a session starts in a terminal. */
const LOOK_AGAIN_MS = 4000;

export const ResumeDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const client = useClient();
  const info = useServerInfo();
  const now = useNow();
  const [query, setQuery] = useState("");
  const [found, setFound] = useState<{
    readonly sessions: readonly SessionSummary[];
    readonly total: number;
    readonly nextCursor?: string | undefined;
  }>();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [looks, setLooks] = useState(0);
  const hasPages = found !== undefined && found.sessions.length > PAGE;

  useEffect(() => {
    if (hasPages) return undefined;
    const timer = setInterval(() => setLooks((count) => count + 1), LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [hasPages]);

  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(
      () => {
        client
          .call(
            "sessions/list",
            { terminal: true, limit: PAGE, ...(query.trim() !== "" && { query: query.trim() }) },
            { signal: stop.signal },
          )
          .then((result) => {
            setFound(result);
            setProblem(undefined);
          })
          .catch((error: unknown) => {
            if (!stop.signal.aborted) setProblem(error instanceof Error ? error.message : String(error));
          });
      },
      query === "" ? 0 : 180,
    );
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [client, query, looks]);

  const more = async (): Promise<void> => {
    if (found?.nextCursor === undefined) return;
    setBusy(true);
    const next = await client.call("sessions/list", {
      terminal: true,
      limit: PAGE,
      cursor: found.nextCursor,
      ...(query.trim() !== "" && { query: query.trim() }),
    });
    setFound({ ...next, sessions: [...found.sessions, ...next.sessions] });
    setBusy(false);
  };
  const look = (summary: SessionSummary): void => {
    onClose();
    go(hrefOf(summary.id));
  };
  const start = (summary: SessionSummary): void => {
    onClose();
    if (summary.held) takeOver(client, summary.id, summary.cwd);
    // The server takes over a session of the CLI only with `takeOver`.
    else resume(client, summary.id, summary.cwd, summary.origin === "terminal").catch(toastError);
  };
  return (
    <Dialog title={WORDS.resume} about={WORDS.resumeAbout} size="wide" light onClose={onClose}>
      <input
        className="input"
        type="search"
        data-autofocus
        placeholder={WORDS.search}
        aria-label={WORDS.search}
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      {problem !== undefined && (
        <p className="folder-none" role="alert">
          {problem}
        </p>
      )}
      <ul className="resume" aria-busy={found === undefined}>
        {found?.sessions.map((summary) => (
          <li key={summary.id}>
            <button type="button" className="resume-open" onClick={() => look(summary)}>
              <b>{sessionTitleOf(summary)}</b>
              <small>
                {shortPath(summary.cwd, info?.machine.home)} · {sessionWords(summary).line}
              </small>
            </button>
            {summary.origin === "terminal" && <Badge>{WORDS.terminal}</Badge>}
            {summary.held && <Badge tone="sea">{WORDS.held}</Badge>}
            {summary.archived && <Badge>{WORDS.archived}</Badge>}
            <small className="num">{formatAge(summary.updatedAt, now)}</small>
            {summary.live ? (
              <Button small onClick={() => look(summary)}>
                {WORDS.open}
              </Button>
            ) : (
              <Button small onClick={() => start(summary)}>
                {summary.held ? WORDS.takeOver : WORDS.resumeButton}
              </Button>
            )}
          </li>
        ))}
        {found?.sessions.length === 0 && <li className="folder-none">{WORDS.noMatch}</li>}
      </ul>
      {found?.nextCursor !== undefined && (
        <div className="row">
          <Button small busy={busy} onClick={() => void more().catch(toastError)}>
            {WORDS.more(found.total)}
          </Button>
        </div>
      )}
    </Dialog>
  );
};
