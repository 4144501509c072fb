import { describe, expect, it } from "vitest";
import type { Comment } from "./comments.ts";
import { diffRowsOf, type DiffRow } from "./diff-rows.ts";
import { placeComments } from "./placed-comments.ts";

/** An added file. The tenth and each further tenth line is a brace. */
const lines = Array.from({ length: 40 }, (_, at) => ((at + 1) % 10 === 0 ? "}" : `line ${at + 1}`));
const rowsUpTo = (text: readonly string[], count: number): readonly DiffRow[] => {
  const shown = text.slice(0, count).map((line) => `+${line}`);
  const hunk = { oldStart: 0, oldLines: 0, newStart: 1, newLines: text.length, lines: shown };
  return diffRowsOf({ hunks: [hunk], layout: "unified" });
};
const on = (from: number, to = from): Comment => ({
  ...{ id: `on ${from}`, path: "a.js", side: "new", from, to, text: "Why?" },
  quote: lines.slice(from - 1, to),
});
const placesIn = (comments: readonly Comment[], rows: readonly DiffRow[], isBeginning: boolean) =>
  placeComments(comments, { rows, turnEndedAt: undefined, isBeginning }).map(({ comment, place, row }) => [
    comment.id,
    place?.from,
    row,
  ]);

describe("comments while only the first lines are there", () => {
  it("are at their lines, or wait for the others", () => {
    const comments = [on(3), on(19, 22), on(35)];
    expect(placesIn(comments, rowsUpTo(lines, 20), true)).toEqual([["on 3", 3, 3]]);
    expect(placesIn(comments, rowsUpTo(lines, 40), false)).toEqual([
      ["on 3", 3, 3],
      ["on 19", 19, 22],
      ["on 35", 35, 35],
    ]);
  });

  it("do not move to an equal line that is farther away than lines that are not loaded yet", () => {
    const moved = ["first", "second", ...lines];
    // The brace of line 20 is in line 22 now, and line 12 has one too.
    expect(placesIn([on(20)], rowsUpTo(moved, 20), true)).toEqual([]);
    expect(placesIn([on(20)], rowsUpTo(moved, 20), false)).toEqual([["on 20", 12, 12]]);
    expect(placesIn([on(20)], rowsUpTo(moved, 42), false)).toEqual([["on 20", 22, 22]]);
  });
});
