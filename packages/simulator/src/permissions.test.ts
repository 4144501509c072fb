import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SettingsSource } from "@quarterdeck/permissions";
import { describe, expect, it } from "vitest";
import { ASKING, bash, blockOf, call, contentOf, Host, newFolder, text, use } from "./host.fixture.ts";
import { recordAt } from "./json.ts";
import type { PermissionMode } from "./options.ts";
import type { Decision } from "./permission-decision.ts";
import { Permissions } from "./permissions.ts";
import { ruleFor, splitCommand } from "./shell-command.ts";

const CWD = "/home/user/project";
/** Where the CLI keeps plans: a folder that it otherwise asks about. */
const PLAN = "/home/user/.claude/plans/plan.md";
const decide = (
  toolName: string,
  input: Record<string, unknown>,
  mode: PermissionMode = "default",
  rules: readonly (readonly ["allow" | "ask" | "deny", string])[] = [],
): Decision => {
  const permissions = new Permissions({ cwd: CWD, home: "/home/user", mode, settings: [userRules(rules)] });
  return permissions.decide({ toolName, input, harmless: false, interactive: false, planFile: PLAN });
};
const userRules = (rules: readonly (readonly ["allow" | "ask" | "deny", string])[]): SettingsSource => {
  const of = (wanted: string) => rules.flatMap(([behavior, rule]) => (behavior === wanted ? [rule] : []));
  return {
    scope: "userSettings",
    path: "/home/user/.claude/settings.json",
    value: { permissions: { allow: of("allow"), ask: of("ask"), deny: of("deny") } },
  };
};
const shell = (
  command: string,
  ...rest: [PermissionMode?, (readonly (readonly ["allow" | "ask" | "deny", string])[])?]
): Decision => decide("Bash", { command }, ...rest);

describe.concurrent("the table", () => {
  it.each([
    "ls -la",
    "cat a.txt | wc -l",
    "git status && git log --oneline",
    "grep -r x . ; echo done >&2",
    "find . -name '*.ts'",
    "head -1 ./sub/a; tail -1 a > /dev/null",
  ])("lets through what only reads here: %s", (command) => {
    expect(shell(command)).toEqual({ kind: "allow", source: "config", reasonType: "subcommandResults" });
  });

  it.each([
    ["touch a.txt", { blocked_path: `${CWD}/a.txt` }],
    ["echo hi > out.txt", { blocked_path: `${CWD}/out.txt` }],
    ["cat /etc/hostname", { blocked_path: "/etc/hostname" }],
    ["npm test", { decision_reason: "This command requires approval" }],
    ["npm test && npm run build", { decision_reason_type: "subcommandResults" }],
    ["find . -delete", { permission_suggestions: [] }],
    ["echo $(date)", { decision_reason: "A nested command in this command can't be checked before it runs" }],
    [
      "for i in 1 2; do echo $i; done",
      { decision_reason: "A variable in this command can't be checked before it runs" },
    ],
    ["node -e 'a; b'", { decision_reason_type: "other" }],
  ])("asks about the rest: %s", (command, fields) => {
    expect(shell(command)).toMatchObject({ kind: "ask", fields });
  });

  it("suggests a rule, the folder and a mode for a command that writes", () => {
    expect(shell("touch p1")).toMatchObject({
      fields: {
        permission_suggestions: [
          {
            type: "addRules",
            rules: [{ toolName: "Bash", ruleContent: "touch p1 *" }],
            behavior: "allow",
            destination: "localSettings",
          },
          { type: "addDirectories", directories: [CWD], destination: "session" },
          { type: "setMode", mode: "acceptEdits", destination: "session" },
        ],
      },
    });
  });

  it("suggests one rule for each part that would ask", () => {
    expect(shell("echo a; npm test; make all")).toMatchObject({
      fields: { permission_suggestions: [{ rules: [{ ruleContent: "npm test *" }, { ruleContent: "make all *" }] }] },
    });
  });

  it.each<[string, PermissionMode, Decision["kind"]]>([
    ["touch a.txt", "acceptEdits", "allow"],
    ["touch /elsewhere/a.txt", "acceptEdits", "ask"],
    ["npm test", "acceptEdits", "ask"],
    ["npm test", "dontAsk", "deny"],
    ["npm test", "bypassPermissions", "allow"],
    ["npm test", "auto", "unchecked"],
    ["touch a.txt", "auto", "allow"],
    ["touch /elsewhere/a.txt", "auto", "unchecked"],
    ["cat /etc/hostname", "auto", "unchecked"],
    ["npm test", "plan", "unchecked"],
    ["touch a.txt", "plan", "unchecked"],
    ["ls", "plan", "allow"],
    ["ls", "dontAsk", "allow"],
  ])("%s in mode %s: %s", (command, mode, kind) => {
    expect(shell(command, mode).kind).toBe(kind);
  });

  it.each<[string, readonly (readonly ["allow" | "ask" | "deny", string])[], Decision["kind"]]>([
    ["npm test", [["allow", "Bash(npm test *)"]], "allow"],
    ["npm test -- --watch", [["allow", "Bash(npm test:*)"]], "allow"],
    ["npm testing", [["allow", "Bash(npm test *)"]], "ask"],
    ["npm test && rm -rf x", [["allow", "Bash(npm test *)"]], "ask"],
    [
      "rm -rf x",
      [
        ["allow", "Bash"],
        ["deny", "Bash(rm *)"],
      ],
      "deny",
    ],
    ["ls; rm -rf x", [["deny", "Bash(rm *)"]], "deny"],
    ["ls", [["ask", "Bash(ls)"]], "ask"],
    ["anything at all", [["allow", "Bash"]], "allow"],
    ["ls", [["deny", "Bash"]], "deny"],
  ])("%s under %j: %s", (command, rules, kind) => {
    expect(shell(command, "default", rules).kind).toBe(kind);
  });

  it.each<[string, string, PermissionMode, Decision["kind"]]>([
    ["Read", "a.txt", "default", "allow"],
    ["Read", "/etc/passwd", "default", "ask"],
    ["Write", "a.txt", "default", "ask"],
    ["Write", "a.txt", "acceptEdits", "allow"],
    ["Write", "../a.txt", "acceptEdits", "ask"],
    ["Write", ".claude/settings.json", "acceptEdits", "ask"],
    ["Edit", PLAN, "plan", "allow"],
    ["Write", PLAN, "plan", "allow"],
    ["Write", "/home/user/.claude/plans/other.md", "plan", "unchecked"],
    ["Edit", "a.txt", "plan", "ask"],
    ["Write", "a.txt", "bypassPermissions", "allow"],
    ["Read", "/etc/passwd", "plan", "allow"],
    ["Write", ".git/config", "acceptEdits", "ask"],
    ["Write", ".git/config", "plan", "unchecked"],
    ["Read", "/etc/passwd", "auto", "allow"],
    ["Write", "a.txt", "auto", "allow"],
    ["Write", "../a.txt", "auto", "unchecked"],
    ["Write", ".claude/settings.json", "auto", "unchecked"],
  ])("%s of %s in mode %s: %s", (tool, path, mode, kind) => {
    expect(decide(tool, { file_path: path }, mode).kind).toBe(kind);
  });

  it("learns from updates", () => {
    const permissions = new Permissions({ cwd: CWD, home: "/home/user", mode: "default" });
    const isInside = (): boolean => permissions.directories.includes("/data");
    expect(isInside()).toBe(false);
    permissions.update({ type: "addDirectories", directories: ["/data"], destination: "session" });
    expect(isInside()).toBe(true);
    permissions.update({ type: "removeDirectories", directories: ["/data"], destination: "session" });
    expect(isInside()).toBe(false);
    permissions.update({
      type: "addRules",
      rules: [{ toolName: "Read", ruleContent: "//data/**" }],
      behavior: "allow",
      destination: "session",
    });
    expect(
      permissions.decide({
        toolName: "Read",
        input: { file_path: "/data/x" },
        harmless: false,
        interactive: false,
        planFile: "",
      }).kind,
    ).toBe("allow");
    permissions.update({
      type: "removeRules",
      rules: [{ toolName: "Read", ruleContent: "//data/**" }],
      behavior: "allow",
      destination: "session",
    });
    expect(permissions.rules).toEqual([]);
    expect(permissions.update({ type: "setMode", mode: "plan", destination: "session" })).toBe(true);
    expect(permissions.mode).toBe("plan");
  });

  it.each<
    [
      string,
      Record<string, unknown>,
      PermissionMode,
      readonly (readonly ["allow" | "ask" | "deny", string])[],
      Decision["kind"],
    ]
  >([
    ["Read", { file_path: "secret.env" }, "default", [["deny", "Read(secret.env)"]], "deny"],
    ["Bash", { command: "cat secret.env" }, "default", [["deny", "Read(secret.env)"]], "deny"],
    ["Edit", { file_path: "a.txt" }, "acceptEdits", [["deny", "Edit(a.txt)"]], "deny"],
    ["Write", { file_path: "a.txt" }, "acceptEdits", [["deny", "Edit(a.txt)"]], "deny"],
    ["WebFetch", { url: "https://x.com/a" }, "default", [["deny", "WebFetch(domain:x.com)"]], "deny"],
    ["WebFetch", { url: "https://x.com/a" }, "bypassPermissions", [["deny", "WebFetch(domain:x.com)"]], "deny"],
    [
      "WebFetch",
      { url: "https://x.com/a" },
      "default",
      [
        ["allow", "WebFetch"],
        ["ask", "WebFetch(domain:x.com)"],
      ],
      "ask",
    ],
    ["mcp__desk__find", {}, "default", [["deny", "mcp__desk"]], "deny"],
    ["mcp__desk__find", {}, "bypassPermissions", [["deny", "mcp__desk"]], "deny"],
    ["mcp__desktop__find", {}, "default", [["deny", "mcp__desk"]], "ask"],
    ["Bash", { command: "npm test" }, "bypassPermissions", [["ask", "Bash(npm test *)"]], "ask"],
    ["Bash", { command: "npm test" }, "bypassPermissions", [], "allow"],
    [
      "Bash",
      { command: "echo $(rm -rf /)" },
      "default",
      [
        ["allow", "Bash"],
        ["deny", "Bash(rm *)"],
      ],
      "deny",
    ],
    ["Bash", { command: "ls && (rm -rf x)" }, "bypassPermissions", [["deny", "Bash(rm *)"]], "deny"],
  ])("%s of %j in mode %s under %j: %s", (tool, input, mode, rules, kind) => {
    expect(decide(tool, input, mode, rules).kind).toBe(kind);
  });

  it("follows a link whose target does not exist yet, and names a rule only if a rule denied", () => {
    const { cwd, home } = newFolder();
    symlinkSync(join(home, "none.txt"), join(cwd, "dangling"));
    const permissions = new Permissions({ cwd, home, mode: "acceptEdits" });
    const given = { harmless: false, interactive: false, planFile: PLAN };
    const written = { toolName: "Write", input: { file_path: join(cwd, "dangling") } };
    expect(permissions.decide({ ...given, ...written })).toMatchObject({ kind: "deny", reasonType: "other" });
    const shelled = { toolName: "Bash", input: { command: "echo x > dangling" } };
    expect(permissions.decide({ ...given, ...shelled }).kind).toBe("ask");
  });

  it("keeps a deny rule when an allow rule with the same text is removed", () => {
    const rule = { toolName: "Bash", ruleContent: "npm test *" };
    const permissions = new Permissions({ cwd: CWD, home: "/home/user", mode: "default" });
    const kind = (): Decision["kind"] =>
      permissions.decide({
        toolName: "Bash",
        input: { command: "npm test" },
        harmless: false,
        interactive: false,
        planFile: "",
      }).kind;
    for (const behavior of ["allow", "deny"])
      permissions.update({ type: "addRules", rules: [rule], behavior, destination: "session" });
    expect(kind()).toBe("deny");
    permissions.update({ type: "removeRules", rules: [rule], behavior: "allow", destination: "session" });
    expect(permissions.rules).toMatchObject([{ behavior: "deny", text: "Bash(npm test *)" }]);
    expect(kind()).toBe("deny");
    permissions.update({ type: "removeRules", rules: [rule], behavior: "deny", destination: "session" });
    expect(kind()).toBe("ask");
  });

  it("splits commands outside quotes only", () => {
    expect(splitCommand(`echo 'a; b' && echo "c | d" | cat; e 2>&1 & f`)).toEqual([
      "echo 'a; b'",
      'echo "c | d"',
      "cat",
      "e 2>&1",
      "f",
    ]);
    expect([ruleFor("npm test"), ruleFor("npm --version"), ruleFor("git commit -m x"), ruleFor("env")]).toEqual([
      "npm test *",
      "npm --version",
      "git commit *",
      "env",
    ]);
  });
});

describe.concurrent("the host", () => {
  const scripts = {
    touch: [bash("touch made.txt"), text("ok")],
    again: [bash("touch made.txt"), bash("touch made2.txt"), text("ok")],
  };
  const metaOf = (host: Host, id = "toolu_sim_0001_1"): unknown => host.toolResult(id).tool_result_meta;

  it("may change the input", async () => {
    const host = new Host({
      scripts,
      permit: () => ({ behavior: "allow", updatedInput: { command: "echo REPLACED" } }),
    });
    await host.turn("touch");
    expect(contentOf(host.toolResult("toolu_sim_0001_1"))).toBe("REPLACED");
    expect(existsSync(join(host.cwd, "made.txt"))).toBe(false);
  });

  it("may allow without saying more, and deny with a reason", async () => {
    const allowing = new Host({ scripts, permit: () => ({ behavior: "allow" }) });
    expect(await allowing.turn("touch")).toMatchObject({ permission_denials: [] });
    expect(metaOf(allowing)).toMatchObject([{ permission_decision: { decision: "accept", source: "user_temporary" } }]);
    const denying = new Host({ scripts, permit: () => ({ behavior: "deny", message: "no thanks" }) });
    expect(await denying.turn("touch")).toMatchObject({
      permission_denials: [{ tool_name: "Bash", tool_use_id: "toolu_sim_0001_1" }],
    });
    expect(contentOf(denying.toolResult("toolu_sim_0001_1"))).toBe("no thanks");
  });

  it("may deny and stop the turn", async () => {
    const host = new Host({ scripts, permit: () => ({ behavior: "deny", message: "stop", interrupt: true }) });
    expect(await host.turn("touch")).toMatchObject({
      subtype: "error_during_execution",
      terminal_reason: "aborted_tools",
      num_turns: 3,
    });
    expect(host.words()).toContain("user text");
  });

  it("stops what else the message wanted when it denies so", async () => {
    const two = { say: [use("Bash", { command: "touch one" }), use("Bash", { command: "touch two" })] };
    const host = new Host({
      scripts: { go: [two] },
      permit: () => ({ behavior: "deny", message: "stop", interrupt: true }),
    });
    expect(await host.turn("go")).toMatchObject({ terminal_reason: "aborted_tools", num_turns: 4 });
    expect(host.words().filter((word) => word === "ask can_use_tool")).toHaveLength(1);
  });

  it("may answer nonsense, and the turn continues", async () => {
    const host = new Host({ scripts, permit: () => ({ decision: "allow" }) });
    expect(await host.turn("touch")).toMatchObject({ result: "ok" });
    expect(contentOf(host.toolResult("toolu_sim_0001_1"))).toContain("returned an invalid permission result");
    const wrong = new Host({ scripts, permit: () => ({ behavior: "allow", updatedInput: { cmd: "ls" } }) });
    await wrong.turn("touch");
    expect(contentOf(wrong.toolResult("toolu_sim_0001_1"))).toContain("failed schema validation");
  });

  it("may grant for good: rules, folders and a mode, on disk where it says so", async () => {
    const host = new Host({
      scripts,
      permit: ({ input, permission_suggestions }) => ({
        behavior: "allow",
        updatedInput: input,
        updatedPermissions: permission_suggestions,
      }),
    });
    await host.turn("touch");
    await host.turn("again");
    expect(host.words().filter((word) => word === "ask can_use_tool")).toHaveLength(1);
    expect(host.words()).toContain("mode acceptEdits");
    expect(metaOf(host, "toolu_sim_0003_1")).toMatchObject([
      { permission_decision: { source: "user_permanent", reason_type: "rule" } },
    ]);
    const settings = JSON.parse(readFileSync(join(host.cwd, ".claude", "settings.local.json"), "utf8")) as unknown;
    expect(settings).toEqual({ permissions: { allow: ["Bash(touch made.txt)"] } });
  });

  it("may be absent, or not to be asked", async () => {
    const absent = new Host({ scripts, args: [] });
    await absent.turn("touch");
    expect(absent.messages.find(({ subtype }) => subtype === "permission_denied")).toMatchObject({
      tool_name: "Bash",
      message: expect.stringContaining("needs approval") as string,
    });
    const nobody = new Host({ scripts, args: [...ASKING, "--permission-prompts", "none"] });
    await nobody.turn("touch");
    expect(nobody.messages.find(({ subtype }) => subtype === "permission_denied")).toMatchObject({
      decision_reason_type: "asyncAgent",
    });
  });

  it("may leave while it is asked: the model continues", async () => {
    const host = new Host({ scripts, permit: () => undefined });
    host.prompt("touch");
    await host.next(({ type }) => type === "control_request");
    host.endInput();
    expect(await host.result()).toMatchObject({ result: "ok" });
    expect(contentOf(host.toolResult("toolu_sim_0001_1"))).toContain("stream closed before response received");
    expect(await host.exited).toEqual({ code: 0, signal: null });
  });

  it("finds rules of flags and of settings files in force", async () => {
    const folder = newFolder();
    mkdirSync(join(folder.cwd, ".claude"));
    writeFileSync(
      join(folder.cwd, ".claude", "settings.json"),
      JSON.stringify({ permissions: { ask: ["Bash(ls)"], allow: ["Bash(touch *)"] } }),
    );
    const host = new Host({
      folder,
      args: [...ASKING, "--allowedTools", "Read", "Bash(make *)", "--disallowedTools", "Bash(rm *)", "Write"],
      scripts: {
        go: [bash("ls"), bash("touch a"), bash("rm a"), call("Write", { file_path: "x", content: "" }), text("ok")],
      },
    });
    await host.turn("go");
    expect(host.messages[0]).toMatchObject({ tools: expect.not.arrayContaining(["Write"]) as unknown });
    const asked = host.messages
      .filter(({ type }) => type === "control_request")
      .map((message) => recordAt(message, "request"));
    expect(asked).toMatchObject([{ decision_reason_type: "rule", decision_reason_rule_source: "projectSettings" }]);
    const results = host.messages
      .filter((message) => blockOf(message).type === "tool_result")
      .map((message) => blockOf(message).is_error === true);
    expect(results).toEqual([false, false, true, true]);
    const { state } = await host.request({ subtype: "list_permission_rules" });
    expect(recordAt({ state }, "state").rules).toHaveLength(6);
  });
});
