import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { roundsOf } from "@quarterdeck/test-kit/how-much";
import { parseRule, parseRuleList, ruleText } from "./rule.ts";

describe("a rule", () => {
  it.each([
    ["Bash", { toolName: "Bash" }],
    ["Bash(npm test:*)", { toolName: "Bash", ruleContent: "npm test:*" }],
    ["Edit(.claude)", { toolName: "Edit", ruleContent: ".claude" }],
    ["Read(//etc/**)", { toolName: "Read", ruleContent: "//etc/**" }],
    ["WebFetch(domain:example.com)", { toolName: "WebFetch", ruleContent: "domain:example.com" }],
    ["mcp__my.server__do it", { toolName: "mcp__my.server__do it" }],
    ["mcp__server__*", { toolName: "mcp__server__*" }],
    [String.raw`Bash(echo \(a\) \\n)`, { toolName: "Bash", ruleContent: String.raw`echo (a) \n` }],
  ])("[R1] is read and written as it is: %s", (text, rule) => {
    expect(parseRule(text)).toEqual({ ok: true, rule });
    expect(ruleText(rule)).toBe(text);
  });

  it("[R1] may have parentheses that are not escaped; they are written escaped", () => {
    const parsed = parseRule('Bash(./tool "(a)")');
    expect(parsed).toEqual({ ok: true, rule: { toolName: "Bash", ruleContent: './tool "(a)"' } });
    expect(ruleText({ toolName: "Bash", ruleContent: './tool "(a)"' })).toBe(String.raw`Bash(./tool "\(a\)")`);
  });

  it("[R1] survives writing and reading, whatever its content", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("Bash", "Read", "Edit", "Skill"),
        fc.string({ minLength: 1, unit: "binary" }),
        (toolName, ruleContent) => {
          expect(parseRule(ruleText({ toolName, ruleContent }))).toEqual({ ok: true, rule: { toolName, ruleContent } });
        },
      ),
      { numRuns: roundsOf(2000) },
    );
  });

  it.each([
    ["", 0],
    ["   ", 0],
    [" Bash", 0],
    ["Bash(", 5],
    ["Bash()", 5],
    ["Bash(a", 6],
    ["Bash (a)", 4],
    ["Bash(a)x", 7],
    ["Bash(a) ", 7],
    ["two words", 3],
    ["(a)", 0],
    ["-x", 0],
    [String.raw`Bash(a\)`, 8],
  ])("[R2] that is bad says where: %j", (text, position) => {
    expect(parseRule(text)).toMatchObject({ ok: false, error: { position } });
  });

  it("[R2] never throws", () => {
    expect(parseRule("\uD800")).toMatchObject({ ok: false });
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const parsed = parseRule(text);
        if (!parsed.ok) expect(parsed.error.position).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: roundsOf(2000) },
    );
  });
});

describe("a list of rules", () => {
  it("[R3] is cut at commas and spaces outside parentheses", () => {
    expect(parseRuleList("Write, Bash(git log:*) Edit(a, b),mcp__x")).toEqual({
      ok: true,
      rules: [
        { toolName: "Write" },
        { toolName: "Bash", ruleContent: "git log:*" },
        { toolName: "Edit", ruleContent: "a, b" },
        { toolName: "mcp__x" },
      ],
    });
    expect(parseRuleList(" , ")).toEqual({ ok: true, rules: [] });
  });

  it("[R3] says where in the list a rule is bad", () => {
    expect(parseRuleList("Write Bash(")).toMatchObject({ ok: false, error: { position: 11 } });
  });
});
