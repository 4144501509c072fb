import { describe, expect, it } from "vitest";
import { NO_USE, rankMention, type FilesInUse } from "./rank-mentions.ts";

const order = (query: string, paths: readonly string[], use?: Partial<FilesInUse>): readonly string[] =>
  paths
    .flatMap((path) => {
      const match = rankMention(path, query, { ...NO_USE, ...use });
      return match === undefined ? [] : [{ path, ...match }];
    })
    .toSorted((a, b) => b.score - a.score)
    .map(({ path }) => path);

describe("[Q2] what @ offers", () => {
  it("puts the start of a name before its middle, and both before folders", () => {
    expect(
      order("ti", [".claude/settings.json", "src/settings.ts", "tides.mjs", "tide/a.js", "src/to-tide.js"]),
    ).toEqual(["tides.mjs", "src/to-tide.js", "src/settings.ts", ".claude/settings.json", "tide/a.js"]);
    expect(order("main", ["main/other.ts", "src/domain.ts", "src/main.ts"])[0]).toBe("src/main.ts");
    expect(order("sslt", ["tools.ts", "src/session-list.ts"])).toEqual(["src/session-list.ts"]);
  });

  it("puts open and recent files first among equal names", () => {
    const paths = ["a/index.ts", "b/index.ts", "c/index.ts", "d/index.ts"];
    const use = { open: new Set(["c/index.ts"]), recent: ["d/index.ts", "b/index.ts"] };
    expect(order("index", paths, use)).toEqual(["c/index.ts", "d/index.ts", "b/index.ts", "a/index.ts"]);
    expect(order("", ["x.ts", ...paths], use).slice(0, 3)).toEqual(["c/index.ts", "d/index.ts", "b/index.ts"]);
  });

  it("does not let use beat a better name", () => {
    const use = { open: new Set(["src/settings.ts"]), recent: ["src/settings.ts"] };
    expect(order("ti", ["src/settings.ts", "tides.mjs"], use)[0]).toBe("tides.mjs");
  });

  it("finds hidden files where they are named, and places by their path", () => {
    expect(order(".git", ["digits.ts", ".gitignore"])).toEqual([".gitignore"]);
    expect(order("src/ti", ["docs/src/title.md", "src/tides.mjs"])[0]).toBe("src/tides.mjs");
  });
});
