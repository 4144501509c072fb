import { describe, expect, it } from "vitest";
import { namedWaitingLine, withoutMarkup } from "./session-words.ts";

describe("what waits, in a list that has no other place for it", () => {
  const asks = (tool: string, about: string) => ({ id: "r", kind: "permission" as const, at: 1, about, tool });
  it.each([
    [[asks("Edit", "Edit: /home/ada/harbour/src/tides.ts")], "wants to edit src/tides.ts"],
    [[asks("Write", "Write: /etc/hosts")], "wants to write /etc/hosts"],
    [[asks("Bash", "Bash: rm -rf build"), asks("Read", "Read: a")], "wants to run rm -rf build and 1 more"],
    [[asks("WebFetch", "WebFetch: https://example.org")], "wants to fetch a page"],
    [[asks("constructor", "constructor: x")], "wants to use constructor"],
    [[], ""],
  ])("is %j", (waiting, line) => {
    expect(namedWaitingLine({ cwd: "/home/ada/harbour", waiting })).toBe(line);
  });
});

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
