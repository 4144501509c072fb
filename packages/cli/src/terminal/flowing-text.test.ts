import { expect, test } from "vitest";
import { FlowingText } from "./flowing-text.ts";
import type { FlowOptions } from "./flowing-text.ts";
import { fc } from "../record/secrets.fixture.ts";
import { cellWidthOf } from "./terminal.ts";
import type { Paint } from "./terminal.ts";

const plain: Paint = (_, text) => text;
const marked: Paint = (style, text) => (style === "none" || text === "" ? text : `{${String(style)}:${text}}`);

const shown = (pieces: readonly string[], options: Partial<FlowOptions> = {}): string => {
  let out = "";
  const flow = new FlowingText((text) => (out += text), { paint: plain, width: 20, indent: "  ", ...options });
  for (const piece of pieces) flow.push(piece);
  flow.end();
  return out;
};

test("wraps at words and keeps paragraphs", () => {
  expect(shown(["one two three four five six\n\nseven"])).toBe("  one two three four\n  five six\n\n  seven\n");
});

test("lines of a list entry are indented together", () => {
  expect(shown(["- alpha beta gamma delta\n10. a b c d e f g h i j"])).toBe(
    "  - alpha beta gamma\n    delta\n  10. a b c d e f g\n      h i j\n",
  );
});

test("a prompt may replace the first indent", () => {
  expect(shown(["alpha beta gamma delta"], { first: "> " })).toBe("> alpha beta gamma\n  delta\n");
});

test("code in fences is not wrapped, and its indent stays", () => {
  expect(shown(["```js\n  const longer = than + the + line;\n```\nyes"])).toBe(
    "  ```js\n    const longer = than + the + line;\n  ```\n  yes\n",
  );
});

test("emphasis becomes a style, and other stars stay", () => {
  expect(shown(["a **b c** *d e* `f g` 2*3 * x_y"], { paint: marked, width: 90 })).toBe(
    "  a {bold:b} {bold:c} {italic:d} {italic:e} {cyan:f} {cyan:g} 2*3 * x_y\n",
  );
  expect(shown(["# Title here\ntext"], { paint: marked, width: 90 })).toBe(
    "  {bold:#} {bold:Title} {bold:here}\n  text\n",
  );
});

test("a table has aligned columns", () => {
  expect(shown(["| a | long |\n| --- | :-: |\n| wider | b |\nend"], { width: 40 })).toBe(
    "  a     │ long\n  ──────┼─────\n  wider │ b\n  end\n",
  );
  expect(shown(["| a | b |\n|---|---|\n| 1 | 2 |"], { width: 40 })).toBe("  a   │ b\n  ────┼────\n  1   │ 2\n");
});

test("removes characters that would move the cursor", () => {
  expect(shown(["a\u001b[2Jb\u0007\rc\u001b]0;title\u0007d"])).toBe("  abcd\n");
});

test("pieces give the same text as the whole, within the width", () => {
  const word = fc.constantFrom(
    "a",
    "harbour",
    "**bold",
    "text**",
    "`code`",
    "-",
    "1.",
    "#",
    "日本",
    "\n",
    "\n\n",
    "| x | y |",
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 40 }), fc.integer({ min: 1, max: 9 }), (words, size) => {
      const text = words.join(" ");
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, "gu")) ?? [];
      const whole = shown([text]);
      expect(shown(pieces)).toBe(whole);
      for (const line of whole.split("\n")) expect(cellWidthOf(line)).toBeLessThanOrEqual(20);
    }),
  );
});

test("[S38] no row starts without its indent, however long the text is", () => {
  const long = [
    "x".repeat(70),
    `${" ".repeat(30)}| y`,
    `\`\`\`\n${" ".repeat(50)}y z${" ".repeat(40)}w\n\`\`\``,
    "字".repeat(40),
    "✅".repeat(40),
  ];
  for (const text of long) {
    for (const before of ["", "a ", "- ", "> "]) {
      for (const row of shown([before + text], { columns: 24 })
        .trimEnd()
        .split("\n")) {
        expect([text, row.slice(0, 2), cellWidthOf(row) < 24]).toEqual([text, "  ", true]);
      }
    }
  }
  expect(shown(["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa b"], { columns: 24 })).toBe("  aaaaaaaaaaaaaaaaaaaaa\n  aaaaaaaaa b\n");
});
