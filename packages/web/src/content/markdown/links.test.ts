import { describe, expect, it } from "vitest";
import { hostShown, hostText, linkOf } from "./links.ts";

const shown = (words: string, href: string) => hostShown(words, linkOf(href)!);

describe("linkOf", () => {
  it("[S12] follows the web and mail only", () => {
    expect(linkOf("https://Example.org/a?b#c")).toEqual({ href: "https://example.org/a?b#c", host: "example.org" });
    expect(linkOf("mailto:a@b.example")).toEqual({ href: "mailto:a@b.example", host: "a@b.example" });
    for (const href of [
      "javascript:alert(1)",
      "JaVaScRiPt:x",
      " \u0001javascript:alert(1)",
      "java\tscript:alert(1)",
      "data:text/html,x",
      "vbscript:x",
      "blob:https://evil.example/1",
      "file:///etc/passwd",
      "//x",
      "/a",
      "a",
    ]) {
      expect(linkOf(href), href).toBeUndefined();
    }
  });

  it("[S51] writes a host of other alphabets in punycode", () => {
    expect(linkOf("https://g\u0456thub.com/x")!.host).toBe("xn--gthub-n2e.com");
  });
});

describe("hostShown", () => {
  it("[S51] marks the host if the text shows another address", () => {
    for (const words of [
      "https://github.com/x",
      "github.com",
      "GitHub.com/anthropics",
      "www.github.com",
      "see github.com for more",
      "(github.com)",
      "//github.com/x",
      "https:/github.com",
      "https:\\\\github.com",
      "github.com:443",
      "github.com?evil.example",
      "https://github.com/evil.example",
      "https://github.com#evil.example",
      "https://evil.example.github.com",
      "notevil.example",
      "evil.example and github.com",
      "someone@github.com",
      "127.0.0.1:7433",
      "http://localhost:3000",
      "localhost",
      "http://2130706433/",
      "docs.rs",
      "bit.ly/x",
    ])
      expect(shown(words, "https://evil.example/"), words).toBe("other");
    // "t.co" is part of "reddit.com".
    expect(shown("reddit.com", "https://t.co/x")).toBe("other");
    expect(shown("localhost:3000", "http://localhost:3001/")).toBe("other");
    expect(shown("127.0.0.1", "http://127.0.0.2/")).toBe("other");
  });

  it("[S51] marks the host if the address has a user name that looks like a host", () => {
    for (const href of [
      "https://github.com@evil.example/",
      "https://github.com:x@evil.example/",
      "https://github.com%2Flogin@evil.example/",
      `https://github.com${"a".repeat(3000)}@evil.example/`,
    ])
      for (const words of [href, "github.com", "docs", ""]) expect(shown(words, href), href).toBe("other");
  });

  it("[S51] marks the host if the text hides characters or changes their direction", () => {
    for (const words of [
      "\u202Emoc.buhtig",
      "\u202Emoc.buhtig//:sptth\u202C",
      "docs \u2067x\u2069",
      "evil.example\u200B",
      "ev\u00ADil.example",
      "git\u200Bhub.com",
      "git\u2060hub\u2800.com",
      "\uFF47\uFF49\uFF54\uFF48\uFF55\uFF42\uFF0E\uFF43\uFF4F\uFF4D",
      "github\u3002com",
      "github\u2024com",
      "github.com\u00A0\u00A0\u00A0evil.example",
    ])
      expect(shown(words, "https://evil.example/"), JSON.stringify(words)).toBe("other");
  });

  it("[S51] marks a host of mixed alphabets, and never accepts look-alike letters", () => {
    const href = "https://g\u0456thub.com/";
    expect(shown("https://g\u0456thub.com/", href)).toBe("other");
    expect(shown("g\u0456thub.com", href)).toBe("other");
    expect(shown("github.com", href)).toBe("other");
    expect(shown("github.com", "https://xn--gthub-n2e.com/")).toBe("other");
    // The whole name is Cyrillic, except its ending.
    expect(shown("\u0430\u0440\u0440\u04CF\u0435.com", "https://\u0430\u0440\u0440\u04CF\u0435.com/")).toBe("other");
    // One alphabet: punycode is next to it, without a warning.
    expect(shown("m\u00FCnchen.de", "https://m\u00FCnchen.de/")).toBe("beside");
    expect(
      shown(
        "\u043F\u0440\u0438\u043C\u0435\u0440.\u0440\u0444",
        "https://\u043F\u0440\u0438\u043C\u0435\u0440.\u0440\u0444/",
      ),
    ).toBe("beside");
  });

  it("[S51] does not repeat the host if the text is the address", () => {
    for (const words of [
      "https://github.com/x?y#z",
      "github.com/x",
      "GitHub.com",
      "<https://github.com/x>",
      "see github.com",
      "https://github.com/https://other.example/",
    ])
      expect(shown(words, "https://github.com/x"), words).toBe("named");
    expect(shown("http://localhost:3000/", "http://localhost:3000/")).toBe("named");
    expect(shown("a@b.example", "mailto:a@b.example")).toBe("named");
    expect(shown("https://github.com/long\u2026", "https://github.com/longer")).toBe("beside");
  });

  it("[S51] keeps ordinary text, with the host next to it", () => {
    for (const words of [
      "the docs",
      "README.md",
      "src/main.rs:12",
      "Node.js",
      "Array.prototype.map",
      "fs.readFile()",
      "v1.2.beta",
      "1.2.3",
      "e.g. this",
      "and/or",
      "github.com",
      "\u2764\uFE0F thanks",
      "\u{1F468}\u200D\u{1F4BB} profile",
      "C:/Users",
      "\u0394t of it",
      "",
    ])
      expect(shown(words, "https://docs.github.com/a/src/main.rs/README.md"), words).toBe("beside");
  });

  it("[S51] shows the end of a very long host", () => {
    const { href, host } = linkOf(`https://github.com.${"a".repeat(60)}.${"b".repeat(40)}.evil.example/`)!;
    expect(shown(href, href)).toBe("other");
    expect(hostText(host)).toBe(`\u2026${"b".repeat(35)}.evil.example`);
    expect(hostText("evil.example")).toBe("evil.example");
  });

  it("[S51] distinguishes mail from the web", () => {
    expect(shown("help@bank.example", "mailto:evil@evil.example")).toBe("other");
    expect(shown("write to us", "mailto:a@b.example")).toBe("beside");
    expect(shown("bank.example", "mailto:a@bank.example")).toBe("other");
  });

  it("[S27] is quick with a long text", () => {
    for (const unit of ["a.", "a@", "https://", "-.", "1.", "!", "1:", "\u202E", "a.com "])
      for (const size of [2_000, 1_000_000])
        expect(["beside", "other"]).toContain(shown(unit.repeat(size / unit.length), "https://evil.example/"));
  });
});
