import { describe, expect, it } from "vitest";
import { generatedTitle } from "./generated-title.ts";

describe("[N1] a title from the first prompt", () => {
  it.each([
    ["Retry dropped uploads", "Retry dropped uploads"],
    ["please fix the flaky checkout test.", "fix the flaky checkout test"],
    ["Hi Claude, could you please add dark mode? It must keep the print style.", "add dark mode"],
    ["I'd like you to explain the part checksum", "explain the part checksum"],
    ["hello world", "hello world"],
    ["npm test fails on CI", "npm test fails on CI"],
    ["# Upgrade to **Node 24**", "Upgrade to Node 24"],
    ["look at @src/net/upload.ts and `retry`", "look at upload.ts and retry"],
    ["/compact keep the tide table", "/compact keep the tide table"],
    ["Why?\n\n```js\nconst a = 1;\n```", "Why?"],
    ["Ok. The upload fails since Monday. See the log.", "The upload fails since Monday"],
    ["schreibe die Änderungen auf", "schreibe die Änderungen auf"],
    ["修复上传", "修复上传"],
  ])("%j is %j", (prompt, title) => expect(generatedTitle(prompt)).toBe(title));

  it("is at most one short line, cut between words, without characters that nobody sees", () => {
    const long = generatedTitle(
      "rename every exported function of the import package so that its name says what it does",
    );
    expect(long).toBe("rename every exported function of the import package so…");
    expect(generatedTitle(`see ${"x".repeat(300)}`)).toHaveLength(61);
    expect(generatedTitle("safe\u202Etxt.exe\u0000 \u200Bname\nand more")).toBe("safe txt.exe name and more");
    expect(generatedTitle(`${"a".repeat(58)}😀😀😀`)).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/u);
  });

  it("is absent if the prompt has no words", () => {
    for (const prompt of ["", "  \n\t", "\u200B\u2028", "...", "``````"])
      expect(generatedTitle(prompt)).toBeUndefined();
  });

  it("reads a bounded part of any prompt", () => {
    for (const part of ["a ", "@", "`", "please ", "1. ", "hi, "]) {
      const title = generatedTitle(part.repeat(2_000_000));
      expect(title === undefined || title.length <= 61).toBe(true);
    }
  });
});
