// The filter and the order of a search over all sessions. Both are the same in memory and in SQLite.

import { searchKindOf } from "@quarterdeck/session";
import type { Row } from "@quarterdeck/session";
import type { FoundAnywhere, FoundRow, SearchFilter } from "./event-store.ts";

/** A found row of any session, if the filter lets it pass. */
export const foundAnywhere = (
  session: string,
  row: Row,
  found: FoundRow,
  filter: SearchFilter,
): FoundAnywhere | undefined => {
  const kind = searchKindOf(row);
  const passes =
    filter.sessions?.has(session) !== false &&
    row.at >= (filter.since ?? -Infinity) &&
    row.at < (filter.until ?? Infinity) &&
    filter.kinds?.has(kind) !== false;
  return passes ? { session, ...found, at: row.at, kind } : undefined;
};

/** The order of hits of all sessions. The same wherever a hit comes from. */
export const newestFirst = (a: FoundAnywhere, b: FoundAnywhere): number =>
  b.at - a.at || (a.session === b.session ? b.order - a.order : a.session < b.session ? 1 : -1);
