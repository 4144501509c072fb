// The rail's order: what waits for a person, then projects. Lists must not jump under a pointer, so that two sessions which
// both work now keep their places.

import type { SessionSummary } from "@quarterdeck/client";
import { baseName } from "../words/format.ts";
import { titleOf } from "../words/session-words.ts";

export interface SessionGroup {
  readonly key: string;
  readonly name: string;
  readonly sessions: readonly SessionSummary[];
  readonly costUsd: number;
}

export const WAITING = "waiting";
const TEN_MINUTES = 600_000;

const newestFirst = (a: SessionSummary, b: SessionSummary): number =>
  Math.floor(b.updatedAt / TEN_MINUTES) - Math.floor(a.updatedAt / TEN_MINUTES) ||
  b.createdAt - a.createdAt ||
  (a.id < b.id ? -1 : 1);

const longestWaitFirst = (a: SessionSummary, b: SessionSummary): number =>
  (a.waiting[0]?.at ?? 0) - (b.waiting[0]?.at ?? 0) || (a.id < b.id ? -1 : 1);

/** Every word of the query stands somewhere in the title, the folder or the model. */
export const matches = (summary: SessionSummary, query: string): boolean => {
  const text = `${titleOf(summary)} ${summary.project} ${summary.cwd} ${summary.model ?? ""}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => text.includes(word));
};

export const groupSessions = (
  sessions: readonly SessionSummary[],
  { query = "", archived = false }: { readonly query?: string; readonly archived?: boolean } = {},
): readonly SessionGroup[] => {
  const wanted = sessions.filter((summary) => summary.archived === archived && matches(summary, query));
  const waiting = wanted.filter((summary) => summary.waiting.length > 0).toSorted(longestWaitFirst);
  const byProject = Map.groupBy(
    wanted.filter((summary) => summary.waiting.length === 0).toSorted(newestFirst),
    (summary) => summary.project,
  );
  const projects = [...byProject].map(([project, entries]) => groupOf(project, baseName(project), entries));
  return waiting.length === 0 ? projects : [groupOf(WAITING, "Needs you", waiting), ...projects];
};

const groupOf = (key: string, name: string, sessions: readonly SessionSummary[]): SessionGroup => ({
  key,
  name,
  sessions,
  costUsd: sessions.reduce((sum, { costUsd }) => sum + costUsd, 0),
});

/** The previous or next session in the order of the rail. Wraps around at the ends. */
export const neighbour = (
  groups: readonly SessionGroup[],
  id: string | undefined,
  step: 1 | -1,
): string | undefined => {
  const ids = groups.flatMap((group) => group.sessions.map((summary) => summary.id));
  if (ids.length === 0) return undefined;
  const at = id === undefined ? -1 : ids.indexOf(id);
  if (at === -1) return step === 1 ? ids[0] : ids.at(-1);
  return ids[(at + step + ids.length) % ids.length];
};
