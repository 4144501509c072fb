// The conversation of a session: the list of its rows, and navigation in it.

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Row, SessionSnapshot, SessionView } from "@quarterdeck/client";
import type { RowTarget, SessionActions } from "../store/session-actions.ts";
import { isKey } from "../keys/key-table.ts";
import { Icon } from "../parts/icon.tsx";
import { TextButton } from "../parts/text-button.tsx";
import { onSent } from "../store/sent.ts";
import { showCleared, useClearedTo } from "../store/cleared.ts";
import { onFindBar } from "../store/find-bar.ts";
import { RowFamilies } from "./child-rows.ts";
import { useFlowingDrafts } from "./drafts.ts";
import { EntryBook, keyOfRow, tailOf, type Entry } from "./entries.ts";
import { FindBar, prefetchExtras, RawDialog, RowMenu } from "./extras.ts";
import type { AskedMenu } from "./row-menu.tsx";
import { renderEntry } from "./row-view.tsx";
import { KeptChoices } from "../content/kept-choices.ts";
import { ScopeProvider, type TimelineScope } from "./scope.tsx";
import { VirtualList, type ListHandle } from "./virtual-list.tsx";
import { WORDS } from "./words.ts";
import "./timeline.css";
import "./rows/rows.css";
import "../content/markdown/markdown.css";
import "../content/text/text.css";
import "./tools/tools.css";
import "./phone.css";

export interface TimelineProps {
  readonly view: SessionView;
  readonly snapshot: SessionSnapshot;
  readonly actions: SessionActions;
  /** Go to this row. A new object is a new visit. */
  readonly target: RowTarget | undefined;
}

/** The state of one session is dropped when the next one opens. */
export const Timeline = (props: TimelineProps) => <SessionTimeline key={props.view.id} {...props} />;

const SessionTimeline = ({ view, snapshot, actions, target }: TimelineProps) => {
  const list = useRef<ListHandle>(null);
  const [menu, setMenu] = useState<AskedMenu>();
  const root = useRef<HTMLElement>(null);
  const newestActions = useRef(actions);
  newestActions.current = actions;
  const [raw, setRaw] = useState<Row>();
  const [finds, setFinds] = useState(false);
  const [families] = useState(() => new RowFamilies());
  const [book] = useState(() => new EntryBook((row) => !families.standsInside(row)));
  const [scope] = useState<TimelineScope>(() => ({
    view,
    get actions() {
      return newestActions.current;
    },
    kept: new KeptChoices(),
    openMenu: (row, trigger) => setMenu({ row, trigger }),
    renderEntry,
    children: families,
  }));

  const clearedTo = useClearedTo(view.id);
  const rows = useMemo(
    () => (clearedTo === undefined ? snapshot.rows : snapshot.rows.filter(({ order }) => order > clearedTo)),
    [snapshot.rows, clearedTo],
  );
  families.take(rows);
  const drafts = useFlowingDrafts(view, snapshot.moreAfter ? NO_DRAFTS : snapshot.drafts);
  const entries = book.entries(rows, drafts, snapshot.moreAfter ? undefined : tailOf(snapshot.head, drafts.length));
  useLayoutEffect(() => families.tell(), [families, rows]);

  const jump = useJump(view, rows, entries, scope, list, actions);
  const go = useCallback<typeof jump>(
    (rowId, text) => {
      // A row that is asked for is shown, also where it was cleared.
      showCleared(view.id);
      jump(rowId, text);
    },
    [view.id, jump],
  );
  useEffect(() => {
    if (target !== undefined) go(target.rowId);
  }, [target, go]);

  const { away, onMove } = useAway(rows);
  const { onNearStart, onNearEnd, loading } = useMore(view, snapshot);

  useFindKey(root, setFinds);
  useEffect(prefetchExtras, []);

  const toEnd = useCallback(() => {
    if (!view.snapshot.moreAfter) {
      list.current?.toEnd();
      return;
    }
    view.loadEnd().then(
      () => list.current?.toEnd(),
      (error: unknown) =>
        newestActions.current.toast(error instanceof Error ? error.message : String(error), { tone: "bad" }),
    );
  }, [view]);
  const flow = useCallback(() => list.current?.scroller ?? null, []);
  useEffect(
    () =>
      onSent((session) => {
        if (session === view.id) toEnd();
      }),
    [view.id, toEnd],
  );

  return (
    <ScopeProvider value={scope}>
      <section ref={root} className="timeline" aria-label={WORDS.conversation}>
        {finds && <FindBar actions={actions} root={flow} onGo={go} onClose={() => setFinds(false)} />}
        <VirtualList
          entries={entries}
          render={renderEntry}
          label={WORDS.messages}
          className="timeline-list"
          busy={snapshot.status === "loading" || loading}
          endIsEnd={!snapshot.moreAfter}
          before={
            clearedTo === undefined ? (
              <Beginning
                more={snapshot.more}
                loading={loading || snapshot.status === "loading"}
                isEmpty={entries.length === 0}
              />
            ) : (
              <p className="beginning">
                {WORDS.hidden} <TextButton onClick={() => showCleared(view.id)}>{WORDS.showThem}</TextButton>
              </p>
            )
          }
          onNearStart={clearedTo === undefined ? onNearStart : undefined}
          onNearEnd={onNearEnd}
          onMove={onMove}
          handle={list}
        />
        {(away !== undefined || snapshot.moreAfter) && (
          <ToEnd count={away ?? 0} past={snapshot.moreAfter} onClick={toEnd} />
        )}
        <Announcer rows={rows} />
        {menu !== undefined && <RowMenu asked={menu} actions={actions} showRaw={setRaw} />}
        {raw !== undefined && <RawDialog row={raw} onClose={() => setRaw(undefined)} />}
      </section>
    </ScopeProvider>
  );
};

const NO_DRAFTS: SessionSnapshot["drafts"] = [];

const Beginning = ({
  more,
  loading,
  isEmpty,
}: {
  readonly more: boolean;
  readonly loading: boolean;
  readonly isEmpty: boolean;
}) => {
  if (isEmpty) return null;
  return <p className="beginning">{more ? (loading ? WORDS.loading : WORDS.scrollUp) : WORDS.start}</p>;
};

const ToEnd = ({
  count,
  past,
  onClick,
}: {
  readonly count: number;
  readonly past: boolean;
  readonly onClick: () => void;
}) => (
  <button type="button" className={`to-end ${count > 0 ? "to-end-new" : ""}`} onClick={onClick}>
    <Icon name="down" />
    <span className="num">{past ? WORDS.latest : count > 0 ? WORDS.fresh(count) : WORDS.toEnd}</span>
  </button>
);

/** How many rows arrived since the person left the end. Undefined at the end. */
const useAway = (rows: readonly Row[]) => {
  const [leftAt, setLeftAt] = useState<number>();
  const last = useRef(0);
  const newest = rows.at(-1)?.order ?? 0;
  last.current = newest;
  const onMove = useCallback(({ atEnd }: { readonly atEnd: boolean }) => {
    setLeftAt((before) => (atEnd ? undefined : (before ?? last.current)));
  }, []);
  const away = useMemo(
    () =>
      leftAt === undefined ? undefined : rows.filter((row) => row.order > leftAt && row.parent === undefined).length,
    [rows, leftAt],
  );
  return { away, onMove };
};

/** Loads earlier or later rows when the person comes near them. One request at a time. */
const useMore = (view: SessionView, snapshot: SessionSnapshot) => {
  const [loading, setLoading] = useState(false);
  const busy = useRef(false);
  const load = useCallback((request: () => Promise<void>) => {
    if (busy.current) return;
    busy.current = true;
    setLoading(true);
    request()
      // The page reports connection errors. Scrolling tries again.
      .catch(() => {})
      .finally(() => {
        busy.current = false;
        setLoading(false);
      });
  }, []);
  const { more, moreAfter, status } = snapshot;
  const onNearStart = useMemo(
    () => (more && status === "ready" ? () => load(() => view.loadBefore()) : undefined),
    [more, status, view, load],
  );
  const onNearEnd = useMemo(
    () => (moreAfter && status === "ready" ? () => load(() => view.loadAfter()) : undefined),
    [moreAfter, status, view, load],
  );
  return { onNearStart, onNearEnd, loading };
};

/** Goes to any row: loads it, opens the cards around it, scrolls to it and highlights it briefly. */
const useJump = (
  view: SessionView,
  rows: readonly Row[],
  entries: readonly Entry[],
  scope: TimelineScope,
  list: React.RefObject<ListHandle | null>,
  actions: SessionActions,
) => {
  const wanted = useRef<{ readonly rowId: string; readonly text: string | undefined }>(undefined);
  const newest = useRef({ rows, entries, actions });
  newest.current = { rows, entries, actions };

  const arrive = useCallback(() => {
    const goal = wanted.current;
    if (goal === undefined) return false;
    const row = newest.current.rows.find((entry) => entry.id === goal.rowId);
    if (row === undefined) return false;
    wanted.current = undefined;
    if (goal.text !== undefined) scope.kept.set(`card/${row.id}`, true);
    const outer = outermost(row, newest.current.rows);
    if (outer !== row) scope.kept.set(`card/${outer.id}`, true);
    const key = goal.text === undefined ? keyOfRow(outer.id) : keyWith(newest.current.entries, outer, goal.text);
    if (list.current?.toKey(key) !== true) return false;
    requestAnimationFrame(() => shine(list.current?.elementOf(key)));
    return true;
  }, [scope, list]);

  useLayoutEffect(() => {
    arrive();
  }, [entries, arrive]);

  return useCallback(
    (rowId: string, text?: string) => {
      wanted.current = { rowId, text };
      if (arrive()) return;
      view.loadAround(rowId).then(
        (found) => {
          if (!found) newest.current.actions.toast(WORDS.gone);
        },
        (error: unknown) =>
          newest.current.actions.toast(error instanceof Error ? error.message : String(error), { tone: "bad" }),
      );
    },
    [view, arrive],
  );
};

const outermost = (row: Row, rows: readonly Row[]): Row => {
  let outer = row;
  for (let depth = 0; outer.parent !== undefined && depth < 20; depth++) {
    const { parent } = outer;
    const call = rows.find((entry) => entry.kind === "tool" && entry.toolUseId === parent);
    if (call === undefined) break;
    outer = call;
  }
  return outer;
};

/** The part of a long text that contains the words. */
const keyWith = (entries: readonly Entry[], row: Row, text: string): string => {
  const words = text.toLowerCase();
  const part = entries.find(
    (entry) =>
      entry.kind === "text" &&
      entry.row === row &&
      entry.part.blocks.some((block) => block.text.toLowerCase().includes(words)),
  );
  return part?.key ?? keyOfRow(row.id);
};

const shine = (element: HTMLElement | null | undefined): void => {
  if (element == null) return;
  element.classList.remove("shines");
  // Reading this restarts the animation.
  void element.offsetWidth;
  element.classList.add("shines");
  element.addEventListener("animationend", () => element.classList.remove("shines"), { once: true });
};

/** Ctrl+F searches the session. The browser's own search would find only the rows in the DOM. */
const useFindKey = (root: React.RefObject<HTMLElement | null>, setFinds: (finds: boolean) => void): void => {
  useEffect(() => {
    const open = (): void => {
      setFinds(true);
      const input = root.current?.querySelector<HTMLInputElement>(".find input");
      input?.focus();
      input?.select();
    };
    const onKey = (event: KeyboardEvent) => {
      if (!isKey("find.rows", event)) return;
      const { activeElement } = document;
      if (activeElement?.closest("dialog") != null || root.current === null) return;
      event.preventDefault();
      open();
    };
    addEventListener("keydown", onKey);
    const stop = onFindBar(open);
    return () => {
      removeEventListener("keydown", onKey);
      stop();
    };
  }, [root, setFinds]);
};

type End = Extract<Row, { readonly kind: "turn" | "error" | "mark" }>;
const isEnd = (row: Row): row is End =>
  row.kind === "turn" || row.kind === "error" || (row.kind === "mark" && row.what === "process-exited");

/** What a screen reader hears about the end of a turn. */
const endWords = (end: End, fresh: readonly Row[], rows: readonly Row[]): string => {
  if (end.kind !== "turn") return end.text;
  const before = rows.findLast((row) => row.order < end.order && row.parent === undefined);
  if (before?.kind === "mark" && before.what === "interrupted") return WORDS.stopped;
  // The error says more than the end of its turn.
  const error = fresh.findLast((row) => row.kind === "error");
  if (!end.ok) return error?.text ?? WORDS.turnFailed;
  return WORDS.finished(fresh.findLast((row) => row.kind === "text")?.text.slice(0, 400) ?? "");
};

/** Tells a screen reader that a turn ended. It does not read streamed text, which would never end. */
const Announcer = ({ rows }: { readonly rows: readonly Row[] }) => {
  const [words, setWords] = useState("");
  const seen = useRef(rows.at(-1)?.order ?? 0);
  useEffect(() => {
    const fresh = rows.filter((row) => row.order > seen.current && row.parent === undefined);
    seen.current = rows.at(-1)?.order ?? seen.current;
    const end = fresh.findLast(isEnd);
    if (end !== undefined) setWords(endWords(end, fresh, rows));
  }, [rows]);
  return (
    <div className="sr-only" role="status">
      {words}
    </div>
  );
};
