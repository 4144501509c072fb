// The ccpocket protocol from outside, next to the native protocol on the same sessions.

import { randomUUID } from "node:crypto";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Bench } from "../bridge/bench.ts";
import { bindingOf } from "../bridge/raw-client.ts";
import { App } from "./app.ts";
import type { Json } from "./app.ts";

const FLAGS = ["--ccpocket-port", "0", "--log", "json"];

const shared = Bench.shared(FLAGS);

const begin = async (): Promise<{ bench: Bench; app: App }> => {
  const bench = await shared();
  return { bench, app: open(bench) };
};
const open = (bench: Bench): App => {
  const app = new App(bench.server.ccpocketPort, bench.server.token);
  onTestFinished(() => app.close());
  return app;
};
const started = async (app: App, bench: Bench, fields: Json = {}): Promise<string> => {
  await app.hearType("project_history");
  const from = app.send({ type: "start", projectPath: bench.cwd, ...fields });
  const created = await app.hear(({ type, subtype }) => type === "error" || subtype === "session_created", from);
  expect(created).toMatchObject({ type: "system", provider: "claude", projectPath: bench.cwd });
  await app.hear(({ subtype }) => subtype === "supported_commands", from);
  return created.sessionId;
};

describe("[E61] connecting", () => {
  it("sends sessions and projects first, and refuses a wrong token with 4001", async () => {
    const { bench, app } = await begin();
    // The list comes again when it has changed, also right after the start.
    expect(await app.hearType("project_history")).toEqual({ type: "project_history", projects: [] });
    const [first] = app.heard;
    expect(first).toMatchObject({ type: "session_list", sessions: [], allowedDirs: [bench.place.cwd] });
    expect(await new App(bench.server.ccpocketPort, "wrong").closed).toBe(4001);
    expect(await new App(bench.server.ccpocketPort, "").closed).toBe(4001);
  });

  it("refuses browsers and unknown names of this machine", async () => {
    const { bench } = await begin();
    const { token } = bench.server;
    expect(await new App(bench.server.ccpocketPort, token, { origin: "http://evil.example" }).closed).toBe(1006);
    expect(await new App(bench.server.ccpocketPort, token, { host: "evil.example" }).closed).toBe(1006);
  });

  it("survives a stranger's broken frame (S25, S28)", async () => {
    const { bench, app } = await begin();
    const port = bench.server.ccpocketPort;
    const socket = connect(port, "127.0.0.1");
    const upgrade =
      `GET /?token=wrong HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    socket.write(Buffer.concat([Buffer.from(upgrade), Buffer.from([0xff, 0xff, 1, 2, 3, 4, 5, 6])]));
    socket.resume();
    await once(socket, "close");
    await app.hearType("project_history");
    expect(await app.hearType("session_list", app.send({ type: "list_sessions" }))).toMatchObject({ sessions: [] });
  });

  it("accepts only the proxy if there is one, like the other port (S6)", async () => {
    const flags = ["--host", "0.0.0.0", "--behind-proxy", "--allow-host", "deck.example.com"];
    const bench = await Bench.start(undefined, [...FLAGS, ...flags]);
    const port = bench.server.ccpocketPort;
    const address = Object.values(networkInterfaces())
      .flat()
      .find((each) => each?.internal === false && each.family === "IPv4")?.address;
    const health = async (at: string, headers: Record<string, string>): Promise<number> => {
      const [response] = (await once(get({ host: at, port, path: "/health", headers }), "response")) as [
        IncomingMessage,
      ];
      response.resume();
      return response.statusCode!;
    };
    const proxied = { "x-forwarded-host": "deck.example.com", "x-forwarded-for": "203.0.113.9" };
    expect(await health("127.0.0.1", { ...proxied, "x-forwarded-proto": "https" })).toBe(200);
    expect(await health("127.0.0.1", { ...proxied, "x-forwarded-proto": "http" })).toBe(403);
    // A machine without a network has no other address to try.
    if (address !== undefined) expect(await health(address, { host: "deck.example.com" })).toBe(403);
    expect(await new App(port, bench.server.token, { ...proxied, "x-forwarded-proto": "http" }).closed).toBe(1006);
    const app = new App(port, bench.server.token, { ...proxied, "x-forwarded-proto": "https" });
    onTestFinished(() => app.close());
    await app.hearType("session_list");
  });

  it("names unknown messages, and messages that are not JSON", async () => {
    const { app } = await begin();
    await app.hearType("project_history");
    const errorTo = (message: Json): Promise<Json> => app.hearType("error", app.send(message));
    expect(await errorTo({ type: "git_push", projectPath: "/" })).toEqual({
      type: "error",
      errorCode: "unsupported_message",
      message: "git_push",
    });
    expect(await errorTo("not json")).toEqual({
      type: "error",
      errorCode: "unsupported_message",
      message: "Invalid message format",
    });
    expect(await errorTo({ type: "start" })).toMatchObject({ errorCode: "invalid_message" });
    expect(await errorTo({ type: "input", text: "x" })).toMatchObject({
      errorCode: "unknown_session",
      message: "No active session. Send 'start' first.",
    });
    expect(await errorTo({ type: "start", projectPath: "/etc" })).toMatchObject({ errorCode: "outside_roots" });
  });
});

describe("[E62] a conversation", () => {
  it("streams, asks, is approved, and ends with its cost", async () => {
    const { bench, app } = await begin();
    const sessionId = await started(app, bench);
    const from = app.send({ type: "input", text: "touch", sessionId, clientMessageId: "one" });
    expect(await app.hearType("input_ack", from)).toMatchObject({ sessionId, clientMessageId: "one", queued: false });
    const asked = await app.hearType("permission_request", from);
    expect(asked).toMatchObject({ sessionId, toolName: "Bash", input: { command: "touch made.txt" } });
    expect(asked.suggestions).toContainEqual(expect.objectContaining({ type: "addRules" }));
    await app.hear(({ type, status }) => type === "status" && status === "waiting_approval", from);
    app.send({ type: "approve", id: asked.toolUseId, sessionId });
    const result = await app.hearType("result", from);
    expect(result).toMatchObject({ subtype: "success", result: "Made.", cost: expect.any(Number), sessionId });
    await app.hear(({ type, status }) => type === "status" && status === "idle", from);
    expect(existsSync(join(bench.cwd, "made.txt"))).toBe(true);
    const types = app.heard.slice(from).map(({ type }) => type);
    for (const type of ["user_input", "assistant", "tool_result", "permission_resolved"]) expect(types).toContain(type);
    const seqs = app.heard.slice(from).flatMap(({ historySeq }) => historySeq ?? []);
    expect(seqs).toEqual(seqs.toSorted((a: number, b: number) => a - b));
  });

  it(
    "accepts a picture as large as a phone makes it, typed by its bytes, from a device that may upload",
    { tags: "long" },
    async () => {
      const { bench, app } = await begin();
      const sessionId = await started(app, bench);
      const png = Buffer.concat([Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), Buffer.alloc(1_500_000, 7)]);
      const input = {
        type: "input",
        text: "hello",
        sessionId,
        images: [{ base64: png.toString("base64"), mimeType: "image/jpeg" }],
      };
      const from = app.send(input);
      expect(await app.hearType("input_ack", from)).toMatchObject({ sessionId });
      await app.hearType("result", from);
      const [line] = bench.linesToCli().filter(({ type }) => type === "user");
      const { content } = (line as Json).message;
      expect(content.map(({ type, source }: Json) => [type, source?.media_type])).toEqual([
        ["text", undefined],
        ["image", "image/png"],
      ]);
      expect(content[1].source.data).toBe(png.toString("base64"));
      const native = await bench.client();
      const { token } = await native.command("devices/addToken", { role: "answer", name: "watch" });
      const watch = new App(bench.server.ccpocketPort, token);
      onTestFinished(() => watch.close());
      expect(await watch.hearType("input_rejected", watch.send(input))).toMatchObject({ reason: "forbidden" });
    },
  );

  it("sends text as it grows, each word once", { tags: "long" }, async () => {
    const { bench, app } = await begin();
    const sessionId = await started(app, bench);
    const from = app.send({ type: "input", text: "slow", sessionId });
    const said = () => app.heard.slice(from).filter(({ type }) => type === "stream_delta");
    await app.hear(() => said().length > 5, from);
    app.send({ type: "interrupt", sessionId });
    await app.hearType("result", from);
    const told = said()
      .map(({ text }) => text)
      .join("");
    expect("word ".repeat(3000).startsWith(told)).toBe(true);
  });

  it("is live in the native protocol, and the other way round; both learn who answered", async () => {
    const { bench, app } = await begin();
    const second = open(bench);
    const sessionId = await started(app, bench);
    const native = await bench.client();
    const mirror = await bench.mirror(native, sessionId);
    // It follows from then on. Earlier messages are history, which an app requests.
    await second.hear((heard) => heard.type === "status" && heard.sessionId === sessionId);
    await native.command("session/prompt", { session: sessionId, content: "touch" });
    const asked = await app.hearType("permission_request");
    await second.hearType("permission_request");
    // A client that connects while the request is open gets it too.
    const third = open(bench);
    expect(await third.hearType("permission_request")).toMatchObject({ toolUseId: asked.toolUseId, sessionId });
    await native.command("session/respond", {
      session: sessionId,
      ...bindingOf(await mirror.request()),
      answer: { kind: "deny", message: "no" },
    });
    for (const each of [app, second, third])
      expect(await each.hearType("permission_resolved")).toMatchObject({ toolUseId: asked.toolUseId });
    for (const each of [app, second]) expect(await each.hearType("user_input")).toMatchObject({ text: "touch" });
    const late = app.send({ type: "approve", id: asked.toolUseId, sessionId });
    expect(await app.hearType("error", late)).toMatchObject({ errorCode: "not_open" });
    expect(existsSync(join(bench.cwd, "made.txt"))).toBe(false);
  });

  it("uses the app's id for a prompt, and says what an error is about", { tags: "long" }, async () => {
    const { bench, app } = await begin();
    const sessionId = await started(app, bench);
    const from = app.send({ type: "input", text: "hello", sessionId, clientMessageId: "note 7" });
    expect(await app.hearType("user_input", from)).toMatchObject({ text: "hello", clientMessageId: "note 7" });
    expect(await app.hearType("input_ack", from)).toMatchObject({ clientMessageId: "note 7" });
    await app.hearType("result", from);
    const { messages } = await app.hearType("history", app.send({ type: "get_history", sessionId }));
    expect(messages.filter(({ type }: Json) => type === "user_input")).toMatchObject([{ clientMessageId: "note 7" }]);
    const wrong = app.send({ type: "start", projectPath: "/nowhere/at/all", requestId: "r1" });
    expect(await app.hearType("error", wrong)).toMatchObject({ requestId: "r1", message: expect.any(String) });
  });

  it("always allows what the CLI suggests, for the session, and does not change the mode", async () => {
    const { bench, app } = await begin();
    const sessionId = await started(app, bench);
    let from = app.send({ type: "input", text: "touch", sessionId });
    const asked = await app.hearType("permission_request", from);
    app.send({ type: "approve_always", id: asked.toolUseId, sessionId });
    await app.hearType("result", from);
    const sent = bench
      .linesToCli()
      .map((line) => (line["response"] as Json)?.response)
      .filter((response) => response?.behavior === "allow");
    expect(sent).toMatchObject([
      { updatedPermissions: [{ type: "addRules", behavior: "allow", destination: "session" }] },
    ]);
    from = app.send({ type: "input", text: "touch", sessionId });
    await app.hearType("result", from);
    expect(app.heard.slice(from).map(({ type }) => type)).not.toContain("permission_request");
    await app.hear(({ type, sessions }) => type === "session_list" && sessions[0]?.permissionMode === "default", from);
  });

  it("answers a question, rejects with words, changes the mode, interrupts", async () => {
    const { bench, app } = await begin();
    const sessionId = await started(app, bench);
    let from = app.send({ type: "input", text: "ask me", sessionId });
    let asked = await app.hearType("permission_request", from);
    expect(asked.toolName).toBe("AskUserQuestion");
    app.send({ type: "answer", toolUseId: asked.toolUseId, result: "Blue", sessionId });
    expect(await app.hearType("tool_result", from)).toMatchObject({ content: expect.stringContaining("Blue") });
    await app.hearType("result", from);

    from = app.send({ type: "input", text: "touch" });
    asked = await app.hearType("permission_request", from);
    app.send({ type: "reject", id: asked.toolUseId, message: "Use mkdir instead." });
    expect(await app.hearType("tool_result", from)).toMatchObject({
      toolName: "Bash",
      content: expect.stringContaining("Use mkdir instead."),
    });
    await app.hearType("result", from);

    from = app.send({ type: "set_permission_mode", mode: "plan", sessionId });
    expect(await app.hear(({ subtype }) => subtype === "set_permission_mode", from)).toMatchObject({
      permissionMode: "plan",
    });
    from = app.send({ type: "input", text: "slow", sessionId });
    await app.hearType("stream_delta", from);
    app.send({ type: "interrupt", sessionId });
    expect((await app.hearType("result", from)).subtype).not.toBe("success");
  });

  it("[E262] has pictures, questions one by one, the queue, and what a dead process left", async () => {
    const { bench, app } = await begin();
    app.send({ type: "client_capabilities", supportedServerMessages: ["conversation_queue"] });
    const sessionId = await started(app, bench);
    const png = Buffer.from("89504e470d0a1a0a0000000d4948445200000001", "hex");
    writeFileSync(join(bench.cwd, "shot.png"), png);
    let from = app.send({ type: "input", text: "see the picture", sessionId });
    const { images } = await app.hearType("tool_result", from);
    expect(images).toMatchObject([{ mimeType: "image/png", url: expect.stringMatching(/^\/images\/[0-9a-f]{64}$/u) }]);
    const at = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${bench.server.ccpocketPort}${path}`);
    const got = await at(images[0].url);
    expect([got.status, got.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect(Buffer.from(await got.arrayBuffer())).toEqual(png);
    expect((await at(`/images/${"0".repeat(64)}`)).status).toBe(404);
    await app.hearType("result", from);

    from = app.send({ type: "input", text: "two questions", sessionId });
    const { toolUseId } = await app.hearType("permission_request", from);
    let next = app.send({ type: "answer", toolUseId, result: "Two", sessionId });
    expect(await app.hearType("permission_request", next)).toMatchObject({
      toolUseId,
      input: { answers: { "Which colour?": "Two" } },
    });
    app.send({ type: "answer", toolUseId, result: "One", sessionId });
    const { content } = await app.hearType("tool_result", next);
    for (const words of ['"Which colour?"="Two"', '"Which size?"="One"']) expect(content).toContain(words);
    await app.hearType("result", from);

    from = app.send({ type: "input", text: "slow", sessionId });
    const said = () => app.heard.slice(from).filter(({ type }) => type === "stream_delta");
    await app.hear(() => said().length > 5, from);
    next = app.send({ type: "input", text: "hello", sessionId });
    const queued = await app.hear(
      ({ type, items }) => type === "conversation_queue" && items.some(({ text }: Json) => text === "hello"),
      next,
    );
    const { itemId } = queued.items.find(({ text }: Json) => text === "hello");
    next = app.send({ type: "cancel_queued_input", sessionId, itemId });
    await app.hear(
      ({ type, items }) => type === "conversation_queue" && items.every((item: Json) => item.itemId !== itemId),
      next,
    );
    const native = await bench.client();
    const mirror = await bench.mirror(native, sessionId);
    next = app.heard.length;
    process.kill(mirror.head["process"].pid, "SIGKILL");
    expect(await app.hear(({ errorCode }) => errorCode === "process_died", next)).toMatchObject({
      type: "error",
      sessionId,
      message: expect.stringContaining("SIGKILL"),
    });
    const { messages } = await app.hearType("history", app.send({ type: "get_history", sessionId }));
    const texts = messages.flatMap(({ message }: Json) => message?.content ?? []).map(({ text }: Json) => text);
    expect(texts.some((text?: string) => text?.startsWith("word word") === true)).toBe(true);
  });

  it("runs a plan in a cleared context", { tags: "long" }, async () => {
    const { bench, app } = await begin();
    const sessionId = await started(app, bench, { permissionMode: "plan" });
    const from = app.send({ type: "input", text: "plan it", sessionId });
    const asked = await app.hear(({ toolName }) => toolName === "ExitPlanMode", from);
    app.send({ type: "approve", id: asked.toolUseId, clearContext: true, sessionId });
    const said = (text: string) => app.hear((message) => message.type === "user_input" && message.text === text, from);
    await said("/clear");
    await said("Carry out this plan:\n\n1. Ring the bell.\n");
    expect(await app.hear(({ type, result }) => type === "result" && result === "Rung.", from)).toMatchObject({
      subtype: "success",
      sessionId,
    });
    const prompts = bench
      .linesToCli()
      .flatMap(({ type, message }) => (type === "user" ? (message as Json).content : []));
    expect(prompts.map((content: Json) => (typeof content === "string" ? content : content.text))).toEqual([
      "plan it",
      "/clear",
      "Carry out this plan:\n\n1. Ring the bell.\n",
    ]);
    await app.hear(({ type, sessions }) => type === "session_list" && sessions[0]?.permissionMode === "default", from);
  });
});

it("[E62] answers while a start waits for a place, and the answer frees the place", async () => {
  const bench = await Bench.start(undefined, [...FLAGS, "--max-sessions", "1"]);
  const app = open(bench);
  const sessionId = await started(app, bench);
  app.send({ type: "input", text: "touch", sessionId });
  const asked = await app.hearType("permission_request");
  const from = app.send({ type: "start", projectPath: bench.cwd });
  app.send({ type: "input", text: "hello" });
  expect(await app.hearType("error", from)).toMatchObject({ errorCode: "no_room" });
  app.send({ type: "approve", id: asked.toolUseId });
  const created = await app.hear(({ subtype }) => subtype === "session_created", from);
  expect(created.sessionId).not.toBe(sessionId);
  expect(await app.hear((message) => message.type === "user_input" && message.text === "hello", from)).toMatchObject({
    sessionId: created.sessionId,
  });
  await app.hear((message) => message.type === "result" && message.sessionId === created.sessionId, from);
  expect(existsSync(join(bench.cwd, "made.txt"))).toBe(true);
});

describe("[E63] history", () => {
  it("is complete after a restart, sent in parts after a number, and sent again for a number of another log", async () => {
    const bench = await Bench.start(undefined, FLAGS);
    const app = open(bench);
    const sessionId = await started(app, bench);
    const clientMessageId = randomUUID();
    const sent = app.send({ type: "input", text: "hello", sessionId, clientMessageId });
    await app.hearType("result", sent);
    const before = app.heard.slice(sent).filter(({ historySeq }) => historySeq !== undefined);
    await bench.server.kill();
    await bench.restart(FLAGS);

    const again = open(bench);
    let from = again.send({ type: "get_history", sessionId });
    const history = await again.hearType("history", from);
    const told = history.messages.map(({ type, historySeq }: Json) => [type, historySeq]);
    expect(told).toEqual(expect.arrayContaining(before.map(({ type, historySeq }) => [type, historySeq])));
    expect(told.filter(([type]: Json) => type === "user_input")).toHaveLength(1);

    const [first] = before;
    from = again.send({ type: "get_history_delta", sessionId, sinceSeq: first.historySeq });
    const delta = await again.hearType("history_delta", from);
    expect(delta).toMatchObject({ fromSeq: first.historySeq, status: "idle" });
    // The end of the process may be logged in between.
    expect(delta.toSeq).toBeGreaterThanOrEqual(history.historySeq);
    expect(delta.messages.every(({ seq }: Json) => seq > first.historySeq)).toBe(true);
    expect(delta.messages.map(({ message }: Json) => message.type)).toContain("result");
    from = again.send({ type: "get_history_delta", sessionId, sinceSeq: 10_000 });
    expect(await again.hearType("history_snapshot", from)).toMatchObject({ reason: "reset", fromSeq: 0 });

    // Sent again after the restart: it happened once.
    from = again.send({ type: "input", text: "hello", sessionId, clientMessageId });
    expect(await again.hearType("input_ack", from)).toMatchObject({ clientMessageId });
    from = again.send({ type: "get_history", sessionId });
    const texts = (await again.hearType("history", from)).messages.filter(({ type }: Json) => type === "user_input");
    expect(texts).toHaveLength(1);
    from = again.send({ type: "input", text: "late", sessionId, baseSeq: 0, clientMessageId: "other" });
    expect(await again.hearType("input_rejected", from)).toMatchObject({
      reason: "conflict",
      clientMessageId: "other",
    });
  });

  it(
    "lists recent sessions with a search; resumes, renames, forks, archives and stops them",
    { tags: "long" },
    async () => {
      const { bench, app } = await begin();
      const sessionId = await started(app, bench);
      let from = app.send({ type: "input", text: "hello", sessionId });
      const { messageUuid } = await app.hearType("assistant", from);
      await app.hearType("result", from);
      from = app.send({ type: "rename_session", sessionId, name: "Greeting" });
      expect(await app.hearType("rename_result", from)).toMatchObject({ success: true, name: "Greeting" });
      const recent = async (fields: Json): Promise<Json> =>
        app.hearType("recent_sessions", app.send({ type: "list_recent_sessions", ...fields }));
      expect(await recent({ searchQuery: "greet", requestId: "r1" })).toMatchObject({
        requestId: "r1",
        hasMore: false,
        sessions: [{ sessionId, name: "Greeting", projectPath: bench.cwd }],
      });
      expect((await recent({ searchQuery: "nothing like it" })).sessions).toEqual([]);

      from = app.send({ type: "fork", sessionId, targetUuid: messageUuid });
      const forked = await app.hear(({ subtype, type }) => type === "error" || subtype === "session_created", from);
      expect(forked).toMatchObject({ sourceSessionId: sessionId });
      expect(forked.sessionId).not.toBe(sessionId);
      // An app that has not seen the message gets its id from a history.
      const fresh = open(bench);
      await fresh.hearType("project_history");
      from = fresh.send({ type: "fork", sessionId, targetUuid: messageUuid });
      expect(
        await fresh.hear(({ subtype, type }) => type === "error" || subtype === "session_created", from),
      ).toMatchObject({ sourceSessionId: sessionId });
      from = app.send({ type: "rename_session", sessionId: "none", name: "x" });
      expect(await app.hearType("rename_result", from)).toMatchObject({ success: false, error: expect.any(String) });
      expect(await recent({ limit: 1 })).toMatchObject({ hasMore: true, sessions: [{}] });
      expect(await recent({ limit: 100, offset: 100 })).toMatchObject({ hasMore: false, sessions: [] });

      from = app.send({ type: "stop_session", sessionId });
      expect(await app.hearType("result", from)).toMatchObject({ subtype: "stopped", sessionId });
      from = app.send({ type: "resume_session", sessionId, projectPath: bench.cwd, permissionMode: "acceptEdits" });
      expect(await app.hear(({ subtype }) => subtype === "session_created", from)).toMatchObject({ sessionId });
      expect(await app.hear(({ subtype }) => subtype === "set_permission_mode", from)).toMatchObject({
        sessionId,
        permissionMode: "acceptEdits",
      });
      from = app.send({ type: "archive_session", sessionId });
      expect(await app.hearType("archive_result", from)).toMatchObject({ success: true });
      expect((await recent({ searchQuery: "greet" })).sessions.map((each: Json) => each.sessionId)).not.toContain(
        sessionId,
      );
    },
  );

  it("lists and reads files of the roots only, and shows git's diff", async () => {
    const { bench, app } = await begin();
    const { cwd } = bench;
    const git = (...args: string[]): Buffer =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd });
    writeFileSync(join(cwd, "a.txt"), "one\ntwo\nthree\n");
    git("init", "-q");
    git("add", ".");
    git("commit", "-qm", "first");
    writeFileSync(join(cwd, "a.txt"), "one\n2\nthree\n");
    await app.hearType("project_history");
    expect(
      await app.hearType("file_list", app.send({ type: "list_files", projectPath: cwd, requestId: "f" })),
    ).toMatchObject({
      files: ["a.txt"],
      requestId: "f",
    });
    const read = (filePath: string): Promise<Json> =>
      app.hearType("file_content", app.send({ type: "read_file", projectPath: cwd, filePath, maxLines: 2 }));
    expect(await read("a.txt")).toMatchObject({ content: "one\n2", truncated: true });
    expect(await read("/etc/passwd")).toMatchObject({ content: "", error: expect.any(String) });
    const { diff } = await app.hearType("diff_result", app.send({ type: "get_diff", projectPath: cwd }));
    expect(diff).toContain("-two\n+2");
    expect(await app.hearType("error", app.send({ type: "list_files", projectPath: "/etc" }))).toMatchObject({
      errorCode: "outside_roots",
    });
  });
});
