// Who may do what, by the server's own record, whatever a client says about itself.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { METHODS } from "@quarterdeck/session/bridge/schema";
import { allows, REQUEST_ROLES, START_ROLES } from "@quarterdeck/session/bridge/policy";
import { ROLES } from "@quarterdeck/session/bridge";
import type { Method } from "@quarterdeck/session/bridge";
import { describe, expect, it, vi } from "vitest";
import { Bench, randomUUID } from "./bench.ts";
import { bindingOf, RawClient, refusalOf } from "./raw-client.ts";

const isForbidden = async (call: Promise<unknown>): Promise<boolean> =>
  call.then(
    () => false,
    (error: { code?: string }) => error.code === "forbidden",
  );

const shared = Bench.shared();

describe("[E32] a role", () => {
  it("opens what it includes, and nothing else: every method, request and setting, from every role (S7, S32)", async () => {
    const bench = await shared();
    const admin = await bench.client();
    const session = await bench.session(admin);
    for (const [index, role] of ROLES.entries()) {
      const client = await bench.clientWith(role, admin);
      const needs = (needed: string | null): boolean => ROLES.indexOf(needed as never) > index;
      for (const method of Object.keys(METHODS) as Method[]) {
        if (method === "initialize") continue;
        // The parameters are always invalid, so an allowed call fails with another error.
        expect([role, method, await isForbidden(client.call(method, { session: 1 }))]).toEqual([
          role,
          method,
          !allows(role, method),
        ]);
      }
      for (const [subtype, needed] of Object.entries(REQUEST_ROLES)) {
        if (needed === null || !needs(needed)) continue;
        const refused = await refusalOf(client.command("session/request", { session, request: { subtype } }));
        expect([role, subtype, refused.code]).toEqual([role, subtype, "forbidden"]);
      }
      for (const [setting, needed] of Object.entries(START_ROLES)) {
        if (index < ROLES.indexOf("operate") || !needs(needed)) continue;
        const value = SETTINGS[setting];
        const start = { cwd: bench.cwd, settings: { [setting]: value } };
        expect([setting, await isForbidden(client.command("sessions/start", start))]).toEqual([setting, true]);
      }
    }
    const operator = await bench.clientWith("operate", admin);
    for (const permissionMode of ["bypassPermissions", "auto"]) {
      const start = { cwd: bench.cwd, settings: { permissionMode } };
      expect((await refusalOf(operator.command("sessions/start", start))).code).toBe("forbidden");
      const set = operator.command("session/setPermissionMode", { session, mode: permissionMode });
      expect((await refusalOf(set)).code).toBe("forbidden");
    }
    expect(await operator.command("session/setPermissionMode", { session, mode: "acceptEdits" })).toEqual({});
    expect((await admin.call("sessions/list", { project: bench.cwd })).total).toBe(1);
  });

  it("below admin does not see the roots", async () => {
    const bench = await shared();
    const admin = await bench.client();
    const hello = { bridge: 1, client: { name: "test", version: "1" } };
    const rootsOf = async (role: string): Promise<string[]> => {
      const { token } = await admin.command("devices/addToken", { role, name: role });
      const client = await RawClient.connect({ url: bench.server.url, token });
      const { machine } = await client.call("initialize", hello);
      await client.drop();
      return machine.roots;
    };
    expect(await rootsOf("admin")).not.toEqual([]);
    for (const role of ["view", "answer", "operate"]) expect([role, await rootsOf(role)]).toEqual([role, []]);
  });

  it("cannot be claimed: extra fields in `initialize` are refused (S7)", async () => {
    const bench = await shared();
    const admin = await bench.client();
    const { token } = await admin.command("devices/addToken", { role: "view", name: "viewer" });
    const hello = { bridge: 1, client: { name: "stranger", version: "1" } };
    const claims = [
      ...ROLES.map((role) => ({ ...hello, role })),
      { ...hello, client: { ...hello.client, role: "admin" } },
      { ...hello, device: { id: "x", signature: "x", role: "admin" } },
      { ...hello, scopes: ["admin"] },
      { ...hello, token },
    ];
    for (const claim of claims) {
      const client = await RawClient.connect({ url: bench.server.url, token });
      expect((await refusalOf(client.call("initialize", claim))).code).toBe("bad-request");
      expect((await client.closed).code).toBe(4001);
    }
    const stranger = await RawClient.connect({ url: bench.server.url, token });
    expect((await refusalOf(stranger.call("sessions/list"))).code).toBe("unauthenticated");
    expect((await stranger.closed).code).toBe(4001);
    const viewer = await RawClient.connect({ url: bench.server.url, token });
    const info = await viewer.call("initialize", hello);
    expect(info).toMatchObject({ bridge: 1, device: { name: "viewer", role: "view" }, agent: { kind: "claude" } });
    await viewer.drop();
  });

  it("ends with its device, within a second", async () => {
    const bench = await shared();
    const admin = await bench.client();
    const { id, token } = await admin.command("devices/addToken", { role: "operate", name: "phone" });
    const phone = await bench.client(token);
    expect((await admin.call("devices/list")).devices).toContainEqual(
      expect.objectContaining({ id, name: "phone", role: "operate", connected: 1 }),
    );
    await admin.command("devices/revoke", { id });
    expect((await phone.closed).code).toBe(4003);
    await expect(RawClient.open({ url: bench.server.url, token })).rejects.toThrow("401");
    expect((await refusalOf(admin.command("devices/revoke", { id }))).code).toBe("not-found");
  });

  it("to answer allows once or for the session; permanent rules need an admin who confirms (S21)", async () => {
    const bench = await shared();
    const admin = await bench.client();
    const session = await bench.session(admin);
    const mirror = await bench.mirror(admin, session);
    const answerer = await bench.clientWith("answer", admin);
    const operator = await bench.clientWith("operate", admin);
    await admin.command("session/prompt", { session, content: "touch" });
    const binding = { session, ...bindingOf(await mirror.request()) };
    const rule = (destination: string) => ({
      type: "addRules",
      rules: [{ toolName: "Bash", ruleContent: "touch made.txt" }],
      behavior: "allow",
      destination,
    });
    const mode = (name: string) => ({ type: "setMode", mode: name, destination: "session" });
    const answer = (update: unknown, confirmed?: string) => ({
      ...binding,
      answer: { kind: "allow", updatedPermissions: [update], ...(confirmed !== undefined && { confirmed }) },
    });
    const refused: [RawClient, unknown, string?][] = [
      [answerer, rule("localSettings")],
      [answerer, rule("projectSettings"), "yes"],
      [operator, rule("userSettings"), "yes"],
      [admin, rule("projectSettings")],
      [admin, rule("userSettings"), " "],
      [answerer, mode("acceptEdits")],
      [operator, mode("bypassPermissions"), "yes"],
      [admin, mode("bypassPermissions")],
      [admin, mode("auto")],
    ];
    for (const [client, update, confirmed] of refused) {
      const call = client.command("session/respond", answer(update, confirmed));
      expect([update, (await refusalOf(call)).code]).toEqual([update, "forbidden"]);
    }
    // Changing the input is more than answering.
    const other = { ...binding, answer: { kind: "allow", updatedInput: { command: "touch other.txt" } } };
    const edited = await refusalOf(answerer.command("session/respond", other));
    expect(edited).toMatchObject({ code: "forbidden", data: { role: "operate" } });
    expect(bench.answersToCli().size).toBe(0);
    await answerer.command("session/respond", answer(rule("session")));
    await mirror.idle();
    expect(mirror.head["rules"].allow).toEqual(["Bash(touch made.txt)"]);
  });
});

describe("[E33] a folder", () => {
  it("with its own settings is not started in until a person has seen and trusted them (S8)", async () => {
    const bench = await shared();
    const admin = await bench.client();
    const operator = await bench.clientWith("operate", admin);
    // An operator can start only where an admin has opened a folder.
    await bench.session(admin);
    const cwd = join(bench.cwd, "theirs");
    mkdirSync(join(cwd, ".claude"), { recursive: true });
    const hook = `touch ${join(cwd, "owned")}`;
    const settings = { hooks: { SessionStart: [{ hooks: [{ type: "command", command: hook }] }] } };
    writeFileSync(join(cwd, ".claude", "settings.json"), JSON.stringify(settings));
    writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: { sly: { command: "sly", args: ["--now"] } } }));
    const refused = await refusalOf(operator.command("sessions/start", { cwd }));
    expect(refused).toMatchObject({ code: "folder-untrusted", data: { folder: cwd, trust: "unknown", runs: true } });
    // Roles below admin see names and kinds, no text and no commands.
    const named = { kind: "file", runsSomething: true, runs: [] };
    expect(refused.data["files"]).toEqual([
      { path: join(cwd, ".claude", "settings.json"), ...named },
      { path: join(cwd, ".mcp.json"), ...named },
    ]);
    const shown = await refusalOf(admin.command("sessions/start", { cwd }));
    expect(shown.data["files"].flatMap(({ runs }: { runs: string[] }) => runs).toSorted()).toEqual([
      `hook SessionStart: ${hook}`,
      "server sly: sly --now",
    ]);
    const { hash } = shown.data;
    expect(await admin.call("projects/inspect", { cwd })).toMatchObject({ hash, trust: "unknown" });
    expect(await operator.call("projects/inspect", { cwd })).toMatchObject({ hash: "", trust: "unknown" });
    const trust = { cwd, hash, trusted: true };
    expect((await refusalOf(operator.command("projects/trust", trust))).code).toBe("forbidden");
    // Without the folder's settings, anyone who may start sessions can start here.
    const { session } = await operator.command("sessions/start", { cwd, withoutFolderSettings: true });
    expect(session.live).toBe(true);
    expect(await admin.command("projects/trust", trust)).toMatchObject({ trust: "trusted" });
    const { session: free } = await operator.command("sessions/start", { cwd });
    expect(free.live).toBe(true);
    // Changed contents need trust again.
    writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: { sly: { command: "slyer" } } }));
    // A prompt would start a process there, so it is refused. A process that runs without the folder's settings says
    // so.
    const noticesOf = async (id: string): Promise<unknown[]> =>
      (await operator.call("session/rows", { session: id })).rows.filter(
        (row: { kind: string }) => row.kind === "notice",
      );
    await operator.command("sessions/close", { session: free.id });
    expect(await noticesOf(free.id)).toEqual([]);
    const prompt = { session: free.id, content: "hello" };
    expect((await refusalOf(operator.command("session/prompt", prompt))).code).toBe("folder-untrusted");
    await operator.command("sessions/resume", { session: free.id, withoutFolderSettings: true });
    await operator.command("session/prompt", prompt);
    await vi.waitFor(async () => expect(await noticesOf(free.id)).toHaveLength(1), { timeout: 60_000, interval: 50 });
    const left = expect.stringContaining(join(cwd, ".mcp.json")) as unknown;
    expect(await noticesOf(free.id)).toMatchObject([{ topic: "folder", level: "warning", text: left }]);
    expect(await noticesOf(session.id)).toMatchObject([{ topic: "folder" }]);
    expect(await refusalOf(operator.command("sessions/start", { cwd }))).toMatchObject({
      code: "folder-untrusted",
      data: { trust: "changed" },
    });
    expect((await refusalOf(admin.command("projects/trust", trust))).code).toBe("changed");
  });

  it("outside the roots is neither started in nor inspected", async () => {
    const bench = await shared();
    const client = await bench.client();
    for (const cwd of [bench.place.home, "/", `${bench.cwd}/../../home`, bench.place.dataDir]) {
      expect((await refusalOf(client.command("sessions/start", { cwd }))).code).toBe("outside-roots");
      expect((await refusalOf(client.call("projects/inspect", { cwd }))).code).toBe("outside-roots");
      expect((await refusalOf(client.call("files/list", { path: cwd }))).code).toBe("outside-roots");
    }
    const there = { cwd: bench.cwd, settings: { addDir: [bench.place.home] } };
    expect((await refusalOf(client.command("sessions/start", there))).code).toBe("outside-roots");
  });
});

describe("[E34] a start", () => {
  it("accepts no flag, program or variable from a client, and no value that looks like a flag (S9)", async () => {
    const bench = await shared();
    const client = await bench.client();
    const { cwd } = bench;
    const smuggled = [
      { model: "--dangerously-skip-permissions" },
      { model: "x\n--settings=y" },
      { appendSystemPrompt: "--settings=y" },
      { agent: "-p" },
      { addDir: ["--settings"] },
      { allowedTools: ["Bash,--x", "-y"] },
      { worktree: "--help" },
      { fallbackModel: "\u0000" },
    ];
    for (const settings of smuggled) {
      const { code } = await refusalOf(client.command("sessions/start", { cwd, settings }));
      expect([settings, ["bad-request", "not-found"].includes(code)]).toEqual([settings, true]);
    }
    expect((await client.call("sessions/list", { project: cwd })).total).toBe(0);
    // An unknown setting is ignored.
    const { session } = await client.command("sessions/start", {
      cwd,
      command: "/bin/sh",
      env: { X: "1" },
      settings: { dangerouslySkipPermissions: true, permissionPromptTool: "x", sessionId: randomUUID() },
    });
    expect(session.mode).toBe("default");
  });
});

/** For each method, a setting that it accepts. */
const SETTINGS: Readonly<Record<string, unknown>> = {
  allowDangerouslySkipPermissions: true,
  allowedTools: ["Bash"],
  systemPrompt: "x",
  agents: {},
  settings: {},
  settingSources: ["user"],
  mcpConfig: [{}],
  pluginDir: ["/x"],
  debug: "api",
  debugFile: "/x",
};
