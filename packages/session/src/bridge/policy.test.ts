import type { PermissionUpdate } from "@quarterdeck/protocol";
import { describe, expect, it } from "vitest";
import { includesRole, ROLES } from "./bridge.ts";
import type { Method, Role } from "./bridge.ts";
import { allows, dependsOnParams, isConfirmed, needs, reachOf, REQUEST_ROLES, SLASH_ROLES } from "./policy.ts";
import { START_ROLES } from "./policy.ts";
import type { Given, Known } from "./policy.ts";
import { METHODS } from "./schema.ts";

type Answer = NonNullable<Given<"session/respond">["answer"]>;

describe("the role that a prompt needs", () => {
  const commands = [
    { name: "config", aliases: ["settings", "prefs"], builtin: true as const },
    { name: "brand-new", aliases: ["bn"], builtin: true as const },
    { name: "mine", description: "Of the project" },
    { name: "plugin:deploy" },
  ];
  type Content = NonNullable<Given<"session/prompt">["content"]>;
  const needOf = (content: Content, known: Known = { commands }) => needs("session/prompt", { content }, known);
  const roleOf = (content: Content) => needOf(content).role;

  it("is an admin's for commands that change settings, however they are written (S36)", () => {
    const texts = [
      "/config x=y",
      "/config",
      " /config",
      "\t\n/config",
      "/Config",
      "/config\u00a0x",
      "/config\nx",
      "\u200b/con\u00adfig",
    ];
    for (const text of [...texts, "/settings", "/prefs", "/mcp", "/plugin install x"])
      expect([text, roleOf(text)]).toEqual([text, "admin"]);
    expect(needOf("/config x=y")).toEqual({ role: "admin", what: "The command /config" });
  });

  it("is an admin's for a built-in that nobody has looked at (S36)", () => {
    expect([roleOf("/brand-new"), roleOf("/bn x"), needOf("/brand-new", {}).role]).toEqual([
      "admin",
      "admin",
      "operate",
    ]);
  });

  it("counts every block of text (S36)", () => {
    const text = (words: string) => ({ type: "text", text: words });
    expect(roleOf([text("hello"), text("/config")])).toBe("admin");
    expect(roleOf([text("/config"), text("hello")])).toBe("admin");
    expect(roleOf([{ type: "image", source: {} }, text("hello /config")])).toBe("operate");
  });

  it("is an operator's for the project's commands, for paths and for words (S36)", () => {
    for (const text of [
      "/mine",
      "/plugin:deploy now",
      "/home/me/config",
      "//config",
      "/ config",
      "/",
      "",
      "see /config",
      "!ls",
      "#x",
    ])
      expect([text, roleOf(text)]).toEqual([text, "operate"]);
    expect([...SLASH_ROLES.values()].every((role) => role === "operate" || role === "admin")).toBe(true);
  });
});

describe("the role that a rule needs", () => {
  const rules = [
    { toolName: "Bash", ruleContent: "npm test *" },
    { toolName: "Bash", ruleContent: "make *" },
  ];
  const suggested = [
    { type: "addRules", rules, behavior: "allow", destination: "localSettings" },
    { type: "addDirectories", directories: ["/a", "/b"], destination: "session" },
    { type: "setMode", mode: "acceptEdits", destination: "session" },
    { type: "replaceRules", rules, behavior: "deny", destination: "session" },
    { type: "ofANewerCli", destination: "session" },
  ] as const;
  const answer = (update: object): Answer => ({ kind: "allow", updatedPermissions: [update as PermissionUpdate] });
  const needOf = (update: object) =>
    needs("session/respond", { answer: answer(update) }, { suggested: suggested as never }).role;
  const session = { destination: "session" };

  it("is to answer for what was suggested, or a part of it, for the session (S46)", () => {
    expect(needOf({ ...suggested[0], ...session })).toBe("answer");
    expect(needOf({ ...suggested[0], ...session, rules: [rules[1]] })).toBe("answer");
    expect(needOf({ ...suggested[1], directories: ["/b"] })).toBe("answer");
    expect(needOf(suggested[3])).toBe("answer");
    expect(needOf(suggested[2])).toBe("operate");
  });

  it("is an admin's for everything else (S46)", () => {
    const others = [
      suggested[0],
      { ...suggested[0], ...session, behavior: "deny" },
      { ...suggested[0], ...session, rules: [{ toolName: "Bash" }] },
      { ...suggested[0], ...session, rules: [] },
      { ...suggested[0], ...session, rules: [...rules, { toolName: "Edit" }] },
      { ...suggested[0], ...session, rules: [{ ...rules[0], extra: 1 }] },
      { ...suggested[1], directories: ["/"] },
      { ...suggested[3], rules: [rules[0]] },
      { ...suggested[2], destination: "localSettings" },
      { type: "setMode", mode: "auto", ...session },
      { type: "removeDirectories", directories: ["/a"], ...session },
    ];
    for (const update of others) expect([update, needOf(update)]).toEqual([update, "admin"]);
  });

  it("is only a lower bound while the suggestions are not known (S46)", () => {
    const rule = { ...suggested[0], ...session, rules: [{ toolName: "Edit" }] };
    expect(needs("session/respond", { answer: answer(rule) }).role).toBe("answer");
    expect(needs("session/respond", { answer: answer(rule) }, { suggested: [] }).role).toBe("admin");
  });
});

describe("needs", () => {
  const methods = Object.keys(METHODS) as Method[];
  const roleOf = <M extends Method>(method: M, params?: Given<M>, known?: Known): Role =>
    needs(method, params, known).role;

  it("has a role for every method, and `allows` follows it for every role (S7)", () => {
    for (const method of methods)
      expect([method, ROLES.filter((role) => allows(role, method))]).toEqual([
        method,
        ROLES.filter((role) => includesRole(role, roleOf(method))),
      ]);
    expect(allows(undefined, "ping")).toBe(false);
  });

  it("lets a device that may only view change nothing (S7)", () => {
    const changing = methods.filter((method) => {
      const { params } = METHODS[method];
      return "shape" in params && "commandId" in params.shape;
    });
    // Notifications of a device are its own: they change nothing for others.
    const own = changing.filter((method) => method.startsWith("notifications/") && allows("view", method));
    expect(own.map((method) => method.slice("notifications/".length))).toEqual([
      ...["set", "subscribe", "unsubscribe", "test"],
    ]);
    expect(changing.filter((method) => allows("view", method) && !own.includes(method))).toEqual(["session/request"]);
  });

  it("never becomes laxer when more is known", () => {
    const calls: readonly [Method, object, Known?][] = [
      ["sessions/start", { settings: { model: "x" } }, { isNewFolder: true }],
      ["sessions/resume", { takeOver: true }],
      ["session/respond", { answer: { kind: "deny", message: "no" } }],
      ["session/request", { request: { subtype: "mcp_status" } }],
      ["session/request", { request: { subtype: "constructor" } }],
      ["session/setPermissionMode", { mode: "plan" }],
      ["tickets/create", { kind: "export" }],
    ];
    for (const [method, params, known] of calls)
      expect([method, includesRole(roleOf(method, params, known), roleOf(method))]).toEqual([method, true]);
    for (const method of methods) expect([method, roleOf(method, {})]).toEqual([method, roleOf(method)]);
  });

  it("takes the strictest of what one call carries, and says which part it is", () => {
    expect(needs("sessions/start", { settings: { model: "x", mcpConfig: [] } })).toEqual({
      role: "admin",
      what: "The setting mcpConfig",
    });
    expect(roleOf("sessions/start", { settings: { permissionMode: "auto" } })).toBe("admin");
    expect(roleOf("sessions/start", { settings: { permissionMode: "plan" } })).toBe("operate");
    expect(roleOf("sessions/start", { prompt: "/config" })).toBe("admin");
    expect(needs("sessions/start", {}, { isNewFolder: true })).toEqual({
      role: "admin",
      what: "The first session in a folder",
    });
    expect(roleOf("sessions/resume", { adopt: true }, { isNewFolder: true })).toBe("admin");
    const both: Answer = { kind: "allow", updatedInput: {}, updatedPermissions: [] };
    expect(roleOf("session/respond", { answer: both })).toBe("operate");
    expect(roleOf("session/respond", { answer: { kind: "dialog", result: { behavior: "completed" } } })).toBe("admin");
    expect(roleOf("session/respond", { answer: { kind: "dialog", result: { behavior: "cancelled" } } })).toBe("answer");
    expect(roleOf("tickets/create", { kind: "upload" })).toBe("operate");
  });

  it("gives each control request and each setting of a start its role", () => {
    for (const [subtype, role] of Object.entries(REQUEST_ROLES))
      expect([subtype, roleOf("session/request", { request: { subtype } })]).toEqual([subtype, role ?? "view"]);
    for (const [name, role] of Object.entries(START_ROLES))
      expect([name, roleOf("sessions/start", { settings: { [name]: "x" } })]).toEqual([name, role]);
  });

  it("says what a person confirms (S21)", () => {
    const confirmed = methods.filter((method) => needs(method).confirm !== undefined);
    expect(confirmed).toEqual([
      ...[
        "sessions/delete",
        "server/revokeTrust",
        "git/push",
        "git/pullRequest",
        "git/merge",
        "git/discard",
        "devices/revoke",
      ],
    ]);
    expect(needs("sessions/resume", { takeOver: true }).confirm).toBe("Ending the session in its terminal");
    expect(needs("sessions/resume", { adopt: true }).confirm).toBeUndefined();
    expect(needs("projects/trust", { trusted: true }).confirm).toBe("What the folder would run");
    expect(needs("projects/trust", { trusted: false }).confirm).toBeUndefined();
    expect(needs("session/setPermissionMode", { mode: "auto" }).confirm).toBe("The mode auto");
    expect(needs("session/setPermissionMode", { mode: "plan" }).confirm).toBeUndefined();
    expect(needs("sessions/start", { settings: { permissionMode: "auto" } }).confirm).toBeUndefined();
  });

  it("asks for words where a rule or a mode outlasts the session (S21)", () => {
    const answer = (destination: string, confirmed?: string): Answer => ({
      kind: "allow",
      updatedPermissions: [{ type: "addDirectories", directories: ["/a"], destination }],
      ...(confirmed !== undefined && { confirmed }),
    });
    const confirmOf = (destination: string) => needs("session/respond", { answer: answer(destination) }).confirm;
    expect(["session", "localSettings", "projectSettings", "userSettings"].map(confirmOf)).toEqual([
      undefined,
      undefined,
      "A rule in projectSettings",
      "A rule in userSettings",
    ]);
    const isSaid = (confirmed?: string) =>
      isConfirmed("session/respond", { answer: answer("userSettings", confirmed) });
    expect([isSaid(), isSaid(" "), isSaid("yes")]).toEqual([false, false, true]);
  });

  it("lets an operator see policies and the audit, and only an admin change policies or allow bypass", () => {
    expect(roleOf("policies/list", {})).toBe("operate");
    expect(roleOf("audit/list", {})).toBe("operate");
    expect(roleOf("tickets/create", { kind: "audit", format: "csv" })).toBe("operate");
    expect(roleOf("policies/change", { id: "p", isOn: false })).toBe("admin");
    expect(roleOf("policies/remove", { id: "p" })).toBe("admin");
    expect(needs("policies/add", { behavior: "deny" })).toEqual({ role: "admin" });
    expect(needs("policies/add", { behavior: "allow" })).toMatchObject({ role: "admin", confirm: expect.any(String) });
    for (const need of [
      needs("sessions/resume", { allowBypass: true }),
      needs("sessions/start", { settings: { allowDangerouslySkipPermissions: true } }),
    ])
      expect(need).toMatchObject({ role: "admin", confirm: "Allowing the mode bypassPermissions" });
    expect(needs("sessions/resume", { allowBypass: false }).role).toBe("operate");
  });

  it("lets operators change effort and fast mode, and admins every other flag setting", () => {
    const roleFor = (settings: unknown) =>
      needs("session/request", { request: { subtype: "apply_flag_settings", settings } }).role;
    expect(roleFor({ effortLevel: "high", fastMode: true })).toBe("operate");
    expect(roleFor({ effortLevel: "high", hooks: {} })).toBe("admin");
    expect([roleFor(undefined), roleFor("effortLevel"), roleFor({ outputStyle: "x" })]).toEqual([
      "admin",
      "admin",
      "admin",
    ]);
    expect(needs("budgets/set", { limitUsd: 5 }).role).toBe("operate");
    expect(needs("budgets/set", { dayUsd: null }).role).toBe("admin");
    expect(needs("defaults/set", { settings: { permissionMode: "bypassPermissions" } }).role).toBe("admin");
  });

  it("knows which methods carry more than their name says", () => {
    expect(methods.filter(dependsOnParams)).toEqual([
      "sessions/start",
      "sessions/resume",
      "projects/trust",
      "session/prompt",
      "session/editPrompt",
      "session/respond",
      "session/request",
      "session/setPermissionMode",
      "defaults/set",
      "budgets/set",
      "server/setRetention",
      "rules/save",
      "policies/add",
      "tickets/create",
    ]);
  });
});

describe("what a machine that is limited to folders reaches", () => {
  const methods = Object.keys(METHODS) as Method[];
  const kindsOf = (params: object) => Map.groupBy(methods, (method) => reachOf(method, params).kind);

  it("is everything for each call that names nothing, except for these (S84)", () => {
    const kinds = kindsOf({});
    expect(new Set(kinds.get("free"))).toEqual(new Set(["initialize", "ping", "fleet/status", "notifications/look"]));
    expect(kinds.get("listed")).toEqual(["sessions/list", "sessions/search", "projects/list", "files/list"]);
    expect(kinds.has("named")).toBe(false);
    expect(reachOf("tickets/create", { kind: "upload", name: "a", size: 1 })).toEqual({ kind: "free" });
    expect(reachOf("tickets/create", { kind: "audit", format: "csv" })).toEqual({ kind: "beyond" });
    expect(reachOf("audit/list", undefined)).toEqual({ kind: "beyond" });
  });

  it("is every session and folder that a call names (S84)", () => {
    const named = { session: "s", cwd: "/a", folder: "/b", folders: ["/c", "/d"] };
    const kinds = kindsOf(named);
    // These change more than the session or folder that they name.
    expect(kinds.get("beyond")).toEqual(["budgets/set", "mcp/preview", "mcp/save", "rules/save"]);
    expect(new Set(kinds.get("free"))).toEqual(new Set(["initialize", "ping", "fleet/status", "notifications/look"]));
    for (const method of kinds.get("named")!)
      expect(reachOf(method, named)).toEqual({ kind: "named", sessions: ["s"], folders: ["/a", "/b", "/c", "/d"] });
    expect(reachOf("files/list", { path: "/a" })).toEqual({ kind: "named", sessions: [], folders: ["/a"] });
    expect(reachOf("sessions/start", { commandId: "s", cwd: "/a" })).toEqual({
      kind: "named",
      sessions: ["s"],
      folders: ["/a"],
    });
  });
});
