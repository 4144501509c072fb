// Nothing is open: where to begin.

import type { SessionSummary } from "@quarterdeck/client";
import { Dot } from "../parts/badge.tsx";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { useClient, useServerInfo, useSessionList } from "../store/client.tsx";
import { may } from "../store/may.ts";
import { useNow } from "../store/now.ts";
import { openSurface } from "../store/surfaces.ts";
import { baseName, formatAge, plural } from "./format.ts";
import { MenuButton } from "./menu-button.tsx";
import { hrefOf } from "./route.ts";
import { titleOf, waitingLine, wordsOf } from "../sessions/session-words.ts";

const RECENT = 5;

export const Home = ({ onMenu }: { readonly onMenu: () => void }) => {
  const client = useClient();
  const info = useServerInfo();
  const { status, sessions } = useSessionList();
  const waiting = sessions
    .filter((summary) => !summary.archived && summary.waiting.length > 0)
    .toSorted((a, b) => a.waiting[0]!.at - b.waiting[0]!.at);
  const recent = sessions
    .filter((summary) => !summary.archived && summary.waiting.length === 0)
    .toSorted((a, b) => b.updatedAt - a.updatedAt)
    .slice(0, RECENT);
  const live = sessions.filter((summary) => summary.live).length;
  return (
    <>
      <header className="head head-home">
        <MenuButton onMenu={onMenu} />
        <span className="head-name">Quarterdeck</span>
      </header>
      <div className="home">
        <div className="home-in">
          <Icon name="helm" size={44} />
          <h1>{sessions.length === 0 && status === "ready" ? "Your deck is clear" : "Where to?"}</h1>
          <p>
            {sessions.length === 0 && status === "ready"
              ? "Start a session in a folder, or go on with one from your terminal."
              : `${plural(sessions.length, "session")}${live > 0 ? `, ${live} with a process` : ""}${info === undefined ? "" : ` on ${info.machine.hostname}`}.`}
          </p>
          <div className="row">
            {may(client, "sessions/start") && (
              <Button tone="main" icon="plus" onClick={() => openSurface({ kind: "start" })}>
                New session
              </Button>
            )}
            <Button icon="terminal" onClick={() => openSurface({ kind: "resume" })}>
              Resume one
            </Button>
          </div>
          {waiting.length > 0 && <Waiting sessions={waiting} />}
          {recent.length > 0 && <Recent sessions={recent} />}
        </div>
      </div>
    </>
  );
};

const Waiting = ({ sessions }: { readonly sessions: readonly SessionSummary[] }) => (
  <section aria-label="What waits for you">
    <h2>Waits for you</h2>
    <ul className="home-waiting">
      {sessions.map((summary) => (
        <li key={summary.id}>
          <a href={hrefOf(summary.id)}>
            <b>{titleOf(summary)}</b>
            <span>{waitingLine(summary.waiting)}</span>
          </a>
        </li>
      ))}
    </ul>
  </section>
);

const Recent = ({ sessions }: { readonly sessions: readonly SessionSummary[] }) => {
  const now = useNow();
  return (
    <section aria-label="Lately">
      <h2 className="home-quiet">Lately</h2>
      <ul className="home-recent">
        {sessions.map((summary) => {
          const { tone, line } = wordsOf(summary);
          return (
            <li key={summary.id}>
              <a href={hrefOf(summary.id)}>
                <Dot tone={tone} />
                <b>{titleOf(summary)}</b>
                <time className="num">{formatAge(summary.updatedAt, now)}</time>
                <span>
                  {baseName(summary.project)} · {line}
                </span>
              </a>
            </li>
          );
        })}
      </ul>
    </section>
  );
};
