import { describe, expect, it } from "vitest";
import { shownPath, splitPath } from "./paths.ts";

describe("shownPath", () => {
  it("is short inside the session's folder and whole elsewhere", () => {
    expect(shownPath("/code/app/src/a.ts", "/code/app")).toBe("src/a.ts");
    expect(shownPath("/code/app/src/a.ts", "/code/app/")).toBe("src/a.ts");
    expect(shownPath("/code/app", "/code/app")).toBe(".");
    expect(shownPath("/code/app2/a.ts", "/code/app")).toBe("/code/app2/a.ts");
    expect(shownPath("/etc/hosts", "/")).toBe("/etc/hosts");
    expect(shownPath("/etc/hosts", undefined)).toBe("/etc/hosts");
  });

  it("tells folder and name apart", () => {
    expect(splitPath("src/deep/a.ts")).toEqual({ folder: "src/deep/", name: "a.ts" });
    expect(splitPath("a.ts")).toEqual({ folder: "", name: "a.ts" });
  });
});
