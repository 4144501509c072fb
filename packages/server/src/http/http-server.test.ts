import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { WebSocket } from "ws";
import { CLOSE_CODES } from "@quarterdeck/session/bridge";
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

  it("types an upload by its bytes and keeps it for its device (S13)", async () => {
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
  ])("knows %s", async (mediaType, bytes) => {
    expect((await put(bytes)).answer.json()).toMatchObject({ mediaType, size: bytes.length });
  });

  it("is not fooled by text that is cut between chunks", async () => {
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

  it("takes no more than was announced, nor than the server takes", async () => {
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

  it("keeps nothing of an upload that was cut off", async () => {
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

  it("is worth one use, of its own kind, with the page's origin or a token", async () => {
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

  it("gives a download once, as a file that can do nothing (S13)", async () => {
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

  it("says why a download cannot be given, and hides what nobody expected", async () => {
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

describe("the page", () => {
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

  it("has its policy written down as it is", async () => {
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

  it("lets its workers load parts of themselves, and a script nothing else", async () => {
    const { headers } = await ask(running, { path: "/assets/index-1a2b.js" });
    expect(headers["content-security-policy"]).toBe(
      "default-src 'none'; script-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    );
  });

  it("is the same at every place in it, and is not asked for twice", async () => {
    const { headers, text } = await ask(running, { path: "/sessions/abc" });
    expect(text).toContain("<title>Page</title>");
    const again = await ask(running, { path: "/", headers: { "if-none-match": String(headers["etag"]) } });
    expect([again.status, again.text]).toEqual([304, ""]);
    expect((await ask(running, { method: "HEAD" })).text).toBe("");
  });

  it("gives its files compressed as the browser takes them, to keep", async () => {
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

describe("life and numbers", () => {
  it("says that it lives, and that it is about to stop", async () => {
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

describe("too many (S26, S28)", () => {
  let running: Running;
  beforeEach(async () => {
    running = await startServer();
  });
  afterEach(() => running.stop());

  it("closes a frame that is too large, and offers no compression", async () => {
    const { ws } = await upgrade(running, { origin: running.origin });
    sockets.push(ws!);
    expect(ws!.extensions).toBe("");
    const closed = once(ws!, "close");
    ws!.on("error", () => undefined);
    ws!.send(Buffer.alloc(1024 * 1024 + 1));
    expect((await closed)[0]).toBe(1009);
  });

  it("refuses a stranger's sockets beyond a burst, and a program's never", async () => {
    const { token } = running.access.addToken({ role: "view", name: "p" });
    const statuses = new Map<number, number>();
    for (let n = 0; n < 60; n++) {
      const { status, ws } = await upgrade(running, { origin: running.origin });
      if (ws !== undefined) sockets.push(ws);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect(new Set(statuses.keys())).toEqual(new Set([101, 429]));
    expect(statuses.get(429)).toBeGreaterThan(10);
    const { status, ws } = await upgrade(running, { authorization: `Bearer ${token}` });
    expect(status).toBe(101);
    sockets.push(ws!);
  });

  it("ends the oldest of too many strangers", async () => {
    let time = 0;
    const paced = await startServer({ now: () => (time += 1000), strangerMs: 60_000 });
    try {
      const all: WebSocket[] = [];
      for (let n = 0; n < 50; n++) all.push((await upgrade(paced, { origin: paced.origin })).ws!);
      sockets.push(...all);
      const first = once(all[0]!, "close");
      const { device, key } = await pairedBrowser(paced);
      const { ws, said } = await comeIn(paced, device, key);
      sockets.push(ws);
      expect(said).toMatchObject({ device: { id: device.id } });
      expect((await first)[0]).toBe(CLOSE_CODES.tooMany);
      expect(all.filter((one) => one.readyState === one.OPEN)).toHaveLength(49);
    } finally {
      await paced.stop();
    }
  });

  it("ends who does not say who he is, and nobody else", async () => {
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

  it("still answers while hundreds of connections say nothing", async () => {
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

  it("answers what is not HTTP, once, and hangs up", async () => {
    const socket = await rawSocket(running);
    socket.write("\x16\x03\x01 nonsense\r\n\r\n");
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 400 /u);
  });
});

describe("with a certificate of one's own", () => {
  it("speaks TLS, to the names that were allowed", async () => {
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
  await once(socket, "close");
  return text;
};
