import fc from "fast-check";
import { expect, it } from "vitest";
import { structuredPatch } from "./diff.ts";
import type { Hunk } from "./diff.ts";

const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

/** Applies the patch to the old lines. */
const applied = (before: readonly string[], hunks: readonly Hunk[]): readonly string[] => {
  const after: string[] = [];
  let at = 0;
  for (const { oldStart, lines } of hunks) {
    after.push(...before.slice(at, oldStart - 1));
    at = oldStart - 1;
    for (const line of lines.filter((entry) => !entry.startsWith("\\"))) {
      if (line.startsWith("+")) after.push(line.slice(1));
      else {
        expect(before[at]).toBe(line.slice(1));
        if (line.startsWith(" ")) after.push(line.slice(1));
        at++;
      }
    }
  }
  return [...after, ...before.slice(at)];
};

it("gives hunks that turn one text into the other, with correct counts", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 40 })
    .map((lines) => lines.map((line) => `${line}\n`).join(""));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const hunks = structuredPatch(before, after);
      expect(applied(linesOf(before), hunks)).toEqual(linesOf(after));
      for (const { oldLines, newLines, lines } of hunks) {
        expect(lines.filter((line) => !line.startsWith("+"))).toHaveLength(oldLines);
        expect(lines.filter((line) => !line.startsWith("-"))).toHaveLength(newLines);
      }
    }),
    { seed: 325 },
  );
});

it("keeps three lines of context, and distant changes in separate hunks", () => {
  const before = Array.from({ length: 30 }, (_, n) => `line ${String(n)}\n`).join("");
  const hunks = structuredPatch(before, before.replace("line 5\n", "FIVE\n").replace("line 25\n", ""));
  expect(hunks.map(({ oldStart, oldLines, newStart, newLines }) => [oldStart, oldLines, newStart, newLines])).toEqual([
    [3, 7, 3, 7],
    [23, 7, 23, 6],
  ]);
});

it("reports a last line without a line end", () => {
  expect(structuredPatch("", "created")).toEqual([
    { oldStart: 1, oldLines: 0, newStart: 1, newLines: 1, lines: ["+created", "\\ No newline at end of file"] },
  ]);
  expect(structuredPatch("same", "same")).toEqual([]);
});
