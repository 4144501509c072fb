// What the whole page must know, in one strip at its top: the connection first, then what is wrong with the agent.

import type { NotificationParams } from "@quarterdeck/client";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { outbox } from "../composer/outbox.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { toast } from "../parts/toast.tsx";
import { followLogin } from "../store/agent-login.ts";
import { useClient, useConnection, useServerInfo } from "../store/client.tsx";
import { kept } from "../store/kept.ts";
import { useNow } from "../store/now.ts";
import { agentNote } from "./agent-words.ts";
import { connectionNote, type ConnectionNote } from "./connection-words.ts";
import { WORDS } from "./words.ts";

type Notice = NotificationParams<"server/notice">;

/** The dismissed notice. The status line still shows it. */
const dismissal = kept("dismissed", (value) => (typeof value === "string" ? value : ""));

/** Shorter interruptions are not shown. */
const QUIET_MS = 1200;
const BACK_MS = 3000;

export const Banners = () => {
  const client = useClient();
  const state = useConnection();
  const info = useServerInfo();
  const now = useNow();
  const unsent = useSyncExternalStore(outbox.subscribe, outbox.size);
  const [notice, setNotice] = useState<Notice>();
  const dismissed = useSyncExternalStore(dismissal.subscribe, dismissal.get);
  const past = useRef({ wasOpen: false, downSince: 0, told: false });
  const [back, setBack] = useState(false);

  useEffect(() => followLogin(client), [client]);
  useEffect(
    // A start waits for a place only briefly, so this notice is a toast.
    () => client.onNotice((told) => (told.code === "no-room" ? toast(told.text) : setNotice(told))),
    [client],
  );
  useEffect(() => {
    const { current } = past;
    if (state.status !== "open") {
      if (current.downSince === 0) current.downSince = Date.now();
      return undefined;
    }
    const told = current.wasOpen && current.downSince > 0 && Date.now() - current.downSince > QUIET_MS;
    past.current = { wasOpen: true, downSince: 0, told: false };
    setNotice((before) => (before?.code === "shutting-down" ? undefined : before));
    if (!told) return undefined;
    setBack(true);
    const timer = setTimeout(() => setBack(false), BACK_MS);
    return () => clearTimeout(timer);
  }, [state.status]);

  const { wasOpen, downSince } = past.current;
  const about = { wasOpen, shuttingDown: notice?.code === "shutting-down", unsent };
  const note = connectionNote(state, about, now);
  const quiet = wasOpen && downSince > 0 && now - downSince < QUIET_MS;
  if (note !== undefined && !quiet && (wasOpen || state.status === "waiting")) {
    return (
      <>
        <p className="sr-only" role="status">
          {WORDS.lost}
        </p>
        <Strip floats isQuiet note={note} onRetry={() => client.retryNow()} />
      </>
    );
  }
  if (back) return <Strip floats note={{ tone: "good", title: WORDS.back, detail: WORDS.safeBack, retry: false }} />;
  if (notice !== undefined && notice.code !== "demo-agent" && notice.text !== dismissed)
    return (
      <Strip
        note={{ tone: notice.level === "info" ? "plain" : "bad", title: notice.text, detail: "", retry: false }}
        onDismiss={() => dismissal.set(notice.text)}
      />
    );
  // `info` is from the start of the connection. Since then, the server has found a login.
  if (notice?.code === "agent-ready") return null;
  const agent = info === undefined ? undefined : agentNote(info);
  if (agent === undefined || agent.title === dismissed) return null;
  return <Strip note={agent} onDismiss={() => dismissal.set(agent.title)} />;
};

const Strip = ({
  note,
  floats = false,
  isQuiet = false,
  onRetry,
  onDismiss,
}: {
  readonly note: ConnectionNote;
  /** It appears and disappears by itself, so it must not move other content. */
  readonly floats?: boolean;
  /** It counts seconds and tries again and again, which nobody wants to hear. */
  readonly isQuiet?: boolean;
  readonly onRetry?: () => void;
  readonly onDismiss?: () => void;
}) => (
  <div
    className={`strip strip-${note.tone} ${floats ? "strip-floats" : ""}`}
    role="status"
    aria-live={isQuiet ? "off" : undefined}
  >
    <b>{note.title}</b>
    <span>{note.detail}</span>
    {note.retry && onRetry !== undefined && (
      <Button small onClick={onRetry}>
        {WORDS.retryNow}
      </Button>
    )}
    {onDismiss !== undefined && <IconButton icon="close" label={WORDS.dismiss} onClick={onDismiss} />}
  </div>
);
