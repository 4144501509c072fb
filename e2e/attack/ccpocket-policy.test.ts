// The same policies at the other port: a ccpocket app can do what its device's role allows, and no more.

import { randomUUID } from "node:crypto";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Bench } from "../bridge/bench.ts";
import { App } from "../ccpocket/app.ts";
import type { Json } from "../ccpocket/app.ts";

const shared = Bench.shared(["--ccpocket-port", "0", "--log", "json"]);

const begin = async (role: string) => {
  const bench = await shared();
  const admin = await bench.client();
  const { token } = await admin.command("devices/addToken", { role, name: `an app with ${role}` });
  const app = new App(bench.server.ccpocketPort, token);
  onTestFinished(() => app.close());
  await app.hearType("project_history");
  return { bench, admin, app };
};

describe("an app", () => {
  it("[S54] resumes a terminal's session that is not open, and ends an open one only if it says so", async () => {
    const { bench, admin, app } = await begin("operate");
    // Roles below admin see only folders that were opened.
    const { hash } = await admin.call("projects/inspect", { cwd: bench.cwd });
    await admin.command("projects/trust", { cwd: bench.cwd, hash, trusted: true });
    const folder = join(bench.place.home, ".claude", "projects", bench.cwd.replaceAll(/[^A-Za-z0-9]/gu, "-"));
    mkdirSync(folder, { recursive: true });
    const transcript = (): string => {
      const id = randomUUID();
      const common = { sessionId: id, cwd: bench.cwd, timestamp: new Date().toISOString(), version: "2.1.325" };
      const line = { type: "user", uuid: randomUUID(), parentUuid: null, ...common };
      writeFileSync(
        join(folder, `${id}.jsonl`),
        `${JSON.stringify({ ...line, message: { role: "user", content: "hello" } })}\n`,
      );
      return id;
    };
    const [held, free] = [transcript(), transcript()];
    // The server caches the list for a moment.
    const listed = async (): Promise<Json[]> =>
      (await admin.call("sessions/list", { project: bench.cwd, terminal: true })).sessions;
    await expect.poll(async () => (await listed()).length).toBe(2);
    // The file in which a newer CLI says that it runs.
    const terminal = spawn("sleep", ["600"], { stdio: "ignore" });
    const ended = new Promise((resolve) => terminal.on("exit", (_code, signal) => resolve(signal)));
    onTestFinished(() => void terminal.kill("SIGKILL"));
    const sessions = join(bench.place.home, ".claude", "sessions");
    mkdirSync(sessions, { recursive: true });
    const { pid } = terminal;
    const procStart = readFileSync(`/proc/${String(pid)}/stat`, "utf8")
      .split(") ")[1]!
      .split(" ")[19]!;
    writeFileSync(
      join(sessions, `${String(pid)}.json`),
      JSON.stringify({ pid, sessionId: held, startedAt: Date.now(), procStart }),
    );
    let from = app.send({ type: "resume_session", sessionId: held, projectPath: bench.cwd, resumeRequestId: "r1" });
    expect(await app.hearType("error", from)).toMatchObject({
      errorCode: "session_held",
      resumeRequestId: "r1",
      message: expect.stringContaining("takeOver") as unknown,
    });
    from = app.send({ type: "start", sessionId: held, projectPath: bench.cwd });
    expect(await app.hearType("error", from)).toMatchObject({ errorCode: "session_held" });
    expect(terminal.exitCode ?? terminal.signalCode).toBeNull();
    // The session still belongs to the terminal.
    expect((await listed()).map(({ origin }) => origin)).toEqual(["terminal", "terminal"]);
    expect((await admin.call("sessions/list", { project: bench.cwd })).total).toBe(0);

    from = app.send({ type: "resume_session", sessionId: free, projectPath: bench.cwd });
    await app.hear(({ subtype, sessionId }) => subtype === "session_created" && sessionId === free, from);
    from = app.send({ type: "resume_session", sessionId: held, projectPath: bench.cwd, takeOver: true });
    expect(await ended).toBe("SIGTERM");
    await app.hear(({ subtype, sessionId }) => subtype === "session_created" && sessionId === held, from);
  });

  it("[S46] that always allows gets the CLI's suggestion or a single approval, never more", async () => {
    const { bench, admin, app } = await begin("answer");
    const sessionId = await bench.session(admin);
    const answer = async (content: string): Promise<Json> => {
      const before = bench.linesToCli().length;
      let from = app.heard.length;
      await admin.command("session/prompt", { session: sessionId, content });
      const asked = await app.hearType("permission_request", from);
      from = app.send({ type: "approve_always", id: asked.toolUseId, sessionId });
      await app.hearType("result", from);
      const sent = bench.linesToCli().slice(before) as Json[];
      return { given: sent.map(({ response }) => response?.response).find((one) => one?.behavior === "allow"), from };
    };
    const once = await answer("write");
    expect(once.given.updatedPermissions).toBeUndefined();
    expect(await app.hear(({ errorCode }) => errorCode === "allowed_once", once.from)).toMatchObject({ sessionId });
    const { given } = await answer("touch");
    expect(given.updatedPermissions).toEqual([
      {
        type: "addRules",
        rules: [{ toolName: "Bash", ruleContent: "touch made.txt" }],
        behavior: "allow",
        destination: "session",
      },
    ]);
    // The rule is for the one command: another command asks, and so does the request whose answer added no rule.
    for (const content of ["remove", "write"]) {
      const from = app.heard.length;
      await admin.command("session/prompt", { session: sessionId, content });
      const asked = await app.hearType("permission_request", from);
      app.send({ type: "reject", id: asked.toolUseId, sessionId });
      await app.hearType("result", from);
    }
    expect(existsSync(join(bench.cwd, "made.txt"))).toBe(true);
  });

  it("[S36] cannot change settings with a slash command, typed or queued", async () => {
    const { bench, admin, app } = await begin("operate");
    await bench.session(admin);
    let from = app.send({ type: "start", projectPath: bench.cwd });
    const { sessionId } = await app.hear(({ subtype }) => subtype === "session_created", from);
    from = app.send({ type: "input", text: "slow", sessionId });
    await app.hearType("input_ack", from);
    const waiting = randomUUID();
    from = app.send({ type: "input", text: "hello", sessionId, clientMessageId: waiting });
    await app.hearType("input_ack", from);
    const text = "/config permissionMode=auto";
    from = app.send({ type: "input", text, sessionId });
    expect(await app.hearType("input_rejected", from)).toMatchObject({ reason: "forbidden" });
    from = app.send({ type: "update_queued_input", sessionId, itemId: waiting, text });
    expect(await app.hearType("error", from)).toMatchObject({ errorCode: "forbidden" });
    app.send({ type: "interrupt", sessionId });
    expect(JSON.stringify(bench.linesToCli().filter(({ type }) => type === "user"))).not.toContain("config");
  });
});
