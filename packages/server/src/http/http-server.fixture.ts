// A server on a free port over a scratch folder, with a bridge that only sends the challenge and admits devices. The
// clients are written like those of strangers: raw headers, raw sockets.

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { request as tlsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import { challengeText, CLOSE_CODES } from "@quarterdeck/session/bridge";
import type { Role } from "@quarterdeck/session/bridge";
import { browserKey } from "@quarterdeck/test-kit/browser-key";
import type { BrowserKey } from "@quarterdeck/test-kit/browser-key";
import { openAccess } from "../access/access.ts";
import type { ServerAccess } from "../access/access.ts";
import { doorsFor } from "../access/doors.ts";
import type { DoorOptions } from "../access/doors.ts";
import { createLog } from "../log.ts";
import { startHttpServer } from "./http-server.ts";
import type { HttpServer, HttpServerOptions } from "./http-server.ts";
import { createMetrics } from "./metrics.ts";
import { loadPage } from "./page.ts";
import { createTickets } from "./tickets.ts";
import type { TicketDesk } from "./tickets.ts";

export interface Running {
  readonly folder: string;
  readonly dataDir: string;
  readonly access: ServerAccess;
  readonly tickets: TicketDesk;
  readonly http: HttpServer;
  readonly port: number;
  readonly origin: string;
  /** Lines of the log. */
  readonly logged: string[];
  shutDown: boolean;
  stop(): Promise<void>;
}

export interface StartOptions extends Partial<DoorOptions> {
  readonly host?: string;
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly pageFolder?: string;
  readonly now?: () => number;
  readonly uploadBytes?: number;
  readonly strangerMs?: number;
  readonly limitFrames?: NonNullable<HttpServerOptions["limitFrames"]>;
}

export const startServer = async (options: StartOptions = {}): Promise<Running> => {
  const { host = "127.0.0.1", now, tls } = options;
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-http-"));
  const dataDir = join(folder, "data");
  const logged: string[] = [];
  const log = createLog({ write: (line) => logged.push(line), level: "debug", format: "json" });
  const access = openAccess({ dataDir, ...(now !== undefined && { now }) });
  const tickets = createTickets({
    folder: join(dataDir, "uploads"),
    access,
    maxBytes: options.uploadBytes ?? 1_000_000,
    log,
    ...(now !== undefined && { now }),
  });
  const state = { shutDown: false };
  const doorOptions: DoorOptions = {
    host,
    isTls: tls !== undefined,
    allowHosts: options.allowHosts ?? [],
    ...(options.proxies !== undefined && { proxies: options.proxies }),
  };
  const http = await startHttpServer({
    access,
    tickets,
    log,
    host,
    port: 0,
    page: loadPage(options.pageFolder),
    metrics: createMetrics(),
    isReady: () => !state.shutDown,
    doorsAt: (port) => doorsFor(doorOptions, port),
    ...(tls !== undefined && { tls }),
    ...(options.strangerMs !== undefined && { strangerMs: options.strangerMs }),
    ...(options.limitFrames !== undefined && { limitFrames: options.limitFrames }),
    onSocket(ws, { device, origin, remote, admitted }) {
      const nonce = access.challenge();
      ws.send(JSON.stringify({ method: "server/challenge", params: { nonce, serverId: access.serverId } }));
      ws.on("message", (data: Buffer) => {
        const claim = JSON.parse(data.toString("utf8")) as { id: string; signature: string };
        const outcome =
          device === undefined
            ? access.authenticate({ ...claim, nonce, origin, remote })
            : { ok: true as const, device };
        if (!outcome.ok) ws.close(CLOSE_CODES.unauthenticated, outcome.code);
        else {
          admitted(outcome.device);
          ws.send(JSON.stringify({ device: outcome.device }));
        }
      });
    },
  });
  return Object.assign(state, {
    folder,
    dataDir,
    access,
    tickets,
    http,
    logged,
    port: http.port,
    origin: `${tls === undefined ? "http" : "https"}://${host}:${String(http.port)}`,
    async stop() {
      await http.close();
      tickets.close();
      access.close();
      rmSync(folder, { recursive: true, force: true });
    },
  });
};

export interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
  /** Local address of the TCP connection. */
  readonly from?: string;
}
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly text: string;
  readonly json: () => unknown;
}

/** Sends a request with exactly these headers. Adds a `Host` if none is given. */
export const ask = (running: Pick<Running, "port" | "origin">, asked: Asked = {}): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const { method = "GET", path = "/", headers = {}, body, from } = asked;
    const isTls = running.origin.startsWith("https:");
    const sent = (isTls ? tlsRequest : request)(
      {
        host: new URL(running.origin).hostname.replaceAll(/[[\]]/gu, ""),
        port: running.port,
        method,
        path,
        headers: headers as Record<string, string>,
        rejectUnauthorized: false,
        agent: false,
        ...(from !== undefined && { localAddress: from }),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const whole = Buffer.concat(chunks);
          const text = whole.toString("utf8");
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: whole,
            text,
            json: () => JSON.parse(text) as unknown,
          });
        });
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });

/** The status of an upgrade: 101, or an error. The caller closes the socket. */
export const upgrade = async (
  running: Pick<Running, "port" | "origin">,
  headers: Readonly<Record<string, string>> = {},
  path = "/bridge",
): Promise<{ readonly status: number; readonly ws?: WebSocket; readonly first?: Promise<unknown> }> => {
  const ws = new WebSocket(`${running.origin.replace(/^http/u, "ws")}${path}`, {
    headers,
    rejectUnauthorized: false,
  });
  const first = once(ws, "message").then(([data]) => JSON.parse(String(data)) as unknown);
  first.catch(() => undefined);
  return new Promise((resolve, reject) => {
    ws.on("open", () => resolve({ status: 101, ws, first }));
    ws.on("unexpected-response", (_request, response) => {
      resolve({ status: response.statusCode ?? 0 });
      response.resume();
      ws.terminate();
    });
    ws.on("error", reject);
  });
};

/** A pairing request, as a browser sends it. */
export const postPair = (running: Running, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  ask(running, {
    method: "POST",
    path: "/pair",
    headers: { origin: running.origin, "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

/** A device that was paired over HTTP. */
export const pairedBrowser = async (running: Running, role: Role = "admin") => {
  const key = await browserKey();
  const { code } = running.access.pair({ role });
  const answer = await postPair(running, { code, name: "Firefox", publicKey: key.publicKey });
  const { device } = answer.json() as { device: { id: string; name: string; role: Role } };
  return { key, device };
};

/** Connects as the device. Resolves with the server's answer, or with the close code. */
export const comeIn = async (
  running: Running,
  device: { readonly id: string },
  key: BrowserKey,
  signedOrigin = running.origin,
): Promise<{ readonly ws: WebSocket; readonly said: unknown }> => {
  const { ws, first, status } = await upgrade(running, { origin: running.origin });
  if (ws === undefined) throw new Error(`The upgrade was answered with ${String(status)}.`);
  const { params } = (await first) as { params: { nonce: string; serverId: string } };
  const signature = await key.sign(challengeText({ ...params, origin: signedOrigin }));
  const said = Promise.race([
    once(ws, "message").then(([data]) => JSON.parse(String(data)) as unknown),
    once(ws, "close").then(([code]) => code as unknown),
  ]);
  ws.send(JSON.stringify({ id: device.id, signature }));
  return { ws, said: await said };
};
