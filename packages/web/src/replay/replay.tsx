// A session played again from its rows, with a time line. A running session grows at its end.

import type { Row, SessionView } from "@quarterdeck/client";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { KeptChoices } from "../content/kept-choices.ts";
import { Button } from "../parts/button.tsx";
import { isTyping } from "../parts/is-typing.ts";
import { useClient, useSessionList, useSessionView, useSnapshot } from "../store/client.tsx";
import { hrefOf } from "../store/route.ts";
import type { SessionActions } from "../store/session-actions.ts";
import { RowFamilies } from "../timeline/child-rows.ts";
import { EntryBook } from "../timeline/entries.ts";
import { renderEntry } from "../timeline/row-view.tsx";
import { ScopeProvider, type TimelineScope } from "../timeline/scope.tsx";
import { VirtualList, type ListHandle } from "../timeline/virtual-list.tsx";
import { sessionTitleOf } from "../words/session-words.ts";
import { PlayerBar, type Player } from "./player-bar.tsx";
import { rowsAt, stepFrom, stepsUpTo, tapeOf, type StepKind, type Tape } from "./replay-time.ts";
import { WORDS } from "./words.ts";
import "./replay.css";

const ROWS_AT_ONCE = 500;

export interface ReplayProps {
  readonly id: string;
  readonly actions: SessionActions;
  /** On a phone, the way to the sessions. */
  readonly menu: ReactNode;
}

export const Replay = ({ id, actions, menu }: ReplayProps) => {
  const view = useSessionView(id);
  const { sessions } = useSessionList();
  const summary = sessions.find((one) => one.id === id);
  return (
    <>
      <header className="head">
        {menu}
        <div className="head-titles">
          <h1>{WORDS.title(summary === undefined ? WORDS.session : sessionTitleOf(summary))}</h1>
        </div>
        <div className="head-end">
          <a className="btn btn-small" href={hrefOf(id)}>
            {WORDS.back}
          </a>
        </div>
      </header>
      {view !== undefined && <Loaded view={view} actions={actions} />}
    </>
  );
};

/** All rows, page by page, and then what the session adds. */
const useAllRows = (view: SessionView) => {
  const client = useClient();
  const snapshot = useSnapshot(view);
  const [old, setOld] = useState<readonly Row[]>([]);
  const [isWhole, setWhole] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let isGone = false;
    const load = async (): Promise<void> => {
      const all: Row[] = [];
      for (let after = 0; ;) {
        const page = await client.call("session/rows", { session: view.id, after, limit: ROWS_AT_ONCE });
        if (isGone) return;
        all.push(...page.rows);
        const last = page.rows.at(-1);
        if (!page.moreAfter || last === undefined) break;
        after = last.order;
      }
      setOld(all);
      setWhole(true);
      setProblem(undefined);
    };
    load().catch((error: unknown) => {
      if (!isGone) setProblem(error instanceof Error ? error.message : String(error));
    });
    return () => {
      isGone = true;
    };
  }, [client, view, tries]);
  const { rows: newest } = snapshot;
  const rows = useMemo(() => {
    const byId = new Map(old.map((row) => [row.id, row]));
    const last = old.at(-1)?.order ?? 0;
    for (const row of newest) {
      const known = byId.get(row.id);
      if (known === undefined ? row.order > last : row.rev > known.rev) byId.set(row.id, row);
    }
    return [...byId.values()].toSorted((a, b) => a.order - b.order);
  }, [old, newest]);
  return { rows, isWhole, problem, retry: () => setTries((before) => before + 1) };
};

interface LoadedProps {
  readonly view: SessionView;
  readonly actions: SessionActions;
}

const Loaded = ({ view, actions }: LoadedProps) => {
  const { rows, isWhole, problem, retry } = useAllRows(view);
  const tape = useMemo(() => tapeOf(rows), [rows]);
  const failure = problem ?? (view.snapshot.status === "failed" ? view.snapshot.error?.message : undefined);
  if (failure !== undefined)
    return (
      <div className="flow flow-failed" role="alert">
        <h2>{WORDS.failed}</h2>
        <p>{failure}</p>
        <Button onClick={retry}>{WORDS.again}</Button>
      </div>
    );
  if (!isWhole)
    return (
      <div className="flow">
        <div className="skeleton" role="status" aria-label={WORDS.loading}>
          {[34, 78, 64].map((width) => (
            <i key={width} style={{ width: `${width}%` }} />
          ))}
        </div>
      </div>
    );
  if (rows.length === 0) return <p className="replay-empty">{WORDS.nothing}</p>;
  return <Playing view={view} actions={actions} tape={tape} />;
};

const Playing = ({ view, actions, tape }: LoadedProps & { readonly tape: Tape }) => {
  const player = usePlayer(tape);
  const { place } = player;
  const count = stepsUpTo(tape, place);
  // While no step happens, the rows stay the same.
  const shown = useRef<{ readonly tape: Tape; readonly count: number; readonly rows: readonly Row[] }>(undefined);
  if (shown.current?.tape !== tape || shown.current.count !== count)
    shown.current = { tape, count, rows: rowsAt(tape, place) };
  const { rows } = shown.current;
  const list = useRef<ListHandle>(null);
  useLayoutEffect(() => list.current?.toEnd(), [rows]);
  return (
    <>
      <div className="flow replay">
        <Rows view={view} actions={actions} rows={rows} list={list} />
      </div>
      <PlayerBar player={player} tape={tape} count={count} />
    </>
  );
};

interface RowsProps extends LoadedProps {
  readonly rows: readonly Row[];
  readonly list: React.RefObject<ListHandle | null>;
}

const Rows = ({ view, actions, rows, list }: RowsProps) => {
  const [families] = useState(() => new RowFamilies());
  const [book] = useState(() => new EntryBook((row) => !families.standsInside(row)));
  const scope = useMemo<TimelineScope>(
    () => ({ view, actions, kept: new KeptChoices(), openMenu: () => undefined, renderEntry, children: families }),
    [view, actions, families],
  );
  families.take(rows);
  useLayoutEffect(() => families.tell(), [families, rows]);
  return (
    <ScopeProvider value={scope}>
      <section className="timeline" aria-label={WORDS.replay}>
        <VirtualList
          entries={book.entries(rows, NO_DRAFTS)}
          render={renderEntry}
          label={WORDS.messages}
          className="timeline-list"
          handle={list}
        />
      </section>
    </ScopeProvider>
  );
};

const NO_DRAFTS: readonly never[] = [];
/** A page that was hidden continues at the same place. */
const LONGEST_FRAME_MS = 200;

const usePlayer = (tape: Tape): Player => {
  const { duration } = tape;
  const [at, setAt] = useState(0);
  // A reader at the end stays at the end while a running session grows.
  const place = Math.min(at, duration);
  const setPlace = useCallback(
    (change: (before: number) => number) =>
      setAt((before) => {
        const next = change(Math.min(before, duration));
        return next >= duration ? Infinity : next;
      }),
    [duration],
  );
  const [plays, setPlays] = useState(false);
  const [speed, setSpeed] = useState(1);
  useEffect(() => {
    if (!plays) return undefined;
    let last = performance.now();
    let frame = requestAnimationFrame(function tick(now) {
      const passed = Math.min(LONGEST_FRAME_MS, now - last) * speed;
      last = now;
      setPlace((before) => before + passed);
      frame = requestAnimationFrame(tick);
    });
    return () => cancelAnimationFrame(frame);
  }, [plays, speed, setPlace]);
  useEffect(() => {
    if (plays && place >= duration) setPlays(false);
  }, [plays, place, duration]);

  const seek = useCallback(
    (to: number) => {
      setPlays(false);
      setPlace(() => to);
    },
    [setPlace],
  );
  const step = useCallback(
    (by: 1 | -1, kind?: StepKind) => {
      setPlays(false);
      setPlace((before) => stepFrom(tape, before, by, kind));
    },
    [tape, setPlace],
  );
  const toggle = useCallback(() => {
    setPlace((before) => (before >= duration ? 0 : before));
    setPlays((before) => !before);
  }, [duration, setPlace]);
  useKeys({ seek, step, toggle }, duration);
  return { place, plays, speed, setSpeed, seek, step, toggle };
};

const useKeys = ({ seek, step, toggle }: Pick<Player, "seek" | "step" | "toggle">, duration: number): void => {
  // Before it is drawn: who sees a replay can use its keys.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { target } = event;
      const isRange = target instanceof HTMLInputElement && target.type === "range";
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if ((isTyping(target) && !isRange) || document.querySelector("dialog[open]") !== null) return;
      // A focused button or link does what it says.
      const isPressed = target instanceof HTMLElement && target.closest("button, a, summary") !== null;
      const kind = event.shiftKey ? "prompt" : undefined;
      if (event.key === " " && !isPressed) toggle();
      else if (event.key === "ArrowRight") step(1, kind);
      else if (event.key === "ArrowLeft") step(-1, kind);
      else if (event.key === "t") step(1, "tool");
      else if (event.key === "T") step(-1, "tool");
      else if (event.key === "Home") seek(0);
      else if (event.key === "End") seek(duration);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [seek, step, toggle, duration]);
};
