import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { roundsOf } from "@quarterdeck/test-kit/how-much";
import { check } from "./check.ts";
import { applyUpdate, applyUpdateToSettings, contextOf } from "./context.ts";
import { MODES, MODE_NAMES, modeOf } from "./modes.ts";
import { problemsOf } from "./problems.ts";
import { SCOPES, SCOPE_NAMES } from "./scopes.ts";
import { rulesOfSettings, settingsWith } from "./settings-text.ts";
import type { SettingsSource, Update } from "./types.ts";

const bash = (content?: string) => ({ toolName: "Bash", ...(content !== undefined && { ruleContent: content }) });
const base = { cwd: "/p", home: "/h" };

describe("an update", () => {
  const settings: SettingsSource[] = [
    {
      scope: "localSettings",
      path: "/p/.claude/settings.local.json",
      value: { model: "x", permissions: { allow: ["Bash(a:*)"], deny: ["Bash(a:*)"], other: 1 } },
    },
  ];
  const after = (update: Update) => applyUpdateToSettings(settings, update)[0]?.value;

  it("[S1] removes by behavior and keeps the rest", () => {
    expect(
      after({ type: "removeRules", rules: [bash("a:*")], behavior: "allow", destination: "localSettings" }),
    ).toEqual({
      model: "x",
      permissions: { allow: [], deny: ["Bash(a:*)"], other: 1 },
    });
  });

  it("[S1] adds once, replaces, sets the mode and changes directories", () => {
    const allow = { behavior: "allow", destination: "localSettings" } as const;
    expect(after({ type: "addRules", rules: [bash("a:*"), bash("b")], ...allow })).toMatchObject({
      permissions: { allow: ["Bash(a:*)", "Bash(b)"] },
    });
    expect(after({ type: "replaceRules", rules: [bash()], ...allow })).toMatchObject({
      permissions: { allow: ["Bash"], deny: ["Bash(a:*)"] },
    });
    expect(after({ type: "setMode", mode: "plan", destination: "localSettings" })).toMatchObject({
      permissions: { defaultMode: "plan" },
    });
    expect(after({ type: "addDirectories", directories: ["/x"], destination: "localSettings" })).toMatchObject({
      permissions: { additionalDirectories: ["/x"] },
    });
  });

  it("[S1] of a context changes the next check, and nothing in the old context", () => {
    const context = contextOf({ ...base, settings: [] });
    const call = { tool: "Bash", input: { command: "tool a" } };
    const added = applyUpdate(context, {
      type: "addRules",
      rules: [bash("tool:*")],
      behavior: "allow",
      destination: "session",
    });
    expect(check(context, call).behavior).toBe("ask");
    expect(check(added, call)).toMatchObject({ behavior: "allow", reason: { scope: "session" } });
    const removed = applyUpdate(added, {
      type: "removeRules",
      rules: [bash("tool:*")],
      behavior: "allow",
      destination: "session",
    });
    expect(check(removed, call).behavior).toBe("ask");
    expect(applyUpdate(context, { type: "setMode", mode: "acceptEdits", destination: "session" }).mode).toBe(
      "acceptEdits",
    );
  });

  it("[S1] takes a directory away again", () => {
    const call = { tool: "Read", input: { file_path: "/x/y" } };
    const context = applyUpdate(contextOf({ ...base, settings: [] }), {
      type: "addDirectories",
      directories: ["/x"],
      destination: "session",
    });
    expect(check(context, call).behavior).toBe("allow");
    const without = applyUpdate(context, { type: "removeDirectories", directories: ["/x"], destination: "session" });
    expect(check(without, call).behavior).toBe("ask");
  });
});

describe("a settings text", () => {
  const text =
    '{\r\n    "model": "x",\r\n    "permissions": {\r\n        "allow": ["Bash(a)", 7,\r\n            "Bash(b)"],\r\n        "later": { "z": 1, "a": [ ] }\r\n    },\r\n    "hooks": {}\r\n}\r\n';

  it("[S3] has rules with lines", () => {
    expect(rulesOfSettings(text)).toEqual({
      ok: true,
      rules: [
        { text: "Bash(a)", behavior: "allow", index: 0, line: 4 },
        { text: "Bash(b)", behavior: "allow", index: 2, line: 5 },
      ],
    });
  });

  it("[S2] keeps everything else as it is written", () => {
    const changed = settingsWith(text, {
      type: "addRules",
      rules: [bash("c")],
      behavior: "deny",
      destination: "localSettings",
    });
    expect(changed).toMatchObject({ ok: true });
    const now = changed.ok ? changed.text : "";
    expect(now).toContain('"later": { "z": 1, "a": [ ] }');
    expect(now.replaceAll("\r\n", "")).not.toContain("\n");
    expect(JSON.parse(now)).toEqual({
      ...(JSON.parse(text) as object),
      permissions: { ...(JSON.parse(text) as { permissions: object }).permissions, deny: ["Bash(c)"] },
    });
  });

  it("[S2] is edited in place, and an entry that is not text stays", () => {
    const changed = settingsWith(text, { type: "editRule", behavior: "allow", from: "Bash(b)", to: "Bash(b:*)" });
    expect(changed.ok && (JSON.parse(changed.text) as { permissions: unknown }).permissions).toMatchObject({
      allow: ["Bash(a)", 7, "Bash(b:*)"],
    });
  });

  it.each(["", "{}", "  \n", '{"permissions":{}}', '{\n\t"a": 1\n}\n'])("[S2] is made from %j", (before) => {
    const changed = settingsWith(before, {
      type: "addRules",
      rules: [bash("x")],
      behavior: "allow",
      destination: "localSettings",
    });
    expect(changed.ok && rulesOfSettings(changed.text)).toMatchObject({ ok: true, rules: [{ text: "Bash(x)" }] });
  });

  it.each([
    ["// x\n{}", 1],
    ['{\n "a": 1,\n}', 3],
    ["{\n'a': 1}", 2],
    ["[1]", 1],
    ['{"permissions": []}', 1],
    ['{"permissions": {\n"allow": {}}}', 2],
  ])("[S3] is refused with a line: %j", (before, line) => {
    const update: Update = { type: "addRules", rules: [bash("x")], behavior: "allow", destination: "localSettings" };
    expect(settingsWith(before, update)).toMatchObject({ ok: false, error: { line } });
  });

  it("[S3] is read exactly where JSON.parse reads it", () => {
    expect(rulesOfSettings("01").ok).toBe(false);
    const isJson = (candidate: string): boolean => {
      try {
        JSON.parse(candidate);
        return true;
      } catch {
        return false;
      }
    };
    const pieces = [
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"a"',
      '"permissions"',
      '"allow"',
      "1",
      "-0",
      "01",
      "1e5",
      "true",
      "nul",
      " ",
      "\n",
      '"\\u00e9"',
      '"\\x"',
      "\u0001",
    ];
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join("")),
        ),
        (candidate) => {
          if (candidate.trim() !== "") expect(rulesOfSettings(candidate).ok).toBe(isJson(candidate));
        },
      ),
      { numRuns: roundsOf(3000) },
    );
  });
});

describe("problems", () => {
  const of = (permissions: unknown, more: object = {}) =>
    problemsOf([{ scope: "userSettings", path: "/h/.claude/settings.json", value: { permissions, ...more } }]).map(
      ({ kind, rule, instead }) => ({ kind, rule, instead }),
    );

  it.each([
    [{ deny: ["Write(secret.env)"] }, "matches-nothing", "Edit(secret.env)"],
    [{ deny: ["Read(/home/ada/x)"] }, "single-slash", "Read(//home/ada/x)"],
    [{ allow: ["bash(ls)"] }, "wrong-case", "Bash(ls)"],
    [{ allow: ["Bash (ls)"] }, "bad-rule", undefined],
    [{ allow: ["Edit(.)"] }, "matches-nothing", "Edit(./**)"],
    [{ deny: ["Read(*.{a,b})"] }, "matches-nothing", undefined],
    [{ allow: [42] }, "bad-rule", undefined],
    [{ allow: ["mcp__x__y(a)"] }, "bad-rule", "mcp__x__y"],
    [{ allow: ["Bash(a:* b)"] }, "bad-rule", undefined],
    [{ allow: ["Bash(x)"], deny: ["Bash"] }, "shadowed", undefined],
  ])("[S4] %j: %s", (permissions, kind, instead) => {
    expect(of(permissions)).toEqual([expect.objectContaining({ kind, ...(instead !== undefined && { instead }) })]);
  });

  it.each([
    [{ allow: ["Bash(a)"] }, { cleanupPeriodDays: "soon" }],
    [{ allow: null }, {}],
    [["Bash(a)"], {}],
    [{ defaultMode: "yolo" }, {}],
  ])("[S4] a file is not in effect: %j %j", (permissions, more) => {
    expect(of(permissions, more)).toMatchObject([{ kind: "not-in-effect" }]);
  });

  it("[S4] a text that is not JSON has no effect, and neither have its rules", () => {
    const settings: SettingsSource[] = [{ scope: "userSettings", value: '// no\n{"permissions":{"allow":["Bash"]}}' }];
    expect(problemsOf(settings)).toMatchObject([{ kind: "not-in-effect" }]);
    expect(contextOf({ ...base, settings }).rules).toEqual([]);
  });

  it.each([
    ["Bash(rm:*)", "Bash(rm *)"],
    ["Bash(git push origin main)", "Bash(git push:*)"],
    ["Bash(npm run *)", "Bash(npm:*)"],
    ["mcp__desk__read", "mcp__desk"],
    ["mcp__desk__read", "mcp__desk__*"],
  ])("[S4] allow %s has no effect under deny %s", (weak, strong) => {
    const found = (permissions: Readonly<Record<string, readonly string[]>>) =>
      problemsOf([{ scope: "userSettings", value: { permissions } }]);
    expect(found({ allow: [weak], deny: [strong] })).toMatchObject([{ kind: "shadowed", rule: weak }]);
    expect(found({ ask: [weak], deny: [strong] })[0]?.words).toContain(`${strong} (deny, All your projects)`);
    // The wider rule keeps what the narrow one does not cover.
    if (weak !== "Bash(rm:*)") expect(found({ allow: [strong], deny: [weak] })).toEqual([]);
  });

  it("[S4] the same rule in a wider scope adds nothing", () => {
    const value = { permissions: { allow: ["Bash(npm test:*)"] } };
    const found = problemsOf([
      { scope: "userSettings", value },
      { scope: "localSettings", value, text: JSON.stringify(value, null, 2) },
    ]);
    expect(found).toMatchObject([
      {
        kind: "shadowed",
        scope: "userSettings",
        words: "The same rule stands in: This project, only you, line 4.",
      },
    ]);
  });

  it("[S4] a default mode that asks nobody is told, with its line", () => {
    const text = '{\n  "permissions": {\n    "defaultMode": "bypassPermissions"\n  }\n}';
    const found = problemsOf([{ scope: "localSettings", path: "/p/x.json", text, value: JSON.parse(text) as unknown }]);
    expect(found).toMatchObject([{ kind: "risky-mode", scope: "localSettings", path: "/p/x.json", line: 3 }]);
    expect(found[0]?.words).toContain("“Allow everything” asks nobody");
    expect(of({ defaultMode: "acceptEdits" })).toEqual([]);
  });

  it("[S4] good rules have none", () => {
    expect(
      of({
        allow: ["Bash(npm test:*)", "Read(~/x/**)", "mcp__x", "WebFetch(domain:a.b)"],
        deny: ["Edit(.env)"],
        ask: ["Bash(git push:*)"],
      }),
    ).toEqual([]);
  });
});

describe("the tables", () => {
  it("[S6] name each scope and mode once, in words", () => {
    expect(SCOPE_NAMES.length).toBe(8);
    expect(new Set(SCOPE_NAMES.map((scope) => SCOPES[scope].precedence)).size).toBe(8);
    for (const scope of SCOPE_NAMES)
      expect(SCOPES[scope]).toMatchObject({ scope, name: expect.stringMatching(/^[A-Z]/u) as unknown });
    for (const mode of MODE_NAMES)
      expect(MODES[mode]).toMatchObject({ mode, allows: expect.stringMatching(/\.$/u) as unknown });
    expect([modeOf("plan"), modeOf("yolo"), modeOf(7), modeOf("toString")]).toEqual([
      "plan",
      undefined,
      undefined,
      undefined,
    ]);
  });

  it.each(MODE_NAMES.filter((mode) => mode !== "delegate"))(
    "[S6] the safe tools of %s are those that it lets run",
    (mode) => {
      const context = contextOf({ ...base, mode, settings: [] });
      const inside = { file_path: "a.txt", notebook_path: "a.ipynb", path: ".", pattern: "*", subagent_type: "x" };
      const { safeTools } = MODES[mode];
      const tools = [
        ...(MODES.auto.safeTools as readonly string[]),
        "Bash",
        "WebSearch",
        "AskUserQuestion",
        "ExitPlanMode",
        "mcp__a__b",
      ];
      for (const tool of tools) {
        const input = tool === "Bash" ? { command: "make" } : inside;
        const isSafe = safeTools === "all" ? !/^(?:Ask|Exit)/u.test(tool) : safeTools.includes(tool);
        expect([tool, check(context, { tool, input }).behavior === "allow"]).toEqual([tool, isSafe]);
      }
    },
  );
});
