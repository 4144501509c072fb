import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { differingWords, hunksBetween, diffLinesOf } from "./compare.ts";
import { countOf, readableHunk, splitLines } from "./hunks.ts";

const hunk = {
  oldStart: 41,
  oldLines: 3,
  newStart: 41,
  newLines: 4,
  lines: [" async put() {", "-  return this.send(part)", "+  return retry(() => this.send(part))", "+  // once", " }"],
};

const cut = (text: string, marks: readonly (readonly [number, number])[] | undefined) =>
  (marks ?? []).map(([from, to]) => text.slice(from, to));

describe("diffLinesOf", () => {
  it("numbers both sides and marks the words that differ", () => {
    const lines = diffLinesOf(hunk);
    expect(lines.map((line) => [line.kind, line.old, line.new])).toEqual([
      ["same", 41, 41],
      ["removed", 42, undefined],
      ["added", undefined, 42],
      ["added", undefined, 43],
      ["same", 43, 44],
    ]);
    expect(cut(lines[2]!.text, lines[2]!.marks).join("")).toContain("retry(() => ");
    expect(lines[1]!.marks).toEqual([]);
    expect(countOf([hunk])).toEqual({ added: 2, removed: 1 });
  });

  it("[S16] names hidden characters in a diff that is only read, and keeps emoji and line ends", () => {
    const lines = ["+a\u202etxt.exe", "-b\u200b\r", " 👩\u200d💻 é\r"];
    expect(readableHunk({ ...hunk, lines }).lines).toEqual(["+a‹U+202E›txt.exe", "-b‹U+200B›\r", " 👩\u200d💻 é\r"]);
  });

  it("does not treat lines as equal because of their spaces", () => {
    expect(differingWords("    alpha", "    omega")).toBeUndefined();
    expect(differingWords("same", "same")).toBeUndefined();
  });

  it("puts the two sides next to each other", () => {
    expect(splitLines(diffLinesOf(hunk)).map(({ left, right }) => [left?.old, right?.new])).toEqual([
      [41, 41],
      [42, 42],
      [undefined, 43],
      [43, 44],
    ]);
  });
});

describe("hunksBetween", () => {
  it("contains both texts", () => {
    const word = fc.constantFrom("a", "b", "c", "");
    const texts = fc.array(word, { maxLength: 20 }).map((lines) => `${lines.join("\n")}\n`);
    fc.assert(
      fc.property(texts, texts, (old, now) => {
        const lines = hunksBetween(old, now).flatMap((found) => diffLinesOf(found));
        const side = (kinds: readonly string[]) =>
          lines.filter((line) => kinds.includes(line.kind)).map((line) => line.text);
        const oldLines = old.split("\n");
        const newLines = now.split("\n");
        for (const text of side(["same", "removed"])) expect(oldLines).toContain(text);
        for (const text of side(["same", "added"])) expect(newLines).toContain(text);
        expect(lines.length === 0).toBe(old === now);
      }),
    );
  });

  it("stops comparing if it would take too long, and loses nothing", () => {
    const old = Array.from({ length: 9_000 }, (_, index) => `old ${index}`).join("\n");
    const now = Array.from({ length: 9_000 }, (_, index) => `new ${index}`).join("\n");
    expect(countOf(hunksBetween(old, now))).toEqual({ added: 9_000, removed: 9_000 });
  });
});

describe("differingWords", () => {
  it("marks exactly what differs", () => {
    const words = fc.array(fc.constantFrom("let", "x", " ", "=", "1", "foo(", ")"), { maxLength: 20 });
    fc.assert(
      fc.property(words, words, (a, b) => {
        const [old, now] = [a.join(""), b.join("")];
        const found = differingWords(old, now);
        if (found === undefined) return;
        const without = (text: string, marks: readonly (readonly [number, number])[]) =>
          marks.reduceRight((rest, [from, to]) => rest.slice(0, from) + rest.slice(to), text);
        expect(without(old, found.old)).toBe(without(now, found.new));
      }),
    );
  });
});
