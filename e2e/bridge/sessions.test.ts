// The list of sessions, and actions on whole sessions.

import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Bench, randomUUID } from "./bench.ts";
import { bindingOf, refusalOf } from "./raw-client.ts";
import { startServer } from "./server-process.ts";

const shared = Bench.shared();

describe("[E39] the list", () => {
  it("has sessions that need a person first, and reports changes", async () => {
    const bench = await Bench.start();
    const [a, b] = [await bench.client(), await bench.client()];
    expect(await b.call("sessions/list")).toEqual({ sessions: [], total: 0 });
    const started = b.told("sessions/changed", ({ sessions }) => sessions[0]?.live === true);
    const first = await bench.session(a);
    expect((await started).params["sessions"]).toMatchObject([
      { id: first, cwd: bench.place.cwd, origin: "quarterdeck" },
    ]);
    const second = await bench.session(a);
    const waits = b.told("sessions/changed", ({ sessions }) => sessions[0]?.waiting.length === 1);
    await a.command("session/prompt", { session: first, content: "touch" });
    const [summary] = (await waits).params["sessions"];
    expect(summary).toMatchObject({
      id: first,
      phase: "awaiting",
      title: "touch",
      waiting: [{ kind: "permission", tool: "Bash", about: "Bash: touch made.txt" }],
    });
    const ids = async (params: Record<string, unknown>): Promise<string[]> =>
      (await a.call("sessions/list", params)).sessions.map(({ id }: { id: string }) => id);
    expect(await ids({})).toEqual([first, second]);
    expect(await ids({ state: "waiting" })).toEqual([first]);
    expect(await ids({ state: "ended" })).toEqual([]);
    expect(await ids({ query: "TOUCH" })).toEqual([first]);
    expect(await ids({ project: "/elsewhere" })).toEqual([]);
    const page = await a.call("sessions/list", { limit: 1 });
    expect(page).toMatchObject({ total: 2, sessions: [{ id: first }] });
    expect(await ids({ limit: 1, cursor: page.nextCursor })).toEqual([second]);
    expect((await refusalOf(a.call("sessions/list", { cursor: "x" }))).code).toBe("bad-request");
    const mirror = await bench.mirror(a, first);
    const request = await mirror.request();
    const over = b.told("sessions/changed", ({ sessions }) =>
      sessions.some(({ phase }: { phase: string }) => phase === "idle"),
    );
    await a.command("session/respond", { session: first, ...bindingOf(request), answer: { kind: "allow" } });
    expect((await over).params["sessions"]).toContainEqual(
      expect.objectContaining({ id: first, lastText: "Made.", waiting: [], watching: 1 }),
    );
    expect((await a.call("projects/list")).projects).toMatchObject([{ path: bench.place.cwd, sessions: 2, live: 2 }]);
  });

  it("drops deleted sessions, and keeps archived and renamed ones", async () => {
    const bench = await Bench.start();
    const client = await bench.client();
    await client.call("sessions/list");
    const session = await bench.session(client);
    const mirror = await bench.mirror(client, session);
    await client.command("session/prompt", { session, content: "hello" });
    await mirror.until(({ rows }) => [...rows.values()].some(({ kind }) => kind === "turn"));
    await client.command("sessions/rename", { session, title: "Greeting" });
    await client.command("sessions/archive", { session, archived: true });
    expect((await client.call("sessions/list", { state: "archived" })).sessions).toMatchObject([{ title: "Greeting" }]);
    expect((await client.call("sessions/list", { state: "live" })).sessions).toEqual([]);
    await client.command("sessions/close", { session, finishTurn: true });
    expect((await client.call("sessions/list")).sessions).toMatchObject([{ live: false, phase: "ended" }]);
    expect((await client.call("sessions/search", { query: "there" })).hits).toMatchObject([
      { session, excerpt: "Hello there." },
    ]);
    expect((await client.call("session/find", { session, text: "Hello" })).hits).toMatchObject([
      { rowId: expect.stringContaining("prompt/") },
      { excerpt: "Hello there." },
    ]);
    const removed = client.told("sessions/changed", ({ removed: ids }) => ids.includes(session));
    const ended = client.told("session/changed", ({ reset }) => reset === true);
    await client.command("sessions/delete", { session });
    await Promise.all([removed, ended]);
    expect((await client.call("sessions/list")).total).toBe(0);
    expect((await refusalOf(client.call("session/events", { session }))).code).toBe("unknown-session");
    // Only the CLI's own session is left.
    expect(await client.call("session/subscribe", { session })).toMatchObject({ readOnly: true });
    // It is searched in memory, with the same rules as the store.
    expect((await client.call("session/find", { session, text: "héll ther" })).hits).toMatchObject([
      { excerpt: "Hello there." },
    ]);
    expect((await client.call("session/find", { session, text: "ello" })).hits).toEqual([]);
  });
});

describe("[E40] a session", () => {
  it("without a process is read from the store, and a prompt gives it a process again", async () => {
    const bench = await Bench.start();
    const before = await bench.client();
    const session = await bench.session(before);
    const first = await bench.mirror(before, session);
    for (const content of ["hello", "long", "touch"]) {
      const { uuid } = await before.command("session/prompt", { session, content });
      if (content === "touch") {
        const request = await first.request();
        await before.command("session/respond", {
          session,
          ...bindingOf(request),
          answer: { kind: "deny", message: "No." },
        });
      }
      await first.until(({ rows, head }) => rows.get(`prompt/${uuid}`)?.state === "done" && head["phase"] === "idle");
    }
    await bench.server.stop();
    first.leave();
    await bench.restart();
    const client = await bench.client();
    const mirror = await bench.mirror(client, session);
    expect(mirror.ordered).toEqual(first.ordered);
    expect(mirror.head).toMatchObject({ phase: "ended", process: { running: false } });
    const orders = mirror.ordered.map(({ order }) => order);
    const rows = (params: Record<string, unknown>) => client.call("session/rows", { session, ...params });
    const ids = ({ rows: given }: { rows: { id: string }[] }): string[] => given.map(({ id }) => id);
    const all = mirror.ordered.map(({ id }) => id);
    expect(ids(await rows({ limit: 3 }))).toEqual(all.slice(-3));
    expect(await rows({ before: orders[3], limit: 2 })).toMatchObject({ moreBefore: true, moreAfter: true });
    expect(ids(await rows({ before: orders[3], limit: 2 }))).toEqual(all.slice(1, 3));
    expect(ids(await rows({ after: orders[3], limit: 2 }))).toEqual(all.slice(4, 6));
    expect(ids(await rows({ around: all[3], limit: 2 }))).toEqual(all.slice(2, 5));
    expect((await refusalOf(rows({ around: "none" }))).code).toBe("not-found");
    const [row] = mirror.ordered;
    const { events } = await client.call("session/events", { session, seqs: row.seqs });
    expect(events.map(({ seq }: { seq: number }) => seq)).toEqual(row.seqs);
    expect((await refusalOf(client.command("session/interrupt", { session }))).code).toBe("not-live");

    const { uuid } = await client.command("session/prompt", { session, content: "hello" });
    await mirror.until(({ rows: held }) => held.get(`prompt/${uuid}`)?.state === "done");
    expect(mirror.answers).toEqual(["reset"]);
    expect(mirror.head["process"]).toMatchObject({ running: true, incarnation: 2 });
  });

  it("is forked whole and up to a row, and the parent does not change", { tags: "long" }, async () => {
    const bench = await shared();
    const client = await bench.client();
    const session = await bench.session(client);
    const mirror = await bench.mirror(client, session);
    for (const content of ["hello", "long"]) {
      const { uuid } = await client.command("session/prompt", { session, content });
      await mirror.until(({ rows, head }) => rows.get(`prompt/${uuid}`)?.state === "done" && head["phase"] === "idle");
    }
    const { hash } = mirror;
    const { session: whole } = await client.command("sessions/fork", { session, title: "Whole" });
    expect(whole).toMatchObject({ title: "Whole", forkOf: session, live: true });
    const said = mirror.ordered.find(({ kind }) => kind === "text");
    const { session: part } = await client.command("sessions/fork", { session, atRow: said.id });
    const kinds = async (id: string): Promise<string[]> =>
      (await bench.mirror(client, id)).ordered.map(({ kind }) => kind).filter((kind) => kind !== "mark");
    expect(await kinds(whole.id)).toEqual(["prompt", "text", "turn", "prompt", "text", "turn"]);
    expect((await kinds(part.id)).slice(0, 2)).toEqual(["prompt", "text"]);
    expect(await kinds(part.id)).not.toContain("long");
    expect(mirror.hash).toBe(hash);
    expect((await refusalOf(client.command("sessions/fork", { session, atRow: "none" }))).code).toBe("not-found");
  });

  it("[E188] is searched at once, by kind, project, session and time, by every role, and its secrets are listed", async () => {
    const bench = await shared();
    const client = await bench.client();
    const viewer = await bench.clientWith("view", client);
    const session = await bench.session(client);
    const mirror = await bench.mirror(client, session);
    const startedAt = Date.now();
    await client.command("session/prompt", { session, content: 'zanzibar password: "hunter2hunter"' });
    await mirror.until(({ rows }) => [...rows.values()].some(({ kind }) => kind === "turn"));
    const found = async (params: Record<string, unknown>): Promise<string[]> =>
      (await viewer.call("sessions/search", { query: "zanzi", ...params })).hits.map(
        (hit: { kind: string }) => hit.kind,
      );
    expect(await viewer.call("sessions/search", { query: "zanzi" })).toEqual({
      hits: [
        {
          session,
          rowId: expect.stringMatching(/^prompt\//u),
          excerpt: 'zanzibar password: "hunter2hunter"',
          at: expect.any(Number),
          kind: "prompt",
        },
      ],
      complete: true,
    });
    expect(await found({ kinds: ["answer", "command"] })).toEqual([]);
    expect(await found({ kinds: ["prompt"], project: bench.cwd, session, since: startedAt - 60_000 })).toEqual([
      "prompt",
    ]);
    expect(await found({ project: "/elsewhere" })).toEqual([]);
    expect(await found({ until: startedAt - 60_000 })).toEqual([]);
    expect((await refusalOf(found({ kinds: ["nothing"] }))).code).toBe("bad-request");
    const { findings } = await viewer.call("session/secrets", { session });
    expect(findings).toMatchObject([{ kind: "named secret", shown: "hunt…er", count: 1 }]);
    const { url } = await viewer.call("tickets/create", {
      ...{ kind: "export", session, format: "html" },
      redact: { keep: [] },
    });
    const text = await (await fetch(`${bench.server.url}${url}`)).text();
    expect(text).toContain("password: &quot;[removed: named secret]&quot;");
    expect(text).not.toContain("hunter2");
    expect((await refusalOf(viewer.call("session/secrets", { session: "none" }))).code).toBe("unknown-session");
  });

  it("is exported as events, as Markdown and as one page", async () => {
    const bench = await shared();
    const client = await bench.client();
    const session = await bench.session(client);
    const mirror = await bench.mirror(client, session);
    await client.command("session/prompt", { session, content: "hello <script>alert(1)</script> \u202eevil" });
    await mirror.until(({ rows }) => [...rows.values()].some(({ kind }) => kind === "turn"));
    const download = async (format: string): Promise<{ text: string; headers: Headers }> => {
      const { url } = await client.call("tickets/create", { kind: "export", session, format });
      const response = await fetch(`${bench.server.url}${url}`);
      expect(response.status).toBe(200);
      return { text: await response.text(), headers: response.headers };
    };
    const events = (await download("ndjson")).text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { seq: number });
    const { lastSeq } = await client.call("session/events", { session, limit: 1 });
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: lastSeq }, (_, index) => index + 1));
    const { text: markdown } = await download("markdown");
    expect(markdown).toContain("# hello");
    expect(markdown).toContain("## Claude\n\nHello there.\n");
    const { text: html, headers } = await download("html");
    expect(headers.get("content-disposition")).toContain("attachment");
    expect(html).toContain("hello &lt;script&gt;alert(1)&lt;/script&gt; ‹U+202E›evil");
    // Its time line, and nothing else that runs.
    expect(html.match(/<script/gu)).toHaveLength(1);
    expect((await download("ccpocket")).text).toContain("Hello there.");
  });

  it("is controlled: model, mode, thinking, interrupt, requests of the protocol", async () => {
    const bench = await shared();
    const client = await bench.client();
    const session = await bench.session(client);
    const mirror = await bench.mirror(client, session);
    expect(await client.command("session/setModel", { session, model: "opus" })).toEqual({});
    expect(await client.command("session/setThinking", { session, maxTokens: 1000 })).toEqual({});
    expect(await client.command("session/setPermissionMode", { session, mode: "plan" })).toEqual({});
    await mirror.until(({ head }) => head["mode"] === "plan");
    expect((await refusalOf(client.command("session/setPermissionMode", { session, mode: "none" }))).code).toBe(
      "bad-request",
    );
    const { response } = await client.command("session/request", { session, request: { subtype: "mcp_status" } });
    expect(response).toMatchObject({ mcpServers: [] });
    const ask = (request: Record<string, unknown>) =>
      refusalOf(client.command("session/request", { session, request }));
    expect((await ask({ subtype: "initialize" })).code).toBe("unsupported");
    expect((await ask({ subtype: "none" })).code).toBe("bad-request");
    expect((await ask({ subtype: "mcp_toggle" })).code).toBe("bad-request");
    await client.command("session/prompt", { session, content: "slow" });
    await mirror.until(({ drafts }) => drafts.size > 0);
    expect(await client.command("session/interrupt", { session })).toEqual({ held: [] });
    await mirror.idle();
    expect(mirror.ordered.at(-1)).toMatchObject({ kind: "turn" });
    // A draft without text ends in a separate frame, after that of the rows.
    await mirror.until(({ drafts }) => drafts.size === 0);
  });

  it("of a terminal is shown as it is, and taken over on request", async () => {
    const bench = await Bench.start();
    const client = await bench.client();
    const ours = await bench.session(client);
    const mirror = await bench.mirror(client, ours);
    await client.command("session/prompt", { session: ours, content: "hello" });
    await mirror.until(({ rows }) => [...rows.values()].some(({ kind }) => kind === "turn"));
    // Deleted here, only the CLI's own session is left.
    await client.command("sessions/close", { session: ours });
    await client.command("sessions/delete", { session: ours });
    expect((await client.call("sessions/list")).total).toBe(0);
    const { sessions } = await client.call("sessions/list", { terminal: true });
    expect(sessions).toMatchObject([{ id: ours, origin: "terminal", live: false, cwd: bench.place.cwd }]);
    const seen = await client.call("session/subscribe", { session: ours });
    expect(seen).toMatchObject({ status: "reset", readOnly: true });
    expect(seen.rows.map(({ kind }: { kind: string }) => kind)).toEqual(["prompt", "text"]);
    expect((await refusalOf(client.command("session/prompt", { session: ours, content: "hello" }))).code).toBe(
      "unknown-session",
    );
    expect((await refusalOf(client.command("sessions/resume", { session: ours }))).code).toBe("not-live");
    const again = client.told("session/changed", ({ reset }) => reset === true);
    const { session } = await client.command("sessions/resume", { session: ours, takeOver: true });
    expect(session).toMatchObject({ id: ours, origin: "quarterdeck", live: true });
    await again;
    const taken = await bench.mirror(client, ours);
    const { uuid } = await client.command("session/prompt", { session: ours, content: "hello" });
    await taken.until(({ rows }) => rows.get(`prompt/${uuid}`)?.state === "done");
    expect(taken.ordered.filter(({ kind }) => kind === "text")).toHaveLength(2);
  });

  it(
    "continues the folder's newest conversation, with the options of this start, and once",
    { tags: "long" },
    async () => {
      const bench = await Bench.start();
      const before = await bench.client();
      const start = { cwd: bench.cwd, continue: true };
      expect((await refusalOf(before.command("sessions/start", start))).code).toBe("not-found");
      const session = await bench.session(before);
      const first = await bench.mirror(before, session);
      await before.command("session/prompt", { session, content: "hello" });
      await first.until(({ rows }) => [...rows.values()].some(({ kind }) => kind === "turn"));
      await before.command("sessions/close", { session });
      const commandId = randomUUID();
      const settings = { model: "opus", permissionMode: "acceptEdits" };
      const wanted = { ...start, commandId, prompt: "hello", title: "Again", settings };
      const { session: continued } = await before.call("sessions/start", wanted);
      expect(continued).toMatchObject({ id: session, title: "Again" });
      await first.until(({ rows }) => [...rows.values()].filter(({ kind }) => kind === "turn").length === 2);
      expect(first.head).toMatchObject({ mode: "acceptEdits", model: expect.stringContaining("opus") });

      // Sent again to the next server, when another conversation is the newest.
      await bench.server.kill();
      await bench.restart();
      const client = await bench.client();
      const newer = await bench.session(client);
      const second = await bench.mirror(client, newer);
      await client.command("session/prompt", { session: newer, content: "hello" });
      await second.until(({ rows }) => [...rows.values()].some(({ kind }) => kind === "turn"));
      expect((await client.call("sessions/start", wanted)).session.id).toBe(session);
      expect(bench.promptsToCli().get(commandId)).toBe(1);
    },
  );

  it("in a folder that is no longer shared stays as it is", { tags: "long" }, async () => {
    const bench = await Bench.start();
    const [kept, left] = [join(bench.cwd, "kept"), join(bench.cwd, "left")];
    for (const folder of [kept, left]) mkdirSync(folder);
    const before = await bench.client();
    const { session } = await before.command("sessions/start", { cwd: left, prompt: "hello" });
    const mirror = await bench.mirror(before, session.id);
    await mirror.until(({ rows }) => [...rows.values()].some(({ kind }) => kind === "turn"));
    await bench.server.stop();
    bench.server = await startServer({ ...bench.place, cwd: kept });
    const client = await bench.client();
    const { id } = session;
    for (const method of ["sessions/resume", "session/prompt", "sessions/fork"]) {
      const { code } = await refusalOf(client.command(method, { session: id, content: "hello" }));
      expect([method, code]).toEqual([method, "outside-roots"]);
    }
    expect((await client.call("session/subscribe", { session: id })).rows).toHaveLength(mirror.rows.size);
    expect((await client.call("sessions/list")).sessions).toMatchObject([{ id, live: false }]);
  });

  it("without messages is not forked", async () => {
    const bench = await shared();
    const client = await bench.client();
    const session = await bench.session(client);
    const refused = await refusalOf(client.command("sessions/fork", { session }));
    expect(refused).toMatchObject({ code: "unsupported", message: expect.stringContaining("has no prompt yet") });
  });
});

describe("[E206] the debug log of the CLI", () => {
  it("is turned on and off by admins between processes, in a plain file inside of the roots", async () => {
    const bench = await shared();
    const client = await bench.client();
    const session = await bench.session(client);
    const mirror = await bench.mirror(client, session);
    const cwd = String(mirror.head["cwd"]);
    const debugFile = join(cwd, "debug.log");
    const resume = (file: string | null) => client.command("sessions/resume", { session, debugFile: file });
    expect((await refusalOf(resume(debugFile))).code).toBe("session-live");
    await client.command("sessions/close", { session });
    symlinkSync("/etc/passwd", join(cwd, "link.log"));
    expect((await refusalOf(resume(join(cwd, "link.log")))).message).toContain("plain file");
    expect(await refusalOf(resume("/etc/debug.log"))).toMatchObject({ code: expect.any(String) });
    const operator = await bench.clientWith("operate", client);
    expect((await refusalOf(operator.command("sessions/resume", { session, debugFile }))).code).toBe("forbidden");
    await resume(debugFile);
    await mirror.until(({ head }) => (head["process"] as { debugFile?: string }).debugFile === debugFile);
    await client.command("sessions/close", { session });
    await resume(null);
    await mirror.until(({ head }) => {
      const { running, incarnation, debugFile: file } = head["process"] as Record<string, unknown>;
      return running === true && incarnation === 3 && file === undefined;
    });
  });
});

describe("[E207] the events of a session", () => {
  it("come with what the protocol does not know of them, if asked", async () => {
    const bench = await shared();
    const client = await bench.client();
    const session = await bench.session(client);
    const plain = await client.call("session/events", { session, after: 0 });
    expect(plain).not.toHaveProperty("unknown");
    const { unknown, knownTypes, events } = await client.call("session/events", { session, after: 0, judge: true });
    expect(events.length).toBeGreaterThan(0);
    expect(unknown).toEqual([]);
    expect(knownTypes).toBeGreaterThan(150);
  });
});

describe("[E41] the log of the server", () => {
  it("contains no word of the conversation (S24)", async () => {
    const bench = await Bench.start(undefined, ["--log", "json", "--log-level", "debug"]);
    const client = await bench.client();
    const session = await bench.session(client);
    const mirror = await bench.mirror(client, session);
    await client.command("session/prompt", { session, content: "hello SECRET-WORD\r\n\u001b[31m" });
    await mirror.until(({ rows }) => [...rows.values()].some(({ kind }) => kind === "turn"));
    await refusalOf(client.call("SECRET-METHOD"));
    await refusalOf(client.call("files/read", { path: "/SECRET-PATH" }));
    const output = bench.server.output();
    expect(output).not.toContain("SECRET");
    expect(output).not.toContain(bench.server.token);
    expect(readFileSync(`/proc/${bench.server.pid}/cmdline`, "utf8")).not.toContain(bench.server.token);
  });
});
