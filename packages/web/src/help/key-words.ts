// What each key does, in words, and the names of the places. Loaded with the sheet of keys.

import type { KeyId, Where } from "../keys/key-table.ts";
import { english } from "../words/en/keys.ts";
import { inLanguage } from "../words/language.ts";

export const WORDS = inLanguage("keys", english);

const WHERE: readonly Where[] = ["page", "composer", "request", "changes", "form"];
export const PLACES: readonly (readonly [Where, string, string])[] = WHERE.map((where) => [
  where,
  WORDS.places[where],
  WORDS.about[where],
]);

export const KEY_WORDS: Readonly<Record<KeyId, string>> = WORDS.does;
