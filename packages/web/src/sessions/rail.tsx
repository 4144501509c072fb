// All sessions, beside the conversation (on a phone: over it).

import { useDeferredValue, useMemo, useRef, useState, useSyncExternalStore, type Ref } from "react";
import { boardHref, go, hrefOf, rulesHref, searchHref, type Route } from "../store/route.ts";
import { hintOf } from "../keys/key-table.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { later } from "../parts/later.tsx";
import { useClient, useServerInfo, useSessionList } from "../store/client.tsx";
import { fleetOf } from "../store/fleet.ts";
import { useBrief } from "../store/git-briefs.ts";
import { may } from "../store/may.ts";
import { useNow } from "../store/now.ts";
import { setFolded, useRailChoices } from "../store/rail-choices.ts";
import { isUnread, seen } from "../store/seen.ts";
import { openSurface } from "../store/surfaces.ts";
import { groupSessions, PINNED, shownGroups, WAITING, type ShownGroup } from "./group-sessions.ts";
import { BranchMark } from "./branch-mark.tsx";
import { SessionEntry } from "./session-entry.tsx";
import { WORDS } from "./words.ts";
import "./sessions.css";

const SearchHits = later(async () => (await import("./search-hits.tsx")).SearchHits);

export interface RailProps {
  readonly openId: string | undefined;
  readonly screen: Route["screen"];
  readonly search: Ref<HTMLInputElement>;
}

export const Rail = ({ openId, screen, search }: RailProps) => {
  const client = useClient();
  const fleet = fleetOf(client);
  const { status, sessions } = useSessionList();
  const known = useSyncExternalStore(seen.subscribe, seen.get);
  const now = useNow();
  const info = useServerInfo();
  const [query, setQuery] = useState("");
  const [archived, setArchived] = useState(false);
  const wanted = useDeferredValue(query.trim());
  const { pinned, folded } = useRailChoices();
  const [older, setOlder] = useState<Readonly<Record<string, number>>>({});
  const groups = useMemo(() => {
    const all = groupSessions(sessions, { query: wanted, archived, pinned });
    return shownGroups(all, { folded, older, openId, searching: wanted !== "" });
  }, [sessions, wanted, archived, pinned, folded, older, openId]);
  const box = useRef<HTMLDivElement>(null);
  const keys = hintOf("palette") || "…";
  /** Opens the first match of the typed text, also if the list does not show it yet. */
  const openFirst = (): void => {
    const first = groupSessions(sessions, { query: query.trim(), archived, pinned })[0]?.sessions[0];
    if (first === undefined) box.current?.querySelector<HTMLElement>(".hit")?.click();
    else go(hrefOf(first.id));
  };

  return (
    <>
      <div className="rail-head">
        <a className="brand" href="#/">
          <Icon name="helm" size={20} />
          Quarterdeck
        </a>
        {may(client, "sessions/start") && (
          <Button
            small
            icon="plus"
            onClick={() => openSurface({ kind: "start" })}
            tip={WORDS.newTip(hintOf("session.new"))}
          >
            {WORDS.new}
          </Button>
        )}
      </div>
      <search className="rail-find">
        <Icon name="search" size={14} />
        <input
          ref={search}
          type="search"
          placeholder={WORDS.search}
          aria-label={WORDS.search}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "ArrowDown") box.current?.querySelector<HTMLElement>(".entry-link, .hit")?.focus();
            if (event.key === "Enter" && query !== "") {
              // The first match opens, and the focus leaves the field.
              event.currentTarget.blur();
              openFirst();
            }
            if (event.key !== "Escape" || query === "") return;
            event.preventDefault();
            setQuery("");
          }}
        />
        <button type="button" onClick={() => openSurface({ kind: "palette" })}>
          <span className="sr-only">{WORDS.palette} </span>
          <kbd>{keys}</kbd>
        </button>
      </search>
      <div className="rail-nav">
        <a href={hrefOf()} aria-current={screen === "home" ? "page" : undefined}>
          {WORDS.home}
        </a>
        <a href={boardHref()} aria-current={screen === "board" ? "page" : undefined}>
          {WORDS.board}
        </a>
        <a href={searchHref()} aria-current={screen === "search" ? "page" : undefined}>
          {WORDS.find}
        </a>
        <a href={rulesHref()} aria-current={screen === "rules" ? "page" : undefined}>
          {WORDS.rules}
        </a>
      </div>
      <div className="rail-list" ref={box} onKeyDown={(event) => walk(event, box.current)}>
        {fleet !== undefined && <fleet.Machines />}
        {status === "loading" && <RailSkeleton />}
        {status === "ready" && groups.length === 0 && (
          <p className="rail-empty">{query !== "" ? WORDS.noMatch : archived ? WORDS.noOld : WORDS.none}</p>
        )}
        {groups.map((group) => (
          <section key={group.key} aria-label={group.key === WAITING ? WORDS.waiting : group.name}>
            <GroupHead
              group={group}
              unread={group.folded && group.sessions.some((summary) => isUnread(summary, known))}
            />
            <ul className="entries">
              {group.shown.map((summary) => (
                <SessionEntry
                  key={summary.id}
                  summary={summary}
                  open={summary.id === openId}
                  unread={summary.id !== openId && isUnread(summary, known)}
                  now={now}
                />
              ))}
            </ul>
            {!group.folded && group.shown.length < group.sessions.length && (
              <button
                type="button"
                className="text-button rail-older"
                onClick={() => setOlder({ ...older, [group.key]: (older[group.key] ?? 0) + OLDER })}
              >
                {WORDS.older(group.sessions.length - group.shown.length)}
              </button>
            )}
          </section>
        ))}
        {wanted.length >= 2 && <SearchHits query={wanted} sessions={sessions} />}
      </div>
      <div className="rail-foot">
        <Button small tone="quiet" icon="terminal" onClick={() => openSurface({ kind: "resume" })}>
          {WORDS.resume}
        </Button>
        <Button small tone="quiet" aria-pressed={archived} onClick={() => setArchived(!archived)}>
          {archived ? WORDS.hide : WORDS.archived}
        </Button>
        <span className="rail-host" title={info === undefined ? undefined : `Quarterdeck ${info.server.version}`}>
          {info?.machine.hostname}
        </span>
        <IconButton icon="gear" label={WORDS.settings} onClick={() => openSurface({ kind: "settings" })} />
      </div>
    </>
  );
};

/** How many more one press shows. */
const OLDER = 50;

/** The name of a group. That of a project folds it. */
const GroupHead = ({ group, unread }: { readonly group: ShownGroup; readonly unread: boolean }) => {
  const { key, name, folded, sessions } = group;
  if (key === WAITING || key === PINNED)
    return (
      <h2 className={`rail-group ${key === WAITING ? "rail-waits" : ""}`}>
        <span>{name}</span>
        <span className="num">{sessions.length}</span>
      </h2>
    );
  return (
    <h2 className="rail-group" title={key}>
      <button type="button" aria-expanded={!folded} onClick={() => setFolded(key, !folded)}>
        <Icon name={folded ? "right" : "down"} size={14} />
        <span>{name}</span>
        {unread && <i className="dot dot-go" title={WORDS.unreadTip} />}
        {unread && <span className="sr-only">{WORDS.unread}</span>}
      </button>
      <ProjectBranch folder={key} />
      <span className="num">{sessions.length}</span>
    </h2>
  );
};

const ProjectBranch = ({ folder }: { readonly folder: string }) => {
  const brief = useBrief(folder);
  return brief === undefined ? null : <BranchMark brief={brief} />;
};

/** Arrow keys go through the entries, as in any list. */
const walk = (event: React.KeyboardEvent, box: HTMLElement | null): void => {
  if (event.altKey || (event.key !== "ArrowDown" && event.key !== "ArrowUp") || box === null) return;
  const links = [...box.querySelectorAll<HTMLElement>(".entry-link, .hit")];
  const at = links.indexOf(document.activeElement as HTMLElement);
  if (at === -1) return;
  event.preventDefault();
  links[at + (event.key === "ArrowDown" ? 1 : -1)]?.focus();
};

const RailSkeleton = () => (
  <div className="rail-skeleton" role="status" aria-label={WORDS.loading}>
    {[70, 52, 64, 45].map((width) => (
      <div key={width}>
        <i style={{ width: `${width}%` }} />
        <i style={{ width: `${width - 20}%` }} />
      </div>
    ))}
  </div>
);
