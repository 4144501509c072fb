// Which keys may be set, which of them conflict, and how they are exported and imported. Pure.

import {
  defaultKeys,
  isKeyId,
  KEY_IDS,
  keysOf,
  whereOf,
  type KeyId,
  type OwnKeys,
  type KeyArea,
} from "../keys/key-table.ts";
import { isRecord } from "@quarterdeck/client/content";
import { KEY_WORDS, WORDS } from "./key-words.ts";

const NAMED =
  "Enter|Escape|Tab|Space|Backspace|Delete|Insert|Home|End|PageUp|PageDown|ArrowUp|ArrowDown|ArrowLeft|ArrowRight|F(?:[1-9]|1[0-9]|2[0-4])";
const STROKE = new RegExp(`^(?:Mod\\+)?(?:Alt\\+)?(?:Shift\\+)?(?:[!-\`{-~]|${NAMED})$`, "u");

/** Copy, cut, paste and select all stay what they are. */
const TEXT_KEYS = new Set(["Mod+C", "Mod+X", "Mod+V", "Mod+A"]);
/** A browser keeps these for itself, so that the page never sees them. */
const BROWSER_KEYS = new Set([
  "Mod+T",
  "Mod+N",
  "Mod+W",
  "Mod+Shift+T",
  "Mod+Shift+N",
  "Mod+Shift+W",
  "Mod+Q",
  "Mod+R",
]);
const FOR_CONTROLS = /^(?:Shift\+)?(?:Enter|Tab|Space|Backspace|Delete|Home|End|PageUp|PageDown|Arrow\w+)$/u;

/** Why these keys cannot be set at this place. Undefined: they can. */
export const keysProblem = (keys: string, where: KeyArea): string | undefined => {
  const strokes = keys.split(" ");
  if (keys.length > 60 || !strokes.every((stroke) => STROKE.test(stroke))) return WORDS.notKeys;
  if (strokes.length > 2) return WORDS.twoAtMost;
  if (strokes.length === 2 && where !== "page") return WORDS.onlyPage;
  if (strokes.some((stroke) => TEXT_KEYS.has(stroke))) return WORDS.textKeys;
  if (strokes.some((stroke) => BROWSER_KEYS.has(stroke))) return WORDS.browserKey;
  if (where === "page" && strokes.some((stroke) => FOR_CONTROLS.test(stroke))) return WORDS.forControls;
  return undefined;
};

const overlap = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other} `) || other.startsWith(`${one} `);

/** Other actions that the same keys reach at the same place. Escape is meant to be shared: the inner place comes first. */
export const conflictsOf = (id: KeyId, keys: readonly string[] = keysOf(id)): readonly KeyId[] =>
  KEY_IDS.filter((other) => {
    if (other === id) return false;
    const [here, there] = [whereOf(id), whereOf(other)];
    if (here !== there && here !== "page" && there !== "page") return false;
    const isMeant = (key: string): boolean =>
      here !== there && defaultKeys(id).includes(key) && defaultKeys(other).includes(key);
    return keysOf(other).some((theirs) => keys.some((key) => overlap(key, theirs) && !isMeant(key)));
  });

export const sameKeys = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((key, at) => key === other[at]);

/** With the keys of one action changed. What equals the default is not kept. */
export const withKeys = (own: OwnKeys, id: KeyId, keys: readonly string[] | undefined): OwnKeys => {
  const { [id]: _, ...rest } = own;
  return keys === undefined || sameKeys(keys, defaultKeys(id)) ? rest : { ...rest, [id]: keys };
};

const FORMAT = "quarterdeck-keys";
const VERSION = 1;
const MOST_BYTES = 65_536;
const MOST_KEYS = 4;

export const exportKeys = (own: OwnKeys): string =>
  `${JSON.stringify({ format: FORMAT, version: VERSION, keys: own }, null, 2)}\n`;

/** All or nothing: one wrong line, and nothing is imported. */
export const importKeys = (text: string): { readonly keys: OwnKeys } | { readonly problem: string } => {
  if (text.length > MOST_BYTES) return { problem: WORDS.tooLarge };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: WORDS.notJson };
  }
  if (!isRecord(value) || value["format"] !== FORMAT) return { problem: WORDS.notOurs };
  if (value["version"] !== VERSION) return { problem: WORDS.otherVersion(shown(value["version"]), VERSION) };
  if (!isRecord(value["keys"])) return { problem: WORDS.hasNone };
  let keys: OwnKeys = {};
  for (const [id, list] of Object.entries(value["keys"])) {
    if (!isKeyId(id)) return { problem: WORDS.otherAction(shown(id)) };
    if (!Array.isArray(list) || list.length > MOST_KEYS) return { problem: WORDS.needsList(KEY_WORDS[id], MOST_KEYS) };
    for (const each of list as readonly unknown[]) {
      const problem = typeof each === "string" ? keysProblem(each, whereOf(id)) : WORDS.notText;
      if (problem !== undefined) return { problem: WORDS.wrongKey(KEY_WORDS[id], shown(each), problem) };
    }
    keys = withKeys(keys, id, [...new Set(list as readonly string[])]);
  }
  return { keys };
};

/** Short, and without characters that cannot be seen. */
const shown = (value: unknown): string =>
  (JSON.stringify(value) ?? "nothing").replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, "?").slice(0, 60);
