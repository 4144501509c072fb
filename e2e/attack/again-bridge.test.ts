// The second attack on the bridge: hostile parameters, and what lower roles see of the facts.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Bench, SCENARIO } from "../bridge/bench.ts";
import { bindingOf, refusalOf } from "../bridge/raw-client.ts";
import { startRealBench } from "../bridge/real-bench.ts";
import { makePlace } from "../bridge/server-process.ts";
import { COMPILED } from "@quarterdeck/test-kit/clean-env";
import { programWords } from "@quarterdeck/test-kit/programs";

const shared = Bench.shared();
const ROLES = ["view", "answer", "operate", "admin"] as const;

const git = (cwd: string, ...args: string[]): void => {
  const env = { PATH: process.env["PATH"] ?? "", HOME: "/nowhere", GIT_CONFIG_NOSYSTEM: "1" };
  execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@x", ...args], { cwd, env, stdio: "pipe" });
};

describe("a worktree", () => {
  it("[S55] runs no hook of the commit that is checked out into it", async () => {
    const { bench } = await startRealBench();
    const admin = await bench.client();
    const repository = join(bench.cwd, "repository");
    const proof = join(bench.place.root, "ran");
    const hook = [{ hooks: [{ type: "command", command: `touch ${proof}` }] }];
    mkdirSync(join(repository, ".claude"), { recursive: true });
    writeFileSync(
      join(repository, ".claude", "settings.json"),
      JSON.stringify({ hooks: { SessionStart: hook, UserPromptSubmit: hook } }),
    );
    git(repository, "init", "-q", "-b", "main");
    git(repository, "add", ".");
    git(repository, "commit", "-q", "-m", "first");
    // Only the commit has the hooks, so nothing in the folder asks for trust.
    rmSync(join(repository, ".claude"), { recursive: true });
    const { files } = await admin.call("projects/inspect", { cwd: repository });
    expect(files).toEqual([]);
    const { session } = await admin.command("sessions/start", { cwd: repository, settings: { worktree: "try" } });
    const mirror = await bench.mirror(admin, session.id);
    await admin.command("session/prompt", { session: session.id, content: "hello" });
    await mirror.until(({ head }) => head["phase"] === "idle" && head["cwd"]?.endsWith("worktrees/try"));
    expect(existsSync(proof)).toBe(false);
  });
});

describe("a mention", () => {
  it("[S56] gives the model files of the folder and uploads, but no secrets of the server", async () => {
    const { bench, api } = await startRealBench();
    const admin = await bench.client();
    const { dataDir } = bench.place;
    const operate = await bench.clientWith("operate", admin);
    const session = await bench.session(admin);
    const mirror = await bench.mirror(admin, session);
    writeFileSync(join(bench.cwd, "plain.txt"), "plain-words");
    const sent = join(dataDir, "session-files", session);
    mkdirSync(sent, { recursive: true });
    writeFileSync(join(sent, "sent.txt"), "sent-words");
    symlinkSync(join(dataDir, "server.json"), join(bench.cwd, "innocent.json"));
    const secrets = ["server.json", "secret", "devices.json"].map((name) => join(dataDir, name));
    const paths = [...secrets, join(bench.cwd, "innocent.json"), join(bench.cwd, "plain.txt"), join(sent, "sent.txt")];
    const content = `hello ${paths.map((path) => `@${path}`).join(" ")}`;
    const { uuid } = await operate.command("session/prompt", { session, content });
    await mirror.until(({ rows }) => [...rows.values()].some((row) => row.uuid === uuid && row.state === "done"));
    const heard = JSON.stringify(api.requests);
    const isHeard = (word: string): boolean => heard.includes(JSON.stringify(word).slice(1, -1));
    expect(["plain-words", "sent-words"].filter((word) => !isHeard(word))).toEqual([]);
    const kept = secrets.map((path) => readFileSync(path, "utf8").trim().slice(0, 40));
    expect([bench.server.token, ...kept].filter(isHeard)).toEqual([]);
  });
});

describe("an answer", () => {
  it("[S46] accepts only modes of the protocol, and only updates that are objects", async () => {
    const bench = await shared();
    const admin = await bench.client();
    const session = await bench.session(admin);
    const mirror = await bench.mirror(admin, session);
    await admin.command("session/prompt", { session, content: "touch" });
    await mirror.until(({ head }) => head["requests"]?.length === 1);
    const [request] = mirror.head["requests"];
    for (const role of ["operate", "admin"]) {
      const client = await bench.clientWith(role, admin);
      const refused = async (...updatedPermissions: unknown[]): Promise<string> => {
        const answer = { kind: "allow", updatedPermissions, confirmed: "yes" };
        return (await refusalOf(client.command("session/respond", { session, ...bindingOf(request), answer }))).code;
      };
      for (const mode of ["bypasspermissions", "bypassPermissions ", "AUTO", ["auto"], null])
        expect(await refused({ type: "setMode", mode, destination: "session" })).toBe("invalid-answer");
      for (const update of [null, [], "x"]) expect(await refused(update)).toBe("bad-request");
    }
    expect(bench.answersToCli().size).toBe(0);
  });
});

describe("facts", () => {
  it("[S57] contain no secret that the CLI wrote to stderr", async () => {
    const folder = mkdtempSync(join(tmpdir(), "quarterdeck-again-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "scenario.json");
    writeFileSync(file, JSON.stringify(SCENARIO));
    const secret = "Zx9canary0001q7Kd82LmPw";
    const program = {
      command: process.execPath,
      args: [...programWords("quarterdeck-sim")],
      env: {
        QUARTERDECK_SCENARIO: file,
        QUARTERDECK_SIM_FAULT: `stderr:login failed token=${secret}@init`,
        ...COMPILED,
      },
    };
    const bench = await Bench.start(makePlace(SCENARIO, program));
    const admin = await bench.client();
    const session = await bench.session(admin);
    const mirror = await bench.mirror(admin, session);
    await admin.command("session/prompt", { session, content: "hello" });
    await mirror.until(({ head }) => head["stderr"]?.includes("login failed"));
    for (const role of ROLES) {
      const client = await bench.clientWith(role, admin);
      const { head } = await client.call("session/subscribe", { session });
      expect(head.stderr.trim()).toBe("login failed token=<hidden>");
      const { events } = await client.call("session/events", { session });
      const pieces = events.filter(({ type }: { type: string }) => type === "stderr");
      expect(pieces.map(({ text }: { text: string }) => text.trim())).toEqual([
        role === "admin" ? "login failed token=<hidden>" : "",
      ]);
      const { url } = await client.call("tickets/create", { kind: "export", session, format: "ndjson" });
      const headers = { authorization: `Bearer ${bench.server.token}` };
      expect(await (await fetch(`${bench.server.url}${url}`, { headers })).text()).not.toContain(secret);
    }
  });

  it("[S25] can be read only by sequence numbers that a log can have", async () => {
    const bench = await shared();
    const admin = await bench.client();
    const session = await bench.session(admin);
    for (const seq of [-9_007_199_254_740_991, -1, 0, 1.5])
      expect((await refusalOf(admin.call("session/events", { session, seqs: [seq] }))).code).toBe("bad-request");
    expect((await admin.call("session/events", { session, seqs: [9_007_199_254_740_991] })).events).toEqual([]);
  });
});

describe("what lasts longer than the session", () => {
  it("[S58] switching a server on or off needs an admin, as the command /mcp does", async () => {
    const bench = await shared();
    const admin = await bench.client();
    const session = await bench.session(admin);
    const request = { subtype: "mcp_toggle", serverName: "x", enabled: true };
    for (const role of ROLES) {
      const client = await bench.clientWith(role, admin);
      const { code } = await refusalOf(client.command("session/request", { session, request }));
      expect([role, code === "forbidden"]).toEqual([role, role !== "admin"]);
    }
  });
});

describe("files of a folder", () => {
  it("[S59] lower roles cannot read what the folder would run, by any method", async () => {
    const bench = await shared();
    const admin = await bench.client();
    const secret = "do-not-show-this";
    const names = [".mcp.json", ".claude/settings.json", ".claude/settings.local.json", ".env~", "prod.env"];
    mkdirSync(join(bench.cwd, ".claude"));
    git(bench.cwd, "init", "-q", "-b", "main");
    git(bench.cwd, "commit", "-q", "--allow-empty", "-m", "first");
    for (const name of names) writeFileSync(join(bench.cwd, name), JSON.stringify({ env: { A: secret } }));
    const start = { cwd: bench.cwd, withoutFolderSettings: true };
    const session = (await admin.command("sessions/start", start)).session.id;
    const heard = async (role: string): Promise<string> => {
      const client = await bench.clientWith(role, admin);
      const said: unknown[] = [];
      for (const path of names.map((name) => join(bench.cwd, name)))
        for (const [method, params] of [
          ["files/read", { path }],
          ["files/read", { session, path }],
          ["changes/diff", { session, path }],
          ["tickets/create", { kind: "file", path }],
          ["projects/inspect", { cwd: bench.cwd }],
        ] as const)
          said.push(await client.call(method, params).catch((error: { code: string }) => error.code));
      return JSON.stringify(said);
    };
    for (const role of ROLES) expect([role, (await heard(role)).includes(secret)]).toEqual([role, role === "admin"]);
  });

  it("[S48] a file in the place of a folder is not an internal error", async () => {
    const bench = await shared();
    const admin = await bench.client();
    await bench.session(admin);
    const path = join(bench.cwd, "file");
    writeFileSync(path, "x");
    const view = await bench.clientWith("view", admin);
    for (const [method, params] of [
      ["projects/inspect", { cwd: path }],
      ["files/suggest", { cwd: path, query: "x" }],
      ["files/list", { path }],
    ] as const) {
      const code = await view.call(method, params).then(
        () => "",
        (error: { code: string }) => error.code,
      );
      expect(code).not.toBe("internal");
    }
  });
});

describe("additional folders", () => {
  it("[S11] reach the CLI as the real paths that were checked", async () => {
    const bench = await shared();
    const admin = await bench.client();
    const [folder, link] = [join(bench.cwd, "more"), join(bench.cwd, "link")];
    mkdirSync(folder);
    symlinkSync(folder, link);
    const session = await bench.session(admin, { addDir: [link] });
    const { response } = await admin.command("session/request", {
      session,
      request: { subtype: "list_permission_rules" },
    });
    expect(JSON.stringify(response)).toContain(folder);
    expect(JSON.stringify(response)).not.toContain(link);
  });
});
