import { describe, expect, it } from "vitest";
import { byPart, isIn, diffPartsOf } from "./diff-parts.ts";
import type { DiffRow } from "./diff-rows.ts";
import type { PlacedComment } from "./placed-comments.ts";

const rows = Array.from({ length: 12 }, (_, hunk) => ({ kind: "fold", hunk }) as unknown as DiffRow);

describe("the parts of a diff", () => {
  it("are all rows, in order, and parts of a part keep their places", () => {
    const blocks = diffPartsOf({ from: 0, rows }, 6);
    const chunks = blocks.flatMap((block) => diffPartsOf(block, 4));
    expect(chunks.map(({ from, rows: { length } }) => [from, length])).toEqual([
      [0, 4],
      [4, 2],
      [6, 4],
      [10, 2],
    ]);
    expect(chunks.flatMap((chunk) => chunk.rows)).toEqual(rows);
  });

  it("have the comments of their rows", () => {
    const at = (row: number | undefined): PlacedComment => ({ row }) as PlacedComment;
    const found = byPart([at(0), at(5), at(7), at(undefined)], 6);
    expect([...found].map(([from, placed]) => [from, placed.map(({ row }) => row)])).toEqual([
      [0, [0, 5]],
      [6, [7]],
    ]);
    const part = { from: 6, rows: rows.slice(6) };
    expect([5, 6, 11, 12, undefined].map((row) => isIn(part, row))).toEqual([false, true, true, false, false]);
  });
});
