import { describe, expect, it } from "vitest";
import { applyUpdate, contextOf } from "./context.ts";
import { check } from "./check.ts";
import { programsOf } from "./programs.ts";
import { riskOf } from "./risk.ts";
import { parseRule } from "./rule.ts";
import { suggestionsFor } from "./suggestions.ts";
import type { ToolCall } from "./types.ts";

const context = contextOf({ cwd: "/home/ada/proj", home: "/home/ada", settings: [] });
const bash = (command: string): ToolCall => ({ tool: "Bash", input: { command } });

describe("a suggestion", () => {
  it.each([
    [bash("npm run build"), ["Bash(npm run:*)"]],
    [bash("timeout 5 npm test"), ["Bash(npm test:*)"]],
    [bash("npm run build && git push"), ["Bash(npm run:*)", "Bash(git push:*)"]],
    [bash("ls && ./tool a"), ["Bash(./tool a:*)"]],
    [bash("python3 x.py"), ["Bash(python3 x.py)"]],
    [bash("rm old.txt"), ["Bash(rm old.txt)"]],
    [bash("tool $(date)"), [String.raw`Bash(tool $\(date\))`]],
    [{ tool: "WebFetch", input: { url: "https://Example.com/x" } }, ["WebFetch(domain:example.com)"]],
    [{ tool: "Read", input: { file_path: "/home/ada/other/x.txt" } }, ["Read(~/other/**)"]],
    [{ tool: "Write", input: { file_path: "/home/ada/proj/src/a.ts", content: "" } }, ["Edit(/src/a.ts)"]],
    [{ tool: "mcp__desk__list", input: {} }, ["mcp__desk__list"]],
  ] as const)("[G1] for %j is %j, and lets the call pass", (call, rules) => {
    const offered = suggestionsFor(context, call);
    expect(offered.map(({ choice }) => choice)).toEqual(["once", "session", "always"]);
    expect(offered[2]?.rules).toEqual(rules);
    for (const { updates } of offered.slice(1))
      expect(check(updates.reduce(applyUpdate, context), call).behavior).toBe("allow");
  });

  it.each([
    { tool: "AskUserQuestion", input: {} },
    bash("cat /etc/passwd"),
    { tool: "Write", input: { file_path: "/home/ada/proj/.git/config", content: "" } },
    bash(""),
  ])("[G1] is only once where no rule would help: %j", (call) => {
    expect(suggestionsFor(context, call).map(({ choice }) => choice)).toEqual(["once"]);
  });

  it.each([
    ["/home/ada/proj/.claude/settings.json", "Edit(/.claude/**)"],
    ["/home/ada/.claude/CLAUDE.md", "Edit(~/.claude/**)"],
  ])("[G1] for Claude's own settings is for the session only: %s", (file_path, rule) => {
    const call = { tool: "Write", input: { file_path, content: "" } };
    const offered = suggestionsFor(context, call);
    expect(offered.map(({ choice }) => choice)).toEqual(["once", "session"]);
    expect(offered[1]).toMatchObject({
      rules: [rule],
      label: "Allow Claude to edit its own settings for this session",
    });
    const updates = offered.flatMap((each) => each.updates);
    expect(check(updates.reduce(applyUpdate, context), call).behavior).toBe("allow");
  });

  it.each([
    "bash x.sh",
    "sudo tool a",
    "node x.js",
    "rm -rf x",
    "xargs tool",
    "env tool a",
    "find . -delete",
    "uv run x.py",
    "npm exec tool",
  ])("[G2] never has a prefix of %s", (command) => {
    for (const { rules } of suggestionsFor(context, bash(command)))
      for (const rule of rules) expect(rule).not.toMatch(/:\*|\*\)$/u);
  });
});

describe("the risk of a rule", () => {
  const of = (text: string) => {
    const parsed = parseRule(text);
    return parsed.ok ? riskOf(parsed.rule)?.level : "bad";
  };
  it.each([
    "Bash",
    "Bash(*)",
    "Bash(rm:*)",
    "Bash(python:*)",
    "Bash(python3 -c:*)",
    "Bash(bash *)",
    "Bash(* x)",
    "Bash(sudo:*)",
    "Edit(//**)",
    "Bash(uv run:*)",
    "Bash(A=1 rm:*)",
    "PowerShell",
  ])("[G3] is high: %s", (text) => expect(of(text)).toBe("high"));
  it.each(["Edit", "mcp__x", "WebFetch", "Bash(curl:*)", "Bash(git:*)", "Read(~/.ssh/**)"])(
    "[G3] is medium: %s",
    (text) => expect(of(text)).toBe("medium"),
  );
  it.each([
    "Bash(npm test:*)",
    "Bash(git log:*)",
    "Edit(src/**)",
    "Read(docs/**)",
    "WebFetch(domain:a.b)",
    "Bash(python3 x.py)",
  ])("[G3] is nothing remarkable: %s", (text) => expect(of(text)).toBeUndefined());
});

describe("the programs of a line", () => {
  const names = (command: string): readonly string[] => programsOf(command).programs.map(({ name }) => name);
  it.each([
    ["git status && rm -rf x", ["git", "rm"]],
    ["echo $(rm x) `ls`", ["echo", "rm", "ls"]],
    ['eval "rm x; ls"', ["eval", "rm", "ls"]],
    ["sh -c 'rm x | cat'", ["sh", "rm", "cat"]],
    ["bash <<EOF\nrm x\nEOF", ["bash", "rm"]],
    ["echo a | xargs -n 1 rm", ["echo", "xargs", "rm"]],
    ["sudo -u root env A=1 timeout 5 rm x", ["sudo", "rm"]],
    ["for f in a; do rm $f; done", ["rm"]],
    ["f() { rm x; }; f", ["rm", "f"]],
    ["cat <(rm x) > >(tee y)", ["cat", "rm", "tee"]],
    ["find . -name x -exec rm {} \\;", ["find", "rm"]],
    ["echo ${x:-$(rm y)} $((1+$(ls)))", ["echo", "rm", "ls"]],
    ["cat <<EOF\n$(rm x)\nEOF", ["cat", "rm"]],
    ['r""m x', ["rm"]],
    ["case a in a) rm x;; esac", ["rm"]],
    ["bash -c \"$(printf 'rm x')\"", ["bash", "printf"]],
    ["trap 'rm x' EXIT", ["trap", "rm"]],
    ["X=$(rm y)", ["rm"]],
  ])("[G4] %j are %j", (command, expected) => {
    expect([...names(command)].toSorted()).toEqual(expect.arrayContaining([...expected].toSorted()));
  });

  it.each([
    "$(echo rm) x",
    "$X y",
    "eval $X",
    'sh -c "$X"',
    "bash script.sh",
    "echo x | sh",
    "source x",
    "PATH=/x ls",
    "if",
    "parallel rm ::: x",
    "sh -c",
    "awk 'BEGIN{system(\"rm x\")}'",
  ])("[G4] are not understood: %s", (command) => {
    const { understood, unknown } = programsOf(command);
    expect(understood).toBe(false);
    expect(unknown.length).toBeGreaterThan(0);
  });

  it.each(["ls -l", "npm test && git status", "timeout 5 ls", "FOO=1 ls | wc -l"])(
    "[G4] are understood: %s",
    (command) => {
      expect(programsOf(command)).toMatchObject({ understood: true, unknown: [] });
    },
  );
});
