import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { missingIn, wordsDocument } from "./words-document.ts";

const document = readFileSync(new URL("../docs/languages.md", import.meta.url), "utf8");

describe("docs/languages.md", () => {
  it("lists each text without a translation (otherwise run: npm run docs)", () => {
    expect(document).toBe(wordsDocument(document));
  });

  it("names a missing text by its file and its place in it", () => {
    const english = { title: "Title", does: { palette: "Open", keys: (count: number) => String(count) }, topics: {} };
    const other = { title: "题", does: { palette: "打开" } };
    expect(missingIn(english, other, "keys")).toEqual(["keys.does.keys"]);
    expect(missingIn(english, undefined, "keys")).toEqual(["keys.title", "keys.does.palette", "keys.does.keys"]);
  });
});
