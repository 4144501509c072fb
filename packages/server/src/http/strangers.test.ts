// Who gets in, tried as a stranger would: raw requests and upgrades to a running server.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { WebSocket } from "ws";
import { CLOSE_CODES } from "@quarterdeck/session/bridge";
import { browserKey } from "@quarterdeck/test-kit/browser-key";
import { ask, comeIn, pairedBrowser, postPair, startServer, upgrade } from "./http-server.fixture.ts";
import type { Running } from "./http-server.fixture.ts";
import { ROUTES } from "./routes.ts";

const PATHS = ["/", "/healthz", "/metrics", "/pair", "/bridge", `/t/${"a".repeat(43)}`, "/assets/x.js", "/anything"];
const sockets: WebSocket[] = [];
afterEach(() => {
  for (const ws of sockets.splice(0)) ws.terminate();
});

describe("origins (S1)", () => {
  let running: Running;
  let bearer: string;
  beforeAll(async () => {
    running = await startServer();
    bearer = `Bearer ${running.access.addToken({ role: "admin", name: "a program" }).token}`;
  });
  afterAll(() => running.stop());

  const foreign = (): string[] => {
    const { port } = running;
    const p = String(port);
    return [
      ...[
        "null",
        "",
        "*",
        "file://",
        "about:blank",
        "data:",
        "undefined",
        `http://127.0.0.1`,
        `http://127.0.0.1:${p}/`,
      ],
      ...[
        `https://127.0.0.1:${p}`,
        `ws://127.0.0.1:${p}`,
        `HTTP://127.0.0.1:${p}`,
        `http://127.0.0.1:${String(port + 1)}`,
      ],
      ...[
        `http://127.0.0.1:${p}0`,
        `http://127.0.0.1:0${p}`,
        `http://127.evil.com:${p}`,
        `http://127.0.0.1.evil.com:${p}`,
      ],
      ...[`http://localhost:${p}`, `http://LOCALHOST:${p}`, `http://localhost.evil:${p}`, `http://localhost.:${p}`],
      ...[
        `http://127.0.0.1.:${p}`,
        `http://user@127.0.0.1:${p}`,
        `http://127.0.0.1:${p}@evil.com`,
        `http://[::1]:${p}`,
      ],
      ...[`http://[::ffff:127.0.0.1]:${p}`, `http://0x7f000001:${p}`, `http://2130706433:${p}`, `http://127.1:${p}`],
      ...[
        `http://0.0.0.0:${p}`,
        `http://evil.com`,
        `https://evil.com`,
        `http://evil.com:${p}`,
        `http://xn--127-5cd:${p}`,
      ],
      ...[`http://127.0.0.1:${p}, http://evil.com`, `http://evil.com http://127.0.0.1:${p}`, ` http://127.0.0.1:${p}#`],
      ...[
        `http://127.0.0.1:${p}?`,
        `http://127.0.0.1:${p}\\evil.com`,
        `chrome-extension://abcdefgh`,
        `moz-extension://x`,
      ],
    ];
  };

  it("refuses every foreign one on every route, with any method, even with a token", async () => {
    expect(foreign().length).toBeGreaterThanOrEqual(40);
    const accepted: string[] = [];
    for (const origin of foreign()) {
      for (const path of PATHS) {
        for (const method of ["GET", "POST", "PUT"]) {
          const { status } = await ask(running, { method, path, headers: { origin, authorization: bearer } });
          if (status !== 403) accepted.push(`${method} ${path} ${origin}: ${String(status)}`);
        }
      }
      const { status } = await upgrade(running, { origin, authorization: bearer });
      if (status !== 403) accepted.push(`upgrade ${origin}: ${String(status)}`);
    }
    expect(accepted).toEqual([]);
  });

  it("refuses two at once", async () => {
    const two = [running.origin, running.origin];
    expect((await ask(running, { headers: { origin: two } })).status).toBe(403);
  });

  it("requires one where browsers always send it, unless there is a token", async () => {
    for (const { name } of ROUTES) {
      const path = { page: "/", ticket: `/t/${"a".repeat(43)}` }[name] ?? `/${name}`;
      for (const method of ["POST", "PUT", "DELETE"]) {
        expect([name, method, (await ask(running, { method, path })).status]).toEqual([
          name,
          method,
          name === "bridge" || name === "metrics" ? 401 : 403,
        ]);
      }
    }
    expect((await upgrade(running)).status).toBe(401);
    const { status, ws } = await upgrade(running, { authorization: bearer });
    expect(status).toBe(101);
    ws?.terminate();
  });

  it("believes what a browser says about the source of a request", async () => {
    const site = (value: string, mode: string, dest: string) =>
      ask(running, { headers: { "sec-fetch-site": value, "sec-fetch-mode": mode, "sec-fetch-dest": dest } });
    expect((await site("cross-site", "no-cors", "image")).status).toBe(403);
    expect((await site("same-site", "no-cors", "script")).status).toBe(403);
    expect((await site("cross-site", "navigate", "iframe")).status).toBe(403);
    expect((await site("cross-site", "navigate", "document")).status).toBe(200);
    expect((await site("same-origin", "no-cors", "script")).status).toBe(200);
    expect((await site("none", "navigate", "document")).status).toBe(200);
  });
});

describe("hosts (S2)", () => {
  let running: Running;
  beforeAll(async () => {
    running = await startServer();
  });
  afterAll(() => running.stop());

  it("answers only to its own name, on every route: a rebound name gets nothing", async () => {
    const p = String(running.port);
    const hosts = [
      ...[
        "evil.com",
        `evil.com:${p}`,
        "127.0.0.1",
        `127.0.0.1:${String(running.port + 1)}`,
        `127.0.0.1.:${p}`,
        "localhost",
      ],
      ...[
        `localhost.evil.com:${p}`,
        `0.0.0.0:${p}`,
        `[::1]:${p}`,
        `127.0.0.1:${p}:80`,
        `127.1:${p}`,
        `2130706433:${p}`,
      ],
    ];
    const accepted: string[] = [];
    for (const host of hosts) {
      for (const path of PATHS) {
        const { status } = await ask(running, { path, headers: { host, origin: `http://${host}` } });
        const alone = await ask(running, { path, headers: { host } });
        if (status !== 403 || alone.status !== 403) accepted.push(`${host} ${path} ${String(alone.status)}`);
      }
      const { status } = await upgrade(running, { host, origin: `http://${host}` });
      if (status !== 403) accepted.push(`upgrade ${host}`);
    }
    expect(accepted).toEqual([]);
  });

  it("ignores proxy headers of a stranger", async () => {
    const headers = {
      host: "evil.com",
      "x-forwarded-host": new URL(running.origin).host,
      "x-forwarded-proto": "https",
    };
    expect((await ask(running, { headers })).status).toBe(403);
  });

  it("redirects the page from the name localhost to the address, and nothing else", async () => {
    const host = `localhost:${String(running.port)}`;
    const page = await ask(running, { path: "/x?y=1", headers: { host } });
    expect([page.status, page.headers["location"]]).toEqual([308, `${running.origin}/x?y=1`]);
    expect((await ask(running, { path: "/metrics", headers: { host } })).status).toBe(403);
    expect((await ask(running, { method: "POST", path: "/pair", headers: { host } })).status).toBe(403);
    expect((await upgrade(running, { host, origin: `http://${host}` })).status).toBe(403);
  });
});

describe("[I4] behind a proxy", () => {
  let running: Running;
  beforeAll(async () => {
    running = await startServer({ allowHosts: ["deck.example.com"], proxies: ["127.0.0.1", "::1"] });
  });
  afterAll(() => running.stop());

  const forwarded = {
    host: "deck.example.com",
    "x-forwarded-host": "deck.example.com",
    "x-forwarded-proto": "https",
    "x-forwarded-for": "203.0.113.9",
  };

  it("takes the name, the scheme and the visitor from the proxy", async () => {
    const page = await ask(running, { headers: forwarded });
    expect(page.status).toBe(200);
    expect(page.headers["content-security-policy"]).toContain("connect-src 'self' wss://deck.example.com;");
    const { status, ws } = await upgrade(running, { ...forwarded, origin: "https://deck.example.com" });
    expect(status).toBe(101);
    ws?.terminate();
    expect(running.logged.at(-1)).toContain("203.0.113.9");
  });

  it("accepts the visitor's Host if the proxy keeps it and sends no other", async () => {
    const { "x-forwarded-host": _, ...kept } = { ...forwarded, host: "deck.example.com" };
    expect((await ask(running, { headers: kept })).status).toBe(200);
  });

  it("accepts the Host that nginx sends by default: the address of this server", async () => {
    const headers = { ...forwarded, host: `127.0.0.1:${String(running.port)}` };
    expect((await ask(running, { headers })).status).toBe(200);
  });

  it("[S49] refuses a foreign Host, whatever headers are forwarded: a rebound name can send any other header", async () => {
    const hosts = ["evil.com", `evil.com:${String(running.port)}`, "127.0.0.1:1", "localhost", "deck.example.com.evil"];
    const forwards = [
      forwarded,
      { ...forwarded, "x-forwarded-host": `127.0.0.1:${String(running.port)}` },
      { "x-forwarded-proto": "https" },
      { "x-forwarded-for": "203.0.113.9" },
      { ...forwarded, forwarded: "host=deck.example.com;proto=https" },
    ];
    const accepted: string[] = [];
    for (const host of hosts) {
      for (const headers of forwards) {
        const asked = { ...headers, host, origin: "https://deck.example.com" };
        for (const path of PATHS) {
          const { status } = await ask(running, { path, headers: asked });
          if (status !== 403 && status !== 400) accepted.push(`${host} ${path} ${JSON.stringify(headers)}`);
        }
        const { status } = await upgrade(running, asked);
        if (status !== 403 && status !== 400) accepted.push(`upgrade ${host} ${JSON.stringify(headers)}`);
      }
    }
    expect(accepted).toEqual([]);
  });

  it("[S49] does not mistake a request through a silent proxy for a command of this machine", async () => {
    expect((await ask(running, { headers: { forwarded: "for=203.0.113.9;proto=https" } })).status).toBe(403);
    expect((await ask(running, { headers: { via: "1.1 proxy" } })).status).toBe(403);
  });

  it.each([
    ["203.0.113.9", "203.0.113.9"],
    ["1.1.1.1, 203.0.113.9", "203.0.113.9"],
    ["1.1.1.1,203.0.113.9:4711", "203.0.113.9"],
    ["[2001:db8::9]:4711", "2001:db8::9"],
    ["2001:db8::9", "2001:db8::9"],
    ["::ffff:203.0.113.9", "203.0.113.9"],
    ["203.0.113.9, unknown", "127.0.0.1"],
    ["", "127.0.0.1"],
  ])("[S49] reads the visitor %j as %s", (chain, remote) => {
    const headers: Readonly<Record<string, string>> = { ...forwarded, "x-forwarded-for": chain };
    const header = (name: string): string | undefined => headers[name];
    const asking = { method: "GET", isUpgrade: false, isEncrypted: false, address: "127.0.0.1", header };
    expect(running.access.enter(asking, "nothing")).toMatchObject({ ok: true, remote });
  });

  it("[S49] takes the last of several address lines, and accepts no repeated name or scheme", async () => {
    const lines = (name: string, ...values: string[]) => ({ ...forwarded, [name]: values });
    expect((await ask(running, { headers: lines("x-forwarded-for", "1.1.1.1", "203.0.113.77") })).status).toBe(200);
    expect(running.logged.at(-1)).toContain("203.0.113.77");
    const names = lines("x-forwarded-host", "deck.example.com", "deck.example.com");
    expect((await ask(running, { headers: names })).status).toBe(403);
    expect((await ask(running, { headers: lines("x-forwarded-proto", "https", "https") })).status).toBe(403);
  });

  it.each([
    ["plain HTTP", { "x-forwarded-proto": "http" }],
    ["two schemes", { "x-forwarded-proto": "https, http" }],
    ["another name", { "x-forwarded-host": "evil.com" }],
    ["two names", { "x-forwarded-host": "deck.example.com, evil.com" }],
    ["the same name twice", { "x-forwarded-host": "deck.example.com, deck.example.com" }],
    ["another port", { "x-forwarded-host": "deck.example.com:8443" }],
    ["the default port", { "x-forwarded-host": "deck.example.com:443" }],
    ["a plain origin", { origin: "http://deck.example.com" }],
    ["another origin", { origin: "https://evil.com" }],
  ])("refuses %s", async (_, headers) => {
    expect((await ask(running, { headers: { ...forwarded, ...headers } })).status).toBe(403);
  });

  it("still answers commands of this machine, which connect directly", async () => {
    expect((await ask(running)).status).toBe(200);
  });

  it("believes no other client, and lets none bypass the proxy", async () => {
    const other = await startServer({ allowHosts: ["deck.example.com"], proxies: ["192.0.2.1"] });
    try {
      expect((await ask(other, { headers: { ...forwarded, host: "127.0.0.1:1" } })).status).toBe(403);
      const { port } = other;
      expect((await ask(other, { headers: { ...forwarded, host: `127.0.0.1:${String(port)}` } })).status).toBe(200);
      const header = (name: string): string | undefined => (name === "host" ? `127.0.0.1:${String(port)}` : undefined);
      const from = (address: string) =>
        other.access.enter({ method: "GET", isUpgrade: false, isEncrypted: false, address, header }, "nothing").ok;
      expect([from("203.0.113.5"), from("127.0.0.1"), from("::ffff:127.0.0.1")]).toEqual([false, true, true]);
    } finally {
      await other.stop();
    }
  });
});

describe("pairing (S5)", () => {
  let running: Running;
  let time = 0;
  beforeEach(async () => {
    time = 1_700_000_000_000;
    running = await startServer({ now: () => time });
  });
  afterEach(() => running.stop());

  it("makes a device with the role of the link, and admits it by its key", async () => {
    const { link, code, expiresAt } = running.access.pair({ role: "answer", name: "Phone" });
    expect([link, expiresAt]).toEqual([`${running.origin}/#pair=${code}`, time + 120_000]);
    const key = await browserKey();
    const answer = await postPair(running, { code, name: "Firefox\u202e\n", publicKey: key.publicKey });
    const { device, serverId } = answer.json() as {
      device: { id: string; name: string; role: string };
      serverId: string;
    };
    expect([answer.status, device, serverId]).toEqual([
      200,
      { id: device.id, name: "Phone", role: "answer" },
      running.access.serverId,
    ]);
    const { ws, said } = await comeIn(running, device, key);
    sockets.push(ws);
    expect(said).toMatchObject({ device: { id: device.id, role: "answer", kind: "browser" } });
  });

  it("works once, for two minutes", async () => {
    const { publicKey } = await browserKey();
    const first = running.access.pair({ role: "view" });
    expect((await postPair(running, { code: first.code, name: "a", publicKey })).status).toBe(200);
    expect((await postPair(running, { code: first.code, name: "a", publicKey })).status).toBe(401);
    const late = running.access.pair({ role: "view" });
    time += 120_000;
    const answer = await postPair(running, { code: late.code, name: "a", publicKey });
    expect([answer.status, (answer.json() as { error: { code: string } }).error.code]).toEqual([
      401,
      "unauthenticated",
    ]);
    expect(running.access.devices()).toHaveLength(1);
  });

  it("refuses guesses after five in a minute, and never a right code", async () => {
    const { publicKey } = await browserKey();
    const statuses = [];
    for (let n = 0; n < 8; n++)
      statuses.push((await postPair(running, { code: `guess${n}`, name: "", publicKey })).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    const { code } = running.access.pair({ role: "view" });
    expect((await postPair(running, { code, name: "a", publicKey })).status).toBe(200);
    time += 61_000;
    expect((await postPair(running, { code: "again", name: "", publicKey })).status).toBe(401);
  });

  it.each([
    ["no JSON", "x"],
    ["an extra field", { role: "admin" }],
    ["a key of another kind", { publicKey: "AAAA" }],
    ["no key", { publicKey: "" }],
    ["a list", "[]"],
    ["a prototype", '{"__proto__":{"role":"admin"},"code":"x","name":"x","publicKey":"x"}'],
    ["deep nesting", `${"[".repeat(2000)}${"]".repeat(2000)}`],
    ["too much", JSON.stringify({ code: "x".repeat(10_000) })],
  ])("refuses %s and keeps the code valid", async (_, change) => {
    const { publicKey } = await browserKey();
    const { code } = running.access.pair({ role: "view" });
    const good = { code, name: "a", publicKey };
    const bad = typeof change === "string" ? change : { ...good, ...change };
    expect((await postPair(running, bad)).status).toBe(400);
    expect((await postPair(running, good)).status).toBe(200);
  });

  it("accepts only JSON: what a form can send is refused", async () => {
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      "application/jsonx",
      "",
    ]) {
      expect((await postPair(running, {}, { "content-type": type })).status).toBe(415);
    }
  });

  it("leaves no code, token or key in the log or on the disk", async () => {
    const { key, device } = await pairedBrowser(running);
    const { code } = running.access.pair({ role: "view" });
    const { token } = running.access.addToken({ role: "view", name: "p" });
    await ask(running, { path: `/metrics?token=${token}`, headers: { authorization: `Bearer ${token}` } });
    await ask(running, { path: `/?pair=${code}`, headers: { "x-pair": code } });
    const { url } = running.tickets.create({ kind: "upload", name: "x", size: 1 }, running.access.device(device.id)!);
    await ask(running, { path: url });
    const { ws } = await comeIn(running, device, key);
    sockets.push(ws);
    const secret = readFileSync(join(running.dataDir, "secret"), "utf8").trim();
    const disk = readFileSync(join(running.dataDir, "devices.json"), "utf8");
    const log = running.logged.join("");
    for (const hidden of [code, token, token.split(".")[1]!, url.slice(3), secret]) {
      expect([log.includes(hidden), disk.includes(hidden)]).toEqual([false, false]);
    }
  });
});

describe("the challenge (S4, S7, S43)", () => {
  let running: Running;
  beforeAll(async () => {
    running = await startServer();
  });
  afterAll(() => running.stop());

  it("refuses another key, another page's signature, and another device's id", async () => {
    const one = await pairedBrowser(running);
    const two = await pairedBrowser(running);
    const claims = [
      comeIn(running, one.device, two.key),
      comeIn(running, one.device, one.key, "https://evil.com"),
      comeIn(running, { id: "nobody" }, one.key),
      comeIn(running, one.device, { ...one.key, sign: () => Promise.resolve("") }),
      comeIn(running, one.device, { ...one.key, sign: () => Promise.resolve("A".repeat(86)) }),
    ];
    for (const claim of claims) {
      const { ws, said } = await claim;
      sockets.push(ws);
      expect(said).toBe(CLOSE_CODES.unauthenticated);
    }
  });

  it("cannot be answered with an answer from another socket", async () => {
    const { device, key } = await pairedBrowser(running);
    let heard = "";
    const first = await comeIn(running, device, { ...key, sign: async (text) => (heard = await key.sign(text)) });
    const second = await comeIn(running, device, { ...key, sign: () => Promise.resolve(heard) });
    sockets.push(first.ws, second.ws);
    expect(first.said).toMatchObject({ device: { id: device.id } });
    expect(second.said).toBe(CLOSE_CODES.unauthenticated);
  });

  it("accepts only a known token", async () => {
    const { id, token } = running.access.addToken({ role: "view", name: "a program" });
    const metrics = async (authorization: string): Promise<number> =>
      (await ask(running, { path: "/metrics", headers: { authorization } })).status;
    expect(await metrics(`Bearer ${token}`)).toBe(200);
    const forged = [
      ...[
        "",
        "Bearer",
        "Bearer ",
        "Basic YTpi",
        `Bearer ${id}.`,
        `Bearer ${id}`,
        `Bearer .${token}`,
        `Bearer ${id}.null`,
      ],
      ...[`Bearer ${token}x`, `Bearer ${token.slice(0, -1)}`, `Bearer ${token.toUpperCase()}`, token],
      ...["Bearer this-computer.", `Bearer this-computer.${token.split(".")[1]!}`, `Bearer __proto__.${token}`],
      "Bearer eyJhbGciOiJub25lIn0.eyJyb2xlIjoiYWRtaW4ifQ",
    ];
    for (const header of forged) expect([header, await metrics(header)]).not.toEqual([header, 200]);
    expect(running.access.revoke(id)).toBe(true);
    expect([401, 429]).toContain(await metrics(`Bearer ${token}`));
  });

  it("closes a revoked device's sockets and drops its tickets", async () => {
    const { device, key } = await pairedBrowser(running);
    const { ws } = await comeIn(running, device, key);
    sockets.push(ws);
    const { id, token } = running.access.addToken({ role: "operate", name: "a program" });
    const program = (await upgrade(running, { authorization: `Bearer ${token}` })).ws!;
    sockets.push(program);
    const { url } = running.tickets.create({ kind: "upload", name: "x", size: 1 }, running.access.device(device.id)!);
    const closed = [once(ws, "close"), once(program, "close")];
    running.access.revoke(device.id);
    running.access.revoke(id);
    expect((await Promise.all(closed)).map(([code]) => code as number)).toEqual([4003, 4003]);
    const put = await ask(running, { method: "PUT", path: url, headers: { origin: running.origin }, body: "x" });
    expect(put.status).toBe(404);
  });
});
