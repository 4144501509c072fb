// Full text over all sessions: prompts, answers, commands, files. The address is the search, so that it can be kept and shared.

import type { ResultOf, SessionSummary } from "@quarterdeck/client";
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { Button } from "../parts/button.tsx";
import { isTyping } from "../parts/is-typing.ts";
import { splitMatches } from "../sessions/split-matches.ts";
import { useClient, useSessionList } from "../store/client.tsx";
import { machinePlaceOf } from "../store/fleet.ts";
import { useMachines } from "../store/machines.ts";
import { useNow } from "../store/now.ts";
import { hrefOf } from "../store/route.ts";
import { fill } from "../parts/fill.tsx";
import { baseName, formatAge } from "../words/format.ts";
import { locale } from "../words/language.ts";
import { sessionTitleOf, withoutMarkup } from "../words/session-words.ts";
import { SearchFilters } from "./search-filters.tsx";
import { WORDS } from "./words.ts";
import { bySession, hrefOfPlace, paramsOf, readPlace, type SearchPlace } from "./search-place.ts";
import "./search.css";

type Found = ResultOf<"sessions/search">;
type Hit = Found["hits"][number];

const PAUSE_MS = 180;
const FIRST = 50;
const MOST = 200;

export const SearchPage = ({ query, menu }: { readonly query: string; readonly menu: ReactNode }) => {
  const { sessions } = useSessionList();
  const [place, setPlace] = useState(() => readPlace(query));
  const [limit, setLimit] = useState(FIRST);
  const input = useRef<HTMLInputElement>(null);
  const page = useRef<HTMLDivElement>(null);
  const { found, problem, busy, retry } = useFound(place, limit);
  const silent = useMachines().filter(({ state }) => state !== "here");
  const moreWords = silent.length === 0 ? WORDS.narrow : WORDS.notSearched(silent.map(({ name }) => name).join(", "));

  // A link or the browser's way back led here.
  useEffect(() => setPlace(readPlace(query)), [query]);
  useEffect(() => setLimit(FIRST), [place]);
  useEffect(() => input.current?.focus(), []);
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent): void => {
      if (event.key !== "/" || event.defaultPrevented || isTyping(event.target)) return;
      event.preventDefault();
      input.current?.select();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);

  const change = (part: Partial<SearchPlace>): void => {
    const next = { ...place, ...part };
    setPlace(next);
    // Not a new step of the browser's history for every letter.
    history.replaceState(history.state, "", hrefOfPlace(next));
  };
  const links = (): readonly HTMLElement[] => [...(page.current?.querySelectorAll<HTMLElement>(".search-hit") ?? [])];
  const walk = (event: KeyboardEvent): void => {
    const all = links();
    const at = all.indexOf(document.activeElement as HTMLElement);
    if (event.key === "Escape" && at !== -1) input.current?.select();
    else if (at !== -1 && event.key === "ArrowDown") all[at + 1]?.focus();
    else if (at !== -1 && event.key === "ArrowUp") (all[at - 1] ?? input.current)?.focus();
    else return;
    event.preventDefault();
  };

  return (
    <>
      <header className="head">
        {menu}
        <h1>{WORDS.title}</h1>
      </header>
      <div className="search-page" ref={page} onKeyDown={walk}>
        <div className="search-in">
          <search>
            <input
              ref={input}
              type="search"
              className="input search-words"
              aria-label={WORDS.label}
              placeholder={WORDS.placeholder}
              maxLength={200}
              value={place.q}
              onChange={(event) => change({ q: event.target.value })}
              onKeyDown={(event) => {
                if (event.key === "ArrowDown") links()[0]?.focus();
                else if (event.key === "Enter") links()[0]?.click();
                else return;
                event.preventDefault();
                event.stopPropagation();
              }}
            />
            <SearchFilters place={place} sessions={sessions} onChange={change} />
          </search>
          <p className="search-status" role="status">
            {statusOf(place, found, problem, busy)}
          </p>
          {problem !== undefined && (
            <p role="alert" className="search-failed">
              {problem} <Button onClick={retry}>{WORDS.retry}</Button>
            </p>
          )}
          {found === undefined && busy && <Skeleton />}
          {found === undefined && !busy && problem === undefined && <Hint />}
          {found?.hits.length === 0 && !busy && (
            <Nothing
              place={place}
              hint={found.complete ? undefined : silent.length === 0 ? WORDS.frequent : moreWords}
              onClear={() => change({ project: "", kinds: [], since: "" })}
            />
          )}
          {found !== undefined && <Results found={found} words={place.q} sessions={sessions} />}
          {found !== undefined && !found.complete && found.hits.length > 0 && (
            <p className="search-more">
              {limit < MOST && found.hits.length >= limit ? (
                <Button onClick={() => setLimit(MOST)} busy={busy}>
                  {WORDS.more}
                </Button>
              ) : (
                moreWords
              )}
            </p>
          )}
        </div>
      </div>
    </>
  );
};

const useFound = (place: SearchPlace, limit: number) => {
  const client = useClient();
  const [state, setState] = useState<{ readonly found?: Found | undefined; readonly problem?: string }>({});
  const [busy, setBusy] = useState(false);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    const params = paramsOf(place, limit, Date.now());
    if (params === undefined) {
      setState({});
      setBusy(false);
      return undefined;
    }
    const stop = new AbortController();
    setBusy(true);
    const timer = setTimeout(() => {
      client
        .call("sessions/search", params, { signal: stop.signal })
        .then(
          (found) => !stop.signal.aborted && setState({ found }),
          (error: unknown) =>
            !stop.signal.aborted && setState({ problem: error instanceof Error ? error.message : String(error) }),
        )
        .finally(() => !stop.signal.aborted && setBusy(false));
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [client, place, limit, tries]);
  return { ...state, busy, retry: () => setTries((before) => before + 1) };
};

const statusOf = (place: SearchPlace, found: Found | undefined, problem: string | undefined, busy: boolean): string => {
  if (problem !== undefined) return WORDS.failed;
  if (busy) return WORDS.busy;
  if (found === undefined) return place.q === "" ? "" : WORDS.type;
  const sessions = new Set(found.hits.map(({ session }) => session)).size;

  return WORDS.found(found.hits.length, found.complete, sessions);
};

const Results = ({
  found,
  words,
  sessions,
}: {
  readonly found: Found;
  readonly words: string;
  readonly sessions: readonly SessionSummary[];
}) => {
  const groups = useMemo(() => bySession(found.hits), [found]);
  const known = useMemo(() => new Map(sessions.map((summary) => [summary.id, summary])), [sessions]);
  return groups.map(({ session, hits }) => (
    <Group key={session} session={session} hits={hits} words={words} summary={known.get(session)} />
  ));
};

const Group = ({
  session,
  hits,
  words,
  summary,
}: {
  readonly session: string;
  readonly hits: readonly Hit[];
  readonly words: string;
  readonly summary: SessionSummary | undefined;
}) => {
  const now = useNow();
  const title = summary === undefined ? WORDS.session : sessionTitleOf(summary);
  const place = summary && machinePlaceOf(summary);
  return (
    <section className="search-group" aria-label={title}>
      <h2>
        <a href={hrefOf(session)}>{title}</a>
        {summary !== undefined && <small title={summary.project}>{baseName(summary.project)}</small>}
        {place !== undefined && <small>{place.machine}</small>}
        <span className="num">{hits.length}</span>
      </h2>
      <ul>
        {hits.map((hit) => (
          <li key={hit.rowId}>
            <a className="search-hit" href={hrefOf(session, hit.rowId)}>
              <b>{WORDS.one[hit.kind]}</b>
              <span>
                {splitMatches(withoutMarkup(hit.excerpt), words).map(({ text, match, at }) =>
                  match ? <mark key={at}>{text}</mark> : text,
                )}
              </span>
              <time dateTime={new Date(hit.at).toISOString()} title={new Date(hit.at).toLocaleString(locale)}>
                {formatAge(hit.at, now)}
              </time>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
};

const Hint = () => (
  <div className="search-empty">
    <p>{WORDS.hint}</p>
    <p>{fill(WORDS.keys, { slash: <kbd>/</kbd>, down: <kbd>↓</kbd>, enter: <kbd>Enter</kbd> })}</p>
  </div>
);

const Nothing = ({
  place,
  hint,
  onClear,
}: {
  readonly place: SearchPlace;
  /** Why there may be matches all the same. */
  readonly hint: string | undefined;
  readonly onClear: () => void;
}) => {
  const isFiltered = place.project !== "" || place.kinds.length > 0 || place.since !== "";
  return (
    <div className="search-empty">
      <p>{(isFiltered ? WORDS.nothingFiltered : WORDS.nothing)(place.q.trim())}</p>
      {hint !== undefined && <p>{hint}</p>}
      {isFiltered && <Button onClick={onClear}>{WORDS.clear}</Button>}
    </div>
  );
};

const Skeleton = () => (
  <div className="skeleton" aria-hidden="true">
    {[72, 88, 60].map((width) => (
      <i key={width} style={{ width: `${width}%` }} />
    ))}
  </div>
);
