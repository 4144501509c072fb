// Compares two texts: hunks between them, and the words that differ in changed lines. Pure. The page loads this after its first screen.

// Not from "diff": that loads every kind of comparison.
import { diffWordsWithSpace } from "diff/lib/diff/word.js";
import { structuredPatch } from "diff/lib/patch/create.js";
import { numberedLines, wholly, type DiffLine, type Hunk } from "./hunks.ts";

export const diffLinesOf = (hunk: Hunk): readonly DiffLine[] => markWords(numberedLines(hunk));

/** Above these limits, words are not compared, because it would cost more than it shows. */
const LONGEST_LINE = 600;
const MOST_PAIRS = 120;

/** Compares removed lines with their replacements, one by one. */
const markWords = (lines: readonly DiffLine[]): readonly DiffLine[] => {
  const marked = [...lines];
  let pairs = 0;
  for (let at = 0; at < lines.length; at++) {
    if (lines[at]!.kind !== "removed") continue;
    const removedFrom = at;
    while (lines[at]?.kind === "removed" || lines[at]?.kind === "note") at++;
    const addedFrom = at;
    while (lines[at]?.kind === "added") at++;
    const count = Math.min(addedFrom - removedFrom, at - addedFrom);
    for (let pair = 0; pair < count && pairs < MOST_PAIRS; pair++, pairs++) {
      const [old, now] = [lines[removedFrom + pair]!, lines[addedFrom + pair]!];
      if (old.kind !== "removed") continue;
      const words = differingWords(old.text, now.text);
      if (words === undefined) continue;
      marked[removedFrom + pair] = { ...old, marks: words.old };
      marked[addedFrom + pair] = { ...now, marks: words.new };
    }
    at--;
  }
  return marked;
};

type Marks = (readonly [number, number])[];

/** Undefined if the lines have too little in common. */
export const differingWords = (old: string, now: string): { readonly old: Marks; readonly new: Marks } | undefined => {
  if (old.length > LONGEST_LINE || now.length > LONGEST_LINE || old === now) return undefined;
  const marks = { old: [] as Marks, new: [] as Marks };
  let common = 0;
  let [oldAt, newAt] = [0, 0];
  for (const { value, added, removed } of diffWordsWithSpace(old, now)) {
    if (removed) {
      join(marks.old, oldAt, oldAt + value.length);
      oldAt += value.length;
    } else if (added) {
      join(marks.new, newAt, newAt + value.length);
      newAt += value.length;
    } else {
      common += value.trim().length;
      oldAt += value.length;
      newAt += value.length;
    }
  }
  const least = Math.min(old.trim().length, now.trim().length);
  return common < least * 0.35 ? undefined : marks;
};

const join = (marks: Marks, from: number, to: number): void => {
  const last = marks.at(-1);
  if (last !== undefined && last[1] === from) marks[marks.length - 1] = [last[0], to];
  else marks.push([from, to]);
};

const LONGEST_TEXT = 400_000;

/** Hunks between two texts, if the CLI sent none. */
export const hunksBetween = (old: string, now: string): readonly Hunk[] => {
  const found =
    old.length + now.length > LONGEST_TEXT
      ? undefined
      : structuredPatch("", "", old, now, "", "", { context: 3, maxEditLength: 1_000 });
  // The texts are parts of a file, so a missing line end at their end means nothing.
  if (found !== undefined)
    return found.hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.filter((line) => line[0] !== "\\") }));
  return [wholly(old, now)];
};
