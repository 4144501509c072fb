// A search over all volumes. SQLite finds the places, newest first in each volume. Only the rows that are returned are
// read.

import { rowKindsFoundAs, SEARCH_KINDS, TOOLS_BY_SEARCH_KIND } from "@quarterdeck/session";
import type { SearchKind } from "@quarterdeck/session";
import type { Found, FoundAnywhere, SearchFilter } from "../event-store.ts";
import { foundAnywhere, newestFirst } from "../search-filter.ts";
import { foundRow, matchExpressionOf } from "../search-words.ts";
import type { Phrases } from "../search-words.ts";
import type { KnownSession, Registry } from "./registry.ts";
import type { FoundPlace, RowCondition, VolumeReader } from "./volume-reader.ts";

/** Matches that one search looks at if a filter has to decide about each: 3 to 8 microseconds each. */
const MOST_MATCHES = 12_000;

/**
 * Places that are sorted by time, of all volumes together. SQLite finds the rows that were saved last, and a session that
 * was saved later may have older rows.
 */
const SORTED_PLACES = 2_000;

export interface Search {
  readonly phrases: Phrases;
  readonly limit: number;
  readonly filter: SearchFilter;
}

export const searchVolumes = (
  registry: Registry,
  readerOf: (volume: number) => VolumeReader,
  { phrases, limit, filter }: Search,
): Found => {
  const match = matchExpressionOf(phrases);
  const wanted = registry.stored.filter((known) => mayPass(known, filter));
  const byVolume = Map.groupBy(wanted, ({ volume }) => volume);
  const most = Math.ceil(MOST_MATCHES / Math.max(1, byVolume.size));
  const sorted = Math.max(limit, Math.ceil(SORTED_PLACES / Math.max(1, byVolume.size)));
  let complete = true;
  const places: (FoundPlace & { readonly volume: number })[] = [];
  for (const [volume, sessions] of byVolume) {
    const found = readerOf(volume).search(match, sorted, most, conditionOf(filter, sessions));
    complete &&= found.complete;
    for (const place of found.places) places.push({ ...place, volume });
  }
  const hits: FoundAnywhere[] = [];
  for (const { volume, session, n } of places.toSorted((a, b) => b.at - a.at || b.volume - a.volume || b.n - a.n)) {
    if (hits.length === limit) {
      complete = false;
      break;
    }
    const id = registry.idOf(volume, session);
    if (id === undefined) continue;
    const row = readerOf(volume).rowAt(n, id);
    const hit = row && foundAnywhere(id, row, foundRow(row, phrases), filter);
    if (hit !== undefined) hits.push(hit);
  }
  return { hits: hits.toSorted(newestFirst), complete };
};

const mayPass = ({ id, lastAt }: KnownSession, { sessions, since }: SearchFilter): boolean =>
  sessions?.has(id) !== false && lastAt >= (since ?? -Infinity);

const conditionOf = (filter: SearchFilter, sessions: readonly KnownSession[]): RowCondition => {
  const parts: string[] = [];
  const values: (string | number)[] = [];
  if (filter.sessions !== undefined) {
    parts.push("row.session IN (SELECT value FROM json_each(?))");
    values.push(JSON.stringify(sessions.map(({ key }) => key)));
  }
  if (filter.since !== undefined) {
    parts.push("row.at >= ?");
    values.push(filter.since);
  }
  if (filter.until !== undefined) {
    parts.push("row.at < ?");
    values.push(filter.until);
  }
  if (filter.kinds !== undefined) parts.push(kindCondition(filter.kinds));
  return { where: parts.join(" AND "), values };
};

/** A row that is too large for the table passes. It is looked at when it is read. */
const kindCondition = (kinds: ReadonlySet<SearchKind>): string => {
  const wanted = SEARCH_KINDS.filter((kind) => kinds.has(kind)).map((kind) => KIND_SQL[kind]);
  return `(row.body IS NULL${wanted.map((sql) => ` OR ${sql}`).join("")})`;
};

const KIND = "row.body ->> '$.kind'";
const TOOL = "row.body ->> '$.name'";
const listed = (names: readonly string[]): string => `(${names.map((name) => `'${name}'`).join(", ")})`;
const isRow = (found: SearchKind): string => `${KIND} IN ${listed(rowKindsFoundAs(found))}`;
const { command, file } = TOOLS_BY_SEARCH_KIND;

/** The same as `searchKindOf`. A test compares the two. */
const KIND_SQL: Readonly<Record<SearchKind, string>> = {
  prompt: isRow("prompt"),
  answer: isRow("answer"),
  thinking: isRow("thinking"),
  command: `(${isRow("command")} OR ${isRow("tool")} AND ${TOOL} IN ${listed(command)})`,
  file: `(${isRow("tool")} AND ${TOOL} IN ${listed(file)})`,
  tool: `(${isRow("tool")} AND ${TOOL} NOT IN ${listed([...command, ...file])})`,
  other: isRow("other"),
};
