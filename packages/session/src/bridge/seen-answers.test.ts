import type { HostSubtype } from "@quarterdeck/protocol";
import { describe, expect, it } from "vitest";
import type { Event } from "../event.ts";
import { ROLES } from "./bridge.ts";
import type { Role } from "./bridge.ts";
import { seenAnswer, seenFact } from "./seen-answers.ts";

let made = 0;
/** Long and random, as keys are; each is another. */
const canary = (): string => `Zx9canary${(++made).toString().padStart(4, "0")}q7Kd82LmPw`;

const config = () => ({
  type: "http",
  url: `https://me:${canary()}@host.invalid/${canary()}/mcp?key=${canary()}&${canary()}#${canary()}`,
  headers: { Authorization: `Bearer ${canary()}`, "X-Team": canary() },
  env: { HOME: canary(), API_KEY: canary() },
  args: [
    ...["--token", canary(), `--api-key=${canary()}`, "-H", `X-Key: ${canary()}`, "-e", `PLAIN=${canary()}`],
    ...[canary(), `https://x.invalid/?t=${canary()}`, `export SOME_NAME=${canary()} && run`, `{"token":"${canary()}"}`],
  ],
  oauth: { clientId: canary(), nested: { any: canary() } },
  clientSecret: canary(),
  authToken: canary(),
});

/** Secrets in every field of configuration of every answer that has one. */
const ANSWERS: { readonly [S in HostSubtype]?: () => unknown } = {
  mcp_status: () => ({
    mcpServers: [
      {
        name: "one",
        status: "failed",
        scope: "user",
        config: config(),
        error: `401 from https://h.invalid/?key=${canary()}: Bearer ${canary()}`,
        serverInfo: { name: "s", version: "1", token: canary() },
        tools: [{ name: "t", description: "d", _meta: { apiKey: canary() } }],
      },
    ],
  }),
  get_settings: () => ({
    effective: {
      model: "opus",
      env: { A: canary() },
      permissions: { allow: [`Bash(curl -H "Authorization: Bearer ${canary()}" *)`] },
      mcpServers: { x: config() },
      apiKeyHelper: `echo sk-ant-${canary()}`,
    },
    sources: [{ source: "userSettings", settings: { env: { A: canary() } } }],
    applied: { model: "opus" },
  }),
  get_status: () => ({
    sections: [
      {
        title: "Session",
        rows: [
          { label: "Version", value: "2.1.325" },
          { label: "Anthropic base URL", value: `https://u:${canary()}@proxy.invalid/?k=${canary()}` },
          { label: "API key", value: `sk-ant-${canary()}` },
        ],
      },
    ],
  }),
  list_permission_rules: () => ({
    state: { rules: [{ rule: `Bash(TOKEN=${canary()} run)` }], workspaceDirectories: [] },
  }),
  get_hooks_listing: () => ({
    events: [{ name: "Stop", count: 1 }],
    hooks: [{ event: "Stop", command: `curl https://h.invalid/?key=${canary()}`, headers: { A: canary() } }],
    eventCatalog: [],
  }),
  get_memory_dialog: () => ({ files: [{ kind: "user", label: "User", exists: true, token: canary() }] }),
  get_skills_dialog: () => ({ skills: [{ name: "s", env: { A: canary() } }] }),
  get_sandbox_dialog: () => ({ enabled: true, restrictions: { password: canary() } }),
  reload_plugins: () => ({ mcpServers: [{ name: "x", status: "connected", config: config() }] }),
  get_context_usage: () => ({ categories: [], mcpTools: [{ name: "x", apiKey: canary() }] }),
  get_usage: () => ({ session: {}, rate_limits: { access_token: canary() } }),
};

describe("an answer of the CLI", () => {
  it("shows none of its secrets to any role (S37)", () => {
    for (const [subtype, answer] of Object.entries(ANSWERS)) {
      for (const role of ROLES) {
        const words = JSON.stringify(seenAnswer(subtype as HostSubtype, answer(), role));
        expect([subtype, role, words.match(/Zx9canary\d+/gu)]).toEqual([subtype, role, null]);
      }
    }
  });

  it("shows each role what it is for (S37)", () => {
    const seenBy = (role: Role) =>
      (seenAnswer("mcp_status", ANSWERS.mcp_status?.(), role) as { mcpServers: readonly object[] }).mcpServers;
    const fieldsFor = (role: Role) => seenBy(role).flatMap((server) => Object.keys(server));
    const plainFields = ["name", "status", "scope", "serverInfo", "tools"];
    expect(fieldsFor("view")).toEqual(plainFields);
    expect(fieldsFor("answer")).toEqual(plainFields);
    expect(fieldsFor("operate")).toEqual([...plainFields, "error", "config"]);
    expect(seenBy("operate")).toMatchObject([
      {
        error: "401 from https://h.invalid/?key=<hidden> Bearer <hidden>",
        config: {
          url: "https://<hidden>@host.invalid/<hidden>/mcp?key=<hidden>&<hidden>#<hidden>",
          headers: { Authorization: "<hidden>", "X-Team": "<hidden>" },
        },
      },
    ]);
    // Harmless words stay.
    const plain = {
      mcpServers: [
        {
          name: "x",
          status: "connected",
          config: { command: "npx", args: ["-y", "@scope/server-everything@1.2.3", "--port=8080", "/home/me/project"] },
        },
      ],
    };
    expect(seenAnswer("mcp_status", plain, "admin")).toEqual(plain);
  });

  it("in the log is an admin's, without its secrets; so is what we asked beyond a role (S37)", () => {
    const answer: Event = {
      seq: 1,
      at: 0,
      type: "received",
      message: {
        type: "control_response",
        response: { subtype: "success", request_id: "r", response: ANSWERS.mcp_status?.() as never },
      },
    };
    const asked: Event = {
      seq: 2,
      at: 0,
      type: "sent",
      message: {
        type: "control_request",
        request_id: "r",
        request: { subtype: "mcp_set_servers", servers: { x: config() } } as never,
      },
    };
    const typed: Event = {
      seq: 3,
      at: 0,
      type: "sent",
      message: {
        type: "control_response",
        response: { subtype: "success", request_id: "e", response: { action: "accept", content: { pin: canary() } } },
      },
    };
    for (const role of ROLES) {
      const seen = [answer, asked, typed].map((event) => seenFact(event, role));
      expect(JSON.stringify(seen)).not.toMatch(/Zx9canary/u);
      expect(JSON.stringify(seen[0]).includes("mcpServers")).toBe(role === "admin");
      expect(JSON.stringify(seen[1]).includes("host.invalid")).toBe(role === "admin");
    }
    const prompt: Event = {
      seq: 4,
      at: 0,
      type: "received",
      message: { type: "user", message: { content: "token: abcdef123" } },
    };
    expect(seenFact(prompt, "view")).toBe(prompt);
  });
});

describe("other facts", () => {
  const at = { seq: 1, at: 0 };
  const login = { type: "auth_status", isAuthenticating: true, session_id: "s", uuid: "u" };

  it.each(["view", "answer", "operate"] as const)("[S57] shows %s no raw output of the CLI and no login", (role) => {
    const token = canary();
    const message = { ...login, output: [`https://x.invalid/?code=${token}`], error: token };
    expect(seenFact({ ...at, type: "received", message }, role)).toEqual({
      ...at,
      type: "received",
      message: { ...login, withheld: true },
    });
    expect(seenFact({ ...at, type: "stderr", text: token }, role)).toEqual({ ...at, type: "stderr", text: "" });
    const noise = { ...at, type: "noise", size: 3, reason: "not-json" } as const;
    expect(seenFact({ ...noise, bytes: "eHh4" }, role)).toEqual({ ...noise, bytes: "" });
  });

  it("[S57] shows an admin stderr without secrets, and the rest as it came", () => {
    const stderr = seenFact({ ...at, type: "stderr", text: `token=${canary()} refused` }, "admin");
    expect(stderr).toEqual({ ...at, type: "stderr", text: "token=<hidden> refused" });
    const received: Event = { ...at, type: "received", message: { ...login, output: ["https://x.invalid/"] } };
    expect(seenFact(received, "admin")).toEqual(received);
  });
});
