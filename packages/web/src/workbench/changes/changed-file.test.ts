import { expect, it } from "vitest";
import { matchesFilter, treeRows, type ChangedFile } from "./changed-file.ts";

const file = (shown: string): ChangedFile => ({
  ...{ path: `/w/${shown}`, shown, status: "modified", added: 1, removed: 0, binary: false, notes: [], stamp: "1" },
});
const drawn = (paths: readonly string[]): string[] =>
  treeRows(paths.map(file)).map((row) => `${"  ".repeat(row.depth)}${row.name}${row.kind === "folder" ? "/" : ""}`);

it("draws folders once, joins folders with one folder only, and puts files last", () => {
  expect(drawn(["z.md", "src/web/a.ts", "src/web/b.ts", "docs/x.md", "src/web/parts/c.ts"])).toEqual([
    "docs/",
    "  x.md",
    "src/web/",
    "  parts/",
    "    c.ts",
    "  a.ts",
    "  b.ts",
    "z.md",
  ]);
  expect(drawn(["a/b/c/d.ts"])).toEqual(["a/b/c/", "  d.ts"]);
  expect(drawn(["a/b.ts", "a/c/d.ts", "a/c/e/f.ts"])).toEqual([
    "a/",
    "  c/",
    "    e/",
    "      f.ts",
    "    d.ts",
    "  b.ts",
  ]);
});

it("filters by every word", () => {
  expect(matchesFilter(file("src/Web/tide.ts"), "web TIDE")).toBe(true);
  expect(matchesFilter(file("src/web/tide.ts"), "moon")).toBe(false);
});
