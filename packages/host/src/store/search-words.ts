// Search: which words of which row are searched, what matches, and how an excerpt is cut. Every search uses this file, in memory
// or in SQLite, so all of them find the same rows. SQLite's own tokenizer does not know newer scripts and marks, so its index
// gets words that are folded here. The writer's thread loads this file, so it imports little.

import type { Row } from "@quarterdeck/session";
import { searchedValues } from "@quarterdeck/session/row-kinds";
import type { FoundRow } from "./event-store.ts";

/** Only this much of a long text is indexed: the index must not outgrow the log. */
const MOST_CHARACTERS = 65_536;
const EXCERPT_BEFORE = 60;
const EXCERPT_AFTER = 120;

const wordsOf = (row: Row): string => {
  const found: string[] = [];
  let room = MOST_CHARACTERS;
  const collect = (value: unknown): void => {
    if (room <= 0) return;
    if (typeof value === "string") {
      if (isData(value)) return;
      found.push(value.slice(0, room));
      room -= value.length;
    } else if (Array.isArray(value)) value.forEach(collect);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(collect);
  };
  searchedValues(row).forEach(collect);
  return found.join("\n");
};

/** Base64 of an image or similar data: long, and without a space. */
const isData = (text: string): boolean => text.length > 1024 && !/\s/.test(text.slice(0, 1024));

const WORD = /[\p{L}\p{N}\p{Co}\p{M}]+/gu;
/** Most words need only a change of case. */
const PLAIN = /^[\w]+$/;
const foldWord = (word: string): string =>
  PLAIN.test(word)
    ? word.toLowerCase()
    : word.normalize("NFD").replaceAll(/\p{M}/gu, "").normalize("NFC").replaceAll(/[^]/gu, foldCharacter);

/** Converts to a capital first, so that `ς` and `σ` are one letter. `ß` has no capital of one letter and stays, as in SQLite. */
const foldCharacter = (character: string): string => {
  const capital = character.toUpperCase();
  return (capital.length === character.length ? capital : character).toLowerCase();
};

const foldedWords = (text: string): string[] =>
  Array.from(text.matchAll(WORD), ([word]) => foldWord(word)).filter((word) => word !== "");

/** SQLite splits and folds such text as we do. */
// oxlint-disable-next-line no-control-regex -- the whole range is meant
const ASCII = /^[\0-\x7f]*$/;

/** The words of a row as an index keeps them. Queries that `phrasesOf` made match them. */
export const indexTextOf = (row: Row): string => {
  const words = wordsOf(row);
  return ASCII.test(words) ? words : foldedWords(words).join(" ");
};

/** A parsed query. Each entry is a run of words, and the last word of a run may be a prefix. `a.ts` is a run of two. */
export type Phrases = readonly (readonly string[])[];

export const phrasesOf = (query: string): Phrases =>
  query
    .split(/\s+/)
    .map(foldedWords)
    .filter((words) => words.length > 0);

/** The phrases in the query language of FTS5. Folded words contain no character that has a meaning there. */
export const matchExpressionOf = (phrases: Phrases): string =>
  phrases.map((words) => `"${words.join(" ")}" *`).join(" AND ");

const hasPhrases = (text: string, phrases: Phrases): boolean => {
  const words = foldedWords(text);
  return phrases.every((phrase) => words.some((_, at) => isPhraseAt(words, at, phrase)));
};

const isPhraseAt = (words: readonly string[], at: number, phrase: readonly string[]): boolean =>
  phrase.every((word, index) => {
    const found = words[at + index];
    return index === phrase.length - 1 ? found?.startsWith(word) === true : found === word;
  });

/** Finds out whether and where a row matches a query. A query without words matches nothing. */
export const rowMatcher = (query: string): ((row: Row) => FoundRow | undefined) => {
  const phrases = phrasesOf(query);
  return (row) => {
    const words = phrases.length === 0 ? "" : wordsOf(row);
    return words !== "" && hasPhrases(words, phrases) ? foundRow(row, phrases, words) : undefined;
  };
};

export const foundRow = (row: Row, phrases: Phrases, words = wordsOf(row)): FoundRow => ({
  rowId: row.id,
  order: row.order,
  excerpt: excerptOf(words, phrases),
});

/** The text around the first phrase, on one line. */
const excerptOf = (text: string, phrases: Phrases): string => {
  const at = placeOf(text, phrases[0] ?? []);
  const start = Math.max(0, at - EXCERPT_BEFORE);
  const end = at + EXCERPT_AFTER;
  const cut = text.slice(start, end).replaceAll(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "");
  return `${start > 0 ? "…" : ""}${cut.replaceAll(/\s+/g, " ").trim()}${end < text.length ? "…" : ""}`;
};

/**
 * Where the first phrase begins. It stops reading there, because a search cuts many excerpts and blocks the thread
 * meanwhile.
 */
const placeOf = (text: string, phrase: readonly string[]): number => {
  const words: string[] = [];
  const places: number[] = [];
  const end = phrase.at(-1);
  for (const { 0: word, index } of end === undefined ? [] : text.matchAll(WORD)) {
    const folded = foldWord(word);
    if (folded === "") continue;
    words.push(folded);
    places.push(index);
    const at = words.length - phrase.length;
    if (at >= 0 && folded.startsWith(end!) && isPhraseAt(words, at, phrase)) return places[at]!;
  }
  return 0;
};
