// What each key does, in words, and the names of the places. Loaded with the sheet of keys.

import type { KeyId, KeyArea } from "../keys/key-table.ts";
import { english } from "../words/en/keys.ts";
import { english as englishTabs } from "../words/en/workbench-tabs.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("keys", english);

const WHERE: readonly KeyArea[] = ["page", "composer", "request", "changes", "form"];
export const PLACES: readonly (readonly [KeyArea, string, string])[] = WHERE.map((where) => [
  where,
  WORDS.places[where],
  WORDS.about[where],
]);

/** A tab has its title. */
const TAB_KEYS = Object.fromEntries(
  Object.entries(inLanguage("workbenchTabs", englishTabs)).map(([id, title]) => [`tab.${id}`, WORDS.tab(title)]),
) as Readonly<Record<`tab.${keyof typeof englishTabs}`, string>>;

export const KEY_WORDS: Readonly<Record<KeyId, string>> = { ...WORDS.does, ...TAB_KEYS };
