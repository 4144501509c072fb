// Comments at the rows that show their lines now. Pure.

import { fateOf, spanOf, type Comment, type CommentFate, type LineSpan } from "./comments.ts";
import { lineAt, type DiffRow, type Side } from "./diff-rows.ts";

export interface PlacedComment {
  readonly comment: Comment;
  /** None where the lines changed. */
  readonly place: LineSpan | undefined;
  readonly fate: CommentFate;
  /** The first and the last row of its lines. None where no row shows them. */
  readonly firstRow: number | undefined;
  readonly row: number | undefined;
}

export interface ShownDiff {
  readonly rows: readonly DiffRow[];
  /** All lines of the new text, where they are known. */
  readonly text?: readonly string[] | undefined;
  readonly turnEndedAt: number | undefined;
  /** Only the first rows are known. Comments whose lines are not among them wait for the others. */
  readonly isBeginning?: boolean | undefined;
}

export const placeComments = (
  comments: readonly Comment[],
  { rows, text, turnEndedAt, isBeginning = false }: ShownDiff,
): readonly PlacedComment[] => {
  if (comments.length === 0) return [];
  const index = { old: new Map<number, number>(), new: new Map<number, number>() };
  const texts = { old: new Map<number, string>(), new: new Map<number, string>() };
  for (const [at, row] of rows.entries()) {
    if (row.kind === "fold") continue;
    for (const side of ["old", "new"] as const) {
      const line = lineAt(row, side);
      if (line === undefined) continue;
      index[side].set(line, at);
      texts[side].set(line, textOf(row, side));
    }
  }
  const at = (side: Side) => (line: number) => texts[side].get(line) ?? (side === "new" ? text?.[line - 1] : undefined);
  const placed = comments.map((comment): PlacedComment => {
    const place = spanOf(comment, at(comment.side));
    const rowAt = (line: number | undefined) => (line === undefined ? undefined : index[comment.side].get(line));
    const row = rowAt(place?.to);
    return {
      comment,
      place,
      fate: fateOf(comment, turnEndedAt, place),
      firstRow: row === undefined ? undefined : (rowAt(place?.from) ?? row),
      row,
    };
  });
  // The nearest equal lines may be among those that come.
  return isBeginning
    ? placed.filter(({ comment, place, row }) => row !== undefined && place?.from === comment.from)
    : placed;
};

const textOf = (row: Exclude<DiffRow, { kind: "fold" }>, side: Side): string =>
  row.kind === "line" ? row.line.text : ((side === "old" ? row.left : row.right)?.text ?? "");

/** The lines of a range that rows show. */
export const quoteOf = (rows: readonly DiffRow[], side: Side, from: number, to: number): readonly string[] =>
  rows.flatMap((row) => {
    const line = lineAt(row, side);
    return row.kind === "fold" || line === undefined || line < from || line > to ? [] : [textOf(row, side)];
  });
