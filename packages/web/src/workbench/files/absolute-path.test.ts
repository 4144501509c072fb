import { expect, it } from "vitest";
import { absolutePath } from "./absolute-path.ts";

it("takes a path from the session's folder", () => {
  expect(absolutePath("src/a.ts", "/w/app")).toBe("/w/app/src/a.ts");
  expect(absolutePath("./src/../b.ts", "/w/app/")).toBe("/w/app/b.ts");
  expect(absolutePath("../c.ts", "/w/app")).toBe("/w/c.ts");
  expect(absolutePath("/etc/hosts", "/w/app")).toBe("/etc/hosts");
  expect(absolutePath("a.ts", undefined)).toBe("a.ts");
});
