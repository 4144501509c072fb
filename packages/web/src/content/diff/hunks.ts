// Changes of a file as numbered lines, and the words that differ in changed lines. Pure.

import { readableText } from "@quarterdeck/client/content";
// Not from "diff": that loads every kind of comparison.
import { diffWordsWithSpace } from "diff/lib/diff/word.js";
import { structuredPatch } from "diff/lib/patch/create.js";

/** Like a `structuredPatch`: each line begins with a space, `+` or `-`. */
export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

export interface DiffLine {
  readonly kind: "same" | "added" | "removed" | "note";
  readonly old?: number;
  readonly new?: number;
  readonly text: string;
  /** Stretches of the text that differ from its old or new version. */
  readonly marks?: readonly (readonly [from: number, to: number])[];
}

export const countOf = (hunks: readonly Hunk[]): { readonly added: number; readonly removed: number } => {
  let added = 0;
  let removed = 0;
  for (const { lines } of hunks) {
    for (const line of lines) {
      if (line[0] === "+") added++;
      else if (line[0] === "-") removed++;
    }
  }
  return { added, removed };
};

/** For a diff that is only read: hidden characters are named. Line ends stay as they are. */
export const readableHunk = (hunk: Hunk): Hunk => ({
  ...hunk,
  lines: hunk.lines.map((line) => (line.endsWith("\r") ? `${readableText(line.slice(0, -1))}\r` : readableText(line))),
});

export const linesOf = (hunk: Hunk): readonly DiffLine[] => markWords(numberedLines(hunk));

/** Without the words that differ. */
export const numberedLines = (hunk: Hunk): readonly DiffLine[] => {
  let { oldStart: old, newStart: now } = hunk;
  return hunk.lines.map((line): DiffLine => {
    const text = line.slice(1);
    switch (line[0]) {
      case "+":
        return { kind: "added", new: now++, text };
      case "-":
        return { kind: "removed", old: old++, text };
      case "\\":
        return { kind: "note", text: text.trim() };
      default:
        return { kind: "same", old: old++, new: now++, text };
    }
  });
};

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

/** Pairs of lines for two columns. */
export interface SplitLine {
  readonly left: DiffLine | undefined;
  readonly right: DiffLine | undefined;
}

export const splitLines = (lines: readonly DiffLine[]): readonly SplitLine[] => {
  const rows: SplitLine[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at]!;
    if (line.kind === "same" || line.kind === "note") {
      rows.push({ left: line, right: line });
      at++;
      continue;
    }
    const removed: DiffLine[] = [];
    const added: DiffLine[] = [];
    while (lines[at]?.kind === "removed" || lines[at]?.kind === "added") {
      const next = lines[at++]!;
      (next.kind === "removed" ? removed : added).push(next);
    }
    for (let pair = 0; pair < Math.max(removed.length, added.length); pair++) {
      rows.push({ left: removed[pair], right: added[pair] });
    }
  }
  return rows;
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

/** The whole old text removed, the whole new text added: for texts that are too different or incomplete. */
export const wholly = (old: string, now: string): Hunk => {
  const before = old === "" ? [] : old.replace(/\n$/u, "").split("\n");
  const after = now === "" ? [] : now.replace(/\n$/u, "").split("\n");
  return {
    oldStart: 1,
    oldLines: before.length,
    newStart: 1,
    newLines: after.length,
    lines: [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)],
  };
};
