import { describe, expect, it } from "vitest";
import { languageFor } from "./language.ts";

describe("the language of the page", () => {
  it.each([
    [["de-DE", "ja-JP", "en"], "ja"],
    [["zh-TW"], "zh-CN"],
    [["en-GB", "ja"], "en"],
    [["fr"], "en"],
    [[], "en"],
  ])("for a browser that prefers %j is %s", (preferred, language) => expect(languageFor(preferred)).toBe(language));
});
