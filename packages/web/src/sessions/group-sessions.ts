// The rail's order: what waits for a person, what is pinned, then projects. Lists must not jump under a pointer, so that two sessions which
// both work now keep their places.

import type { SessionSummary } from "@quarterdeck/client";
import { machinePlaceOf } from "../store/fleet.ts";
import { baseName } from "../words/format.ts";
import { sessionTitleOf } from "../words/session-words.ts";
import { WORDS } from "./words.ts";

export interface SessionGroup {
  readonly key: string;
  readonly name: string;
  readonly sessions: readonly SessionSummary[];
}

export const WAITING = "waiting";
export const PINNED = "pinned";
const TEN_MINUTES = 600_000;

const newestFirst = (a: SessionSummary, b: SessionSummary): number =>
  Math.floor(b.updatedAt / TEN_MINUTES) - Math.floor(a.updatedAt / TEN_MINUTES) ||
  b.createdAt - a.createdAt ||
  (a.id < b.id ? -1 : 1);

const longestWaitFirst = (a: SessionSummary, b: SessionSummary): number =>
  (a.waiting[0]?.at ?? 0) - (b.waiting[0]?.at ?? 0) || (a.id < b.id ? -1 : 1);

/** Each word of the query is in the title, the folder or the model. */
export const matches = (summary: SessionSummary, query: string): boolean => {
  const text =
    `${sessionTitleOf(summary)} ${summary.project} ${summary.cwd} ${summary.model ?? ""} ${machinePlaceOf(summary)?.machine ?? ""}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => text.includes(word));
};

export interface GroupOptions {
  readonly query?: string;
  readonly archived?: boolean;
  /** Ids, oldest pin first. */
  readonly pinned?: readonly string[];
}

export const groupSessions = (
  sessions: readonly SessionSummary[],
  { query = "", archived = false, pinned = [] }: GroupOptions = {},
): readonly SessionGroup[] => {
  const wanted = sessions.filter((summary) => summary.archived === archived && matches(summary, query));
  const waiting = wanted.filter((summary) => summary.waiting.length > 0).toSorted(longestWaitFirst);
  const others = wanted.filter((summary) => summary.waiting.length === 0);
  const pins = new Map(pinned.map((id, at) => [id, at]));
  const isPin = ({ id }: SessionSummary): boolean => pins.has(id);
  const held = others.filter(isPin).toSorted((a, b) => pins.get(a.id)! - pins.get(b.id)!);
  const byProject = Map.groupBy(
    others.filter((summary) => !isPin(summary)).toSorted(newestFirst),
    (summary) => summary.project,
  );
  const projects = [...byProject].map(([project, entries]) => groupOf(project, baseName(project), entries));
  return [
    ...(waiting.length === 0 ? [] : [groupOf(WAITING, WORDS.needsYou, waiting)]),
    ...(held.length === 0 ? [] : [groupOf(PINNED, WORDS.pinned, held)]),
    ...projects,
  ];
};

/** About this number of sessions is drawn at first. Each project shows at least six. */
const AT_FIRST = 48;
const OPEN_PROJECTS = 12;

export interface ShownGroup extends SessionGroup {
  readonly folded: boolean;
  /** The first of its sessions, and the open one. */
  readonly shown: readonly SessionSummary[];
}

/** What the rail draws of its groups. A search shows all that it found, up to a limit. */
export const shownGroups = (
  groups: readonly SessionGroup[],
  {
    folded,
    older,
    openId,
    searching,
  }: {
    readonly folded: Readonly<Record<string, boolean>>;
    /** How many more sessions of a project somebody asked for. */
    readonly older: Readonly<Record<string, number>>;
    readonly openId: string | undefined;
    readonly searching: boolean;
  },
): readonly ShownGroup[] => {
  const least = Math.max(6, Math.floor(AT_FIRST / Math.max(1, groups.length)));
  return groups.map((group, at) => {
    const isProject = group.key !== WAITING && group.key !== PINNED;
    const isFolded = isProject && !searching && (folded[group.key] ?? at > OPEN_PROJECTS);
    const count = (isProject ? least : AT_FIRST * 2) + (older[group.key] ?? 0);
    const shown = group.sessions.filter(({ id }, index) => index < count || id === openId);
    return { ...group, folded: isFolded, shown: isFolded ? [] : shown };
  });
};

const groupOf = (key: string, name: string, sessions: readonly SessionSummary[]): SessionGroup => ({
  key,
  name,
  sessions,
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
