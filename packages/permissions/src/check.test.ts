import { describe, expect, it } from "vitest";
import { check } from "./check.ts";
import { contextOf } from "./context.ts";
import { followingLinks } from "./paths.ts";
import type { ContextInput, SettingsSource, ToolCall } from "./types.ts";

const CWD = "/home/ada/proj";
const made = (input: Partial<ContextInput> = {}) => contextOf({ cwd: CWD, home: "/home/ada", settings: [], ...input });
const source = (scope: SettingsSource["scope"], permissions: unknown): SettingsSource => ({
  scope,
  value: { permissions },
});
const bash = (command: string): ToolCall => ({ tool: "Bash", input: { command } });
const write = (file_path: string): ToolCall => ({ tool: "Write", input: { file_path, content: "" } });

describe("the order of rules", () => {
  it.each([
    ["userSettings", "deny", "localSettings", "allow", "deny"],
    ["localSettings", "deny", "userSettings", "allow", "deny"],
    ["userSettings", "ask", "cliArg", "allow", "ask"],
    ["policySettings", "ask", "session", "deny", "deny"],
  ] as const)("[C1] %s %s and %s %s: %s", (first, behavior, second, other, expected) => {
    const settings = [source(first, { [behavior]: ["Bash(tool:*)"] }), source(second, { [other]: ["Bash(tool a)"] })];
    expect(check(made({ settings }), bash("tool a")).behavior).toBe(expected);
  });

  it("[C1] holds for a read-only command too", () => {
    expect(check(made({ settings: [source("userSettings", { ask: ["Bash(ls:*)"] })] }), bash("ls")).behavior).toBe(
      "ask",
    );
  });

  it("[C1] lets an ask rule hold against bypass since 2.1.200", () => {
    const settings = [source("userSettings", { ask: ["Bash(tool:*)"] })];
    const of = (cliVersion: string) =>
      check(made({ settings, mode: "bypassPermissions", cliVersion }), bash("tool")).behavior;
    expect([of("2.1.38"), of("2.1.199"), of("2.1.200"), of("2.1.400")]).toEqual(["allow", "allow", "ask", "ask"]);
  });
});

describe("paths", () => {
  const realpath = (path: string): string | undefined =>
    path.startsWith(`${CWD}/link`) ? path.replace(`${CWD}/link`, "/srv") : path;

  it("[C3] are compared after .. and links, for deny by both names", () => {
    const deny = (rule: string) => made({ settings: [source("userSettings", { allow: ["Read"], deny: [rule] })] });
    const read = (file_path: string): ToolCall => ({ tool: "Read", input: { file_path } });
    expect(check(deny("Read(a.txt)"), read(`${CWD}/src/../a.txt`)).behavior).toBe("deny");
    expect(check(deny("Read(//srv/**)"), read(`${CWD}/link/x`), { realpath }).behavior).toBe("deny");
    expect(check(deny("Read(link/**)"), read(`${CWD}/link/x`), { realpath }).behavior).toBe("deny");
  });

  it("[C3] lead to the target of a link that does not exist yet, part by part, and a circle of links ends", () => {
    const links: Readonly<Record<string, string>> = {
      [`${CWD}/dangling`]: "/srv/none",
      [`${CWD}/twice`]: "dangling",
      [`${CWD}/out`]: "/srv/sub",
      // By its letters, it would stay in the project.
      [`${CWD}/back`]: "out/../none",
      [`${CWD}/round`]: "round/round",
    };
    const there = [CWD, "/", "/srv", "/srv/sub"];
    const follow = followingLinks({
      realpath: (path) => (path === `${CWD}/out` ? "/srv/sub" : there.includes(path) ? path : undefined),
      readlink: (path) => links[path],
    });
    const ends = ["dangling", "twice", "back", "a.txt"].map((name) => follow(`${CWD}/${name}`));
    expect(ends).toEqual(["/srv/none", "/srv/none", "/srv/none", undefined]);
    expect(follow(`${CWD}/round`)?.startsWith(`${CWD}/round`)).toBe(true);
    const accepts = (cliVersion: string) =>
      check(made({ mode: "acceptEdits", cliVersion }), write(`${CWD}/dangling`), { realpath: follow }).behavior;
    expect([accepts("2.1.200"), accepts("2.1.325")]).toEqual(["ask", "deny"]);
  });

  it("[C3] are inside only if all their names are", () => {
    expect(check(made({ mode: "acceptEdits" }), write(`${CWD}/link/x`), { realpath }).behavior).toBe("ask");
    expect(check(made({ mode: "acceptEdits" }), write(`${CWD}/x`), { realpath }).behavior).toBe("allow");
    expect(check(made(), { tool: "Read", input: { file_path: "../x" } }).behavior).toBe("ask");
  });

  it.each([
    ".git/config",
    ".claude/settings.json",
    ".idea/x",
    "src/.GIT/x",
    ".mcp.json",
    ".husky/pre-commit",
    "FILE~1.TXT",
  ])("[C4] that are special ask in acceptEdits and with a rule: %s", (name) => {
    const settings = [source("userSettings", { allow: ["Edit(**)", "Write"] })];
    expect(check(made({ settings, mode: "acceptEdits" }), write(`${CWD}/${name}`))).toMatchObject({
      behavior: "ask",
      reason: { kind: expect.stringMatching(/special-path|own-settings/u) as unknown },
    });
  });

  it.each(["rm -rf /", "rm -rf ~", "rmdir /usr", "rm -rf .", "rm -rf ../..", "rm -rf /*"])(
    "[C4] of a dangerous removal ask in bypass: %s",
    (command) => {
      expect(check(made({ mode: "bypassPermissions" }), bash(command))).toMatchObject({
        behavior: "ask",
        reason: { kind: "dangerous" },
      });
    },
  );
});

describe("the reason", () => {
  it("[C5] names rule, scope, file and line", () => {
    const text = '{\n  "permissions": {\n    "deny": [\n      "Read(x)",\n      "Bash(tool:*)"\n    ]\n  }\n}\n';
    const settings: SettingsSource[] = [
      { scope: "localSettings", path: `${CWD}/.claude/settings.local.json`, value: JSON.parse(text), text },
    ];
    expect(check(made({ settings }), bash("tool a"))).toMatchObject({
      behavior: "deny",
      reason: {
        kind: "rule",
        rule: "Bash(tool:*)",
        scope: "localSettings",
        path: `${CWD}/.claude/settings.local.json`,
        line: 5,
      },
    });
  });

  it.each([
    [bash("ls"), {}, "read-only"],
    [bash("tool"), {}, "default"],
    [bash("tool $("), {}, "unparsed"],
    [bash("cat /etc/passwd"), {}, "outside"],
    [write("x"), { mode: "acceptEdits" }, "mode"],
    [{ tool: "AskUserQuestion", input: {} }, {}, "always-asks"],
    [{ tool: "TaskList", input: {} }, {}, "safe-tool"],
    [{ tool: "Write", input: {} }, {}, "invalid-input"],
  ] as const)("[C5] has a kind and plain words, and what would have changed it: %j %j", (call, input, kind) => {
    const { reason } = check(made(input), call);
    expect(reason.kind).toBe(kind);
    expect(reason.words).toMatch(/^[A-Z].*\.$/u);
    expect(reason.change.every((words) => words.endsWith("."))).toBe(true);
  });

  it("[C5] names the part of a compound command", () => {
    const settings = [source("userSettings", { allow: ["Bash(tool:*)"] })];
    expect(check(made({ settings }), bash("tool a && npm i")).reason.part).toBe("npm i");
  });

  it.each([
    ["eval rm x", "does not see it behind eval"],
    ["bash <<EOF\nrm x\nEOF", "does not see it behind bash"],
    ["sh -c 'ls; /bin/rm x'", "does not see it behind sh -c"],
    ["trap 'rm x' EXIT", "does not see it behind trap"],
    ["$(echo rm) x", "deny rules do not see"],
    ["a=rm; $a x", "deny rules do not see"],
    ["./script", "deny rules do not see"],
    [`tool ${"a".repeat(10_500)}; rm x`, "see only how it begins"],
  ])("[C6] warns where a deny rule does not see: %.30s", (command, words) => {
    const settings = [source("userSettings", { allow: ["Bash"], deny: ["Bash(rm:*)"] })];
    const { behavior, reason } = check(made({ settings }), bash(command));
    expect(behavior).toBe("allow");
    expect(reason.warnings.join(" ")).toContain(words);
  });

  it("[C6] warns if a person is asked about a command with a denied program inside", () => {
    const settings = [source("userSettings", { deny: ["Bash(rm:*)"] })];
    const { behavior, reason } = check(made({ settings }), bash("eval rm x"));
    expect(behavior).toBe("ask");
    expect(reason.warnings).toEqual(["The rule Bash(rm:*) denies rm, but Claude Code does not see it behind eval."]);
  });

  it("[C6] does not warn about a plain command", () => {
    const settings = [source("userSettings", { allow: ["Bash(tool:*)"], deny: ["Bash(rm:*)"] })];
    expect(check(made({ settings }), bash("tool a")).reason.warnings).toEqual([]);
  });
});

describe("modes", () => {
  it("[C7] dontAsk refuses what would ask", () => {
    expect(check(made({ mode: "dontAsk" }), bash("tool")).behavior).toBe("deny");
    expect(check(made({ mode: "dontAsk" }), bash("ls")).behavior).toBe("allow");
  });

  it.each(["default", "acceptEdits", "plan", "bypassPermissions"])(
    "[C7] questions ask in %s, in spite of an allow",
    (mode) => {
      const settings = [source("userSettings", { allow: ["AskUserQuestion", "ExitPlanMode"] })];
      for (const tool of ["AskUserQuestion", "ExitPlanMode"])
        expect(check(made({ mode, settings }), { tool, input: {} }).behavior).toBe("ask");
    },
  );

  it("[S5] the narrower scope's default mode wins, and a chosen mode over all", () => {
    const settings = [
      source("userSettings", { defaultMode: "acceptEdits" }),
      source("projectSettings", { defaultMode: "plan" }),
      source("localSettings", { defaultMode: "dontAsk" }),
    ];
    expect(made({ settings }).mode).toBe("dontAsk");
    expect(made({ settings: settings.slice(0, 2) }).mode).toBe("plan");
    expect(made({ settings, mode: "manual" }).mode).toBe("default");
    expect(
      made({
        settings: [
          source("userSettings", { defaultMode: "bypassPermissions", disableBypassPermissionsMode: "disable" }),
        ],
      }).mode,
    ).toBe("default");
  });
});

describe("what would have changed a verdict", () => {
  const changes = (input: Partial<ContextInput>, call: ToolCall) => check(made(input), call).reason.change;

  it("[C5] names another mode only where that mode would ask", () => {
    expect(changes({ mode: "bypassPermissions" }, bash("make"))).toEqual(["In the mode “Ask first” it would ask."]);
    expect(changes({ mode: "bypassPermissions" }, bash("ls"))).toEqual([]);
    const settings = [source("userSettings", { allow: ["Edit(a.txt)"] })];
    expect(changes({ mode: "acceptEdits", settings }, write(`${CWD}/a.txt`))).toEqual([]);
    expect(changes({ mode: "acceptEdits", settings }, write(`${CWD}/b.txt`))).toHaveLength(1);
  });

  it("[C5] says that an allow rule does not help against an ask rule", () => {
    const settings = [source("userSettings", { allow: ["Bash"], ask: ["Bash(make:*)"] })];
    expect(changes({ settings }, bash("make all")).join(" ")).toContain(
      "A new allow rule would not change the result.",
    );
  });
});
