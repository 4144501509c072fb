import { structuredPatch } from "diff";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  highestLine,
  lineAt,
  nextReveal,
  diffRowsOf,
  type DiffRow,
  type FoldRow,
  type Layout,
  type Side,
} from "./diff-rows.ts";

const patchOf = (old: string, now: string) => structuredPatch("", "", old, now, "", "", { context: 3 }).hunks;
const textOf = (row: DiffRow, side: Side): string | undefined =>
  row.kind === "fold" ? undefined : row.kind === "line" ? row.line.text : (side === "old" ? row.left : row.right)?.text;

const old = Array.from({ length: 60 }, (_, at) => `line ${at + 1}`);
const now = old.with(29, "changed").toSpliced(40, 2).toSpliced(10, 0, "new one");
const hunks = patchOf(`${old.join("\n")}\n`, `${now.join("\n")}\n`);

describe("diffRowsOf", () => {
  it("folds what did not change, and says which hunk is below", () => {
    const folds = diffRowsOf({ hunks, layout: "unified" }).filter((row) => row.kind === "fold");
    expect(folds.map(({ hidden, hunk }) => [hidden, hunk])).toEqual([
      [[1, 7], 0],
      [[15, 27], 1],
      [[35, 38], 2],
    ]);
  });

  it("does not say that lines after the last hunk are unchanged if hunks are missing there", () => {
    const options = { hunks: hunks.slice(0, 1), layout: "unified", text: now } as const;
    expect(diffRowsOf(options).at(-1)).toEqual({ kind: "fold", hidden: [15, 59], hunk: undefined });
    expect(diffRowsOf({ ...options, isCut: true }).at(-1)?.kind).toBe("line");
  });

  it("have a highest line, of either side", () => {
    expect(highestLine([])).toBe(0);
    for (const layout of ["unified", "split"] as const) {
      const rows = diffRowsOf({
        hunks: [{ oldStart: 9, oldLines: 2, newStart: 5, newLines: 1, lines: [" a", "-b"] }],
        layout,
      });
      expect(highestLine(rows)).toBe(10);
    }
  });

  it("reveals context with the numbers of both sides", () => {
    const rows = diffRowsOf({
      hunks,
      layout: "unified",
      text: now,
      revealed: [
        [26, 27],
        [1, 3],
      ],
    });
    const folds = rows.filter((row) => row.kind === "fold");
    expect(folds.map(({ hidden, hunk }) => [hidden, hunk])).toEqual([
      [[4, 7], 0],
      [[15, 25], undefined],
      [undefined, 1],
      [[35, 38], 2],
      [[45, 59], undefined],
    ]);
    const shown = rows.find((row) => row.kind === "line" && row.line.new === 26);
    expect(shown).toEqual({ kind: "line", line: { kind: "same", old: 25, new: 26, text: "line 25" }, hunk: undefined });
  });

  it("opens a small fold at once and a large one in parts, next to the hunk", () => {
    const fold = (hidden: FoldRow["hidden"], hunk?: number): FoldRow => ({ kind: "fold", hidden, hunk });
    expect(nextReveal(fold([5, 20], 1))).toEqual([5, 20]);
    expect(nextReveal(fold([5, 100], 1))).toEqual([81, 100]);
    expect(nextReveal(fold([5, 100]))).toEqual([5, 24]);
    expect(nextReveal(fold(undefined, 0))).toBeUndefined();
  });

  it("pairs a removed line with the one in its place", () => {
    const [removed] = diffRowsOf({ hunks, layout: "unified" }).filter(
      (row) => row.kind === "line" && row.line.kind === "removed" && row.mate !== undefined,
    );
    expect(removed).toMatchObject({ line: { text: "line 30" }, mate: { text: "changed" } });
  });

  it("shows every line of both texts once, in order, in both layouts, when all is revealed", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(lines, lines, fc.constantFrom<Layout>("unified", "split"), (before, after, layout) => {
        const found = patchOf(`${before.join("\n")}\n`, `${after.join("\n")}\n`);
        if (found.length === 0) return;
        const rows = diffRowsOf({ hunks: found, layout, text: after, revealed: [[1, 1000]] });
        expect(rows.some((row) => row.kind === "fold" && row.hidden !== undefined)).toBe(false);
        for (const [side, all] of [
          ["old", before],
          ["new", after],
        ] as const) {
          const seen = rows.flatMap((row) => {
            const at = lineAt(row, side);
            return at === undefined ? [] : [[at, textOf(row, side)]];
          });
          expect(seen).toEqual(all.map((text, at) => [at + 1, text]));
        }
      }),
    );
  });
});
