import { describe, expect, it } from "vitest";
import { placeWords } from "../words/scopes.ts";
import { callOf, TEST_TOOLS } from "./verdict.ts";

const tool = (name: string) => TEST_TOOLS.find((each) => each.tool === name)!;

describe("a call to test", () => {
  it("is made of what a person types", () => {
    expect(callOf(tool("Bash"), " npm test ", "/code")).toEqual({ tool: "Bash", input: { command: "npm test" } });
    expect(callOf(tool("Read"), "src/a.ts", "/code")?.input).toEqual({ file_path: "/code/src/a.ts" });
    expect(callOf(tool("Read"), "/etc/hosts", "/code")?.input).toEqual({ file_path: "/etc/hosts" });
    expect(callOf(tool("Edit"), "a.ts", "/code")?.input).toMatchObject({ file_path: "/code/a.ts", new_string: "b" });
    expect(callOf(tool("MCP"), "mcp__github__search", "/code")).toEqual({ tool: "mcp__github__search", input: {} });
  });

  it("is nothing while nothing is typed", () => expect(callOf(tool("Bash"), "  ", "/code")).toBeUndefined());
});

describe("the place of a rule", () => {
  it("is its scope in words, and its line", () => {
    expect(placeWords({ scope: "projectSettings", line: 8 })).toBe("this project, shared, line 8");
    expect(placeWords({ scope: "userSettings" })).toBe("all your projects");
    expect(placeWords({})).toBe("");
  });
});
