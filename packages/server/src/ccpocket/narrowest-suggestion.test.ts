import { describe, expect, it } from "vitest";
import { narrowestSuggestion } from "./narrowest-suggestion.ts";

const CWD = "/home/user/project";
const rules = (toolName: string, ...contents: readonly (string | undefined)[]) => ({
  type: "addRules" as const,
  rules: contents.map((ruleContent) => (ruleContent === undefined ? { toolName } : { toolName, ruleContent })),
  behavior: "allow" as const,
  destination: "localSettings" as const,
});
const always = (command: string, ...permission_suggestions: readonly object[]) =>
  narrowestSuggestion(
    {
      subtype: "can_use_tool",
      tool_name: "Bash",
      tool_use_id: "toolu_1",
      input: { command },
      permission_suggestions,
    } as never,
    CWD,
  );

describe("[Y2] always allow", () => {
  it("takes one rule for this session, not all that are suggested", () => {
    const exact = rules("Bash", "make check");
    const wide = rules("Bash", "make:*");
    for (const suggestions of [
      [exact, wide],
      [wide, exact, rules("Read", "//data/**")],
    ]) {
      expect(always("make check", ...suggestions)).toEqual({
        kind: "rule",
        update: { ...exact, destination: "session" },
      });
    }
  });

  it("takes every rule that a command of several parts needs", () => {
    const both = rules("Bash", "alpha *", "beta *");
    expect(always("alpha a && beta b", both)).toEqual({ kind: "rule", update: { ...both, destination: "session" } });
  });

  it.each([[[rules("Bash", undefined)]], [[rules("Bash", "*")]], [[rules("Bash", "alpha *", undefined)]]])(
    "takes none that would allow every command: %j",
    (suggestions) => {
      expect(always("make check", ...suggestions)).toEqual({ kind: "too-wide" });
    },
  );

  it("finds no rule in a suggestion of a mode, a folder, or a deny rule", () => {
    const others = [
      { type: "setMode", mode: "acceptEdits", destination: "session" },
      { type: "addDirectories", directories: ["/data"], destination: "session" },
      { ...rules("Bash", "make check"), behavior: "deny" },
      { ...rules("Bash", "make check"), rules: [] },
    ];
    expect(always("make check", ...others)).toEqual({ kind: "none" });
    expect(always("make check")).toEqual({ kind: "none" });
  });
});
