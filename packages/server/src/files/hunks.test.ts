import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { roundsOf } from "@quarterdeck/test-kit/how-much";
import { firstLines, hunksBetween, hunksOfPatch } from "./hunks.ts";
import type { Hunk } from "./hunks.ts";

fc.configureGlobal({ seed: 20_261_115 });

const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

/** Applies the hunks by their line numbers, like a person would. */
const apply = (before: string, hunks: readonly Hunk[]): string[] => {
  const old = linesOf(before);
  const now: string[] = [];
  let at = 0;
  for (const { oldStart, oldLines, newStart, newLines, lines } of hunks) {
    const start = oldLines === 0 ? oldStart : oldStart - 1;
    now.push(...old.slice(at, start));
    expect(now.length).toBe(newLines === 0 ? newStart : newStart - 1);
    expect(lines.filter((line) => !line.startsWith("+")).map((line) => line.slice(1))).toEqual(
      old.slice(start, start + oldLines),
    );
    now.push(...lines.filter((line) => !line.startsWith("-")).map((line) => line.slice(1)));
    at = start + oldLines;
  }
  return [...now, ...old.slice(at)];
};

const text = fc
  .array(fc.constantFrom("a", "b", "c", "", "}"), { maxLength: 40 })
  .map((lines) => lines.map((line) => `${line}\n`).join(""));

describe("[Q3] hunks", () => {
  it("turn any text into any other", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(apply(before, hunksBetween(before, after))).toEqual(linesOf(after));
      }),
      { numRuns: roundsOf(500) },
    );
  });

  it("are the shortest possible, with three lines of context", () => {
    const before = Array.from({ length: 30 }, (_, at) => `line ${at}\n`).join("");
    const after = before.replace("line 10\n", "line ten\n").replace("line 25\n", "");
    expect(hunksBetween(before, after)).toEqual([
      {
        oldStart: 8,
        oldLines: 7,
        newStart: 8,
        newLines: 7,
        lines: [" line 7", " line 8", " line 9", "-line 10", "+line ten", " line 11", " line 12", " line 13"],
      },
      {
        oldStart: 23,
        oldLines: 7,
        newStart: 23,
        newLines: 6,
        lines: [" line 22", " line 23", " line 24", "-line 25", " line 26", " line 27", " line 28"],
      },
    ]);
  });

  it("of texts with nothing in common are found quickly", () => {
    const before = Array.from({ length: 20_000 }, (_, at) => `a${at}\n`).join("");
    const after = Array.from({ length: 20_000 }, (_, at) => `b${at}\n`).join("");
    const [hunk, ...others] = hunksBetween(before, after);
    expect(others).toEqual([]);
    expect(hunk).toMatchObject({ oldStart: 1, oldLines: 20_000, newStart: 1, newLines: 20_000 });
  });

  it("of a git patch are its hunks, whatever its lines look like", () => {
    const folder = mkdtempSync(join(tmpdir(), "hunks-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const odd = (each: string): string => each.replaceAll("}", "-- a/x\n@@ -1 +1 @@");
        writeFileSync(join(folder, "old"), odd(before));
        writeFileSync(join(folder, "new"), odd(after));
        let patch = "";
        try {
          execFileSync("git", ["diff", "--no-index", "--no-color", "old", "new"], { cwd: folder });
        } catch (error) {
          patch = (error as { stdout: Buffer }).stdout.toString();
        }
        expect(apply(odd(before), hunksOfPatch(patch, 10_000).hunks)).toEqual(linesOf(odd(after)));
      }),
      { numRuns: 30 },
    );
  });

  it("of a long patch are cut, and say so", () => {
    const patch = `@@ -0,0 +1,100 @@\n${"+x\n".repeat(100)}`;
    const { hunks, truncated } = hunksOfPatch(patch, 10);
    expect(truncated).toBe(true);
    expect(hunks[0]?.lines).toHaveLength(10);
  });

  it("give their first lines, with the counts of the whole hunk", () => {
    const hunk = (at: number): Hunk => ({
      ...{ oldStart: at, oldLines: 3, newStart: at, newLines: 3 },
      lines: [" a", "-b", "+c", " d"],
    });
    const diff = { kind: "diff", hunks: [hunk(1), hunk(20), hunk(40)], truncated: false };
    expect(firstLines(diff, 6)).toEqual({
      kind: "diff",
      hunks: [hunk(1), { ...hunk(20), lines: [" a", "-b"] }],
      truncated: true,
    });
    expect(firstLines(diff, 8)).toEqual({ ...diff, hunks: [hunk(1), hunk(20)], truncated: true });
    expect(firstLines(diff, 12)).toEqual(diff);
    expect(firstLines({ ...diff, truncated: true }, 12).truncated).toBe(true);
  });
});
