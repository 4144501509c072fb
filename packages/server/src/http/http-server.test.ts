import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { WebSocket } from "ws";
import { CLOSE_CODES } from "@quarterdeck/session/bridge";
import { createLog } from "../log.ts";
import { limitFrames } from "./frame-limit.ts";
import { guardServer } from "./guard.ts";
import { ask, comeIn, pairedBrowser, startServer, upgrade } from "./http-server.fixture.ts";
import type { Running } from "./http-server.fixture.ts";

const sockets: WebSocket[] = [];
afterEach(() => {
  for (const ws of sockets.splice(0)) ws.terminate();
});

describe("uploads and downloads", () => {
  let running: Running;
  beforeAll(async () => {
    running = await startServer({ uploadBytes: 100_000 });
  });
  afterAll(() => running.stop());

  const device = () => {
    const { id } = running.access.addToken({ role: "operate", name: "a program" });
    return running.access.device(id)!;
  };
  const put = async (body: Buffer | string, { size = body.length, owner = device() } = {}) => {
    const { url } = running.tickets.create({ kind: "upload", name: "a name", size }, owner);
    const answer = await ask(running, { method: "PUT", path: url, headers: { origin: running.origin }, body });
    return { url, owner, answer };
  };
  const png = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(50_000, 1)]);

  it("[O1] types an upload by its bytes and keeps it for its device (S13)", async () => {
    const { owner, answer } = await put(png);
    const { id } = answer.json() as { id: string };
    expect([answer.status, answer.json()]).toEqual([200, { id, mediaType: "image/png", size: png.length }]);
    const upload = running.tickets.upload(id, owner)!;
    expect([upload.name, readFileSync(upload.path).equals(png)]).toEqual(["a name", true]);
    expect(running.tickets.upload(id, device())).toBeUndefined();
  });

  it.each([
    ["image/jpeg", Buffer.from("ffd8ffe000104a464946", "hex")],
    ["image/gif", Buffer.from("GIF89a....")],
    ["image/webp", Buffer.from("RIFF\0\0\0\0WEBPVP8 ", "latin1")],
    ["application/pdf", Buffer.from("%PDF-1.7\n\0\x01", "latin1")],
    ["application/zip", Buffer.from("504b03040a00", "hex")],
    ["text/plain", Buffer.from("<svg onload='x'>héllo</svg>")],
    ["text/plain", Buffer.alloc(0)],
    ["application/octet-stream", Buffer.from("text with a \0")],
    ["application/octet-stream", Buffer.from("cut utf-8 \xe2\x82", "latin1")],
  ])("[O1] knows %s", async (mediaType, bytes) => {
    expect((await put(bytes)).answer.json()).toMatchObject({ mediaType, size: bytes.length });
  });

  it("[O1] checks text correctly if a character is cut between chunks", async () => {
    const { url } = running.tickets.create({ kind: "upload", name: "x", size: 1000 }, device());
    const socket = await rawSocket(running);
    const bytes = Buffer.from("größe");
    socket.write(
      `PUT ${url} HTTP/1.1\r\nHost: ${new URL(running.origin).host}\r\nOrigin: ${running.origin}\r\n` +
        `Content-Length: ${String(bytes.length)}\r\nConnection: close\r\n\r\n`,
    );
    socket.write(bytes.subarray(0, 3));
    await new Promise((resolve) => setImmediate(resolve));
    socket.write(bytes.subarray(3));
    expect(await readAll(socket)).toContain('"mediaType":"text/plain"');
  });

  it("[O1] accepts no more than was announced, and no more than the server's limit", async () => {
    expect((await put(png, { size: 10 })).answer.status).toBe(413);
    expect((await put(Buffer.alloc(200_000, 1))).answer.status).toBe(413);
    const { url } = running.tickets.create({ kind: "upload", name: "x", size: 10 }, device());
    const socket = await rawSocket(running);
    socket.write(
      `PUT ${url} HTTP/1.1\r\nHost: ${new URL(running.origin).host}\r\nOrigin: ${running.origin}\r\n` +
        "Transfer-Encoding: chunked\r\n\r\n14\r\n01234567890123456789\r\n0\r\n\r\n",
    );
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 413 /u);
    expect(readdirSync(join(running.dataDir, "uploads"))).not.toContain("x");
  });

  it("[O1] keeps nothing of an upload that was cut off", async () => {
    const before = readdirSync(join(running.dataDir, "uploads")).length;
    const { url } = running.tickets.create({ kind: "upload", name: "x", size: 1000 }, device());
    const socket = await rawSocket(running);
    const noted = running.logged.length;
    socket.write(
      `PUT ${url} HTTP/1.1\r\nHost: ${new URL(running.origin).host}\r\nOrigin: ${running.origin}\r\n` +
        "Content-Length: 1000\r\n\r\nabc",
      () => socket.destroy(),
    );
    await expect.poll(() => running.logged.slice(noted).some((line) => line.includes('"ticket"'))).toBe(true);
    await expect.poll(() => readdirSync(join(running.dataDir, "uploads")).length).toBe(before);
  });

  it("[O2] is for one use of its own kind, with the page's origin or a token", async () => {
    const { url, answer } = await put("text");
    expect(answer.status).toBe(200);
    const again = { method: "PUT", path: url, body: "text" };
    expect((await ask(running, { ...again, headers: { origin: running.origin } })).status).toBe(404);
    const fresh = running.tickets.create({ kind: "upload", name: "x", size: 4 }, device()).url;
    expect((await ask(running, { path: fresh })).status).toBe(404);
    expect((await ask(running, { method: "PUT", path: fresh, body: "text" })).status).toBe(403);
    const { token } = running.access.addToken({ role: "view", name: "p" });
    const headers = { authorization: `Bearer ${token}` };
    expect((await ask(running, { method: "PUT", path: fresh, body: "text", headers })).status).toBe(200);
  });

  it("[O2] gives a download once, as a harmless file (S13)", async () => {
    const html = "<script>alert(1)</script>";
    const { url } = running.tickets.create(
      {
        kind: "download",
        open: () =>
          Promise.resolve({
            name: 'r"é\r\nx.html',
            mediaType: "text/html; charset=utf-8",
            body: Readable.from([html]),
          }),
      },
      device(),
    );
    const answer = await ask(running, { path: url });
    expect([answer.status, answer.text]).toEqual([200, html]);
    expect(answer.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-disposition": `attachment; filename="r__x.html"; filename*=UTF-8''r%22%C3%A9x.html`,
      "content-security-policy": expect.stringMatching(/^sandbox; default-src 'none'/u) as string,
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    });
    expect((await ask(running, { path: url })).status).toBe(404);
  });

  it("[O2] says why a download fails, and hides unexpected errors", async () => {
    const failing = (error: Error) => {
      const open = async () => {
        throw error;
      };
      return running.tickets.create({ kind: "download", open }, device()).url;
    };
    const outside = Object.assign(new Error("Outside."), { code: "outside-roots" });
    expect((await ask(running, { path: failing(outside) })).status).toBe(403);
    const bug = await ask(running, { path: failing(new Error("secret detail")) });
    expect([bug.status, bug.text.includes("secret detail")]).toEqual([500, false]);
  });
});

describe("[O3] the page", () => {
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-page-"));
  const script = "console.log('hello');\n".repeat(200);
  let running: Running;
  beforeAll(async () => {
    mkdirSync(join(folder, "assets"));
    writeFileSync(join(folder, "index.html"), "<!doctype html><title>Page</title>");
    writeFileSync(join(folder, "assets", "index-1a2b.js"), script);
    writeFileSync(join(folder, "assets", "index-1a2b.js.br"), brotliCompressSync(script));
    writeFileSync(join(folder, "assets", "index-1a2b.js.gz"), gzipSync(script));
    running = await startServer({ pageFolder: folder });
  });
  afterAll(async () => {
    await running.stop();
    rmSync(folder, { recursive: true });
  });

  it("has exactly this policy", async () => {
    const { headers } = await ask(running);
    const policy = String(headers["content-security-policy"]).replace(String(running.port), "7433");
    const written = readFileSync(join(import.meta.dirname, "..", "..", "..", "..", "docs", "serving.md"), "utf8");
    expect(written.replaceAll(/\s+/gu, " ")).toContain(`${policy} \`\`\``);
  });

  it("comes with its whole policy and no cookie (S12, S15, S43)", async () => {
    const { status, text, headers } = await ask(running);
    expect([status, text]).toEqual([200, "<!doctype html><title>Page</title>"]);
    expect(headers).toMatchObject({
      "content-security-policy":
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
        "media-src 'self' blob:; manifest-src 'self'; worker-src 'self'; " +
        `connect-src 'self' ws://127.0.0.1:${String(running.port)}; frame-ancestors 'none'; base-uri 'none'; ` +
        "form-action 'none'; require-trusted-types-for 'script'; " +
        "trusted-types quarterdeck-worker quarterdeck-diagram-inert",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "cache-control": "no-cache",
      "content-type": "text/html; charset=utf-8",
    });
    expect(headers["set-cookie"]).toBeUndefined();
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  });

  it("lets its workers load their own parts, and gives scripts nothing else", async () => {
    const { headers } = await ask(running, { path: "/assets/index-1a2b.js" });
    expect(headers["content-security-policy"]).toBe(
      "default-src 'none'; script-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    );
  });

  it("is the same at every path of the page, and is cached", async () => {
    const { headers, text } = await ask(running, { path: "/sessions/abc" });
    expect(text).toContain("<title>Page</title>");
    const again = await ask(running, { path: "/", headers: { "if-none-match": String(headers["etag"]) } });
    expect([again.status, again.text]).toEqual([304, ""]);
    expect((await ask(running, { method: "HEAD" })).text).toBe("");
  });

  it("serves its files compressed, to be cached", async () => {
    const get = (encoding: string) =>
      ask(running, { path: "/assets/index-1a2b.js", headers: { "accept-encoding": encoding } });
    const [br, gz, plain, refused] = [await get("gzip, br"), await get("gzip"), await get(""), await get("br;q=0")];
    expect([br, gz, plain, refused].map(({ headers }) => headers["content-encoding"])).toEqual([
      "br",
      "gzip",
      undefined,
      undefined,
    ]);
    expect([brotliDecompressSync(br.body), gunzipSync(gz.body), plain.body].map(String)).toEqual([
      script,
      script,
      script,
    ]);
    expect(br.headers).toMatchObject({
      "cache-control": "public, max-age=31536000, immutable",
      "content-type": "text/javascript; charset=utf-8",
      vary: "accept-encoding",
    });
    expect((await ask(running, { path: "/assets/none.js" })).status).toBe(404);
  });
});

describe("[O4] health and metrics", () => {
  it("reports that it lives, and that it is about to stop", async () => {
    const running = await startServer();
    try {
      expect((await ask(running, { path: "/healthz" })).json()).toEqual({ status: "ok" });
      running.shutDown = true;
      const stopping = await ask(running, { path: "/healthz" });
      expect([stopping.status, stopping.json()]).toEqual([503, { status: "shutting-down" }]);
      expect((await upgrade(running, { origin: running.origin })).status).toBe(503);
      const { token } = running.access.addToken({ role: "view", name: "prometheus" });
      const { text } = await ask(running, { path: "/metrics", headers: { authorization: `Bearer ${token}` } });
      expect(text).toContain('quarterdeck_http_requests_total{route="healthz",status="200"} 1\n');
      expect(text).toContain("# TYPE quarterdeck_sockets_open gauge\nquarterdeck_sockets_open 0\n");
    } finally {
      await running.stop();
    }
  });
});

describe("limits (S26, S28)", () => {
  let running: Running;
  beforeEach(async () => {
    running = await startServer();
  });
  afterEach(() => running.stop());

  it("closes the socket of a frame that is too large, and offers no compression", async () => {
    const { ws } = await upgrade(running, { origin: running.origin });
    sockets.push(ws!);
    expect(ws!.extensions).toBe("");
    const closed = once(ws!, "close");
    ws!.on("error", () => undefined);
    ws!.send(Buffer.alloc(1024 * 1024 + 1));
    expect((await closed)[0]).toBe(1009);
  });

  it("[S41] admits a device while 200 strangers of the same address hold sockets, and closes the oldest stranger", async () => {
    const crowded = await startServer({ strangerMs: 60_000 });
    try {
      const { device, key } = await pairedBrowser(crowded);
      const all: WebSocket[] = [];
      for (let n = 0; n < 200; n++) all.push((await upgrade(crowded, { origin: crowded.origin })).ws!);
      sockets.push(...all);
      const first = once(all[0]!, "close");
      const { ws, said } = await comeIn(crowded, device, key);
      sockets.push(ws);
      expect(said).toMatchObject({ device: { id: device.id } });
      expect((await first)[0]).toBe(CLOSE_CODES.tooMany);
      expect(all.filter((one) => one.readyState === one.OPEN)).toHaveLength(199);
      // Later strangers push out strangers, never the device.
      for (let n = 0; n < 210; n++) sockets.push((await upgrade(crowded, { origin: crowded.origin })).ws!);
      expect([ws.readyState, all.every((one) => one.readyState !== one.OPEN)]).toEqual([ws.OPEN, true]);
    } finally {
      await crowded.stop();
    }
  });

  it("[S41] refuses none of hundreds of sockets a second, and gives each its chance", async () => {
    const statuses = new Set<number>();
    for (let n = 0; n < 100; n++) {
      const { status, ws } = await upgrade(running, { origin: running.origin });
      if (ws !== undefined) sockets.push(ws);
      statuses.add(status);
    }
    expect([...statuses]).toEqual([101]);
  });

  it("[S41] accepts 4 KB per frame until the device is admitted, and 1 MB afterwards", async () => {
    const { device, key } = await pairedBrowser(running);
    const stranger = (await upgrade(running, { origin: running.origin })).ws!;
    sockets.push(stranger);
    stranger.on("error", () => undefined);
    const closed = once(stranger, "close");
    stranger.send("x".repeat(4097));
    expect((await closed)[0]).toBe(1009);
    const { ws } = await comeIn(running, device, key);
    sockets.push(ws);
    const answered = once(ws, "message");
    ws.send(JSON.stringify({ id: device.id, signature: "x".repeat(1_000_000) }));
    await Promise.race([answered, once(ws, "close")]);
    expect(running.logged.some((line) => line.includes("Max payload"))).toBe(true);
    expect(running.logged.filter((line) => line.includes("Max payload"))).toHaveLength(1);
  });

  it("[S41] closes a stranger's frame above 4 KB also if ws has no limit per socket", async () => {
    const other = await startServer({ limitFrames: (ws) => limitFrames({} as typeof ws, 1) });
    try {
      const { device, key } = await pairedBrowser(other);
      const stranger = (await upgrade(other, { origin: other.origin })).ws!;
      sockets.push(stranger);
      const closed = once(stranger, "close");
      stranger.send(JSON.stringify({ id: device.id, signature: "x".repeat(4097) }));
      expect((await closed)[0]).toBe(1009);
      const { ws } = await comeIn(other, device, key);
      sockets.push(ws);
      const refused = once(ws, "close");
      ws.send(JSON.stringify({ id: device.id, signature: "x".repeat(1_000_000) }));
      expect((await refused)[0]).toBe(CLOSE_CODES.unauthenticated);
    } finally {
      await other.stop();
    }
  });

  it("[S41] closes a stranger's socket that only pings", async () => {
    const stranger = (await upgrade(running, { origin: running.origin })).ws!;
    sockets.push(stranger);
    const closed = once(stranger, "close");
    for (let n = 0; n < 9; n++) stranger.ping();
    expect((await closed)[0]).toBe(1008);
  });

  it("[S41] gives one device 256 sockets, and another device is not affected", async () => {
    const { token } = running.access.addToken({ role: "view", name: "greedy" });
    const greedy = { authorization: `Bearer ${token}` };
    for (let n = 0; n < 256; n++) sockets.push((await upgrade(running, greedy)).ws!);
    const { ws } = await upgrade(running, greedy);
    sockets.push(ws!);
    expect((await once(ws!, "close"))[0]).toBe(CLOSE_CODES.tooMany);
    const other = running.access.addToken({ role: "view", name: "modest" });
    const modest = (await upgrade(running, { authorization: `Bearer ${other.token}` })).ws!;
    sockets.push(modest);
    expect(modest.readyState).toBe(modest.OPEN);
  });

  it("closes a socket that does not authenticate, and no other", async () => {
    const quick = await startServer({ strangerMs: 1000 });
    try {
      const { device, key } = await pairedBrowser(quick);
      const { ws } = await comeIn(quick, device, key);
      const stranger = (await upgrade(quick, { origin: quick.origin })).ws!;
      sockets.push(ws, stranger);
      expect((await once(stranger, "close"))[0]).toBe(CLOSE_CODES.unauthenticated);
      expect(ws.readyState).toBe(ws.OPEN);
    } finally {
      await quick.stop();
    }
  });

  it("still answers while hundreds of connections send nothing", async () => {
    const silent: Socket[] = [];
    for (let n = 0; n < 600; n++) silent.push(await rawSocket(running));
    expect((await ask(running, { path: "/healthz" })).status).toBe(200);
    const { device, key } = await pairedBrowser(running);
    const { ws, said } = await comeIn(running, device, key);
    sockets.push(ws);
    expect(said).toMatchObject({ device: { id: device.id } });
    await expect.poll(() => silent.filter(({ destroyed }) => !destroyed).length).toBeLessThanOrEqual(256);
    for (const socket of silent) socket.destroy();
  });

  it("[S41] closes a connection that sends more and more requests before it is answered", async () => {
    const socket = await rawSocket(running);
    const request = `GET /healthz HTTP/1.1\r\nHost: ${new URL(running.origin).host}\r\n\r\n`;
    socket.write(request.repeat(500));
    const answers = (await readAll(socket)).split("HTTP/1.1 200").length - 1;
    expect(answers).toBeLessThan(10);
    expect((await ask(running, { path: "/healthz" })).status).toBe(200);
  });

  it("closes a connection that never sent a request, without a response", async () => {
    expect(await readAll(await rawSocket(running))).toBe("");
  });

  it("answers what is not HTTP, once, and hangs up", async () => {
    const socket = await rawSocket(running);
    socket.write("\x16\x03\x01 nonsense\r\n\r\n");
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 400 /u);
  });
});

describe("answers that nobody reads (S41)", () => {
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-unread-"));
  const size = 4 * 1024 * 1024;
  let running: Running;
  beforeAll(async () => {
    mkdirSync(join(folder, "assets"));
    writeFileSync(join(folder, "index.html"), "<!doctype html>");
    writeFileSync(join(folder, "assets", "big.js"), Buffer.alloc(size, 32));
    running = await startServer({ pageFolder: folder });
  });
  afterAll(async () => {
    await running.stop();
    rmSync(folder, { recursive: true });
  });

  it("[S41] hold at most 32 MB: the oldest client that does not read is closed", async () => {
    const { token } = running.access.addToken({ role: "view", name: "p" });
    const gauge = async (name: string): Promise<number> => {
      const { text } = await ask(running, { path: "/metrics", headers: { authorization: `Bearer ${token}` } });
      return Number(new RegExp(`^${name} (\\d+)$`, "mu").exec(text)?.[1]);
    };
    const silent: Socket[] = [];
    for (let n = 0; n < 30; n++) {
      const socket = await rawSocket(running);
      socket.pause();
      socket.write(`GET /assets/big.js HTTP/1.1\r\nHost: ${new URL(running.origin).host}\r\n\r\n`);
      silent.push(socket);
    }
    await expect.poll(() => gauge("quarterdeck_connections_strangers")).toBeLessThanOrEqual(8);
    expect(await gauge("quarterdeck_connections_owed_bytes")).toBeLessThanOrEqual(32 * 1024 * 1024);
    // A client that reads gets the whole answer, whatever the others do.
    expect((await ask(running, { path: "/assets/big.js" })).body).toHaveLength(size);
    for (const socket of silent) socket.destroy();
  });
});

describe("a listener that throws (S48)", () => {
  it("[S48] closes only its own connection, and is logged", async () => {
    const running = await startServer();
    try {
      const { device, key } = await pairedBrowser(running);
      const { ws } = await comeIn(running, device, key);
      sockets.push(ws);
      // The fixture's bridge parses frames without its own guard.
      const bad = (await upgrade(running, { origin: running.origin })).ws!;
      sockets.push(bad);
      const closed = once(bad, "close");
      bad.send("{");
      expect((await closed)[0]).toBe(1006);
      expect(running.logged.find((line) => line.includes('"listener failed"'))).toContain("SyntaxError");
      expect(ws.readyState).toBe(ws.OPEN);
      expect((await ask(running, { path: "/healthz" })).status).toBe(200);
    } finally {
      await running.stop();
    }
  });

  it("[S48] of the server is guarded for every event", async () => {
    const lines: string[] = [];
    const log = createLog({ write: (line) => lines.push(line), level: "debug", format: "json" });
    const server = createServer();
    guardServer(server, log);
    for (const event of ["connection", "request", "upgrade", "clientError"])
      server.on(event, () => {
        throw new Error(`bug in ${event}`);
      });
    for (const event of ["connection", "request", "upgrade", "clientError"]) {
      let destroyed = 0;
      server.emit(event, { destroy: () => destroyed++ } as never, undefined as never);
      expect([event, destroyed, lines.at(-1)?.includes(`"on":"${event}"`)]).toEqual([event, 1, true]);
    }
    // Accepting fails if no file descriptors are left, maybe twice.
    for (let n = 0; n < 2; n++) server.emit("error", new Error("accept EMFILE"));
    expect(lines.at(-1)).toContain("accept EMFILE");
  });
});

describe("tickets (S41)", () => {
  it("[S41] are a hundred per device; a device that makes more loses its own oldest, and another device loses none", async () => {
    const running = await startServer();
    try {
      const deviceOf = (name: string) => running.access.device(running.access.addToken({ role: "operate", name }).id)!;
      const [modest, greedy] = [deviceOf("modest"), deviceOf("greedy")];
      const idOf = (device: typeof modest): string =>
        running.tickets.create({ kind: "upload", name: "x", size: 1 }, device).url.slice(3);
      const kept = idOf(modest);
      const made = Array.from({ length: 5000 }, () => idOf(greedy));
      const taken = made.filter((id) => running.tickets.take(id, "upload") !== undefined);
      expect(taken).toEqual(made.slice(-100));
      expect(running.tickets.take(kept, "upload")?.device.id).toBe(modest.id);
    } finally {
      await running.stop();
    }
  });

  it("[S41] of uploads: a device that fills its share loses its own oldest, and another device loses none", async () => {
    const running = await startServer({ uploadBytes: 100 * 1024 * 1024 });
    try {
      const deviceOf = (name: string) => running.access.device(running.access.addToken({ role: "operate", name }).id)!;
      const [modest, greedy] = [deviceOf("modest"), deviceOf("greedy")];
      const keep = async (device: typeof modest, size: number): Promise<string> => {
        const kept = await running.tickets.keep("x", Buffer.alloc(size), device);
        if (typeof kept === "string") throw new Error(kept);
        return kept.id;
      };
      const first = await keep(modest, 1);
      const large = 100 * 1024 * 1024;
      const own = [await keep(greedy, large), await keep(greedy, large), await keep(greedy, large)];
      expect(own.map((id) => running.tickets.upload(id, greedy) !== undefined)).toEqual([false, true, true]);
      expect(running.tickets.upload(first, modest)?.size).toBe(1);
      // An empty upload takes up room, too.
      expect((await keep(greedy, 0)).length).toBeGreaterThan(0);
    } finally {
      await running.stop();
    }
  });
});

describe("[I3] with the user's own certificate", () => {
  it("speaks TLS, under the allowed names", async () => {
    const folder = mkdtempSync(join(tmpdir(), "quarterdeck-tls-"));
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    execFileSync(
      "openssl",
      [
        ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"],
        ...["-keyout", key, "-out", cert, "-subj", "/CN=deck.test"],
      ],
      { stdio: "ignore" },
    );
    const tls = { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
    const running = await startServer({ tls, allowHosts: ["deck.test"] });
    try {
      const host = `deck.test:${String(running.port)}`;
      const page = await ask(running, { headers: { host } });
      expect(page.status).toBe(200);
      expect(page.headers["content-security-policy"]).toContain(`connect-src 'self' wss://${host};`);
      expect(running.access.pair({ role: "view" }).link).toMatch(new RegExp(`^https://${host}/#pair=`, "u"));
      expect((await ask(running, { headers: { host, origin: `http://${host}` } })).status).toBe(403);
      const { status, ws } = await upgrade(running, { host, origin: `https://${host}` });
      expect(status).toBe(101);
      ws?.terminate();
    } finally {
      await running.stop();
      rmSync(folder, { recursive: true });
    }
  });
});

const rawSocket = async ({ port }: Running): Promise<Socket> => {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
};

const readAll = async (socket: Socket): Promise<string> => {
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
  await new Promise((resolve) => socket.once("close", resolve));
  return text;
};
