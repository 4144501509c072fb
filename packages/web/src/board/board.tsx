// All sessions at once: by state or as a table, with filters, saved views and actions on several.

import type { SessionSummary } from "@quarterdeck/client";
import { useCallback, useDeferredValue, useMemo, useState, useSyncExternalStore, type ReactNode } from "react";
import { Button, IconButton } from "../parts/button.tsx";
import { useClient, useSessionList } from "../store/client.tsx";
import { may } from "../store/may.ts";
import { useNow } from "../store/now.ts";
import { isPinned, setPinned, useRailChoices } from "../store/rail-choices.ts";
import { isUnread, markSeen, markUnread, seen } from "../store/seen.ts";
import { BoardBar } from "./board-bar.tsx";
import { DEFAULT_CHOICE, boardEntries, boardLanes, projectsOf } from "./board-model.ts";
import { chooseOnBoard, useBoard } from "./board-store.ts";
import { Lanes } from "./lanes.tsx";
import { archiveMany, deleteMany, stopMany } from "./many.ts";
import { Table } from "./table.tsx";
import { WORDS } from "./words.ts";
import "./board.css";

const MINUTE = 60_000;

export const Board = ({ menu }: { readonly menu: ReactNode }) => {
  const { status, sessions } = useSessionList();
  const { choice, views } = useBoard();
  const known = useSyncExternalStore(seen.subscribe, seen.get);
  // A new pin marks its card.
  useRailChoices();
  const now = useNow();
  const minute = Math.floor(now / MINUTE) * MINUTE;
  const wanted = useDeferredValue(choice);
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const projects = useMemo(() => projectsOf(sessions, wanted.archived), [sessions, wanted.archived]);
  const entries = useMemo(
    () => boardEntries(sessions, wanted, { now: minute, isUnread: (summary) => isUnread(summary, known) }),
    [sessions, wanted, minute, known],
  );
  const lanes = useMemo(() => boardLanes(entries, minute), [entries, minute]);
  const chosen = useMemo(
    () => entries.filter(({ summary }) => picked.has(summary.id)).map(({ summary }) => summary),
    [entries, picked],
  );
  const onPick = useCallback((id: string, on: boolean) => {
    setPicked((before) => {
      const next = new Set(before);
      if (on) next.add(id);
      else next.delete(id);
      return next;
    });
  }, []);
  const onPickAll = (on: boolean): void => setPicked(new Set(on ? entries.map(({ summary }) => summary.id) : []));
  return (
    <div
      className="board"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented || chosen.length === 0) return;
        event.preventDefault();
        setPicked(new Set());
      }}
    >
      <BoardBar choice={choice} views={views} projects={projects} menu={menu} />
      {status === "ready" && entries.length === 0 ? (
        <div className="board-none">
          <p>{sessions.length === 0 ? WORDS.none : WORDS.noMatch}</p>
          {sessions.length > 0 && (
            <Button onClick={() => chooseOnBoard({ ...DEFAULT_CHOICE, layout: choice.layout })}>{WORDS.showAll}</Button>
          )}
        </div>
      ) : wanted.layout === "board" ? (
        <Lanes lanes={lanes} picked={picked} onPick={onPick} now={now} />
      ) : (
        <Table entries={entries} choice={wanted} picked={picked} onPick={onPick} onPickAll={onPickAll} now={now} />
      )}
      {chosen.length > 0 && <Several sessions={chosen} onDone={() => setPicked(new Set())} />}
    </div>
  );
};

/** What can be done to all that are selected. */
const Several = ({
  sessions,
  onDone,
}: {
  readonly sessions: readonly SessionSummary[];
  readonly onDone: () => void;
}) => {
  const client = useClient();
  const live = sessions.filter((summary) => summary.live);
  const pinned = sessions.every(({ id }) => isPinned(id));
  const archived = sessions.every((summary) => summary.archived);
  const done = (run: () => unknown) => () => {
    void run();
    onDone();
  };
  return (
    <div className="board-several" role="toolbar" aria-label={WORDS.several}>
      <b className="num" role="status">
        {WORDS.selected(sessions.length)}
      </b>
      <Button small tone="quiet" onClick={done(() => sessions.forEach(({ id, lastOrder }) => markSeen(id, lastOrder)))}>
        {WORDS.seen}
      </Button>
      <Button small tone="quiet" className="board-wide" onClick={done(() => sessions.forEach(markUnread))}>
        {WORDS.unseen}
      </Button>
      <Button
        small
        tone="quiet"
        onClick={done(() =>
          setPinned(
            sessions.map(({ id }) => id),
            !pinned,
          ),
        )}
      >
        {pinned ? WORDS.unpin : WORDS.pin}
      </Button>
      {may(client, "sessions/archive") && (
        <Button small tone="quiet" onClick={done(() => archiveMany(client, sessions, !archived))}>
          {archived ? WORDS.unarchive : WORDS.archive}
        </Button>
      )}
      {live.length > 0 && may(client, "sessions/close") && (
        <Button small tone="quiet" className="board-danger" onClick={done(() => stopMany(client, live))}>
          {live.length === 1 ? WORDS.stop : WORDS.stopMany(live.length)}
        </Button>
      )}
      {may(client, "sessions/delete") && (
        <Button small tone="quiet" className="board-danger" onClick={() => deleteMany(client, sessions, onDone)}>
          {WORDS.deleteMenu}
        </Button>
      )}
      <IconButton icon="close" label={WORDS.clear} onClick={onDone} />
    </div>
  );
};
