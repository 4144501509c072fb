// The client against a running server, over a network that fails.

import { hashOf, connect, upload } from "@quarterdeck/client";
import type { Client, ConnectOptions, SessionView } from "@quarterdeck/client";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { Bench, SCENARIO } from "../bridge/bench.ts";
import { makePlace, startServer } from "../bridge/server-process.ts";
import type { ServerProcess } from "../bridge/server-process.ts";
import { startProxy } from "./flaky-proxy.ts";
import type { FlakyProxy } from "./flaky-proxy.ts";
import { readyView, stateOf, until } from "./views.ts";

const MANY = Array.from({ length: 250 }, (_, index) => ({ text: `Line ${String(index)}.` }));
const scenario = { ...SCENARIO, scripts: [...SCENARIO.scripts, { when: "many", steps: [{ say: MANY }] }] };

const open = (options: Pick<ConnectOptions, "url"> & Partial<ConnectOptions> & { readonly token: string }): Client => {
  const { token, ...rest } = options;
  const client = connect({ credentials: { kind: "token", token }, client: { name: "test", version: "1" }, ...rest });
  onTestFinished(() => client.close());
  return client;
};
/** The address is the server's own, but the connection goes through the proxy. */
const through = (proxy: FlakyProxy): Pick<ConnectOptions, "openSocket"> => ({
  openSocket: (to, headers) => {
    const { host, pathname } = new URL(to);
    const address = `${proxy.url.replace("http", "ws")}${pathname}`;
    return new WebSocket(address, { headers: { ...headers, host } }) as unknown as globalThis.WebSocket;
  },
});
const place = makePlace(scenario);
let server: ServerProcess;
beforeAll(async () => {
  server = await startServer(place);
});
afterAll(async () => {
  await server?.stop();
  place.remove();
});
/** A token that outlives the server. */
const lastingToken = async (of: ServerProcess): Promise<string> => {
  const admin = open(of);
  const { token } = await admin.command("devices/addToken", { role: "admin", name: "lasting" });
  admin.close();
  return token;
};
const start = async (client: Client, cwd: string, prompt?: string): Promise<string> => {
  const { session } = await client.command("sessions/start", { cwd, ...(prompt !== undefined && { prompt }) });
  return session.id;
};
const isDone = (uuid: string) => (snapshot: SessionView["snapshot"]) =>
  snapshot.rows.some((row) => row.kind === "prompt" && row.uuid === uuid && row.state === "done");

/** The server's rows, read without following the session. */
const allRows = async (client: Client, session: string) => {
  const { rows, moreBefore } = await client.call("session/rows", { session, limit: 500 });
  expect(moreBefore).toBe(false);
  return rows;
};

describe("[E55] a turn", () => {
  it("streams, asks, is answered by another client, and every client knows who answered", async () => {
    const [a, b] = [open(server), open(server)];
    const id = await start(a, place.cwd);
    const [ofA, ofB] = [await readyView(a, id), await readyView(b, id)];
    const grown: number[] = [];
    ofA.subscribe(() => grown.push(ofA.snapshot.drafts[0]?.text.length ?? 0));
    await a.command("session/prompt", { session: id, content: "long" });
    const whole = await until(ofA, ({ rows }) => rows.some(({ kind }) => kind === "turn"));
    expect(whole.rows.map(({ kind }) => kind)).toEqual(["prompt", "text", "turn"]);
    expect(whole.drafts).toEqual([]);
    expect(new Set(grown).size).toBeGreaterThan(5);

    await a.command("session/prompt", { session: id, content: "touch" });
    const { head } = await until(ofB, (snapshot) => snapshot.head.requests.length === 1);
    const { id: requestId, incarnation, request } = head.requests[0]!;
    const binding = { session: id, requestId, incarnation, answer: { kind: "allow" } as const };
    await expect(
      b.command("session/respond", { ...binding, inputHash: await hashOf({ ...request, input: {} }) }),
    ).rejects.toMatchObject({ code: "changed" });
    const { by } = await b.command("session/respond", { ...binding, inputHash: await hashOf(request) });
    const done = await until(ofA, ({ rows }) => rows.some((row) => row.kind === "tool" && row.state === "done"));
    expect(done.rows.find(({ kind }) => kind === "tool")).toMatchObject({ decision: { behavior: "allow", by } });
    expect(ofA.snapshot.watchers.length).toBeGreaterThan(0);
  });

  it("is in the list, with its open request", async () => {
    const client = open(server);
    const listed = Promise.withResolvers<void>();
    const off = client.sessions.subscribe(() => {
      const [first] = client.sessions.snapshot.sessions;
      if (first?.waiting[0]?.tool === "Bash") listed.resolve();
    });
    const id = await start(client, place.cwd, "touch");
    await listed.promise;
    expect(client.sessions.snapshot.sessions[0]?.id).toBe(id);
    off();
  });
});

describe("[E56] a network that fails", () => {
  it("cut again and again while turns stream: the same rows as the server's, every prompt once", async () => {
    const proxy = await startProxy(server.url);
    onTestFinished(() => proxy.close());
    const client = open({ ...server, ...through(proxy) });
    const id = await start(client, place.cwd);
    const view = await readyView(client, id);
    let chance = 7;
    let changes = 0;
    view.subscribe(() => {
      chance = (chance * 48_271) % 2_147_483_647;
      if (++changes % 5 === 0 && chance % 3 === 0) proxy.cut();
    });
    const prompts: string[] = [];
    for (const content of ["long", "hello", "long", "hello"]) {
      const sent = client.command("session/prompt", { session: id, content });
      if (prompts.length % 2 === 0) proxy.cut();
      prompts.push((await sent).uuid);
      await until(view, isDone(prompts.at(-1)!));
    }
    await until(view, ({ rows }) => rows.filter(({ kind }) => kind === "turn").length === 4);
    expect(proxy.connections()).toBeGreaterThan(3);
    await until(view, ({ head }) => head.phase === "idle");
    const steady = open(server);
    // The last cut may have come after the last turn.
    await expect.poll(() => view.snapshot.rows).toEqual(await allRows(steady, id));
    const fresh = await readyView(steady, id);
    const { lastEventAt: _, ...head } = view.snapshot.head;
    await expect.poll(() => fresh.snapshot.head).toMatchObject(head);
    const toCli = place.linesToCli().flatMap(({ type, uuid }) => (type === "user" ? [uuid] : []));
    expect(toCli.filter((uuid) => prompts.includes(uuid as string))).toEqual(prompts);
  });

  it("after a silence, the client gives up the connection and reconnects by itself", async () => {
    const proxy = await startProxy(server.url);
    onTestFinished(() => proxy.close());
    const client = open({ ...server, ...through(proxy) });
    const id = await start(client, place.cwd);
    const view = await readyView(client, id);
    proxy.silence(true);
    const sent = client.command("session/prompt", { session: id, content: "hello" });
    const waiting = await stateOf(client, ({ status }) => status === "waiting");
    expect(waiting).toMatchObject({ reason: "The server has gone silent." });
    proxy.silence(false);
    proxy.cut();
    await until(view, isDone((await sent).uuid));
  });
});

describe("[E57] a server that dies", () => {
  it(
    "during a turn and a question: the client continues with the next server, and nothing happens twice",
    { tags: "long" },
    async () => {
      const running = await Bench.start(makePlace(scenario));
      const token = await lastingToken(running.server);
      const { url } = running.server;
      const { port } = new URL(url);
      const client = open({ url, token });
      const id = await start(client, running.place.cwd, "hello");
      const view = await readyView(client, id);
      await until(view, ({ rows }) => rows.some(({ kind }) => kind === "turn"));
      const before = view.snapshot.rows;

      await client.command("session/prompt", { session: id, content: "touch" });
      await until(view, ({ head }) => head.requests.length === 1);
      await running.server.kill();
      await stateOf(client, ({ status }) => status === "waiting");
      // Sent while no server was running.
      const sent = client.command("session/prompt", { session: id, content: "hello again" });
      await running.restart(["--port", port]);
      const { uuid } = await sent;
      await until(view, isDone(uuid));
      const rows = await allRows(open({ url, token }), id);
      await until(view, (snapshot) => snapshot.rows.length === rows.length);
      await expect.poll(() => view.snapshot.rows).toEqual(await allRows(client, id));
      expect(view.snapshot.rows.slice(0, before.length)).toMatchObject(
        before.map((row) => ({ ...row, rev: expect.any(Number) as number })),
      );
      expect(running.promptsToCli().get(uuid)).toBe(1);
      expect(rows.filter((row) => row.kind === "prompt" && row.uuid === uuid)).toHaveLength(1);
    },
  );
});

describe("[E58] long sessions", () => {
  it("are loaded in pages, opened at any place and left again", async () => {
    const client = open(server);
    const id = await start(client, place.cwd, "many");
    const first = await readyView(client, id);
    await until(first, ({ rows }) => rows.some(({ kind }) => kind === "turn"));
    const view = await readyView(open(server), id);
    const all = await allRows(client, id);
    expect(all).toHaveLength(252);
    expect(view.snapshot.rows).toEqual(all.slice(-100));
    expect(view.snapshot.more).toBe(true);
    await view.loadBefore(60);
    expect(view.snapshot.rows).toEqual(all.slice(-160));
    await view.loadBefore(500);
    expect(view.snapshot.rows).toEqual(all);
    expect(view.snapshot.more).toBe(false);

    expect(await view.loadAround(all[50]!.id)).toBe(true);
    const { rows, more, moreAfter } = view.snapshot;
    expect(all.slice(all.indexOf(all.find((row) => row.id === rows[0]!.id)!)).slice(0, rows.length)).toEqual(rows);
    expect(rows.some((row) => row.id === all[50]!.id)).toBe(true);
    expect([more, moreAfter]).toEqual([rows[0]!.id !== all[0]!.id, true]);
    expect(await view.loadAround("no-such-row")).toBe(false);
    while (view.snapshot.moreAfter) await view.loadAfter(100);
    expect(view.snapshot.rows.at(-1)).toEqual(all.at(-1));
    await view.loadAround(all[0]!.id);
    await view.loadEnd();
    expect(view.snapshot.rows).toEqual(all.slice(-100));
  });
});

describe("[E59] connecting", () => {
  it("an invalid token is refused, with Node's own socket and with ws", async () => {
    const ws = (to: string, headers: Record<string, string>) =>
      new WebSocket(to, { headers }) as unknown as globalThis.WebSocket;
    for (const socket of [{}, { openSocket: ws }]) {
      const client = open({ url: server.url, token: "not-a-token", ...socket });
      await expect(client.call("projects/list", {})).rejects.toMatchObject({ code: "unauthenticated" });
      expect(client.state).toMatchObject({ status: "refused", code: "unauthenticated" });
    }
  });

  it("[C2] a name that the server does not accept is reported, and the client keeps trying", async () => {
    const client = open({ url: server.url.replace("127.0.0.1", "localhost"), token: server.token });
    const state = await stateOf(client, (each) => each.status === "waiting" && each.reason.includes("--allow-host"));
    expect(state).toMatchObject({ status: "waiting", reason: expect.stringContaining("not one of this server's") });
  });

  it("a revoked device is out, and stays out", async () => {
    const admin = open(server);
    const { id, token } = await admin.command("devices/addToken", { role: "view", name: "short" });
    const client = open({ url: server.url, token });
    await expect(client.command("devices/pair", { role: "view" })).rejects.toMatchObject({ code: "forbidden" });
    await admin.command("devices/revoke", { id });
    const state = await stateOf(client, ({ status }) => status !== "open");
    expect(state).toMatchObject({ status: "refused", code: "revoked" });
    await expect(client.call("projects/list", {})).rejects.toMatchObject({ code: "revoked" });
  });

  it("files are uploaded with a ticket", async () => {
    const client = open(server);
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    );
    const shares: number[] = [];
    const uploaded = await upload(client, new Blob([png]), {
      name: "dot.txt",
      onProgress: (share) => shares.push(share),
    });
    expect(uploaded).toMatchObject({ mediaType: "image/png", size: png.length });
    expect(shares.at(-1)).toBe(1);
  });
});
