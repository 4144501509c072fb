import { expect, it } from "vitest";
import { nextCursor } from "./review-keys.ts";

const counts = new Map([
  ["a", 2],
  ["c", 1],
]);
const next = (cursor: Parameters<typeof nextCursor>[2], by: 1 | -1) =>
  nextCursor(["a", "b", "c"], (path) => counts.get(path), cursor, by);

it("goes from hunk to hunk, over folded files, and stays at the ends", () => {
  expect(next(undefined, 1)).toEqual({ path: "a", hunk: 0 });
  expect(next({ path: "a", hunk: 0 }, 1)).toEqual({ path: "a", hunk: 1 });
  expect(next({ path: "a", hunk: 1 }, 1)).toEqual({ path: "c", hunk: 0 });
  expect(next({ path: "c", hunk: 0 }, 1)).toBeUndefined();
  expect(next({ path: "c", hunk: 0 }, -1)).toEqual({ path: "a", hunk: 1 });
  expect(next(undefined, -1)).toEqual({ path: "c", hunk: 0 });
  expect(next({ path: "gone", hunk: 3 }, 1)).toEqual({ path: "a", hunk: 0 });
});
