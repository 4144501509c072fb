import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeComments, fateOf, spanOf, reviewPrompt, questionOf, reviewText, type Comment } from "./comments.ts";

const comment: Comment = {
  id: "c1",
  path: "src/tide.js",
  side: "new",
  from: 3,
  to: 4,
  quote: ["const a = 1;", "const b = 2;"],
  text: "Name these.",
};
const at = (lines: readonly (string | undefined)[]) => (line: number) => lines[line - 1];

describe("spanOf", () => {
  it("stays where its lines are, also where the view does not show them", () => {
    expect(spanOf(comment, at(["", "", "const a = 1;", "const b = 2;"]))).toEqual({ from: 3, to: 4 });
    expect(spanOf(comment, () => undefined)).toEqual({ from: 3, to: 4 });
  });

  it("follows its lines to the nearest place, and is lost when one of them changed", () => {
    expect(spanOf(comment, at(["const a = 1;", "const b = 2;", "x", "y"]))).toEqual({ from: 1, to: 2 });
    expect(spanOf(comment, at(["x", "x", "x", "x", "x", "const a = 1;", "const b = 2;"]))).toEqual({ from: 6, to: 7 });
    expect(spanOf(comment, at(["x", "x", "const a = 1;", "const b = 3;"]))).toBeUndefined();
  });

  it("finds any quoted lines again after lines were added above", () => {
    const lines = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 6 }), { minLength: 3, maxLength: 30 });
    fc.assert(
      fc.property(lines, fc.nat(20), fc.nat(40), (all, start, added) => {
        const from = 1 + (start % (all.length - 1));
        const quote = all.slice(from - 1, from + 1);
        const moved = [...Array.from({ length: added }, (_, n) => `added line ${n}`), ...all];
        expect(spanOf({ ...comment, from, to: from + 1, quote }, at(moved))).toEqual({
          from: from + added,
          to: from + added + 1,
        });
      }),
    );
  });
});

describe("fateOf", () => {
  it("says whether the next turn touched the lines", () => {
    const sent = { ...comment, sentAt: 5 };
    const here = { from: 3, to: 4 };
    expect(fateOf(comment, 9, here)).toBe("collected");
    expect(fateOf(sent, undefined, here)).toBe("waiting");
    expect(fateOf(sent, 8, here)).toBe("untouched");
    expect(fateOf(sent, 8, undefined)).toBe("touched");
  });
});

describe("reviewPrompt", () => {
  it("names file, lines and code of each comment, in order", () => {
    const other = { ...comment, id: "c2", path: "a.md", from: 9, to: 9, quote: ["```js"], text: " Why? " };
    expect(reviewPrompt([comment, other])).toBe(
      "Address these comments:\n\n1. a.md, line 9:\n````\n```js\n````\nWhy?\n\n" +
        "2. src/tide.js, lines 3-4:\n```\nconst a = 1;\nconst b = 2;\n```\nName these.",
    );
    expect(reviewPrompt([comment])).toContain("Address this comment:");
    expect(questionOf({ ...comment, side: "old" })).toMatch(/^src\/tide\.js, lines 3-4 \(before the change\):/u);
  });

  it("keeps every quoted line inside of its fence", () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[`~ a]{0,8}$/u), { maxLength: 6 }), (quote) => {
        const lines = reviewPrompt([{ ...comment, quote, text: "end" }]).split("\n");
        const fence = lines[3]!;
        expect(lines.slice(4, 4 + quote.length)).toEqual(quote.length === 0 ? [] : quote);
        expect(quote.some((line) => line.trim() === fence)).toBe(false);
      }),
    );
  });
});

it("keeps comments that are whole, and no others", () => {
  const draft = { ...comment, draft: true, sentAt: 1 };
  expect(decodeComments([comment, draft, { ...comment, from: "3" }, null, { ...comment, quote: [1] }])).toEqual([
    comment,
    draft,
  ]);
  expect(decodeComments("no")).toEqual([]);
});

describe("reviewText", () => {
  it("has every comment that is not a draft, and a patch that no line of it ends", () => {
    const patch = "diff --git a/x b/x\n+```\n ```\n";
    const text = reviewText([comment, { ...comment, id: "c2", text: "half", draft: true }], patch);
    expect(text).toContain("1. src/tide.js, lines 3-4:\n```\nconst a = 1;\nconst b = 2;\n```\nName these.");
    expect(text).not.toContain("half");
    expect(text).toContain("````diff\ndiff --git a/x b/x\n+```\n ```\n````\n");
    expect(reviewText([], patch)).toContain("No comments.");
  });
});
