// What the palette can find, and the best of it by kind. Pure: the palette itself draws it and runs what was chosen.

import type { SessionSummary, FileSuggestion } from "@quarterdeck/client";
import type { Action, ActionKind } from "../actions/action.ts";
import type { CommandChoice } from "../composer/slash.ts";
import type { IconName } from "../parts/icon.tsx";
import { baseName, formatAgo } from "../words/format.ts";
import { sessionTitleOf, waitingLine } from "../words/session-words.ts";
import { fitOf, recencyPoints, type Fit } from "./rank.ts";
import { WORDS } from "./words.ts";

export type ItemKind = "actions" | "sessions" | "files" | "commands" | "settings";
export const ITEM_KINDS: readonly ("all" | ItemKind)[] = [
  "all",
  "actions",
  "sessions",
  "files",
  "commands",
  "settings",
];

export interface Item {
  /** For recency; stays the same over reloads. */
  readonly id: string;
  readonly kind: ItemKind;
  readonly group: string;
  readonly title: string;
  readonly about: string;
  readonly icon: IconName;
  /** The action whose keys are shown. */
  readonly action?: string;
  readonly mono?: true;
  /** It needs the person. */
  readonly waits?: true;
  /** Marked letters, where the server found them. */
  readonly marks?: Fit["marks"];
  readonly run: () => void;
}

export const THIS_SESSION = WORDS.here;
const ACTION_GROUPS: Readonly<Record<ActionKind, readonly [ItemKind, string]>> = {
  session: ["actions", THIS_SESSION],
  page: ["actions", "Quarterdeck"],
  setting: ["settings", WORDS.kinds.settings],
};

export const actionItems = (actions: readonly Action[], run: (action: Action) => void): readonly Item[] =>
  actions.map((action) => {
    const [kind, group] = ACTION_GROUPS[action.kind];
    const { id, title, about = "", icon = "right" } = action;
    return { id: `action ${id}`, kind, group, title, about, icon, action: id, run: () => run(action) };
  });

export const sessionItems = (
  sessions: readonly SessionSummary[],
  openId: string | undefined,
  now: number,
  open: (id: string) => void,
): readonly Item[] =>
  sessions
    .filter(({ id }) => id !== openId)
    .toSorted((a, b) => b.updatedAt - a.updatedAt)
    .map((summary) => ({
      id: `session ${summary.id}`,
      kind: "sessions",
      group: WORDS.kinds.sessions,
      title: sessionTitleOf(summary),
      about: [
        baseName(summary.project),
        summary.waiting.length > 0 ? waitingLine(summary.waiting) : formatAgo(summary.updatedAt, now),
        ...(summary.archived ? [WORDS.archived] : []),
      ].join(" · "),
      icon: "note",
      ...(summary.waiting.length > 0 && { waits: true }),
      run: () => open(summary.id),
    }));

export const commandItems = (
  commands: readonly CommandChoice[],
  run: (command: CommandChoice) => void,
): readonly Item[] =>
  commands.map((command) => ({
    id: `command ${command.name}`,
    kind: "commands",
    group: WORDS.kinds.commands,
    title: `/${command.name}`,
    about: [command.hint, command.description].filter(Boolean).join("  "),
    icon: "terminal",
    mono: true,
    run: () => run(command),
  }));

export const fileItems = (found: readonly FileSuggestion[], open: (path: string) => void): readonly Item[] =>
  found
    .filter(({ kind }) => kind === "file")
    .map(({ value, matches }) => ({
      id: `file ${value}`,
      kind: "files",
      group: WORDS.kinds.files,
      title: value,
      about: "",
      icon: "file",
      mono: true,
      marks: matches,
      run: () => open(value),
    }));

export interface FoundItem {
  readonly item: Item;
  readonly marks: Fit["marks"];
}

export interface ItemGroup {
  readonly name: string;
  readonly found: readonly FoundItem[];
}

const IN_ALL = 5;
const IN_ALL_UNASKED = 4;
const IN_KIND = 60;
const RECENT = 4;
const LAST = -1000;

interface Asked {
  readonly query: string;
  readonly kind: "all" | ItemKind;
  /** Ids of recent items, newest first. */
  readonly recent: readonly string[];
}

/** Groups with their best items. With words, the group with the best item is first. */
export const itemGroupsOf = (items: readonly Item[], { query, kind, recent }: Asked): readonly ItemGroup[] => {
  const wanted = query.trim();
  const most = kind !== "all" ? IN_KIND : wanted === "" ? IN_ALL_UNASKED : IN_ALL;
  const used = wanted === "" && kind === "all" ? recentOf(items, recent) : [];
  const ranked = items
    .filter((item) => (kind === "all" || item.kind === kind) && !used.some(({ item: { id } }) => id === item.id))
    .flatMap((item) => {
      // The server has already ranked files. They arrive late, so they are last, and other items do not move.
      const fit =
        item.kind === "files" ? { points: LAST, marks: item.marks ?? [] } : fitOf(item.title, item.about, wanted);
      if (fit === undefined) return [];
      const points = wanted === "" ? 0 : fit.points + recencyPoints(recent.indexOf(item.id));
      return [{ item, marks: fit.marks, points }];
    });
  const groups = [...Map.groupBy(ranked, ({ item }) => item.group)].map(([name, found]) => {
    const best = found.toSorted((a, b) => b.points - a.points).slice(0, most);
    return { name, found: best, points: best[0]!.points };
  });
  const sorted = wanted === "" ? groups : groups.toSorted((a, b) => b.points - a.points);
  return used.length === 0 ? sorted : [{ name: WORDS.recent, found: used }, ...sorted];
};

const recentOf = (items: readonly Item[], recent: readonly string[]): readonly FoundItem[] =>
  recent
    .flatMap((id) => items.find((item) => item.id === id) ?? [])
    .slice(0, RECENT)
    .map((item) => ({ item, marks: [] }));
