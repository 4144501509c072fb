import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readAnsi } from "./ansi.ts";

const textOf = (text: string) => readAnsi(text).map((line) => line.map((run) => run.text).join(""));

describe("readAnsi", () => {
  it("reads colors, weights and their end", () => {
    expect(readAnsi("\u001B[1;32mok\u001B[0m done\n\u001B[38;5;196mred\u001B[39m\u001B[48;2;1;2;3mback")).toEqual([
      [
        { text: "ok", style: { bold: true, color: 2 } },
        { text: " done", style: {} },
      ],
      [
        { text: "red", style: { color: "#ff0000" } },
        { text: "back", style: { background: "#010203" } },
      ],
    ]);
  });

  it("carries a style over the end of a line", () => {
    expect(readAnsi("\u001B[31ma\nb")).toEqual([
      [{ text: "a", style: { color: 1 } }],
      [{ text: "b", style: { color: 1 } }],
    ]);
  });

  it("drops escapes with effects: titles, links, the clipboard, moves (S12)", () => {
    expect(
      textOf("a\u001B]0;title\u0007b\u001B]8;;https://x.example\u001B\\c\u001B]52;c;AAAA\u0007d\u001B[2Je\u001B[3;4Hf"),
    ).toEqual(["abcdef"]);
    expect(textOf("x\u001B]unfinished\nnext")).toEqual(["x", "next"]);
    expect(textOf("x\u001B(By\u0000\u0001z")).toEqual(["xyz"]);
  });

  it("overwrites a line after a carriage return, and accepts Windows line ends", () => {
    expect(textOf("10%\r55%\r100%\r\ndone\r\n")).toEqual(["100%", "done", ""]);
    expect(textOf("abc\b\bX")).toEqual(["aX"]);
  });

  it("loses no printed character and keeps the number of lines", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "\n", " ", "\u001B[31m", "\u001B[0m", "ü", "\t")), (pieces) => {
        const printed = pieces.filter((piece) => !piece.startsWith("\u001B")).join("");
        expect(textOf(pieces.join("")).join("\n")).toBe(printed);
      }),
    );
  });

  it("reads a megabyte of anything in one pass (S27)", () => {
    for (const unit of ["\u001B[", "\u001B]", "\u001B[31m", "\r", "\b", "\u001B[1;1;1;", "a\r", "\u001B]8;;"]) {
      const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
      expect(readAnsi(text).length).toBe(1);
    }
  });
});
