// Every key of the page: its id, where it works, its default keys. Nothing else compares keys by hand, except what belongs to a
// control itself (arrows in a list, Escape in a menu, Enter in a field). What a key does is in words in key-words.ts.
//
// Keys are written as `Mod+Shift+K`, with Mod for Ctrl or Cmd. `G C` is G, then C. Shift is named for letters and for keys with
// a name, not for signs such as `?`.

import type { english as englishTabs } from "../words/en/workbench-tabs.ts";
import { kept } from "../store/kept.ts";
import { currentSettings, subscribeToSettings } from "../store/settings.ts";

/** `page`: everywhere without an open dialog. The others come first where they apply. */
export type KeyArea = "page" | "composer" | "request" | "changes" | "form";

type Line = readonly [where: KeyArea, ...keys: string[]];

const TABLE = {
  palette: ["page", "Mod+K"],
  keys: ["page", "Mod+/", "?"],
  help: ["page"],
  settings: ["page"],
  search: ["page"],
  "sessions.find": ["page"],
  "session.new": ["page", "Alt+N"],
  "session.next": ["page", "Alt+ArrowDown"],
  "session.previous": ["page", "Alt+ArrowUp"],
  "session.rename": ["page", "F2"],
  "session.fork": ["page"],
  "session.stop": ["page", "Escape"],
  "view.clear": ["page"],
  "find.rows": ["page", "Mod+F"],
  "composer.focus": ["page", "/"],
  "pane.next": ["page", "F6"],
  "pane.previous": ["page", "Shift+F6"],
  "bench.toggle": ["page"],
  "tab.changes": ["page", "G C"],
  "tab.git": ["page", "G G"],
  "tab.files": ["page", "G F"],
  "tab.tasks": ["page", "G T"],
  "tab.background": ["page", "G B"],
  "tab.context": ["page", "G X"],
  "tab.cost": ["page", "G $"],
  "tab.mcp": ["page", "G M"],
  "tab.hooks": ["page", "G H"],
  "tab.wire": ["page", "G W"],
  "tab.settings": ["page", "G S"],
  "tab.overview": ["page", "G O"],
  "message.send": ["composer", "Enter"],
  "message.newline": ["composer", "Shift+Enter"],
  "message.later": ["composer", "Alt+Enter"],
  "message.now": ["composer", "Mod+Enter"],
  "message.clear": ["composer", "Escape"],
  "message.undo": ["composer", "Mod+Z"],
  "message.older": ["composer", "ArrowUp"],
  "message.newer": ["composer", "ArrowDown"],
  "message.mode": ["composer", "Alt+M"],
  "message.suggestion": ["composer", "Tab"],
  "request.answer": ["request", "Enter"],
  "request.allow": ["request", "A"],
  "request.confirm": ["request", "Mod+Enter"],
  "request.edit": ["request", "E"],
  "request.no": ["request", "N"],
  "request.reason": ["request", "Shift+N"],
  "request.deny": ["request", "Escape"],
  "hunk.next": ["changes", "J"],
  "hunk.previous": ["changes", "K"],
  "file.next": ["changes", "Shift+J"],
  "file.previous": ["changes", "Shift+K"],
  "file.viewed": ["changes", "V"],
  "file.comment": ["changes", "C"],
  "diff.layout": ["changes", "U"],
  "form.submit": ["form", "Mod+Enter"],
} as const satisfies Readonly<Record<string, Line> & Record<`tab.${keyof typeof englishTabs}`, Line>>;

export type KeyId = keyof typeof TABLE;
export const KEY_IDS = Object.keys(TABLE) as readonly KeyId[];
export const isKeyId = (id: string): id is KeyId => Object.hasOwn(TABLE, id);
export const whereOf = (id: KeyId): KeyArea => TABLE[id][0];

/** Where Enter adds a line, Ctrl+Enter sends. */
const ENTER_BREAKS: Partial<Record<KeyId, readonly string[]>> = {
  "message.send": ["Mod+Enter"],
  "message.newline": ["Enter", "Shift+Enter"],
  "message.now": [],
};

export const defaultKeys = (id: KeyId): readonly string[] => {
  const other = currentSettings().enter === "breaks" ? ENTER_BREAKS[id] : undefined;
  return other ?? (TABLE[id] as Line).slice(1);
};

/** What a person changed. Without keys: it has none. */
export type OwnKeys = Readonly<Partial<Record<KeyId, readonly string[]>>>;

/** Keys that mean nothing match nothing. `importKeys` of help/ checks a file. */
const decodeOwn = (value: unknown): OwnKeys => {
  const given = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(
    given.filter(([id, keys]) => isKeyId(id) && Array.isArray(keys) && keys.every((key) => typeof key === "string")),
  );
};

const own = kept("keys", decodeOwn);
export const ownKeys = (): OwnKeys => own.get();
export const setOwnKeys = (keys: OwnKeys): void => own.set(keys);
export const keysOf = (id: KeyId): readonly string[] => own.get()[id] ?? defaultKeys(id);
export const subscribeToKeys = (listener: () => void): (() => void) => {
  const stops = [own.subscribe(listener), subscribeToSettings(listener)];
  return () => stops.forEach((stop) => stop());
};

export interface KeyPress {
  readonly key: string;
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** How the table writes what was pressed. Where a layout has no Latin letter on a key, its place on the keyboard counts. */
export const strokeOf = ({ key, code, ctrlKey, metaKey, altKey, shiftKey }: KeyPress): string => {
  const place = /^Key([A-Z])$/u.exec(code ?? "")?.[1];
  const isLatin = /^[!-~]$/u.test(key);
  const name = isLatin ? key.toUpperCase() : (place ?? (key === " " ? "Space" : key));
  const isSign = name.length === 1 && !/[A-Z]/u.test(name);
  return `${ctrlKey || metaKey ? "Mod+" : ""}${altKey ? "Alt+" : ""}${shiftKey && !isSign ? "Shift+" : ""}${name}`;
};

/** What a press means at a place. `before`: the press before it, for keys of two parts. */
export const keyAt = (where: KeyArea, event: KeyPress, before?: string): KeyId | undefined => {
  const stroke = strokeOf(event);
  const find = (keys: string) => KEY_IDS.find((id) => whereOf(id) === where && keysOf(id).includes(keys));
  return (before === undefined ? undefined : find(`${before} ${stroke}`)) ?? find(stroke);
};

export const isKey = (id: KeyId, event: KeyPress): boolean => keysOf(id).includes(strokeOf(event));

/** Whether some keys begin with this press and need another. */
export const beginsKeys = (stroke: string): boolean =>
  KEY_IDS.some((id) => keysOf(id).some((keys) => keys.startsWith(`${stroke} `)));

const isMac = typeof navigator !== "undefined" && navigator.platform.startsWith("Mac");
const SIGNS: Readonly<Record<string, string>> = {
  Mod: isMac ? "⌘" : "Ctrl",
  Alt: isMac ? "⌥" : "Alt",
  Escape: "Esc",
  Enter: "↵",
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
};

/** As caps of a keyboard: `Ctrl`, `K`. */
export const capsOf = (keys: string): readonly string[] =>
  keys.split(" ").flatMap((stroke) => stroke.split(/\+(?=.)/u).map((part) => SIGNS[part] ?? part));

/** The first keys of an action, for a hint. Empty where it has none. */
export const hintOf = (id: string): string => (isKeyId(id) ? capsOf(keysOf(id)[0] ?? "").join(" ") : "");
