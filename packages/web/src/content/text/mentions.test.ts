import { expect, it } from "vitest";
import { mentionsIn } from "./mentions.ts";

const links = (text: string) =>
  mentionsIn(text).flatMap((piece) => (piece.kind === "mention" ? [[piece.text, piece.file]] : []));

it.each([
  ["see @src/tide.js.", [["@src/tide.js", { path: "src/tide.js" }]]],
  [
    "(@a.md, @b.md)",
    [
      ["@a.md", { path: "a.md" }],
      ["@b.md", { path: "b.md" }],
    ],
  ],
  ['read @"my docs/a.md" now', [['@"my docs/a.md"', { path: "my docs/a.md" }]]],
  ["@src/tide.js#L4-9 please", [["@src/tide.js#L4-9", { path: "src/tide.js", line: 4 }]]],
  ["@docs:page is a resource", [["@docs:page", undefined]]],
  [
    "/review @src",
    [
      ["/review", undefined],
      ["@src", { path: "src" }],
    ],
  ],
  ["mail me@home and @ alone", []],
])("%s", (text, expected) => expect(links(text)).toEqual(expected));

it("keeps every letter of a hostile text", () => {
  for (const text of ["@@@@ @", '@"', '@"a\n" @(b', "@a ".repeat(2000), "/", "@."])
    expect(
      mentionsIn(text)
        .map((piece) => piece.text)
        .join(""),
    ).toBe(text);
});
