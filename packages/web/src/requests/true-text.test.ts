import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mixedWordsOf, piecesOf, textsIn, warningsOf } from "./true-text.ts";

const joined = (text: string): string =>
  piecesOf(text)
    .map((piece) => piece.text)
    .join("");
const labels = (text: string): string[] =>
  piecesOf(text).flatMap((piece) => (piece.kind === "mark" ? [piece.label] : []));

describe("text as it is", () => {
  it("is the text again, character for character, whatever it is", () => {
    const again = (text: string): boolean => joined(text) === text;
    const nasty = fc.string({ unit: fc.constantFrom(" ", "\n", "\t", "a", "\u202e", "\r") });
    expect(fc.check(fc.property(fc.string({ unit: "binary" }), again)).counterexample).toBeNull();
    expect(fc.check(fc.property(nasty, again)).counterexample).toBeNull();
  });

  it.each([
    ["zero width space", "a\u200bb", ["U+200B"]],
    ["right-to-left override", "rm \u202egpj.exe", ["U+202E"]],
    ["isolates", "\u2066x\u2069", ["U+2066", "U+2069"]],
    ["no-break space", "rm\u00a0-rf", ["U+00A0"]],
    ["tag characters", "x\u{e0041}", ["U+E0041"]],
    ["variation selectors", "x\ufe0f", ["U+FE0F"]],
    ["escape", "\u001b[31mred", ["U+001B"]],
    ["carriage return", "echo safe\rrm -rf", ["U+000D"]],
    ["lone surrogate", "a\ud800b", ["U+D800"]],
    ["Hangul filler", "a\u3164", ["U+3164"]],
    ["a run of one of them", "a\u200b\u200bb", ["U+200B ×2"]],
    ["line separator", "a\u2028b", ["U+2028"]],
    ["spaces at the end of a line", "a  \nb ", ["␣␣", "␣"]],
  ])("marks %s", (_, text, expected) => {
    expect(labels(text)).toEqual(expected);
  });

  it("leaves ordinary text, tabs, newlines and other alphabets alone", () => {
    expect(piecesOf("if x:\n\treturn 'żółć' # приве́т 日本\n")).toEqual([
      { kind: "text", text: "if x:\n\treturn 'żółć' # приве́т 日本\n" },
    ]);
  });

  it("finds words of mixed alphabets, not words of one", () => {
    expect(mixedWordsOf("curl https://раypal.com привет hello μs")).toEqual(["раypal"]);
    expect(warningsOf("curl раypal\u200b")).toEqual([
      "1 hidden character, shown as marks",
      "letters of different alphabets in one word: раypal",
    ]);
    expect(warningsOf("ls -la")).toEqual([]);
  });

  it("takes a megabyte of the worst in its stride", () => {
    const worst = "\u200b".repeat(100_000) + " ".repeat(400_000) + "\n".repeat(100_000);
    expect(joined(worst)).toBe(worst);
  });
});

describe("what is warned of", () => {
  it("may stand anywhere in an input", () => {
    const edits = [{ old_string: "a", new_string: "hid\u200bden" }];
    expect(warningsOf(textsIn({ file_path: "/x", edits }).join("\n"))).toEqual(["1 hidden character, shown as marks"]);
    expect(warningsOf(textsIn({ "na\u202eme": { deep: ["p\u0430ypal"] } }).join("\n"))).toHaveLength(2);
    expect(textsIn({ count: 1, flag: true, none: null })).toEqual(["count", "flag", "none"]);
  });
});
