import { describe, expect, it } from "vitest";
import {
  besidePlan,
  claimOf,
  forSession,
  ownSettingsRule,
  phraseFor,
  reasonsOf,
  suggestionsOf,
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

  it("is for the session first, whatever the CLI proposes, and leaves out what it does not know (S21)", () => {
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

describe("why it is asked", () => {
  it("gives reasons without terminal colors, and the rule that asked", () => {
    expect(
      reasonsOf(
        asked({
          decision_reason: "\u001b[1moutside\u001b[22m the project",
          matched_ask_rule: { source: "projectSettings", tool_name: "Bash", rule_content: "rm *" },
        }),
      ),
    ).toEqual(["outside the project", "asked by rule Bash(rm *) in .claude/settings.json"]);
  });
});

describe("the CLI's own settings", () => {
  const edit = (path: string): Asked =>
    asked({
      tool_name: "Edit",
      input: { file_path: path },
      permission_suggestions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
    });

  it.each([
    ["/p/.claude/settings.json", "Edit(/.claude/**)"],
    ["/p/.claude/commands/sail.md", "Edit(/.claude/**)"],
    ["/home/ada/.claude/settings.json", "Edit(~/.claude/**)"],
    ["C:\\Users\\ada\\.claude\\settings.json", "Edit(~/.claude/**)"],
    ["/p/settings.json", undefined],
    ["/other/.claude/settings.json", undefined],
  ])("in %s are changed under the rule %s", (path, rule) => expect(ownSettingsRule(edit(path), "/p")).toBe(rule));

  it("have their rule offered first, where the CLI offers none", () => {
    expect(suggestionsOf(edit("/p/.claude/settings.json"), "/p").map(({ text }) => text)).toEqual([
      "Edit(/.claude/**)",
      "acceptEdits",
    ]);
    expect(suggestionsOf(edit("/p/a.ts"), "/p").map(({ text }) => text)).toEqual(["acceptEdits"]);
    expect(suggestionsOf({ ...edit("/p/.claude/a"), suppress_always_allow_rule: true }, "/p")).toEqual([]);
  });
});

describe("for this session", () => {
  const one = (kind: "directory" | "mode" | "rule", text: string) =>
    ({ id: text, kind, text, destination: "localSettings", behavior: "allow" }) as const;

  it("adds every rule of a command of several, and nothing else", () => {
    expect(forSession([one("mode", "plan"), one("rule", "Bash(a)"), one("rule", "Bash(b)")])).toEqual([
      { ...one("rule", "Bash(a)"), destination: "session" },
      { ...one("rule", "Bash(b)"), destination: "session" },
    ]);
    expect(forSession([one("mode", "plan")])).toEqual([{ ...one("mode", "plan"), destination: "session" }]);
    expect(forSession([])).toEqual([]);
  });

  it("adds a mode together with its folders", () => {
    const session = { destination: "session" } as const;
    expect(forSession([one("directory", "/dock"), one("mode", "acceptEdits")])).toEqual([
      { ...one("mode", "acceptEdits"), ...session },
      { ...one("directory", "/dock"), ...session },
    ]);
    expect(forSession([one("directory", "/dock")])).toEqual([{ ...one("directory", "/dock"), ...session }]);
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

  it("is the name of a mode in which the CLI asks nobody, as the policy wants it", () => {
    const mode = (text: string) => ({ ...rule("session"), kind: "mode", text }) as const;
    expect([phraseFor([mode("acceptEdits")]), phraseFor([mode("auto")])]).toEqual(["", "auto"]);
  });
});

describe("a plan", () => {
  it("[S60] names what it asks for beside its text", () => {
    const allowedPrompts = [{ tool: "Bash", prompt: "run anything" }];
    expect(besidePlan({ plan: "1. Ring.", planFilePath: "/p.md", allowedPrompts })).toEqual([
      ["allowedPrompts", allowedPrompts],
    ]);
    expect(besidePlan({ plan: { hidden: true } })).toEqual([["plan", { hidden: true }]]);
  });
});

describe("what the model says about a request", () => {
  it("[S60] is a claim only where a description is not part of what is done", () => {
    expect(claimOf("Bash", { command: "ls", description: "Lists" })).toBe("Lists");
    expect(claimOf("mcp__tracker__create", { description: "Closes all issues" })).toBeUndefined();
    expect(claimOf("Bash", { command: "ls", description: { run: "rm" } })).toBeUndefined();
    expect(claimOf("Bash", { command: "ls", description: "" })).toBeUndefined();
  });
});
