// A part of the lines of `npm run conformance -- shell`, with the same seed each time.
import { expect, it } from "vitest";
import { compareWithBash } from "./compare.ts";

it("[E72] the matcher sees every program that bash starts, or says that it does not understand the line", () => {
  const { missed, understood, started } = compareWithBash(150, 7);
  expect(missed).toEqual([]);
  // A matcher that understands nothing, or a trace that sees nothing, would pass the line above.
  expect(started).toBeGreaterThan(150);
  expect(understood).toBeGreaterThan(50);
});
