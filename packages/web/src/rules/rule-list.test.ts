import { describe, expect, it } from "vitest";
import {
  fileName,
  ruleGroupsOf,
  isFlagged,
  NO_FILTER,
  toolOf,
  toolsOf,
  type ListedRule,
  type Rules,
} from "./rule-list.ts";

const rule = (scope: ListedRule["scope"], text: string, fields: Partial<ListedRule> = {}): ListedRule => ({
  scope,
  behavior: "allow",
  rule: text,
  path: PATHS[scope],
  matched: 0,
  problems: [],
  ...fields,
});
const PATHS: Readonly<Record<string, string>> = {
  localSettings: "/code/web/.claude/settings.local.json",
  projectSettings: "/code/web/.claude/settings.json",
  userSettings: "/home/me/.claude/settings.json",
  policySettings: "/etc/claude-code/managed-settings.json",
};
const risky = rule("userSettings", "Bash(python3:*)", {
  risk: { level: "high", words: "an interpreter can run anything" },
});
const found: Rules = {
  folder: "/code/web",
  mode: "default",
  trust: "trusted",
  files: Object.entries(PATHS).map(([scope, path]) => ({ scope: scope as ListedRule["scope"], path, exists: true })),
  rules: [
    rule("session", "Bash(npx playwright test:*)"),
    risky,
    rule("localSettings", "Bash(npm test:*)"),
    rule("projectSettings", "WebFetch(domain:paste.example)", { behavior: "deny" }),
    rule("projectSettings", "mcp__github__search", { behavior: "ask" }),
    rule("policySettings", "Read(./.env*)", { behavior: "deny" }),
  ],
  problems: [],
  looked: { calls: 0 },
};
const shown = (filter: Partial<typeof NO_FILTER>): string[][] =>
  ruleGroupsOf(found, { ...NO_FILTER, ...filter }).map((group) => [
    group.scope,
    ...group.rules.map((each) => each.rule),
  ]);

describe("the list of rules", () => {
  it("is grouped by file, the organization first and the session last", () => {
    expect(shown({})).toEqual([
      ["policySettings", "Read(./.env*)"],
      ["localSettings", "Bash(npm test:*)"],
      ["projectSettings", "WebFetch(domain:paste.example)", "mcp__github__search"],
      ["userSettings", "Bash(python3:*)"],
      ["session", "Bash(npx playwright test:*)"],
    ]);
    expect(ruleGroupsOf(found, NO_FILTER).map(({ canWrite }) => canWrite)).toEqual([false, true, true, true, false]);
  });

  it("is filtered by effect, text, scope, tool and what is flagged", () => {
    expect(shown({ kind: "deny" }).map(([scope]) => scope)).toEqual(["policySettings", "projectSettings"]);
    expect(shown({ kind: "flagged" })).toEqual([["userSettings", "Bash(python3:*)"]]);
    expect(shown({ text: "paste DENY" })).toEqual([["projectSettings", "WebFetch(domain:paste.example)"]]);
    expect(shown({ text: "interpreter" })).toEqual([["userSettings", "Bash(python3:*)"]]);
    expect(shown({ text: "settings.local" })).toEqual([["localSettings", "Bash(npm test:*)"]]);
    expect(shown({ scope: "session" })).toEqual([["session", "Bash(npx playwright test:*)"]]);
    expect(shown({ tool: "MCP" })).toEqual([["projectSettings", "mcp__github__search"]]);
    expect(shown({ text: "nothing has this" })).toEqual([]);
  });

  it("shows a file without rules if something is wrong with it, unless a filter hides it", () => {
    const broken: Rules = {
      ...found,
      rules: [],
      files: [{ scope: "projectSettings", path: PATHS["projectSettings"]!, exists: true, problem: "Not JSON." }],
      problems: [
        { kind: "not-in-effect", words: "Not in effect.", scope: "projectSettings", path: PATHS["projectSettings"] },
      ],
    };
    expect(ruleGroupsOf(broken, NO_FILTER)).toMatchObject([{ problems: ["Not JSON.", "Not in effect."], rules: [] }]);
    expect(ruleGroupsOf(broken, { ...NO_FILTER, text: "x" })).toEqual([]);
  });
});

describe("a rule", () => {
  it("is flagged if it is risky or does not do what it seems to do", () => {
    expect(found.rules.filter(isFlagged)).toEqual([risky]);
    const problems = [{ kind: "shadowed", words: "Shadowed." }];
    expect(isFlagged(rule("session", "Bash(ls)", { problems }))).toBe(true);
  });

  it("belongs to a tool, even if it is not a valid rule", () => {
    expect(toolsOf(found)).toEqual(["Bash", "MCP", "Read", "WebFetch"]);
    expect(toolOf("Bash(")).toBe("Bash");
  });

  it("is in a file that a person knows", () => {
    expect(fileName(PATHS["localSettings"]!, "/code/web", "/home/me")).toBe(".claude/settings.local.json");
    expect(fileName(PATHS["userSettings"]!, "/code/web", "/home/me")).toBe("~/.claude/settings.json");
    expect(fileName("/home/menu/x", "/code/web", "/home/me")).toBe("/home/menu/x");
  });
});
