import { describe, expect, it } from "vitest";
import type { Asked } from "./asked.ts";
import { reachWords, whyOf, type Tested } from "./why-words.ts";

const asked = (fields: Partial<Asked> = {}): Asked => ({
  subtype: "can_use_tool",
  tool_name: "Bash",
  tool_use_id: "toolu_1",
  input: { command: "git push --force" },
  ...fields,
});
const tested = (reason: Partial<Tested["reason"]>, fields: Partial<Tested> = {}): Tested => ({
  mode: "default",
  behavior: "ask",
  reason: { kind: "default", words: "No rule allows this.", warnings: [], change: [], ...reason },
  parts: [],
  rules: [],
  looked: { calls: 0 },
  ...fields,
});

describe("why it asks", () => {
  it("names the rule and where it is, and does not say it twice", () => {
    const rule = { rule: "Bash(git push --force:*)", scope: "projectSettings", line: 14, kind: "rule" } as const;
    expect(whyOf(asked(), tested(rule))).toEqual({
      own: [],
      rule: rule.rule,
      place: "this project, shared, line 14",
      warnings: [],
    });
    const matched = { source: "projectSettings", tool_name: "Bash", rule_content: "git push --force:*" };
    const twice = whyOf(asked({ matched_ask_rule: matched, decision_reason: "of a rule" }), tested(rule));
    expect(twice.own).toEqual(["of a rule"]);
  });

  it("names the mode if no rule decided", () => {
    expect(whyOf(asked(), tested({}, { mode: "plan" })).words).toBe("No rule allows this. The mode is “Plan only”.");
    expect(whyOf(asked(), tested({ kind: "outside", words: "The path is outside." })).words).toBe(
      "The path is outside.",
    );
  });

  it("does not repeat a reason of the CLI that the settings explain", () => {
    const approval = asked({ decision_reason: "This command requires approval" });
    expect(whyOf(approval, tested({})).own).toEqual([]);
    expect(whyOf(approval, undefined).own).toHaveLength(1);
    const outside = asked({ decision_reason: "Path is outside allowed working directories" });
    expect(whyOf(outside, tested({ kind: "outside", words: "The path is outside." })).own).toEqual([]);
    expect(whyOf(outside, tested({})).own).toHaveLength(1);
  });

  it("keeps only the CLI's own words if the settings predict something else, or nothing is known yet", () => {
    const own = asked({ decision_reason: "a hook asks" });
    expect(whyOf(own, tested({}, { behavior: "allow" }))).toEqual({ own: ["a hook asks"], warnings: [] });
    expect(whyOf(own, undefined)).toEqual({ own: ["a hook asks"], warnings: [] });
  });
});

describe("what a rule would have allowed", () => {
  it.each([
    [{ matched: 0, newly: 0 }, 0, "No earlier calls to compare with."],
    [{ matched: 0, newly: 0 }, 200, "Matches none of the last 200 calls."],
    [{ matched: 3, newly: 0 }, 200, "Matches 3 of the last 200 calls, all allowed anyway."],
    [{ matched: 3, newly: 2 }, 12, "Would also have allowed 2 of the last 12 calls"],
    [{ matched: 1, newly: 1 }, 1, "Would also have allowed 1 of the last 1 call"],
  ])("%j of %i", (reach, calls, words) => expect(reachWords(reach, calls)).toBe(words));
});
