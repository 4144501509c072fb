import { describe, expect, it } from "vitest";
import { filled, languageFor } from "./language.ts";

describe("the language of the page", () => {
  it.each([
    [["de-DE", "ja-JP", "en"], "ja"],
    [["zh-TW"], "zh-CN"],
    [["en-GB", "ja"], "en"],
    [["fr"], "en"],
    [[], "en"],
  ])("for a browser that prefers %j is %s", (preferred, language) => expect(languageFor(preferred)).toBe(language));
});

describe("a text that a language does not have", () => {
  it("is English, at any depth, and the language keeps texts of its own", () => {
    const english = { title: "Title", does: { open: "Open", keys: ["A"] }, topics: {} };
    const own = { does: { open: "打开" }, topics: { git: "版本" } };
    expect(filled(english, own)).toEqual({
      title: "Title",
      does: { open: "打开", keys: ["A"] },
      topics: { git: "版本" },
    });
    expect(filled(english, undefined)).toBe(english);
  });
});
