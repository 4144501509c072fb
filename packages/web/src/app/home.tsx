// Nothing is open: where to begin.

import type { SessionSummary } from "@quarterdeck/client";
import { Dot } from "../parts/badge.tsx";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { useClient, useSessionList } from "../store/client.tsx";
import { may } from "../store/may.ts";
import { useNow } from "../store/now.ts";
import { openSurface } from "../store/surfaces.ts";
import { baseName, formatAge, plural } from "../words/format.ts";
import { MenuButton } from "./menu-button.tsx";
import { hrefOf } from "../store/route.ts";
import { titleOf, waitingLine, wordsOf } from "../words/session-words.ts";

const RECENT = 5;

export const Home = ({ onMenu }: { readonly onMenu: () => void }) => {
  const client = useClient();
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
          <h1>{sessions.length === 0 && status === "ready" ? "No sessions yet" : "Start a session"}</h1>
          <p>
            {sessions.length === 0 && status === "ready"
              ? "Start a session in a folder, or resume one from your terminal."
              : `${plural(sessions.length, "session")}${live > 0 ? `, ${live} running` : ""}`}
          </p>
          <div className="row">
            {may(client, "sessions/start") && (
              <Button tone="main" icon="plus" onClick={() => openSurface({ kind: "start" })}>
                New session
              </Button>
            )}
            <Button icon="terminal" onClick={() => openSurface({ kind: "resume" })}>
              Resume session
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
  <section aria-label="Sessions that need you">
    <h2>Needs you</h2>
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
    <section aria-label="Recent">
      <h2 className="home-quiet">Recent</h2>
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
