// What this browser kept of recent sessions, while the server cannot be reached. Plain text, read-only.

import { useEffect, useState } from "react";
import { useRoute } from "../store/route.ts";
import { formatAgo } from "../words/format.ts";
import { readOffline, type OfflineSession } from "./offline-store.ts";
import { WORDS } from "./words.ts";
import "./notify.css";

export const OfflineSessions = () => {
  const [sessions, setSessions] = useState<readonly OfflineSession[]>([]);
  useEffect(() => {
    // Storage may be refused. Then there is nothing to show.
    readOffline().then(setSessions, () => undefined);
  }, []);
  const route = useRoute();
  if (sessions.length === 0) return null;
  const now = Date.now();
  return (
    <section className="offline" aria-label={WORDS.kept}>
      <h2>{WORDS.kept}</h2>
      {sessions.map(({ id, title, savedAt, rows }) => (
        <details key={id} open={route.screen === "session" && route.id === id}>
          <summary>
            {title} <small>{formatAgo(savedAt, now)}</small>
          </summary>
          <ol>
            {rows.map((row) => (
              <li key={row.id} data-who={row.who}>
                <b>{WORDS.who[row.who]}</b>
                <span dir="auto">{row.text}</span>
              </li>
            ))}
          </ol>
        </details>
      ))}
    </section>
  );
};
