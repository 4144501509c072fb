import { expect, it } from "vitest";
import { isGenerated } from "./changes.ts";

it("[Q5] knows files that programs write by their paths", () => {
  const paths = ["package-lock.json", "web/dist/a.js", "x.min.js", "a/__snapshots__/b.snap", "api_pb2.py"];
  expect(paths.every(isGenerated)).toBe(true);
  expect(["src/distance.ts", "lock.json", "distribution/a.ts"].some(isGenerated)).toBe(false);
});
