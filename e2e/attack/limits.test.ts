// What strangers can use up at both ports before they authenticate. A device that authenticates still gets in, from the same
// address. The tests count bytes and sockets, never time.

import { webcrypto } from "node:crypto";
import { mkdirSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { challengeText } from "@quarterdeck/session/bridge";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { Bench, randomUUID } from "../bridge/bench.ts";
import { RawClient, refusalOf } from "../bridge/raw-client.ts";
import { App } from "../ccpocket/app.ts";
import { bridgePort, CCPOCKET, ccpocketPort, closed, frame, rawSocket, upgradeHead } from "./ports.ts";

const shared = Bench.shared(CCPOCKET);

/** A stranger's socket with the page's origin. Returns what the server sent, and how it closed the socket. */
const stranger = (bench: Bench): Promise<{ ws: WebSocket; heard: unknown[]; code: Promise<number> }> =>
  new Promise((resolve, reject) => {
    const { url } = bench.server;
    const ws = new WebSocket(`${url.replace("http", "ws")}/bridge`, { headers: { origin: url } });
    const heard: unknown[] = [];
    const code = new Promise<number>((done) => ws.once("close", done));
    ws.on("message", (data: Buffer) => {
      heard.push(JSON.parse(data.toString()));
      if (heard.length === 1) resolve({ ws, heard, code });
    });
    ws.once("error", reject);
    onTestFinished(() => ws.terminate());
  });

/** On a new connection, because the server may close a stranger's idle connection. */
const ask = (url: string, authorization?: string): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const headers = authorization === undefined ? {} : { authorization };
    const request = get(url, { agent: false, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode!, text }));
    });
    request.on("error", reject);
  });

/** The value of this name in `GET /metrics`. */
const metric = async ({ server }: Bench, name: string): Promise<number> => {
  const { text } = await ask(`${server.url}/metrics`, `Bearer ${server.token}`);
  return Number(new RegExp(`^${name} (\\d+)$`, "mu").exec(text)?.[1]);
};

/** Paired as a person does it: by a link, with its own key. */
const pairedBrowser = async (bench: Bench) => {
  const { url } = bench.server;
  const admin = await bench.client();
  const { link } = await admin.command("devices/pair", { role: "operate" });
  const keys = await webcrypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign", "verify"]);
  const publicKey = Buffer.from(await webcrypto.subtle.exportKey("spki", keys.publicKey)).toString("base64url");
  const answer = await fetch(`${url}/pair`, {
    method: "POST",
    headers: { origin: url, "content-type": "application/json" },
    body: JSON.stringify({ code: String(link).split("#pair=")[1], name: "a browser", publicKey }),
  });
  const { device } = (await answer.json()) as { device: { id: string } };
  return async (): Promise<{ ws: WebSocket; answer: unknown }> => {
    const { ws, heard } = await stranger(bench);
    const { params } = heard[0] as { params: { serverId: string; nonce: string } };
    const text = Buffer.from(challengeText({ ...params, origin: url }));
    const signed = await webcrypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, keys.privateKey, text);
    const signature = Buffer.from(signed).toString("base64url");
    const answered = new Promise((resolve) =>
      ws.once("message", (data: Buffer) => resolve(JSON.parse(data.toString()))),
    );
    const client = { name: "page", version: "1" };
    const initialize = { bridge: 1, client, device: { id: device.id, signature } };
    ws.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: initialize }));
    return { ws, answer: await answered };
  };
};

describe("before initialize", () => {
  it("[S41] a frame of more than 4 KB closes the socket by its header: the server reads and parses none of it", async () => {
    const bench = await shared();
    const port = bridgePort(bench);
    for (const headers of [{ Origin: bench.server.url }, { Authorization: `Bearer ${bench.server.token}` }]) {
      const socket = await rawSocket(port);
      let got = Buffer.alloc(0);
      socket.on("data", (chunk) => (got = Buffer.concat([got, chunk])));
      // The header says 1 MB, and nothing follows it.
      socket.write(upgradeHead(port, { headers }));
      socket.write(frame("", { length: 1024 * 1024 }));
      await closed(socket);
      expect(got.includes(Buffer.from([0x88, 2, 1009 >> 8, 1009 & 0xff]))).toBe(true);
    }
  });

  it("[S39] at the other port, a frame without a credential is not read at all", async () => {
    const bench = await shared();
    const port = ccpocketPort(bench);
    const socket = await rawSocket(port);
    let got = "";
    socket.on("data", (chunk) => (got += chunk.toString("latin1")));
    socket.write(upgradeHead(port, { path: "/?token=a.b" }));
    socket.write(frame(JSON.stringify({ type: "list_sessions" })));
    socket.write(frame("", { length: 24 * 1024 * 1024 }));
    await closed(socket);
    expect(got).toContain("Unauthorized");
    expect(got).not.toContain("session_list");
  });

  it("[S41] the server accepts only one `initialize`: notifications and second tries close the socket", async () => {
    const bench = await shared();
    const first = await stranger(bench);
    first.ws.send(JSON.stringify({ jsonrpc: "2.0", method: "session/ack", params: {} }));
    expect([await first.code, first.heard.length]).toEqual([1008, 1]);
    const second = await stranger(bench);
    const bad = { bridge: 1, client: { name: "x", version: "1" }, device: { id: "nobody", signature: "AAAA" } };
    for (let id = 1; id <= 20; id++)
      second.ws.send(JSON.stringify({ jsonrpc: "2.0", id, method: "initialize", params: bad }));
    expect(await second.code).toBe(4001);
    // The challenge, and one answer.
    expect(second.heard).toHaveLength(2);
  });

  it("[S41] a first frame within the limit is accepted, and so are longer frames after it", async () => {
    const bench = await shared();
    const client = await RawClient.connect(bench.server);
    onTestFinished(() => client.drop());
    const entered = client.call("initialize", { bridge: 1, client: { name: "x", version: "1" } });
    const pinged = client.call("ping", { unknown: "x".repeat(900_000) });
    expect([(await entered).bridge, await pinged]).toEqual([1, {}]);
  });
});

describe("strangers", () => {
  it("[S41] hold 200 sockets and open more: a paired browser and a program at the same address still get in", async () => {
    const bench = await shared();
    const comeIn = await pairedBrowser(bench);
    const crowd = await Promise.all(Array.from({ length: 200 }, () => stranger(bench)));
    expect(crowd).toHaveLength(200);
    const { ws, answer } = await comeIn();
    expect(answer).toMatchObject({ result: { bridge: 1 } });
    for (let at = 0; at < 220; at++) await stranger(bench);
    expect(await metric(bench, "quarterdeck_sockets_strangers")).toBeLessThanOrEqual(200);
    expect(ws.readyState).toBe(ws.OPEN);
    expect(await (await bench.client()).call("ping")).toEqual({});
  });

  it("[S39] hold hundreds of connections at the other port: an app with a token still gets in, and stays", async () => {
    const bench = await shared();
    const port = ccpocketPort(bench);
    const early = new App(port, bench.server.token);
    onTestFinished(() => early.close());
    await early.hearType("session_list");
    const sockets = await Promise.all(Array.from({ length: 400 }, () => rawSocket(port)));
    onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
    const app = new App(port, bench.server.token);
    onTestFinished(() => app.close());
    await app.hearType("session_list");
    await expect.poll(() => sockets.filter(({ destroyed }) => !destroyed).length).toBeLessThanOrEqual(256);
    await early.hearType("session_list", early.send({ type: "list_sessions" }));
  });

  it("[S41] fail a hundred times at both ports: the right token still works", async () => {
    const bench = await shared();
    const { url, token } = bench.server;
    const statuses = new Set<number>();
    for (let at = 0; at < 100; at++) statuses.add((await ask(`${url}/metrics`, "Bearer a.b")).status);
    expect(statuses.has(429)).toBe(true);
    for (let at = 0; at < 10; at++) await new App(ccpocketPort(bench), "a.b").closed;
    expect(await (await bench.client()).call("ping")).toEqual({});
    const app = new App(ccpocketPort(bench), token);
    onTestFinished(() => app.close());
    await app.hearType("session_list");
  });

  it("[S41] send 600 requests and read nothing: few of their connections stay, and a client that reads gets its answer", async () => {
    const bench = await shared();
    const port = bridgePort(bench);
    const sockets = await Promise.all(Array.from({ length: 600 }, () => rawSocket(port)));
    onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
    for (const socket of sockets) {
      socket.pause();
      // Several requests at once, so that answers pile up.
      socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${String(port)}\r\n\r\n`.repeat(3));
    }
    expect((await ask(`${bench.server.url}/healthz`)).status).toBe(200);
    expect(await metric(bench, "quarterdeck_connections_strangers")).toBeLessThanOrEqual(256);
    expect(await metric(bench, "quarterdeck_connections_owed_bytes")).toBeLessThanOrEqual(32 * 1024 * 1024);
    expect(await (await bench.client()).call("ping")).toEqual({});
  });
});

describe("a frame", () => {
  it("[S48] that is not JSON gets JSON-RPC's error number and our code", async () => {
    const bench = await shared();
    const client = await bench.client();
    const answerTo = (text: string): Promise<{ id: unknown; error: { code: number; data: { code: string } } }> =>
      new Promise((resolve) => {
        client.onFrame((answer) => resolve(answer as never));
        client.sendText(text);
      });
    const seen = [];
    for (const text of ["no json", "[]", '{"jsonrpc":"2.0","id":7}']) {
      const { id, error } = await answerTo(text);
      seen.push([id, error.code, error.data.code]);
    }
    expect(seen).toEqual([
      [null, -32_700, "bad-request"],
      [null, -32_600, "bad-request"],
      [7, -32_600, "bad-request"],
    ]);
  });
});

describe("a command id", () => {
  it("[S53] is refused with other parameters, also after a restart, and answered with the same parameters", async () => {
    const bench = await Bench.start();
    const other = join(bench.cwd, "other");
    mkdirSync(other);
    const [id, promptId, forkId] = [randomUUID(), randomUUID(), randomUUID()];
    const start = { commandId: id, cwd: bench.cwd, prompt: "hello" };
    const prompt = { commandId: promptId, session: id, content: "hello again" };
    const fork = { commandId: forkId, session: id };
    const check = async (client: RawClient): Promise<void> => {
      expect((await client.call("sessions/start", start)).session.id).toBe(id);
      expect((await client.call("session/prompt", prompt)).uuid).toBe(promptId);
      expect((await client.call("sessions/fork", fork)).session.id).toBe(forkId);
      const wrong: [string, Record<string, unknown>][] = [
        ["sessions/start", { ...start, cwd: other }],
        ["sessions/start", { ...start, prompt: "another prompt" }],
        ["sessions/start", { ...start, commandId: forkId }],
        ["sessions/fork", { ...fork, session: forkId }],
        ["sessions/fork", { ...fork, commandId: id }],
        ["session/prompt", { ...prompt, content: "other words" }],
      ];
      for (const [method, params] of wrong) {
        const { code, message } = await refusalOf(client.call(method, params));
        expect([method, code, message]).toEqual([
          method,
          "bad-request",
          expect.stringContaining("This commandId was used"),
        ]);
      }
    };
    const before = await bench.client();
    const mirror = async (client: RawClient) => {
      const followed = await bench.mirror(client, id);
      await followed.until(({ rows }) => rows.get(`prompt/${promptId}`)?.state === "done");
      await followed.idle();
    };
    expect((await before.call("sessions/start", start)).session.id).toBe(id);
    await before.call("session/prompt", prompt);
    await mirror(before);
    await check(before);
    const prompts = bench.promptsToCli();
    expect([prompts.get(id), prompts.get(promptId)]).toEqual([1, 1]);
    await bench.server.kill();
    await bench.restart();
    const after = await bench.client();
    await check(after);
    expect(bench.promptsToCli()).toEqual(prompts);
  });
});
