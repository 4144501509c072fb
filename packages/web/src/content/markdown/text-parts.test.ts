import { describe, expect, it } from "vitest";
import { blocksOf } from "./block-splitter.ts";
import { FlowingText } from "./flowing-text.ts";
import { textPartsOf } from "./text-parts.ts";

const paragraph = (index: number) => `Paragraph ${index}: ${"words and more words ".repeat(20)}\n\n`;
const long = `${Array.from({ length: 40 }, (_, index) => paragraph(index)).join("")}The end.`;

describe("textPartsOf", () => {
  it("loses nothing and keeps parts small", () => {
    const parts = textPartsOf(blocksOf(long));
    expect(parts.flatMap((part) => part.blocks.map((block) => block.text)).join("")).toBe(long);
    expect(parts.length).toBeGreaterThan(5);
    expect(parts.every((part) => part.blocks.length < 12)).toBe(true);
  });
});

describe("FlowingText", () => {
  it("ends with the parts of the whole text, and returns full ones once", () => {
    const flowing = new FlowingText({ id: "m/0", text: "" });
    const seen: unknown[] = [];
    let told = 0;
    flowing.onPart = () => told++;
    for (let at = 0; at <= long.length; at += 37) {
      flowing.write(long.slice(0, at));
      for (const [index, part] of flowing.full.entries()) {
        seen[index] ??= part;
        expect(part).toBe(seen[index]);
      }
    }
    flowing.write(long);
    expect(flowing.full).toEqual(textPartsOf(blocksOf(long)).filter((part) => part.isFull));
    expect(told).toBe(flowing.full.length);
    const { blocks, open } = flowing.open;
    const rest = [...blocks, ...(open === undefined ? [] : [open])].map((block) => block.text).join("");
    expect(long.endsWith(rest)).toBe(true);
  });

  it("starts again when the text is replaced", () => {
    const flowing = new FlowingText({ id: "m/0", text: "One.\n\nTwo" });
    flowing.write("Other");
    expect(flowing.open).toEqual({ blocks: [], open: { kind: "prose", text: "Other" } });
  });
});
