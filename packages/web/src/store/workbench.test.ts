import { expect, it } from "vitest";
import { decodeBench } from "./workbench.ts";

it("is closed until a person opens it, and takes no width that would hide it", () => {
  const first = { open: false, tab: "changes", width: 640 };
  expect(decodeBench(undefined)).toEqual(first);
  expect(decodeBench({ open: "yes", tab: 3, width: 12 })).toEqual(first);
  expect(decodeBench({ width: Number.NaN })).toEqual(first);
  expect(decodeBench({ open: true, tab: "files", width: 512.4 })).toEqual({ open: true, tab: "files", width: 512 });
});
