// The ccpocket dialect on its own port. It is off by default. Its apps send their token in the query, which no other door
// accepts. `access/` decides who may connect, as everywhere.

import type { IncomingMessage, Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { BridgeError, connect } from "@quarterdeck/client";
import { WebSocketServer } from "ws";
import type { WebSocket } from "ws";
import type { Asking, Enter } from "../access/access.ts";
import { askingOf, PATIENCE, TLS_PATIENCE, watchConnections } from "../http/arrivals.ts";
import { FIRST_FRAME_BYTES } from "../http/frame-limit.ts";
import { guardedWebSocket, guardServer } from "../http/guard.ts";
import { createServer as createHttpServer, STATUS_CODES } from "../http/node-http.ts";
import type { Method } from "@quarterdeck/session/bridge";
import type { Given } from "@quarterdeck/session/bridge/policy";
import { CLOSING } from "../http/sockets.ts";
import { refusalFor } from "../bridge/must-be-allowed.ts";
import { sightOf } from "../bridge/parts.ts";
import type { GitSight } from "../files/shared-git.ts";
import type { BridgeOptions } from "../bridge/contract.ts";
import type { Device } from "../access/contract.ts";
import { ServerError } from "../server-error.ts";
import { keepSocketAlive } from "./keep-alive.ts";
import { PocketImages } from "./pocket-images.ts";
import { serveApp } from "./pocket-connection.ts";

const UNAUTHORIZED = 4001;
const TRY_LATER = 1013;
/** Pictures come inside the frame. */
const FRAME_BYTES = 24 * 1024 * 1024;
/** Each app is also a client of the bridge. */
const MOST_OF_ONE_DEVICE = 64;

/** Another protocol on its own port, over the same host and log. */
export interface CcpocketOptions extends BridgeOptions {
  readonly listenAt: { readonly host: string; readonly port: number };
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** Our own server. Each app is a client of it. */
  readonly url: string;
  /** Access rules apply to this port too, as soon as the port is known. */
  readonly doorAt: (port: number) => Enter;
}

export const startCcpocket = async (
  options: CcpocketOptions,
): Promise<{ readonly port: number; close(): Promise<void> }> => {
  const { access, log, tls, listenAt } = options;
  const server: Server =
    tls === undefined ? createHttpServer(PATIENCE) : createHttpsServer({ ...TLS_PATIENCE, ...tls });
  guardServer(server, log);
  const arrivals = watchConnections(server);
  const Guarded = guardedWebSocket(log);
  const upgrader = (maxPayload: number): WebSocketServer =>
    new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload,
      perMessageDeflate: false,
      ...CLOSING,
      WebSocket: Guarded,
    });
  const [forDevices, forStrangers] = [upgrader(FRAME_BYTES), upgrader(FIRST_FRAME_BYTES)];
  const connections = new Map<WebSocket, string>();
  const images = new PocketImages();
  let enter: Enter = (_asking, _need) => ({ ok: false, status: 403, message: "Not ready yet.", remote: "" });

  server.on("request", (request, response) => {
    const entry = enter(askingOf(request, false), "nothing");
    if (!arrivals.noteRequest(request, entry.remote, response)) return;
    const isRead = request.method === "GET" || request.method === "HEAD";
    const isHealth = entry.ok && isRead && request.url === "/health";
    const image = entry.ok && isRead ? images.at(request.url) : undefined;
    if (image !== undefined) {
      response.writeHead(200, {
        "content-type": image.mimeType,
        "content-length": image.bytes.length,
        "cache-control": "private, max-age=86400",
        "content-security-policy": "default-src 'none'; sandbox",
        "x-content-type-options": "nosniff",
      });
      response.end(request.method === "HEAD" ? undefined : image.bytes);
      return;
    }
    response.writeHead(!entry.ok ? 403 : isHealth ? 200 : 404, { "content-type": "application/json" });
    response.end(isHealth ? JSON.stringify({ status: "ok" }) : "{}");
  });
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    const entry = enter(askingByQuery(request), "token");
    const { remote } = entry;
    if (!arrivals.noteRequest(request, remote)) return;
    if (!entry.ok) log.debug("ccpocket refused", { remote, status: entry.status });
    if (!entry.ok && entry.status !== 401) {
      const reason = STATUS_CODES[entry.status] ?? "";
      socket.end(`HTTP/1.1 ${entry.status} ${reason}\r\nconnection: close\r\n\r\n`, () => socket.destroy());
      return;
    }
    const device = entry.ok ? entry.device : undefined;
    const sockets = device === undefined ? forStrangers : forDevices;
    sockets.handleUpgrade(request, socket, head, (ws) => {
      // Broken frames close the socket they came from. Without a listener they would end the server.
      ws.on("error", (error) => log.debug("ccpocket socket failed", { remote, error: error.message }));
      if (device === undefined) turnAway(ws);
      else {
        arrivals.prove(request);
        accept(ws, tokenIn(request), device);
      }
    });
  });
  server.on("clientError", (_error, socket) => {
    if (socket.writable) socket.end(BAD_REQUEST, () => socket.destroy());
    else socket.destroy();
  });

  const accept = (ws: WebSocket, token: string, device: Device): void => {
    const before = [...connections.values()].filter((id) => id === device.id).length;
    if (before >= MOST_OF_ONE_DEVICE) {
      ws.close(TRY_LATER, "Too many connections of this device.");
      return;
    }
    connections.set(ws, device.id);
    ws.on("close", () => connections.delete(ws));
    const trusted =
      tls === undefined ? {} : { ca: tls.cert, allowPartialTrustChain: true, checkServerIdentity: () => undefined };
    const client = connect({
      url: options.url,
      credentials: { kind: "token", token },
      client: { name: "ccpocket", version: options.version },
      onListenerError: (error) => {
        log.error("ccpocket failed", { error: error instanceof Error ? error.stack : String(error) });
        ws.close(1011, "Something went wrong in the server.");
      },
      openSocket: (to, headers) => new Guarded(to, { headers, ...trusted }) as unknown as globalThis.WebSocket,
    });
    client.onState(({ status }) => {
      if (status === "refused") turnAway(ws);
    });
    /** Work that makes no bridge call still needs the role of that call. */
    const allowed = <M extends Method>(method: M, params: Given<M>): Device => {
      const known = access.device(device.id);
      if (known === undefined) throw new BridgeError("unauthenticated", "This device is not known any more.");
      const refused = refusalFor(known, method, params);
      if (refused !== undefined) throw new BridgeError(refused.code, refused.message, refused.data);
      return known;
    };
    const keepImage = async (bytes: Buffer): Promise<string> => {
      allowed("tickets/create", { kind: "upload" });
      const kept = await options.tickets.keep("picture", bytes, device);
      if (typeof kept === "string") throw new BridgeError("too-large", "There is no space for this image.");
      return kept.id;
    };
    const sight = (): GitSight => ({
      roots: options.paths,
      seen: sightOf(options, allowed("files/list", {})).paths,
    });
    keepSocketAlive(ws);
    serveApp({ ws, client, sight, keepImage, images, log, version: options.version });
  };

  const stopListening = access.onRevoked((device) => {
    for (const [ws, id] of connections) if (id === device) turnAway(ws);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        error.code === "EADDRINUSE"
          ? new ServerError(
              `Port ${String(listenAt.port)} is in use by another program. Use --ccpocket-port to choose another.`,
            )
          : error,
      ),
    );
    server.listen(listenAt, resolve);
  });
  const { port } = server.address() as AddressInfo;
  enter = options.doorAt(port);
  return {
    port,
    async close() {
      stopListening();
      for (const ws of connections.keys()) ws.close(1012, "The server is shutting down.");
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      setTimeout(() => {
        for (const ws of connections.keys()) ws.terminate();
        server.closeAllConnections();
      }, 500).unref();
      await closed;
    },
  };
};

/** The close code tells an app that its token is wrong. */
const turnAway = (ws: WebSocket): void => ws.close(UNAUTHORIZED, "Unauthorized");

const BAD_REQUEST = "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/** Moves the token to where other clients send it. */
const askingByQuery = (request: IncomingMessage): Asking => {
  const asking = askingOf(request, true);
  const header: Asking["header"] = (name) =>
    name === "authorization" ? `Bearer ${tokenIn(request)}` : asking.header(name);
  return { ...asking, header };
};

/** A request line may contain anything. Only the part after the question mark is read. */
const tokenIn = ({ url = "", headers }: IncomingMessage): string => {
  const [, query = ""] = /^[^?#]*\?([^#]*)/u.exec(url) ?? [];
  return new URLSearchParams(query).get("token") ?? headers.authorization?.replace(/^Bearer /u, "") ?? "";
};
