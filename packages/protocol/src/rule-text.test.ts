import { describe, expect, it } from "vitest";
import { parseRule, ruleText } from "./rule-text.ts";

describe("the text of a permission rule", () => {
  it.each([
    ["Bash", { toolName: "Bash" }],
    ["Bash(npm test *)", { toolName: "Bash", ruleContent: "npm test *" }],
    ["mcp__github__*", { toolName: "mcp__github__*" }],
    ["Bash(echo (a))", { toolName: "Bash", ruleContent: "echo (a)" }],
    ["Bash(one\ntwo)", { toolName: "Bash", ruleContent: "one\ntwo" }],
  ])("%j can be read and written", (text, rule) => {
    expect(parseRule(text)).toEqual(rule);
    expect(ruleText(rule)).toBe(text);
  });

  it("may have spaces around it", () =>
    expect(parseRule(" Edit(/src/**) ")).toEqual({ toolName: "Edit", ruleContent: "/src/**" }));

  it.each(["Bash()", "Bash(", "", "two words"])("%j is not a rule", (text) => expect(parseRule(text)).toBeUndefined());
});
