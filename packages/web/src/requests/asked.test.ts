import { describe, expect, it } from "vitest";
import {
  isOwnSettings,
  parseRule,
  phraseFor,
  reasonsOf,
  suggestionsOf,
  toolTitle,
  updateOf,
  type Asked,
} from "./asked.ts";

const asked = (fields: Partial<Asked> = {}): Asked => ({
  subtype: "can_use_tool",
  tool_name: "Bash",
  tool_use_id: "toolu_1",
  input: { command: "touch made.txt && ls" },
  ...fields,
});

describe("what is offered to stop the asking", () => {
  const suggestions = suggestionsOf(
    asked({
      permission_suggestions: [
        {
          type: "addRules",
          rules: [{ toolName: "Bash", ruleContent: "touch made.txt" }],
          behavior: "allow",
          destination: "localSettings",
        },
        { type: "addDirectories", directories: ["/home/user/lab"], destination: "session" },
        { type: "setMode", mode: "acceptEdits", destination: "session" },
        { type: "somethingNew" },
      ],
    }),
  );

  it("is for the session first, whatever the CLI proposes, and leaves out what it does not know", () => {
    expect(suggestions.map(({ kind, text, destination }) => [kind, text, destination])).toEqual([
      ["rule", "Bash(touch made.txt)", "session"],
      ["directory", "/home/user/lab", "session"],
      ["mode", "acceptEdits", "session"],
    ]);
  });

  it("becomes the wire's own form again", () => {
    expect(suggestions.map(updateOf)).toEqual([
      {
        type: "addRules",
        rules: [{ toolName: "Bash", ruleContent: "touch made.txt" }],
        behavior: "allow",
        destination: "session",
      },
      { type: "addDirectories", directories: ["/home/user/lab"], destination: "session" },
      { type: "setMode", mode: "acceptEdits", destination: "session" },
    ]);
    expect(updateOf({ ...suggestions[0]!, text: "Bash(", destination: "userSettings" })).toBeUndefined();
  });

  it("is nothing where the CLI says so", () => {
    expect(
      suggestionsOf(
        asked({
          suppress_always_allow_rule: true,
          permission_suggestions: [{ type: "setMode", mode: "plan", destination: "session" }],
        }),
      ),
    ).toEqual([]);
  });
});

describe("rules", () => {
  it.each([
    ["Bash", { toolName: "Bash" }],
    ["Bash(npm test *)", { toolName: "Bash", ruleContent: "npm test *" }],
    ["mcp__github__*", { toolName: "mcp__github__*" }],
    [" Edit(/src/**) ", { toolName: "Edit", ruleContent: "/src/**" }],
    ["Bash(echo (a))", { toolName: "Bash", ruleContent: "echo (a)" }],
    ["Bash()", undefined],
    ["Bash(", undefined],
    ["", undefined],
    ["two words", undefined],
  ])("reads %j", (text, rule) => expect(parseRule(text)).toEqual(rule));
});

describe("who asks and why", () => {
  it("names server and tool, reasons without terminal colours, and the rule that asked", () => {
    expect(toolTitle(asked({ tool_name: "mcp__github__search_repositories" }))).toEqual({
      server: "github",
      tool: "Search Repositories",
    });
    expect(
      reasonsOf(
        asked({
          decision_reason: "\u001b[1moutside\u001b[22m the project",
          matched_ask_rule: { source: "projectSettings", tool_name: "Bash", rule_content: "rm *" },
        }),
      ),
    ).toEqual(["outside the project", "asked by the rule Bash(rm *) in .claude/settings.json"]);
  });

  it("knows when the CLI's own settings are to be changed", () => {
    expect(isOwnSettings(asked({ tool_name: "Edit", input: { file_path: "/p/.claude/settings.json" } }))).toBe(true);
    expect(isOwnSettings(asked({ tool_name: "Edit", input: { file_path: "/p/settings.json" } }))).toBe(false);
  });
});

describe("what must be typed", () => {
  const rule = (destination: "session" | "localSettings" | "projectSettings" | "userSettings") =>
    ({ id: destination, kind: "rule", text: "Bash", destination, behavior: "allow" }) as const;

  it("is the name of every file beyond this session that would be written, once", () => {
    expect(phraseFor([rule("session"), rule("localSettings")])).toBe("");
    expect(phraseFor([rule("projectSettings"), rule("projectSettings")])).toBe(".claude/settings.json");
    expect(phraseFor([rule("projectSettings"), rule("userSettings")])).toBe(
      ".claude/settings.json ~/.claude/settings.json",
    );
  });
});
