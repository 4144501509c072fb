import { describe, expect, it } from "vitest";
import { withoutMarkup } from "./session-words.ts";

describe("a line of the list", () => {
  it.each([
    ["## The report All is **well**.", "The report All is well."],
    ["- first `npm test`", "first npm test"],
    ["1. one", "one"],
    ["version 2. Then __init__ # not a heading#1", "version 2. Then __init__ not a heading#1"],
    ["see [the *chart*](https://example.org/a) and ~~not~~ this", "see the chart and not this"],
    ["all of src/**/*.ts, 2 ** 3 and *.md", "all of src/**/*.ts, 2 ** 3 and *.md"],
    ["**cut in the mid", "cut in the mid"],
    ["   ", ""],
  ])("shows %j as %j", (text, words) => {
    expect(withoutMarkup(text)).toBe(words);
  });
});
