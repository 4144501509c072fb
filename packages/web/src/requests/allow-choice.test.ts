import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import type { Asked, AllowSuggestion } from "./asked.ts";
import { askRuleOf, allowChoicesOf } from "./allow-choice.ts";
import { MarkedText, type Marks } from "./marked-text.tsx";

const suggestion = (kind: AllowSuggestion["kind"], text: string): AllowSuggestion => ({
  id: text,
  kind,
  text,
  destination: "session",
  behavior: "allow",
});
const told = (suggestions: readonly AllowSuggestion[], to?: "localSettings") =>
  allowChoicesOf(suggestions, to).map(({ id, button, updates }) => [
    id,
    button,
    ...updates.map(({ text, destination }) => `${text} ${destination}`),
  ]);

describe("the ways to allow", () => {
  it("are once, the session and always, with each rule of the request", () => {
    const rules = [suggestion("rule", "Bash(a)"), suggestion("rule", "Bash(b)")];
    expect(told(rules, "localSettings")).toEqual([
      ["once", "Allow"],
      ["session", "Allow for this session", "Bash(a) session", "Bash(b) session"],
      ["always", "Allow always", "Bash(a) localSettings", "Bash(b) localSettings"],
    ]);
    expect(allowChoicesOf(rules, "localSettings")[2]!.about).toBe("adds 2 rules to .claude/settings.local.json");
  });

  it("have no always where this device may write no file", () =>
    expect(told([suggestion("rule", "Bash(a)")]).map(([id]) => id)).toEqual(["once", "session"]));

  it("have no always for the CLI's own settings, where a rule in a file does nothing", () => {
    const own = { ...suggestion("rule", "Edit(/.claude/**)"), id: "own/Edit(/.claude/**)" };
    expect(told([own, suggestion("mode", "acceptEdits")], "localSettings").map(([id]) => id)).toEqual([
      ...["once", "session", "mode"],
    ]);
  });

  it("name the mode once, with its folders", () => {
    expect(told([suggestion("mode", "acceptEdits"), suggestion("directory", "/d")], "localSettings")).toEqual([
      ["once", "Allow"],
      ["mode", "Allow all edits", "acceptEdits session", "/d session"],
    ]);
    expect(told([suggestion("rule", "Bash(a)"), suggestion("mode", "plan")])).toEqual([
      ["once", "Allow"],
      ["session", "Allow for this session", "Bash(a) session"],
      ["mode", "Allow and switch to “Plan only”", "plan session"],
    ]);
  });

  it("know the ask rule that comes before every allow rule", () => {
    const asked = { subtype: "can_use_tool", tool_name: "Bash", input: {} } as Asked;
    expect(askRuleOf(asked, undefined)).toBeUndefined();
    expect(askRuleOf({ ...asked, matched_ask_rule: { rule_content: "git push *" } }, undefined)).toBe(
      "Bash(git push *)",
    );
  });
});

describe("marked text", () => {
  const drawn = (text: string, marks: Marks): string =>
    renderToStaticMarkup(createElement(MarkedText, { text, marks, as: "em" }))
      .replaceAll(/ class="ask-marked"/gu, "")
      .replace(/^<bdi[^>]*>|<\/bdi>$/gu, "");

  it("is drawn whole, and spaces before a mark are not taken for the end of a line", () => {
    expect(drawn("git push --force x", [[9, 16]])).toBe("git push <em>--force</em> x");
    expect(drawn("rm -rf x", [[0, 6]])).toBe("<em>rm -rf</em> x");
    // Marks that overlap, or reach beyond the text.
    expect(
      drawn("abcd", [
        [1, 3],
        [2, 99],
      ]),
    ).toBe("a<em>b</em><em>c</em><em>d</em>");
    expect(drawn("", [])).toBe("");
  });

  it("names hidden characters inside and outside of a mark", () => {
    const text = drawn("a\u200Bb rm\u202E", [[4, 7]]);
    expect(text).toContain("U+200B");
    expect(text).toMatch(/<em>rm<\/em><em><mark[^>]*>U\+202E<\/mark><\/em>$/u);
  });
});
