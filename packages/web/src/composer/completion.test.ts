import { describe, expect, it } from "vitest";
import { chooseCommand, chooseMention, completionAt, pieces } from "./completion.ts";

/** The bar marks the caret. */
const at = (text: string) => {
  const caret = text.indexOf("|");
  return completionAt(text.replace("|", ""), caret);
};

describe("what is completed at the caret", () => {
  it.each([
    ["/|", { kind: "slash", from: 0, to: 1, query: "" }],
    ["/com|", { kind: "slash", from: 0, to: 4, query: "com" }],
    ["/co|mpact", { kind: "slash", from: 0, to: 8, query: "co" }],
    ["/plugin:do-it|", { kind: "slash", from: 0, to: 13, query: "plugin:do-it" }],
    ["@|", { kind: "mention", from: 0, to: 1, query: "" }],
    ["see @src/up|", { kind: "mention", from: 4, to: 11, query: "src/up" }],
    ["(@src|", { kind: "mention", from: 1, to: 5, query: "src" }],
    ["line\n@a|", { kind: "mention", from: 5, to: 7, query: "a" }],
    ['@"my docs/ti|', { kind: "mention", from: 0, to: 12, query: "my docs/ti" }],
    ["/review @src|", { kind: "mention", from: 8, to: 12, query: "src" }],
  ])("%s", (text, expected) => expect(at(text)).toEqual(expected));

  it.each(["", "|", "a|", "mail me@home|", "@src |", '@"my docs" |', "/compact now|", "a /com|", "/usr/bin|"])(
    "nothing in %j",
    (text) => expect(at(text)).toBeUndefined(),
  );

  it("looks back no further than the longest path", () =>
    expect(completionAt(`@${"a".repeat(5000)}`, 5001)).toBeUndefined());
});

describe("the text after a choice", () => {
  const mention = at("see @src|")!;
  it("ends a file with a space", () =>
    expect(chooseMention(mention, "file", "src/index.ts")).toEqual({
      from: 4,
      to: 8,
      insert: "@src/index.ts ",
      more: false,
    }));
  it("continues inside a folder", () =>
    expect(chooseMention(mention, "folder", "src")).toEqual({ from: 4, to: 8, insert: "@src/", more: true }));
  it("quotes names with spaces, and leaves the quote open for a folder", () => {
    expect(chooseMention(mention, "file", "my docs/a.md").insert).toBe('@"my docs/a.md" ');
    expect(chooseMention(mention, "folder", "my docs").insert).toBe('@"my docs/');
  });
  it("completes a command", () => expect(chooseCommand(at("/co|")!, "compact").insert).toBe("/compact "));
});

describe("marking what matched", () => {
  it("cuts at the ranges", () =>
    expect(
      pieces("upload.ts", [
        [0, 2],
        [3, 4],
      ]),
    ).toEqual([
      { text: "up", match: true },
      { text: "l", match: false },
      { text: "o", match: true },
      { text: "ad.ts", match: false },
    ]));
  it("keeps every letter when ranges overlap or are empty", () => {
    const cut = pieces("abcdef", [
      [1, 3],
      [2, 4],
      [4, 4],
    ]);
    expect(cut.map(({ text }) => text).join("")).toBe("abcdef");
  });
});
