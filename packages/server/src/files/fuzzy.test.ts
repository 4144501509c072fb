import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { roundsOf } from "@quarterdeck/test-kit/how-much";
import { matchPath } from "./fuzzy.ts";

fc.configureGlobal({ seed: 20_261_115 });

const best = (query: string, paths: readonly string[]): string | undefined =>
  paths
    .flatMap((path) => {
      const match = matchPath(path, query);
      return match === undefined ? [] : [{ path, score: match.score }];
    })
    .toSorted((a, b) => b.score - a.score)[0]?.path;

describe("[Q2] a match", () => {
  it("marks the letters of the query in the path, in order", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), fc.string({ maxLength: 8 }), (path, query) => {
        const match = matchPath(path, query);
        // Skips letters whose lower case has another length. File names do not use them.
        fc.pre(path.toLowerCase().length === path.length && query.toLowerCase().length === query.length);
        const letters = match?.matches.map(([from, to]) => path.slice(from, to)).join("");
        if (match !== undefined) expect(letters?.toLowerCase()).toBe(query.toLowerCase());
        expect(match !== undefined).toBe(isSubsequence(query.toLowerCase(), path.toLowerCase()));
      }),
      { numRuns: roundsOf(2000) },
    );
  });

  it("prefers names to folders, beginnings to middles, and adjacent to scattered letters", () => {
    expect(best("main", ["main/other.ts", "src/main.ts", "src/domain.ts"])).toBe("src/main.ts");
    expect(best("list", ["src/session-list.ts", "src/realist.ts"])).toBe("src/session-list.ts");
    expect(best("feed", ["src/f/e/e/d.ts", "src/bridge/feed.ts"])).toBe("src/bridge/feed.ts");
    expect(best("sl", ["src/session-list.ts", "tools.ts"])).toBe("src/session-list.ts");
    expect(best("README.md", ["docs/README.md.bak", "README.md"])).toBe("README.md");
  });

  it("of repetitive strings is found without trying every place", () => {
    const path = "a".repeat(1_000_000);
    expect(matchPath(path, `${"a".repeat(499)}b`)).toBeUndefined();
    expect(matchPath(path, "a".repeat(500))?.matches).toEqual([[999_500, 1_000_000]]);
    expect(matchPath("ab".repeat(500_000), "ba".repeat(250))?.matches).toEqual([[999_499, 999_999]]);
  });
});

const isSubsequence = (letters: string, text: string): boolean => {
  let at = 0;
  for (const letter of letters.split("")) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
};
