// Hostile or broken clients: they harm only themselves.

import { connect } from "node:net";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Bench, randomUUID } from "./bench.ts";
import { RawClient, refusalOf } from "./raw-client.ts";

const residentBytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;

const shared = Bench.shared();

describe("[E48] frames", () => {
  it("that are invalid are refused with a reason, and too many of them close the socket", async () => {
    const bench = await shared();
    const client = await bench.client();
    const refused = (text: string): Promise<{ error: { message: string; data: { code: string } } }> =>
      new Promise((resolve) => {
        client.onFrame((frame) => resolve(frame as never));
        client.sendText(text);
      });
    for (const text of [
      "",
      "no json",
      "[]",
      '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
      "null",
      "1",
      '{"id":1,"method":"ping"}',
    ])
      expect((await refused(text)).error.data.code).toBe("bad-request");
    expect((await refusalOf(client.call("sessions/explode"))).code).toBe("unknown-method");
    expect(await refusalOf(client.call("constructor"))).toMatchObject({ code: "unknown-method", number: -32_601 });
    expect((await refusalOf(client.call("__proto__"))).message).toContain("__proto__");
    expect((await refusalOf(client.call("initialize", { bridge: 1, client: { name: "x", version: "1" } }))).code).toBe(
      "bad-request",
    );
    for (let at = 0; at < 30; at++) client.sendText("{");
    expect((await client.closed).code).toBe(1008);
    const binary = await bench.client();
    binary.sendText(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}'), true);
    expect((await binary.closed).code).toBe(1003);
  });

  it("with odd content are handled (S25)", async () => {
    const bench = await shared();
    const client = await bench.client();
    // Unknown fields are ignored, and none of them becomes a prototype.
    expect(
      await client.call("ping", { unknown: 1, __proto__: { polluted: 1 }, constructor: { prototype: { x: 1 } } }),
    ).toEqual({});
    client.sendText(
      '{"jsonrpc":"2.0","id":901,"method":"ping","params":{"__proto__":{"role":"admin"}},"method":"ping"}',
    );
    expect((await refusalOf(client.call("session/rows", { session: "x", before: Infinity }))).code).not.toBe(
      "internal",
    );
    client.sendText('{"jsonrpc":"2.0","id":902,"method":"session/rows","params":{"session":"x","limit":1e400}}');
    expect((await refusalOf(client.call("session/rows", { session: "\ud800", limit: 10 }))).code).toBe(
      "unknown-session",
    );
    const deep = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth));
    const nested = client.command("session/request", { session: "x", request: { subtype: "x", deep: deep(100) } });
    expect((await refusalOf(nested)).code).toBe("bad-request");
    client.sendText(`{"jsonrpc":"2.0","id":903,"method":"ping","params":${"[".repeat(100_000)}${"]".repeat(100_000)}}`);
    for (const params of [null, [], 1, "x", { session: 1, bytes: {} }, { session: "x", bytes: -1 }])
      client.send({ jsonrpc: "2.0", method: "session/ack", params });
    expect(await client.call("ping")).toEqual({});
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("that are too large, or far too many, cost the server nothing (S26)", async () => {
    const bench = await shared();
    const healthy = await bench.client();
    const before = residentBytes(bench.server.pid);
    const large = await bench.client();
    large.sendText(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"${"x".repeat(2 * 1024 * 1024)}"}}`);
    expect((await large.closed).code).toBe(1009);
    const flood = await bench.client();
    for (let at = 0; at < 20_000; at++)
      flood.sendText(`{"jsonrpc":"2.0","method":"session/ack","params":{"at":${at}}}`);
    expect(await flood.call("ping")).toEqual({});
    expect(await healthy.call("ping")).toEqual({});
    expect(residentBytes(bench.server.pid) - before).toBeLessThan(100 * 1024 * 1024);
  });

  it("before authentication are refused", async () => {
    const bench = await shared();
    const { hostname, port } = new URL(bench.server.url);
    await expect(RawClient.connect({ url: bench.server.url, token: "wrong" })).rejects.toThrow("401");
    const stranger = await RawClient.connect({ url: bench.server.url, token: bench.server.token });
    stranger.sendText("{}");
    expect((await stranger.closed).code).toBe(1008);
    const silent = connect(Number(port), hostname);
    const closed = new Promise((resolve) => silent.on("close", resolve));
    silent.on("error", () => undefined);
    silent.write("GET /bridge HTTP/1.1\r\nHost: evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    silent.resume();
    await closed;
    const client = await bench.client();
    expect(await client.call("ping")).toEqual({});
  });
});

describe("[E49] a call", () => {
  it("runs in parallel with others, but not with too many of the same client", async () => {
    const bench = await shared();
    const client = await bench.client();
    const session = await bench.session(client);
    const asked = Array.from({ length: 150 }, () =>
      client.command("session/request", { session, request: { subtype: "get_settings" } }).then(
        () => "ok",
        (error: { code: string }) => error.code,
      ),
    );
    const outcomes = await Promise.all(asked);
    expect(outcomes.filter((outcome) => outcome === "limit").length).toBeGreaterThan(0);
    expect(outcomes.filter((outcome) => outcome === "ok").length).toBeGreaterThanOrEqual(100);
    expect(await client.call("ping")).toEqual({});
  });

  it("with parameters of another shape gets an error that says what is wrong", async () => {
    const bench = await shared();
    const client = await bench.client();
    const wrong: [string, Record<string, unknown>, string][] = [
      ["session/subscribe", { session: "x", cursor: "nonsense" }, "cursor"],
      ["session/subscribe", { session: "x", rows: -1 }, "rows"],
      ["session/prompt", { commandId: "not a uuid", session: "x", content: "x" }, "commandId"],
      ["session/prompt", { commandId: randomUUID(), session: "x", content: 1 }, "content"],
      [
        "session/respond",
        { commandId: randomUUID(), session: "x", requestId: "x", answer: { kind: "maybe" } },
        "answer",
      ],
      ["files/read", { path: "/x\0y" }, "path"],
    ];
    for (const [method, params, field] of wrong) {
      const error = await refusalOf(client.call(method, params));
      expect([method, error.code, error.message.includes(field)]).toEqual([method, "bad-request", true]);
    }
  });

  it("of another version of the bridge is answered, with a notice about the difference", async () => {
    const bench = await shared();
    for (const bridge of [0, 2, 99]) {
      const client = await RawClient.connect(bench.server);
      const info = await client.call("initialize", { bridge, client: { name: "x", version: "1" } });
      expect(info.bridge).toBe(1);
      expect(info.notice).toContain("update");
      expect(await client.call("ping")).toEqual({});
      await client.drop();
    }
  });
});

describe("[E50] a prompt", () => {
  it("with blocks that only the model or a tool may say is refused (S22)", async () => {
    const bench = await shared();
    const client = await bench.client();
    const session = await bench.session(client);
    const blocks = [
      [{ type: "tool_result", tool_use_id: "x", content: "x" }],
      [{ type: "tool_use", id: "x", name: "Bash", input: {} }],
      [{ type: "image", source: { type: "url", url: "http://127.0.0.1/" } }],
      [{ type: "image", source: { type: "base64", media_type: "image/svg+xml", data: "" } }],
      [{ type: "text" }],
      [],
    ];
    for (const content of blocks) {
      const { code } = await refusalOf(client.command("session/prompt", { session, content }));
      expect([content, code]).toEqual([content, "bad-request"]);
    }
    const { code } = await refusalOf(client.command("session/prompt", { session, content: "x", uploads: ["none"] }));
    expect(code).toBe("not-found");
    expect(bench.promptsToCli().size).toBe(0);
  });
});

describe("[E51] a client that does not read", () => {
  it("falls behind without an effect on others, and has the same state when it reads again (B3)", async () => {
    const bench = await shared();
    const healthy = await bench.client();
    const session = await bench.session(healthy);
    const mirror = await bench.mirror(healthy, session);
    const stalled = await bench.client();
    const behind = await bench.mirror(stalled, session);
    stalled.pause();
    const before = residentBytes(bench.server.pid);
    // Fast and much data: after fifteen seconds of silence the server considers a client gone.
    for (let at = 0; at < 5; at++) {
      const { uuid } = await healthy.command("session/prompt", { session, content: "flood" });
      await mirror.until(({ rows, head }) => rows.get(`prompt/${uuid}`)?.state === "done" && head["phase"] === "idle");
    }
    expect(residentBytes(bench.server.pid) - before).toBeLessThan(50 * 1024 * 1024);
    stalled.resume();
    await expect.poll(() => [behind.cursor === mirror.cursor, behind.hash === mirror.hash]).toEqual([true, true]);
  });
});

describe("[E52] a client whose network is gone", () => {
  it("is noticed, although it never closes its socket", async () => {
    const bench = await shared();
    const client = await bench.client();
    const session = await bench.session(client);
    const mirror = await bench.mirror(client, session);
    const gone = await bench.clientWith("view", client);
    await bench.mirror(gone, session);
    await mirror.until(({ watchers }) => watchers.length === 2);
    // It reads nothing more, so it answers no ping.
    gone.pause();
    await mirror.until(({ watchers }) => watchers.length === 1);
    expect((await client.call("devices/list")).devices).toContainEqual(
      expect.objectContaining({ name: "a view", connected: 0 }),
    );
  });
});
