import { expect, it } from "vitest";
import { foldedParts } from "./folded.ts";
import { markdownTokens } from "./tokens.ts";

it.each([
  ["<details>\n<summary><b>More</b> here</summary>\n\nBody\n\n</details>\n", "More here", "Body\n\n", false],
  ["<details open><summary>x</summary>\ny\n</details>", "x", "y\n", true],
  ["<details>\nNo summary\n</details>", "Details", "No summary\n", false],
  ["<details>\n<summary>never ends", "Details", "<summary>never ends", false],
])("%j", (text, summary, body, open) => expect(foldedParts(text)).toEqual({ summary, body, open }));

it("reads footnotes and their marks, and nothing else in brackets", () => {
  const kinds = (text: string) =>
    markdownTokens(text, false).map((token) =>
      token.type === "paragraph" ? token.tokens!.map(({ type }: { type: string }) => type) : token.type,
    );
  expect(kinds("As measured[^1] and [^note].")).toEqual([["text", "noteref", "text", "noteref", "text"]]);
  expect(kinds("[^1]: First **bold**\n  goes on\n[^2]: https://example.org")).toEqual(["footnote", "footnote"]);
  expect(markdownTokens("[^a]: See `x`.", false)[0]).toMatchObject({ type: "footnote", label: "a" });
  expect(kinds("a[^] and [^a b] and x[1]")).toEqual([["text"]]);
});
