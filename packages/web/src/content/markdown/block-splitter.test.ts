import fc from "fast-check";
import { Marked } from "marked";
import { describe, expect, it } from "vitest";
import { roundsOf } from "@quarterdeck/test-kit/how-much";
import { blocksOf, BlockSplitter } from "./block-splitter.ts";
import type { MarkdownBlock } from "./block-splitter.ts";

const textsOf = (text: string) => blocksOf(text).map((block) => block.text);

/** Lines that are hard to split between, and pieces that are hard to split in. */
const line = fc.constantFrom(
  "A paragraph with **bold** and `code`.",
  "- item",
  "- ",
  "-",
  "--",
  "---",
  "* other",
  "**bold** begins",
  "1. one",
  "2. two",
  "2",
  "20 things",
  "  indented",
  "    deep",
  "\tdeep",
  "",
  "",
  "",
  "  ",
  "# Heading",
  "#tag",
  "#######",
  "```js",
  "```",
  "````",
  "~~~",
  "```a`b",
  "  ```",
  "- ```",
  "> quote",
  "| a | b |",
  "|---|---|",
  "$$",
  "x = 1",
  "===",
  "<div>",
  "<details>",
  "<details><summary>More</summary>",
  "</details>",
  "[1]: https://example.org",
);
const document = fc.array(line, { maxLength: 30 }).map((lines) => lines.join("\n"));
const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 40 });

const piecesOf = (text: string, at: readonly number[]): string[] => {
  const places = [...new Set(at.map((place) => place % (text.length + 1)))].toSorted((a, b) => a - b);
  return [0, ...places].map((place, index) => text.slice(place, places[index] ?? text.length));
};

describe("BlockSplitter", () => {
  it("gives the same blocks for any chunks, and never changes a finished block", () => {
    fc.assert(
      fc.property(document, cuts, (text, at) => {
        const splitter = new BlockSplitter();
        let seen: readonly MarkdownBlock[] = [];
        for (const piece of piecesOf(text, at)) {
          splitter.append(piece);
          expect(splitter.finished.slice(0, seen.length)).toEqual(seen);
          seen = [...splitter.finished];
        }
        const { open, finished } = splitter;
        expect(open.text === "" ? finished : [...finished, open]).toEqual(blocksOf(text));
        expect([...finished, open].map((block) => block.text).join("")).toBe(text);
      }),
      { numRuns: roundsOf(2000) },
    );
  });

  it("finishes a paragraph with the first character of the next", () => {
    const splitter = new BlockSplitter();
    splitter.append("One.\n\n");
    expect(splitter.finished).toEqual([]);
    splitter.append("T");
    expect(splitter.finished).toEqual([{ kind: "prose", text: "One.\n\n" }]);
  });

  it("keeps a list together, across blank lines and any content of its items", () => {
    const list = "1. one\n\n   more\n\n2. two\n\n   ```js\n   a()\n\n   b()\n   ```\n\n3. three\n";
    expect(textsOf(`${list}\nAfter.`)).toEqual([`${list}\n`, "After."]);
    expect(textsOf("- a\n\n---\n")).toEqual(["- a\n\n", "---\n"]);
    expect(textsOf("- a\n\n**b** is not an item")).toEqual(["- a\n\n", "**b** is not an item"]);
  });

  it("waits if a line may still become an item", () => {
    const splitter = new BlockSplitter();
    splitter.append("1. one\n\n2");
    expect(splitter.finished).toEqual([]);
    splitter.append(". two\n\n2");
    expect(splitter.finished).toEqual([]);
    splitter.append("0 things");
    expect(splitter.finished).toEqual([{ kind: "prose", text: "1. one\n\n2. two\n\n" }]);
  });

  it("recognizes a fence from its first line, whatever its content", () => {
    const fence = "```ts\nconst a = 1;\n\n# not a heading\n\n- no list\n```\n";
    expect(blocksOf(`Text:\n${fence}After.`)).toEqual([
      { kind: "prose", text: "Text:\n" },
      { kind: "code", text: fence },
      { kind: "prose", text: "After." },
    ]);
    expect(textsOf("  ```\ncode\n\nmore\n  ```\n\nAfter.")).toEqual(["  ```\ncode\n\nmore\n  ```\n\n", "After."]);
    const splitter = new BlockSplitter();
    splitter.append("```ts\nconst");
    expect(splitter.open).toEqual({ kind: "code", text: "```ts\nconst" });
  });

  it("splits so that the parser sees the same as in the whole text", () => {
    const marked = new Marked();
    const kinds = (text: string) =>
      marked
        .lexer(text)
        .filter((token) => token.type !== "space")
        .map((token) => [token.type, token.raw.trim()]);
    fc.assert(
      fc.property(document, (text) => {
        // Indents of a block's first line, and definitions that other blocks use, are handled by the parser.
        fc.pre(!/^\s|\[1\]|<div>|<\/?details/m.test(text));
        expect(textsOf(text).flatMap(kinds)).toEqual(kinds(text));
      }),
      { numRuns: roundsOf(2000) },
    );
  });

  it("splits a list that is too long between two items", () => {
    const list = "- an item of some length\n".repeat(2_000);
    const blocks = textsOf(list);
    expect(blocks.join("")).toBe(list);
    expect(blocks.length).toBeGreaterThan(4);
    expect(Math.max(...blocks.map((block) => block.length))).toBeLessThan(9_000);
  });
});

it("keeps a part that can be folded together, with everything inside of it", () => {
  const folded = "<details>\n<summary>More</summary>\n\n# Inside\n\n```js\n</details>\n```\n\n- a\n\n</details>\n";
  expect(textsOf(`Before.\n\n${folded}\nAfter.`)).toEqual(["Before.\n\n", `${folded}\n`, "After."]);
  expect(textsOf("<details>\n\n<details>\n\nx\n\n</details>\n\ny\n</details>\nz")).toHaveLength(2);
  // One that never ends does not swallow the whole text.
  expect(textsOf(`<details>\n\n${"A paragraph.\n\n".repeat(3000)}`).length).toBeGreaterThan(100);
});
