import fc from "fast-check";
import { expect, it } from "vitest";
import { fileRefOf, fileRefsIn } from "./file-refs.ts";

const refs = (text: string) =>
  fileRefsIn(text).map(({ path, line, from, to }) => [
    text.slice(from, to),
    path,
    ...(line === undefined ? [] : [line]),
  ]);

it("finds places in answers, hits and stack traces", () => {
  expect(refs("see src/tide.js:12:3, and README.md.")).toEqual([
    ["src/tide.js:12:3", "src/tide.js", 12],
    ["README.md", "README.md"],
  ]);
  expect(refs("    at high (/w/src/tide.ts:4:11)")).toEqual([["/w/src/tide.ts:4:11", "/w/src/tide.ts", 4]]);
  expect(refs('  File "/w/a b/tide.py", line 7, in x')).toEqual([['b/tide.py", line 7', "b/tide.py", 7]]);
  expect(refs("src/a.ts(3,5): error TS1")).toEqual([["src/a.ts(3,5)", "src/a.ts", 3]]);
  expect(refs("./x/y.css ../z.go ~/n.txt")).toEqual([
    ["./x/y.css", "./x/y.css"],
    ["../z.go", "../z.go"],
    ["~/n.txt", "~/n.txt"],
  ]);
});

it("takes no addresses, versions and words for files", () => {
  for (const text of [
    "https://example.com/a.js",
    "v1.2.beta",
    "example.com",
    "e.g. this",
    "a@b.com",
    "Array.prototype.map",
    "and/or",
  ])
    expect(refs(text), text).toEqual([]);
});

it("knows a text that is nothing but a place", () => {
  expect(fileRefOf("src/tide.js:12")).toMatchObject({ path: "src/tide.js", line: 12 });
  expect(fileRefOf("run src/tide.js")).toBeUndefined();
  expect(fileRefOf("npm test")).toBeUndefined();
});

it("finds only what the text says, whatever the text", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", "/", ".", "js", ":", "1", " ", "(", ")", "~", "\u202e") }),
      (text) => {
        let last = 0;
        for (const { path, from, to } of fileRefsIn(text)) {
          expect(from).toBeGreaterThanOrEqual(last);
          expect(text.slice(from, to).startsWith(path)).toBe(true);
          last = to;
        }
      },
    ),
  );
});
