import { expect, it } from "vitest";
import { CodeLines, within } from "./painted-lines.ts";

it("knows where each line begins", () => {
  const { code, starts } = new CodeLines(["let a", "", "b"]);
  expect([code, [...starts]]).toEqual(["let a\n\nb", [0, 6, 7]]);
});

it("takes the stretches that a part shows, also those that begin above it", () => {
  const all = Uint32Array.from([0, 4, 1, 4, 9, 2, 12, 14, 3, 20, 22, 1]);
  expect([...within(all, 6, 13, 0)]).toEqual([4, 9, 2, 12, 14, 3]);
  expect([...within(all, 9, 12, 0)]).toEqual([]);
  expect([...within(all, 0, 2, 100)]).toEqual([100, 104, 1]);
});
