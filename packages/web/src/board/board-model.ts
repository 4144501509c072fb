// The sessions board as data: which state a session is in, what a filter shows, in which order, and the views that a person saved. Pure.

import type { SessionSummary } from "@quarterdeck/client";
import { hasFailed, isRunning } from "@quarterdeck/client/content";
import { machinePlaceOf } from "../store/fleet.ts";
import { sessionTitleOf } from "../words/session-words.ts";
import type { Tone } from "../words/tone.ts";
import { WORDS } from "./words.ts";

export const BOARD_STATES = ["needs", "working", "done", "idle", "failed"] as const;
export type BoardState = (typeof BOARD_STATES)[number];

export const STATE_WORDS: Readonly<Record<BoardState, { readonly name: string; readonly tone: Tone }>> = {
  needs: { name: WORDS.states.needs, tone: "brass" },
  working: { name: WORDS.states.working, tone: "sea" },
  done: { name: WORDS.states.done, tone: "go" },
  idle: { name: WORDS.states.idle, tone: "plain" },
  failed: { name: WORDS.states.failed, tone: "stop" },
};

type Stated = Pick<SessionSummary, "waiting" | "phase" | "live" | "tasks">;

export const boardStateOf = ({ waiting, phase, live, tasks }: Stated, unread: boolean): BoardState => {
  if (waiting.length > 0) return "needs";
  if (isRunning(phase) || (phase === "starting" && live) || tasks > 0) return "working";
  if (hasFailed(phase)) return "failed";
  return unread ? "done" : "idle";
};

const SORTS = ["age", "title", "state", "project", "changes", "cost"] as const;
export type Sort = (typeof SORTS)[number];

/** What a person chose to see. All of it is saved in a view. */
export interface BoardChoice {
  readonly layout: "board" | "table";
  readonly query: string;
  /** A path. Empty: all. */
  readonly project: string;
  /** A machine of the fleet. Empty: all. */
  readonly machine: string;
  readonly state: BoardState | "";
  /** Only sessions that were used in the last days. 0: all. */
  readonly days: number;
  readonly archived: boolean;
  readonly sort: Sort;
  /** The largest, newest or last first. */
  readonly down: boolean;
}

export const DEFAULT_CHOICE: BoardChoice = {
  layout: "board",
  query: "",
  project: "",
  machine: "",
  state: "",
  days: 0,
  archived: false,
  sort: "age",
  down: true,
};

export interface SavedView {
  readonly name: string;
  readonly choice: BoardChoice;
}
export interface KeptBoard {
  readonly choice: BoardChoice;
  readonly views: readonly SavedView[];
}

const MOST_VIEWS = 30;
const MOST_NAME = 60;

const record = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
const text = (value: unknown, most: number): string => (typeof value === "string" ? value.slice(0, most) : "");

const decodeChoice = (value: unknown): BoardChoice => {
  const { layout, query, project, machine, state, days, archived, sort, down } = record(value);
  return {
    layout: layout === "table" ? "table" : "board",
    query: text(query, 200),
    project: text(project, 4096),
    machine: text(machine, 100),
    state: BOARD_STATES.find((known) => known === state) ?? "",
    days: typeof days === "number" && days > 0 && days < 10_000 ? days : 0,
    archived: archived === true,
    sort: SORTS.find((known) => known === sort) ?? "age",
    down: down !== false,
  };
};

export const decodeBoard = (value: unknown): KeptBoard => {
  const { choice, views } = record(value);
  const known = new Map<string, SavedView>();
  for (const each of Array.isArray(views) ? views : []) {
    const name = text(record(each)["name"], MOST_NAME).trim();
    if (name !== "") known.set(name, { name, choice: decodeChoice(record(each)["choice"]) });
  }
  return { choice: decodeChoice(choice), views: [...known.values()].slice(-MOST_VIEWS) };
};

/** The same name replaces the view. */
export const withView = ({ choice, views }: KeptBoard, name: string): KeptBoard =>
  decodeBoard({ choice, views: [...views.filter((view) => view.name !== name.trim()), { name, choice }] });

export const sameChoice = (a: BoardChoice, b: BoardChoice): boolean => JSON.stringify(a) === JSON.stringify(b);

export interface BoardEntry {
  readonly summary: SessionSummary;
  readonly state: BoardState;
  readonly unread: boolean;
}

const DAY = 86_400_000;

export const boardEntries = (
  sessions: readonly SessionSummary[],
  choice: BoardChoice,
  { now, isUnread }: { readonly now: number; readonly isUnread: (summary: SessionSummary) => boolean },
): readonly BoardEntry[] => {
  const words = choice.query.toLowerCase().split(/\s+/u).filter(Boolean);
  const found: BoardEntry[] = [];
  for (const summary of sessions) {
    if (summary.archived !== choice.archived) continue;
    if (choice.project !== "" && summary.project !== choice.project) continue;
    const place = machinePlaceOf(summary);
    if (choice.machine !== "" && place !== undefined && place.machine !== choice.machine) continue;
    const unread = isUnread(summary);
    const state = boardStateOf(summary, unread);
    if (choice.state !== "" && state !== choice.state) continue;
    // What needs a person is shown whatever its age.
    if (choice.days > 0 && state !== "needs" && summary.updatedAt < now - choice.days * DAY) continue;
    if (words.length > 0) {
      const about =
        `${sessionTitleOf(summary)} ${summary.project} ${summary.lastText ?? ""} ${place?.machine ?? ""}`.toLowerCase();
      if (!words.every((word) => about.includes(word))) continue;
    }
    found.push({ summary, state, unread });
  }
  const compare = ORDERS[choice.sort];
  const sign = choice.down ? -1 : 1;
  return found.toSorted(
    (a, b) =>
      sign * compare(a, b) || b.summary.updatedAt - a.summary.updatedAt || (a.summary.id < b.summary.id ? -1 : 1),
  );
};

const changed = ({ summary: { changes } }: BoardEntry): number => (changes?.added ?? 0) + (changes?.removed ?? 0);

const ORDERS: Readonly<Record<Sort, (a: BoardEntry, b: BoardEntry) => number>> = {
  age: (a, b) => a.summary.updatedAt - b.summary.updatedAt,
  title: (a, b) => sessionTitleOf(a.summary).localeCompare(sessionTitleOf(b.summary)),
  state: (a, b) => BOARD_STATES.indexOf(a.state) - BOARD_STATES.indexOf(b.state),
  project: (a, b) => a.summary.project.localeCompare(b.summary.project),
  changes: (a, b) => changed(a) - changed(b),
  cost: (a, b) => a.summary.costUsd - b.summary.costUsd,
};

export interface BoardLane {
  readonly state: BoardState;
  /** Shown as cards. */
  readonly cards: readonly BoardEntry[];
  /** Shown as one line each. */
  readonly lines: readonly BoardEntry[];
}

const longestWaitFirst = (a: BoardEntry, b: BoardEntry): number =>
  (a.summary.waiting[0]?.at ?? 0) - (b.summary.waiting[0]?.at ?? 0);

const MOST_CARDS = 20;
const IDLE_CARDS = 4;

/** Old idle sessions are one line, and so is the rest of a long lane. */
export const boardLanes = (entries: readonly BoardEntry[], now: number): readonly BoardLane[] => {
  const byState = Map.groupBy(entries, ({ state }) => state);
  return BOARD_STATES.map((state) => {
    const found = byState.get(state) ?? [];
    const all = state === "needs" ? found.toSorted(longestWaitFirst) : found;
    const isCard = ({ summary }: BoardEntry, at: number): boolean =>
      state === "idle" ? at < IDLE_CARDS && now - summary.updatedAt < DAY : at < MOST_CARDS;
    const cards = all.filter(isCard);
    const shown = new Set(cards);
    return { state, cards, lines: all.filter((entry) => !shown.has(entry)) };
  });
};

export const projectsOf = (sessions: readonly SessionSummary[], archived: boolean): readonly string[] =>
  [...new Set(sessions.filter((one) => one.archived === archived).map(({ project }) => project))].toSorted();
