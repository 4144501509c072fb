import { describe, expect, it } from "vitest";
import { check } from "./check.ts";
import { contextOf } from "./context.ts";
import type { Behavior, ToolCall } from "./types.ts";

const CWD = "/home/ada/proj";
interface Permissions {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}
const context = (permissions: Permissions, mode = "default", cliVersion = "2.1.325") =>
  contextOf({
    cwd: CWD,
    home: "/home/ada",
    mode,
    settings: [{ scope: "userSettings", path: "/home/ada/.claude/settings.json", value: { permissions } }],
    cliVersion,
  });
const bash = (command: string): ToolCall => ({ tool: "Bash", input: { command } });
const behaviorOf = (permissions: Permissions, call: ToolCall, mode?: string): Behavior =>
  check(context(permissions, mode), call).behavior;

describe("a Bash rule", () => {
  it.each([
    ["npm:*", "npm run build", "allow"],
    ["npm:*", "npm", "allow"],
    ["npm:*", "npmx", "ask"],
    ["npm *", "npm run build", "allow"],
    ["npm*", "npmx", "allow"],
    ["npm * build", "npm run build", "allow"],
    ["npm * build", "npm build", "ask"],
    ["* --version", "tool --version", "allow"],
    ["npm run build", "npm run build", "allow"],
    ["npm run build", "npm run build:prod", "ask"],
    [String.raw`tool \* *`, "tool '*' x", "ask"],
    [String.raw`tool \* *`, "tool a x", "ask"],
  ])("[R4] %s and the command %s: %s", (rule, command, behavior) => {
    expect(behaviorOf({ allow: [`Bash(${rule.replaceAll("\\", "\\\\")})`] }, bash(command))).toBe(behavior);
  });

  it("[R4] with many stars is matched in linear time", () => {
    const rule = `Bash(${"a*".repeat(2000)}b)`;
    const before = performance.now();
    expect(behaviorOf({ allow: [rule] }, bash("a".repeat(9000)))).toBe("ask");
    // Not a timing assertion on speed: quadratic backtracking would take hours.
    expect(performance.now() - before).toBeLessThan(60_000);
  });
});

describe("a path rule", () => {
  const read = (file_path: string): ToolCall => ({ tool: "Read", input: { file_path } });
  it.each([
    ["a.txt", `${CWD}/a.txt`],
    ["a.txt", `${CWD}/deep/er/a.txt`],
    ["./a.txt", `${CWD}/a.txt`],
    ["A.TXT", `${CWD}/a.txt`],
    ["*.ts", `${CWD}/src/deep/x.ts`],
    ["src", `${CWD}/src/deep/x.ts`],
    ["src/", `${CWD}/src/deep/x.ts`],
    ["src/*", `${CWD}/src/deep/x.ts`],
    ["src/*.ts", `${CWD}/src/x.ts`],
    ["src/**", `${CWD}/src/deep/x.ts`],
    ["**/deep/**", `${CWD}/src/deep/x.ts`],
    ["src/**/x.ts", `${CWD}/src/x.ts`],
    ["[ab].txt", `${CWD}/a.txt`],
    ["[!b].txt", `${CWD}/a.txt`],
    ["l?.txt", `${CWD}/l1.txt`],
    ["**", `${CWD}/x`],
  ])("[R5] denies by %s: %s", (rule, path) => {
    expect(behaviorOf({ deny: [`Read(${rule})`] }, read(path))).toBe("deny");
  });

  it.each([
    ["src/*.ts", `${CWD}/src/deep/x.ts`],
    ["*.{txt,md}", `${CWD}/a.txt`],
    ["[ab].txt", `${CWD}/c.txt`],
    ["src", `${CWD}/src2/x`],
    ["!a.txt", `${CWD}/a.txt`],
    ["#a.txt", `${CWD}/a.txt`],
    [".", `${CWD}/a.txt`],
    ["../proj/**", `${CWD}/a.txt`],
    ["src/deep", `${CWD}/other/src/deep`],
  ])("[R5] does not deny by %s: %s", (rule, path) => {
    expect(behaviorOf({ deny: [`Read(${rule})`] }, read(path))).toBe("allow");
  });

  it.each([
    ["//srv/**", "/srv/x", "allow"],
    ["/srv/**", "/srv/x", "ask"],
    ["~/other/**", "/home/ada/other/x", "allow"],
    ["/x/**", "/home/ada/.claude/x/y", "allow"],
    ["x/**", "/home/ada/.claude/x/y", "ask"],
  ])("[R6] in user settings, %s and %s: %s", (rule, path, behavior) => {
    expect(behaviorOf({ allow: [`Read(${rule})`] }, read(path))).toBe(behavior);
  });

  it("[R6] with one slash in project settings is about the project", () => {
    const made = contextOf({
      cwd: CWD,
      home: "/home/ada",
      folderTrusted: true,
      settings: [{ scope: "projectSettings", value: { permissions: { allow: ["Edit(/src/**)"] } } }],
    });
    expect(check(made, { tool: "Write", input: { file_path: `${CWD}/src/a.ts`, content: "" } }).behavior).toBe("allow");
    expect(check(made, { tool: "Write", input: { file_path: `${CWD}/a.ts`, content: "" } }).behavior).toBe("ask");
  });
});

describe("a compound command", () => {
  const rules = { allow: ["Bash(tool:*)"] };
  it.each([
    "tool a && tool b",
    "tool a; ls",
    "tool a | cat",
    "if true; then tool a; fi",
    "timeout 5 tool a",
    "tool '$(rm x)'",
    "tool a 2>&1",
  ])("[C2] whose parts are all allowed is allowed: %s", (command) => {
    expect(behaviorOf(rules, bash(command))).toBe("allow");
  });
  it.each([
    "tool a && rm -rf x",
    "tool a; npm i",
    "tool a\nnpm i",
    "tool $(npm i)",
    "tool `npm i`",
    'tool "$(npm i)"',
    "tool <(npm i)",
    "tool a > /etc/x",
    "tool a > made",
    "tool a &",
    "(tool a)",
    "{ tool a; }",
    "f() { tool a; }; f",
    "eval tool a",
    "sh -c 'tool a'",
    "sudo tool a",
    "env tool a",
    "LD_PRELOAD=x tool a",
    "tool {a,b}",
    "tool $X",
    "tool 'a",
    "tool a <<EOF\n$(npm i)\nEOF",
    "tool a; then",
    "tool\u00A0a",
    `tool ${"a".repeat(10_000)}`,
  ])("[C2] with a part that is not allowed or not understood asks: %s", (command) => {
    expect(behaviorOf(rules, bash(command))).toBe("ask");
  });
  it.each([
    "git status && rm -rf x",
    "echo $(rm -rf x)",
    "FOO=1 rm x",
    "env rm x",
    "setsid rm x",
    'r""m x',
    "for f in x; do rm $f; done",
    "echo x | xargs rm",
    "/bin/rm x",
  ])("[C2] with a denied part is denied, also where the whole tool is allowed: %s", (command) => {
    expect(behaviorOf({ allow: ["Bash"], deny: ["Bash(rm:*)"] }, bash(command))).toBe("deny");
  });
});
