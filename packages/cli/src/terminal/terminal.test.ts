import { describe, expect, it } from "vitest";
import { cellWidthOf, inert, jsonText, paint, printed, wantsColors } from "./terminal.ts";

const HOSTILE = "a\u001b]0;t\u0007\u001b[31mred\u009b2J\u0000\r\u202eb\u2028c\u{e0041}\ud800";

describe("[S38] printed text", () => {
  it("[S38] contains no character that a terminal acts on, except our own styles", () => {
    const out = printed(`${paint(["bold", "red"], HOSTILE)}\n\tend`, true);
    expect(out).toBe(
      "\u001b[1m\u001b[31ma‹U+001B›]0;t‹U+0007›‹U+001B›[31mred‹U+009B›2J‹U+0000›‹U+000D›‹U+202E›b‹U+2028›c‹U+E0041›" +
        "‹U+D800›\u001b[39m\u001b[22m\n\tend",
    );
  });

  it("[S38] makes no style from text that others could have written", () => {
    // The sign that our tokens begin with, and every code that they could contain.
    for (const forged of ["\ufdd01\ufdd1", "\ufdd0key31\ufdd1", "\u001b[1m"])
      expect(printed(`x${forged}`, true)).not.toContain("\u001b");
  });

  it("[S38] is plain without colors, and widths count visible cells", () => {
    expect(printed(paint("red", "x"), false)).toBe("x");
    expect(cellWidthOf(paint("red", "日本"))).toBe(4);
    expect(paint("red", "")).toBe("");
    const terminal = { isTTY: true };
    expect([wantsColors(terminal, {}), wantsColors({}, {})]).toEqual([true, false]);
    expect([wantsColors(terminal, { NO_COLOR: "1" }), wantsColors({}, { FORCE_COLOR: "1" })]).toEqual([false, true]);
  });

  it("keeps text, emoji and scripts", () => {
    for (const text of ["żółć\n\t日本", "\u{1f468}\u200d\u{1f469}", "❤\ufe0f", "نص", "a\u00a0b"])
      expect(inert(text)).toBe(text);
  });

  it("[S38] as JSON is the same value, with an escape for each hidden character", () => {
    const value = { "k\u202e": [HOSTILE, "\u{e0041}żółć"], n: 1 };
    for (const text of [jsonText(value), jsonText(value, 2)]) {
      expect(JSON.parse(text)).toEqual(value);
      expect(text).not.toMatch(/[[\p{C}\p{Zl}\p{Zp}]--[\n]]/v);
    }
    expect(jsonText("\u{e0041}")).toBe(String.raw`"\udb40\udc41"`);
  });
});
