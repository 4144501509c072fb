// The rows of a diff in parts: blocks of chunks of lines.

import type { DiffRow } from "./diff-rows.ts";
import type { PlacedComment } from "./placed-comments.ts";

/** Few lines are drawn at once, so that scrolling stays smooth. Many thousand of such parts take long to make, so they are made block by block. */
export const CHUNK = 20;
export const BLOCK = 25 * CHUNK;

export interface DiffPart {
  readonly from: number;
  readonly rows: readonly DiffRow[];
}

export const diffPartsOf = ({ from, rows }: DiffPart, size: number): readonly DiffPart[] =>
  Array.from({ length: Math.ceil(rows.length / size) }, (_, at) => ({
    from: from + at * size,
    rows: rows.slice(at * size, (at + 1) * size),
  }));

/** Comments by the beginning of their part. */
export const byPart = (
  comments: readonly PlacedComment[],
  size: number,
): ReadonlyMap<number, readonly PlacedComment[]> => {
  const found = new Map<number, PlacedComment[]>();
  for (const placed of comments) {
    if (placed.row === undefined) continue;
    const from = placed.row - (placed.row % size);
    found.set(from, [...(found.get(from) ?? []), placed]);
  }
  return found;
};

export const isIn = ({ from, rows }: DiffPart, row: number | undefined): boolean =>
  row !== undefined && row >= from && row < from + rows.length;
