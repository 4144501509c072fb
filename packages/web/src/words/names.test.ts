import { describe, expect, it } from "vitest";
import { formatAge, formatAgo, formatBytes, formatCost, formatCount, formatSpan, shortPath } from "./format.ts";
import { modeAfter, modelName, modeName, wantsTo } from "./names.ts";

describe("words for the wire's names", () => {
  it.each([
    ["claude-opus-5-5", "Opus 5.5"],
    ["claude-sonnet-4-5-20250929", "Sonnet 4.5"],
    ["claude-opus-4-20250514", "Opus 4"],
    ["claude-fable-5-2[1m]", "Fable 5.2 1M"],
    ["claude-3-5-haiku-20241022", "Haiku 3.5"],
    ["us.anthropic/claude-opus-5-5", "Opus 5.5"],
    ["opus", "Opus"],
    ["gpt-oss:20b", "gpt-oss:20b"],
    [undefined, "Default model"],
  ])("%s is %s", (model, name) => expect(modelName(model)).toBe(name));

  it("cycle through the modes", () => {
    expect(modeAfter("default")).toBe("acceptEdits");
    expect(modeAfter("acceptEdits")).toBe("plan");
    expect(modeAfter("plan")).toBe("default");
    expect(modeAfter("bypassPermissions")).toBe("default");
    expect(modeName("delegate")).toBe("Delegate to agents");
    expect(modeName("somethingNew")).toBe("somethingNew");
  });
});

describe("what Claude wants to do", () => {
  it("has words for common tools and names the others", () => {
    expect(wantsTo("Edit")).toBe("wants to edit a file");
    expect(wantsTo("constructor")).toBe("wants to use constructor");
    expect(wantsTo("Custom", "wants to use this tool")).toBe("wants to use this tool");
  });
});

describe("numbers", () => {
  it("are short", () => {
    expect([0, 0.004, 0.426, 12.5, 1234.5].map(formatCost)).toEqual(["$0.00", "< $0.01", "$0.43", "$12.50", "$1,235"]);
    expect([7, 999, 46_312, 200_000, 1_000_000].map(formatCount)).toEqual(["7", "999", "46.3k", "200k", "1M"]);
    expect([999, 46_312, 3_700_000].map(formatBytes)).toEqual(["999 B", "46 kB", "3.7 MB"]);
    expect([0, 59_000, 60_000, 130_000, 3_900_000].map(formatSpan)).toEqual([
      "0 s",
      "59 s",
      "1 m",
      "2 m 10 s",
      "1 h 5 m",
    ]);
  });
  it("say how long ago", () => {
    const now = Date.UTC(2026, 10, 15, 12);
    expect([1000, 12_000, 240_000, 3 * 3_600_000].map((age) => formatAge(now - age, now))).toEqual([
      "now",
      "12 s",
      "4 m",
      "3 h",
    ]);
  });
  it("say how long ago in a sentence", () => {
    const now = new Date(2026, 10, 15, 12).getTime();
    expect([1000, 240_000].map((age) => formatAgo(now - age, now))).toEqual(["just now", "4 m ago"]);
    expect(formatAgo(now - 2 * 86_400_000, now)).toMatch(/^on /u);
  });
  it("shorten paths inside the home folder only", () => {
    expect(shortPath("/home/ann/code", "/home/ann")).toBe("~/code");
    expect(shortPath("/home/annabel", "/home/ann")).toBe("/home/annabel");
    expect(shortPath("/x", "/")).toBe("/x");
  });
});
