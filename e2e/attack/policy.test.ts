// What a role can reach through the parameters of a method: rules in an answer, slash commands in a prompt, the CLI's
// own answers.

import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROLES } from "@quarterdeck/session/bridge";
import { describe, expect, it } from "vitest";
import { Bench } from "../bridge/bench.ts";
import { bindingOf, refusalOf } from "../bridge/raw-client.ts";
import type { RawClient } from "../bridge/raw-client.ts";
import { NEWEST } from "@quarterdeck/test-kit/claude-cache";
import { startRealBench } from "../bridge/real-bench.ts";

const shared = Bench.shared();

const codeOf = async (call: Promise<unknown>): Promise<string> => (await refusalOf(call)).code;

describe("rules that come with an answer", () => {
  const rule = (toolName: string, ruleContent?: string, behavior = "allow") => ({
    type: "addRules",
    rules: [{ toolName, ...(ruleContent !== undefined && { ruleContent }) }],
    behavior,
    destination: "session",
  });

  it("[S46] below admin, an answer may add only rules that the CLI suggested with this request", async () => {
    const bench = await shared();
    const admin = await bench.client();
    const clients = [await bench.clientWith("answer", admin), await bench.clientWith("operate", admin)];
    const session = await bench.session(admin);
    const mirror = await bench.mirror(admin, session);
    await admin.command("session/prompt", { session, content: "touch" });
    const request = await mirror.request();
    const suggested = request.request.permission_suggestions as { type: string; rules?: unknown[] }[];
    const ours = suggested.find(({ type }) => type === "addRules")!;
    const respond = (client: RawClient, updates: unknown[]) =>
      client.command("session/respond", {
        session,
        ...bindingOf(request),
        answer: { kind: "allow", updatedPermissions: updates, confirmed: "yes" },
      });
    const forSession = { destination: "session" };
    const hostile: unknown[][] = [
      [rule("Bash")],
      [rule("Bash", "*")],
      [rule("Bash", "touch *")],
      [rule("Bash", "touch made.txt", "deny")],
      [rule("Edit")],
      [{ ...ours, ...forSession }, rule("Bash")],
      [{ ...ours, ...forSession, rules: [...ours.rules!, { toolName: "Bash" }] }],
      [{ ...ours, ...forSession, rules: [] }],
      [{ ...ours, ...forSession, more: true }],
      [{ ...ours, ...forSession, type: "replaceRules" }],
      [{ ...ours, ...forSession, type: "removeRules" }],
      // As suggested, but written into a file.
      [ours],
      [{ type: "addDirectories", directories: ["/"], ...forSession }],
      [{ type: "removeDirectories", directories: [bench.cwd], ...forSession }],
      [{ type: "setMode", mode: "acceptEdits", destination: "localSettings" }],
      [{ type: "setMode", mode: "acceptEdits", destination: "userSettings" }],
      [{ type: "setMode", mode: "bypassPermissions", ...forSession }],
      [{ type: "somethingNewer", ...forSession }],
    ];
    for (const client of clients)
      for (const updates of hostile)
        expect([updates, await codeOf(respond(client, updates))]).toEqual([updates, "forbidden"]);
    expect(bench.answersToCli().size).toBe(0);
    await respond(clients[0]!, [{ ...ours, ...forSession }]);
    await mirror.idle();
    expect(mirror.head["rules"].allow).toEqual(["Bash(touch made.txt)"]);
  });
});

describe("slash commands", () => {
  const HOSTILE = [
    "/config permissionMode=auto",
    "/settings theme=dark",
    "/CONFIG permissionMode=auto",
    "  /config permissionMode=auto",
    "\n/config\tpermissionMode=auto",
    "/config\u00a0permissionMode=auto",
    "\ufeff/config permissionMode=auto",
    "/c\u200bonfig permissionMode=auto",
    ...["/permissions", "/allowed-tools", "/add-dir /", "/hooks", "/mcp disable all", "/plugin install x"],
    ...["/login", "/logout", "/output-style Proactive", "/autocompact 100k", "/reload-plugins", "/memory", "/heapdump"],
    // The CLI lists this built-in command, and the table has it under its alias.
    "/checkup",
  ];

  it("[S36] a command that changes settings needs an admin in every method that takes a prompt", async () => {
    const bench = await shared();
    const admin = await bench.client();
    const operator = await bench.clientWith("operate", admin);
    const session = await bench.session(admin);
    const mirror = await bench.mirror(admin, session);
    await admin.command("session/prompt", { session, content: "slow" });
    const waiting = await operator.command("session/prompt", { session, content: "hello", priority: "later" });
    const contents = HOSTILE.flatMap((text): unknown[] => [
      text,
      [{ type: "text", text }],
      [
        { type: "text", text: "hello" },
        { type: "text", text },
      ],
    ]);
    for (const content of contents) {
      const doors: [string, object][] = [
        ["session/prompt", { session, content }],
        ["session/prompt", { session, content, priority: "now" }],
        ["session/editPrompt", { session, uuid: waiting.uuid, content }],
        ["sessions/start", { cwd: bench.cwd, prompt: content }],
        ["sessions/start", { cwd: bench.cwd, prompt: content, continue: true }],
      ];
      for (const [method, params] of doors)
        expect([content, method, await codeOf(operator.command(method, params as never))]).toEqual([
          content,
          method,
          "forbidden",
        ]);
    }
    expect((await admin.call("sessions/list", { project: bench.cwd })).total).toBe(1);
    await admin.command("session/interrupt", { session, holdQueue: true });
    await mirror.idle();
    const words = JSON.stringify(bench.linesToCli().filter(({ type }) => type === "user"));
    expect(words).not.toMatch(/config|settings|heapdump/iu);
    // An admin may use them.
    await admin.command("session/prompt", { session, content: "/config" });
    await mirror.until(({ rows }) => [...rows.values()].some(({ text }) => String(text).includes("Usage: /config")));
  });

  it("[S36] a command of a project, and text that only looks like a command, are prompts", async () => {
    const bench = await shared();
    const admin = await bench.client();
    const operator = await bench.clientWith("operate", admin);
    const session = await bench.session(admin);
    const mirror = await bench.mirror(operator, session);
    for (const content of [
      "/compact",
      "/home/user/config is broken",
      "//config",
      "/nosuch hello",
      "what does /config do?",
    ]) {
      const { uuid } = await operator.command("session/prompt", { session, content });
      await mirror.until(({ rows }) => rows.get(`prompt/${uuid}`)?.state === "done");
      expect(bench.promptsToCli().get(uuid)).toBe(1);
    }
  });

  it(`[S36] an operator's /config leaves the user's settings as they are (Claude Code ${NEWEST})`, async () => {
    const { bench, home } = await startRealBench();
    mkdirSync(join(home, ".claude"));
    writeFileSync(join(home, ".claude", "settings.json"), "{}");
    const admin = await bench.client();
    const operator = await bench.clientWith("operate", admin);
    const session = await bench.session(admin);
    const content = "/config permissionMode=auto";
    expect(await codeOf(operator.command("session/prompt", { session, content }))).toBe("forbidden");
    const blocks = [
      { type: "text", text: "hello" },
      { type: "text", text: content },
    ];
    expect(await codeOf(operator.command("session/prompt", { session, content: blocks }))).toBe("forbidden");
    const mirror = await bench.mirror(admin, session);
    const done = async (client: RawClient, text: string) => {
      const { uuid } = await client.command("session/prompt", { session, content: text });
      await mirror.until(({ rows }) => rows.get(`prompt/${uuid}`)?.state === "done");
    };
    await done(operator, "hello");
    const settings = join(home, ".claude", "settings.json");
    const modeIn = (): unknown => {
      try {
        return (JSON.parse(readFileSync(settings, "utf8")) as { permissions?: unknown }).permissions;
      } catch {
        // The file does not exist.
        return undefined;
      }
    };
    expect(modeIn()).toBeUndefined();
    // The role makes the difference: the same prompt works for an admin.
    await done(admin, content);
    await expect.poll(modeIn).toEqual({ defaultMode: "auto" });
    // The table has every built-in command of this CLI. An unknown command of a newer CLI needs an admin.
    const { SLASH_ROLES } = await import("@quarterdeck/session/bridge/policy");
    const own = (mirror.head["commands"] as { name: string; builtin?: true }[]).filter(
      ({ builtin }) => builtin === true,
    );
    expect(own.length).toBeGreaterThan(20);
    expect(own.map(({ name }) => name).filter((name) => !SLASH_ROLES.has(name))).toEqual([]);
  });
});

describe("what the CLI answers", () => {
  // Each looks like a real secret. Nobody may see any of them.
  const canary = (): string => `c4n4ry${randomUUID().replaceAll("-", "")}`;

  it("[S37] shows no credentials of a server to any role, by any method", async () => {
    const bench = await shared();
    const admin = await bench.client();
    const session = await bench.session(admin);
    const canaries = Array.from({ length: 12 }, canary);
    const [a, b, c, d, e, f, g, h, i, j, k, l] = canaries;
    const servers = {
      web: {
        type: "http",
        url: `https://user:${a}@example.invalid/mcp/${b}?key=${c}&plain=${d}#${e}`,
        headers: { Authorization: `Bearer ${f}`, "X-Anything": g },
      },
      local: {
        command: "/nonexistent",
        args: ["--token", h, `--api-key=${i}`, "-e", `NAME=${j}`, k],
        env: { PLAIN: l },
      },
    };
    await admin.command("session/request", { session, request: { subtype: "mcp_set_servers", servers } });
    const seen: string[] = [];
    const tell = (value: unknown): void => void seen.push(JSON.stringify(value));
    for (const role of ROLES) {
      const client = await bench.clientWith(role, admin);
      const mirror = await bench.mirror(client, session);
      const { response } = await client.command("session/request", { session, request: { subtype: "mcp_status" } });
      tell(response);
      expect(response.mcpServers.map(({ name }: { name: string }) => name).toSorted()).toEqual(["local", "web"]);
      const isConfigSeen = response.mcpServers.every(({ config }: { config?: unknown }) => config !== undefined);
      expect([role, isConfigSeen]).toEqual([role, role === "operate" || role === "admin"]);
      await mirror.until(({ head }) => head["servers"]?.length === 2);
      tell(mirror.head);
      tell(await client.call("session/rows", { session }));
      tell(await client.call("session/events", { session }));
      for (const format of ["ndjson", "ccpocket", "markdown", "html"]) {
        const { url } = await client.call("tickets/create", { kind: "export", session, format });
        const headers = { authorization: `Bearer ${bench.server.token}` };
        seen.push(await (await fetch(`${bench.server.url}${url}`, { headers })).text());
      }
      const refused = { session, request: { subtype: "mcp_reconnect", serverName: "local" } };
      tell(
        await client
          .command("session/request", refused)
          .catch((error: { message: string; data: unknown }) => [error.message, error.data]),
      );
    }
    const words = seen.join("\n");
    expect(canaries.filter((one) => words.includes(one))).toEqual([]);
    // The CLI really got them.
    expect(canaries.filter((one) => !JSON.stringify(bench.linesToCli()).includes(one))).toEqual([]);
  });
});
