// A file's changes as the rows of a review: lines with both numbers, folds between hunks, revealed context. Pure. Words are compared when
// a row is drawn, not here: of 20,000 lines a person sees forty.

import { numberedLines, type DiffLine, type Hunk } from "../../content/diff/hunks.ts";

export type Layout = "unified" | "split";
export type Side = "old" | "new";

/** Lines of the new text, first and last. */
export type LineRange = readonly [from: number, to: number];

export interface FoldRow {
  readonly kind: "fold";
  /** Hidden lines of the new text. None where the hunk begins the file. */
  readonly hidden: LineRange | undefined;
  /** The hunk below it. None at the end of the file. */
  readonly hunk: number | undefined;
}

export interface LineRow {
  readonly kind: "line";
  readonly line: DiffLine;
  /** The line that it was, or became. */
  readonly mate?: DiffLine | undefined;
  readonly hunk: number | undefined;
}

export interface PairRow {
  readonly kind: "pair";
  readonly left: DiffLine | undefined;
  readonly right: DiffLine | undefined;
  readonly hunk: number | undefined;
}

export type DiffRow = FoldRow | LineRow | PairRow;

export interface RowsOptions {
  readonly hunks: readonly Hunk[];
  readonly layout: Layout;
  /** All lines of the new text, once somebody asked for more context. */
  readonly text?: readonly string[] | undefined;
  readonly revealed?: readonly LineRange[] | undefined;
  /** Hunks are missing at the end, so nothing is known of the lines after the last one. */
  readonly isCut?: boolean | undefined;
}

/** Where a hunk begins in the new text. For a hunk that only removes lines, git names the line before it. */
const beginOf = (hunk: Hunk): number => (hunk.newLines === 0 ? hunk.newStart + 1 : hunk.newStart);
const oldBeginOf = (hunk: Hunk): number => (hunk.oldLines === 0 ? hunk.oldStart + 1 : hunk.oldStart);

export const diffRowsOf = ({ hunks, layout, text, revealed = [], isCut = false }: RowsOptions): readonly DiffRow[] => {
  const rows: DiffRow[] = [];
  let next = 1;
  /** How much higher a line's new number is. */
  let shift = 0;
  const gap = (to: number, hunk: number | undefined): void => {
    let folded = false;
    for (const [from, end, isShown] of stretches(next, to, text === undefined ? [] : revealed)) {
      folded = !isShown;
      if (!isShown) rows.push({ kind: "fold", hidden: [from, end], hunk: end === to ? hunk : undefined });
      else
        for (let at = from; at <= end; at++)
          rows.push(sameRow({ kind: "same", old: at - shift, new: at, text: text![at - 1] ?? "" }, layout));
    }
    if (hunk !== undefined && !folded) rows.push({ kind: "fold", hidden: undefined, hunk });
  };
  for (const [index, hunk] of hunks.entries()) {
    shift = beginOf(hunk) - oldBeginOf(hunk);
    gap(beginOf(hunk) - 1, index);
    rows.push(...hunkRows(hunk, index, layout));
    next = beginOf(hunk) + hunk.newLines;
    shift += hunk.newLines - hunk.oldLines;
  }
  if (text !== undefined && hunks.length > 0 && !isCut) gap(text.length, undefined);
  return rows;
};

const sameRow = (line: DiffLine, layout: Layout): DiffRow =>
  layout === "unified"
    ? { kind: "line", line, hunk: undefined }
    : { kind: "pair", left: line, right: line, hunk: undefined };

/** A gap between hunks, in parts that are shown or hidden. */
const stretches = (
  from: number,
  to: number,
  revealed: readonly LineRange[],
): (readonly [number, number, boolean])[] => {
  const parts: (readonly [number, number, boolean])[] = [];
  let at = from;
  for (const [first, last] of merged(revealed)) {
    const [begin, end] = [Math.max(first, at), Math.min(last, to)];
    if (begin > end) continue;
    if (begin > at) parts.push([at, begin - 1, false]);
    parts.push([begin, end, true]);
    at = end + 1;
  }
  if (at <= to) parts.push([at, to, false]);
  return parts;
};

const merged = (ranges: readonly LineRange[]): readonly LineRange[] => {
  const all: [number, number][] = [];
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = all.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else all.push([from, to]);
  }
  return all;
};

const hunkRows = (hunk: Hunk, index: number, layout: Layout): readonly DiffRow[] => {
  const rows: DiffRow[] = [];
  const lines = numberedLines(hunk);
  for (let at = 0; at < lines.length;) {
    const line = lines[at]!;
    if (line.kind === "same" || line.kind === "note") {
      rows.push(
        layout === "unified"
          ? { kind: "line", line, hunk: index }
          : { kind: "pair", left: line, right: line, hunk: index },
      );
      at++;
      continue;
    }
    const removed: DiffLine[] = [];
    const added: DiffLine[] = [];
    const notes: DiffLine[] = [];
    // A note says how the line before it ends, and may stand between the two sides.
    while (lines[at] !== undefined && lines[at]!.kind !== "same") {
      const one = lines[at++]!;
      if (one.kind === "note") notes.push(one);
      else if (one.kind === "removed" && added.length > 0) {
        at--;
        break;
      } else (one.kind === "removed" ? removed : added).push(one);
    }
    if (layout === "unified") {
      for (const [place, each] of removed.entries())
        rows.push({ kind: "line", line: each, mate: added[place], hunk: index });
      for (const [place, each] of added.entries())
        rows.push({ kind: "line", line: each, mate: removed[place], hunk: index });
      for (const each of notes) rows.push({ kind: "line", line: each, hunk: index });
      continue;
    }
    for (let place = 0; place < Math.max(removed.length, added.length); place++)
      rows.push({ kind: "pair", left: removed[place], right: added[place], hunk: index });
    for (const each of notes) rows.push({ kind: "pair", left: each, right: each, hunk: index });
  }
  return rows;
};

/** The number of a row's line on a side, if the row shows one. */
export const lineAt = (row: DiffRow, side: Side): number | undefined => {
  if (row.kind === "fold") return undefined;
  if (row.kind === "line") return row.line[side];
  return (side === "old" ? row.left : row.right)?.[side];
};

export const highestLine = (rows: readonly DiffRow[]): number =>
  rows.reduce((most, row) => Math.max(most, lineAt(row, "old") ?? 0, lineAt(row, "new") ?? 0), 0);

/** What the fold shows next: all of a small one, else its lines nearest to the hunk below, or the hunk above it. */
const MORE_LINES = 20;
export const nextReveal = ({ hidden, hunk }: FoldRow): LineRange | undefined => {
  if (hidden === undefined) return undefined;
  const [from, to] = hidden;
  if (to - from < MORE_LINES * 1.5) return hidden;
  return hunk === undefined ? [from, from + MORE_LINES - 1] : [to - MORE_LINES + 1, to];
};
