import { beforeAll, describe, expect, it } from "vitest";
import { blocksOf } from "./block-splitter.ts";
import { decodeEntities, isCalm, loadHealing, markdownTokens } from "./tokens.ts";

beforeAll(loadHealing);

const shape = (text: string, isOpen = false) =>
  JSON.parse(
    JSON.stringify(markdownTokens(text, isOpen), (key, value: unknown) =>
      ["raw", "pre", "escaped", "align", "loose", "start", "links"].includes(key) ? undefined : value,
    ),
  ) as unknown;

describe("markdownTokens", () => {
  it("reads raw HTML as text (S12)", () => {
    expect(JSON.stringify(shape('<img src=x onerror="alert(1)"> <script>x</script>'))).not.toContain('"html"');
    expect(shape("<b>x</b>")).toEqual([
      { type: "paragraph", text: "<b>x</b>", tokens: [{ type: "text", text: "<b>x</b>" }] },
    ]);
  });

  it("distinguishes math from prices", () => {
    const kinds = (text: string) =>
      (markdownTokens(text, false)[0] as { tokens?: { type: string }[] }).tokens?.map((t) => t.type);
    expect(kinds("so $a^2$ and \\(b\\) it is")).toEqual(["text", "math", "text", "math", "text"]);
    expect(kinds("from $5 to $10, $x")).toEqual(["text"]);
    expect(shape("$$\na = b\n$$\n")).toEqual([{ type: "math", tex: "a = b", display: true }]);
    expect(shape("\\[ x \\]")).toEqual([{ type: "math", tex: "x", display: true }]);
  });

  it("closes unfinished markup", () => {
    expect(JSON.stringify(shape("a **bold", true))).toContain('"strong"');
    expect(JSON.stringify(shape("a `cod", true))).toContain('"codespan"');
    expect(JSON.stringify(shape("a **bold", false))).not.toContain('"strong"');
  });

  it("is quick with text that would make the lexer slow, and shows all of it (S27)", () => {
    const size = 1_000_000;
    for (const unit of [
      "*a_",
      "_a",
      "~a~~b ",
      ">",
      "> ",
      "[",
      "[](",
      "**a *b ",
      "- ",
      "`",
      "$a ",
      "\\(",
      "|-",
      "1. a\n",
      "a@",
      "&#1;",
    ]) {
      const text = unit.repeat(Math.ceil(size / unit.length));
      const blocks = blocksOf(text);
      expect(blocks.map((block) => block.text).join("")).toBe(text);
      const first = blocks[0]!.text;
      const raw = markdownTokens(first, true).map((token) => token.raw);
      if (!isCalm(first)) expect(raw.join("")).toBe(first);
    }
  });
});

describe("decodeEntities", () => {
  it("decodes the entities of Markdown and keeps the rest", () => {
    expect(decodeEntities("a &amp; b &lt;c&gt; &#65;&#x42; &nope; &#0; &#55296;")).toBe(
      "a & b <c> AB &nope; &#0; &#55296;",
    );
  });
});
