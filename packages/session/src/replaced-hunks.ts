// The hunks of a text replacement, found from the replacement itself. It takes one pass, however many places there are. The CLI leaves
// `structuredPatch` empty if there are too many.

import type { ToolResult } from "@quarterdeck/protocol";

export interface ReplacedHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: string[];
}

const CONTEXT = 3;

/** Whole lines that change: the old ones from `at` on, and the new ones. */
interface Region {
  readonly at: number;
  readonly old: readonly string[];
  readonly now: readonly string[];
}

/** Each line of a hunk starts with a space, `+` or `-`. Nothing if the text does not occur. */
export const replacedHunks = (before: string, from: string, to: string, all: boolean): ReplacedHunk[] => {
  if (from === "" || from === to) return [];
  const lines = linesOf(before);
  return hunksOf(lines, regionsOf(before, from, to, all));
};

const linesOf = (text: string): string[] => {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
};

const regionsOf = (before: string, from: string, to: string, all: boolean): Region[] => {
  const regions: Region[] = [];
  let [line, counted] = [0, 0];
  for (let found = before.indexOf(from); found !== -1;) {
    const start = found === 0 ? 0 : before.lastIndexOf("\n", found - 1) + 1;
    let [text, copied] = ["", start];
    let end: number;
    // Places that share a line are one region.
    do {
      text += before.slice(copied, found) + to;
      copied = found + from.length;
      end = lineEnd(before, copied, text);
      found = all ? before.indexOf(from, copied) : -1;
    } while (found !== -1 && found < end);
    text += before.slice(copied, end);
    line += countOf(before, counted, start);
    counted = start;
    const region = trimmed({ at: line, old: linesOf(before.slice(start, end)), now: linesOf(text) });
    if (region.old.length + region.now.length > 0) regions.push(region);
  }
  return regions;
};

/** The end of the line that the place is in. At the start of a line nothing more is needed, unless the new text ends inside of one. */
const lineEnd = (before: string, place: number, text: string): number => {
  if (before[place - 1] === "\n" && (text === "" || text.endsWith("\n"))) return place;
  const end = before.indexOf("\n", place);
  return end === -1 ? before.length : end + 1;
};

const countOf = (text: string, start: number, end: number): number => {
  let count = 0;
  for (let at = text.indexOf("\n", start); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) count++;
  return count;
};

/** Without lines that stay the same at either end. */
const trimmed = ({ at, old, now }: Region): Region => {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  return { at: at + start, old: old.slice(start, old.length - end), now: now.slice(start, now.length - end) };
};

const hunksOf = (lines: readonly string[], regions: readonly Region[]): ReplacedHunk[] => {
  const hunks: ReplacedHunk[] = [];
  /** How many lines the new text has gained before this region. */
  let shift = 0;
  for (let first = 0; first < regions.length;) {
    let last = first;
    const endOf = ({ at, old }: Region): number => at + old.length;
    while (last + 1 < regions.length && regions[last + 1]!.at - endOf(regions[last]!) <= 2 * CONTEXT) last++;
    const start = Math.max(0, regions[first]!.at - CONTEXT);
    const end = Math.min(lines.length, endOf(regions[last]!) + CONTEXT);
    const shown: string[] = [];
    let [at, grown] = [start, 0];
    for (const region of regions.slice(first, last + 1)) {
      for (; at < region.at; at++) shown.push(` ${lines[at]!}`);
      for (const line of region.old) shown.push(`-${line}`);
      for (const line of region.now) shown.push(`+${line}`);
      at = endOf(region);
      grown += region.now.length - region.old.length;
    }
    for (; at < end; at++) shown.push(` ${lines[at]!}`);
    const [oldLines, newLines] = [end - start, end - start + grown];
    // If a side has no lines, its number is that of the line before.
    const oldStart = oldLines === 0 ? start : start + 1;
    const newStart = newLines === 0 ? start + shift : start + shift + 1;
    hunks.push({ oldStart, oldLines, newStart, newLines, lines: shown });
    shift += grown;
    first = last + 1;
  }
  return hunks;
};

const MOST_CHARACTERS = 4_000_000;

/** The result of an edit with its patch, also if the CLI left the patch empty. */
export const withPatch = (result: ToolResult): ToolResult => {
  if (result.tool !== "Edit" || !result.ok || result.structured === undefined) return result;
  const { structured } = result;
  const { originalFile, oldString, newString, replaceAll, structuredPatch } = structured;
  if (structuredPatch.length > 0 || typeof originalFile !== "string" || originalFile.length > MOST_CHARACTERS)
    return result;
  const hunks = replacedHunks(originalFile, oldString, newString, replaceAll === true);
  return hunks.length === 0 ? result : { ...result, structured: { ...structured, structuredPatch: hunks } };
};
