// Results of the full-text search over all sessions, below the sessions whose names match.

import type { ResultOf, SessionSummary } from "@quarterdeck/client";
import { useEffect, useState } from "react";
import { hrefOf, searchHref } from "../store/route.ts";
import { useClient } from "../store/client.tsx";
import { sessionTitleOf, withoutMarkup } from "../words/session-words.ts";
import { WORDS } from "./rail-words.ts";
import { splitMatches } from "./split-matches.ts";

type Hit = ResultOf<"sessions/search">["hits"][number];
const PAUSE_MS = 200;

export const SearchHits = ({
  query,
  sessions,
}: {
  readonly query: string;
  readonly sessions: readonly SessionSummary[];
}) => {
  const client = useClient();
  const [found, setFound] = useState<{ readonly query: string; readonly hits: readonly Hit[] }>();
  const [failed, setFailed] = useState<string>();
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(() => {
      client
        .call("sessions/search", { query, limit: 40 }, { signal: stop.signal })
        .then(({ hits }) => {
          setFound({ query, hits });
          setFailed(undefined);
        })
        .catch((error: unknown) => {
          if (!stop.signal.aborted) setFailed(error instanceof Error ? error.message : String(error));
        });
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [client, query]);

  const titles = new Map(sessions.map((summary) => [summary.id, sessionTitleOf(summary)]));
  return (
    <section aria-label={WORDS.hits} aria-busy={found?.query !== query}>
      <h2 className="rail-group">
        <span>{WORDS.hits}</span>
        <span className="num">{found?.hits.length}</span>
      </h2>
      {failed !== undefined && <p className="rail-empty">{failed}</p>}
      {found?.hits.length === 0 && found.query === query && <p className="rail-empty">{WORDS.noHits}</p>}
      <ul className="entries">
        {found?.hits.map((hit) => (
          <li key={`${hit.session} ${hit.rowId}`}>
            <a className="hit" href={hrefOf(hit.session, hit.rowId)}>
              <b>{titles.get(hit.session) ?? WORDS.session}</b>
              <span>
                {splitMatches(withoutMarkup(hit.excerpt), query).map(({ text, match, at }) =>
                  match ? <mark key={at}>{text}</mark> : text,
                )}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {found !== undefined && found.query === query && (
        <a className="hit hit-all" href={searchHref(query)}>
          {WORDS.filters}
        </a>
      )}
    </section>
  );
};
