// The ccpocket dialect on a port of its own, off unless it is asked for. Its apps send their token in the query, which nothing
// else here takes; who may come in is decided where it always is.

import { createServer as createHttpServer, STATUS_CODES } from "node:http";
import type { IncomingMessage, Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { BridgeError, connect } from "@quarterdeck/client";
import { WebSocket, WebSocketServer } from "ws";
import type { Asking, Enter } from "../access/access.ts";
import { askingOf, PATIENCE, watchConnections } from "../http/arrivals.ts";
import { sightOf } from "../bridge/parts.ts";
import type { GitSight } from "../files/shared-git.ts";
import type { Device, StartDialect } from "../seams.ts";
import { UserError } from "../user-error.ts";
import { keepAlive } from "./keep-alive.ts";
import { serveApp } from "./pocket-connection.ts";

const UNAUTHORIZED = 4001;
const GOODBYE_MS = 500;
/** Pictures come in the frame itself. */
const MOST_FRAME = 24 * 1024 * 1024;

export const startCcpocket: StartDialect = async (options) => {
  const { access, log, tls, listenAt } = options;
  const server: Server = tls === undefined ? createHttpServer(PATIENCE) : createHttpsServer({ ...PATIENCE, ...tls });
  const arrivals = watchConnections(server);
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MOST_FRAME, perMessageDeflate: false });
  const connections = new Map<WebSocket, string>();
  let enter: Enter = (_asking, _need) => ({ ok: false, status: 403, message: "Not ready yet.", remote: "" });

  server.on("request", (request, response) => {
    const entry = enter(askingOf(request, false), "nothing");
    const isRead = request.method === "GET" || request.method === "HEAD";
    const isHealth = entry.ok && isRead && request.url === "/health";
    response.writeHead(!entry.ok ? 403 : isHealth ? 200 : 404, { "content-type": "application/json" });
    response.end(isHealth ? JSON.stringify({ status: "ok" }) : "{}");
  });
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    const entry = enter(askingByQuery(request), "token");
    const { remote } = entry;
    if (!entry.ok) log.debug("ccpocket refused", { remote, status: entry.status });
    if (!entry.ok && entry.status !== 401) {
      socket.end(`HTTP/1.1 ${entry.status} ${STATUS_CODES[entry.status] ?? ""}\r\nconnection: close\r\n\r\n`);
      return;
    }
    arrivals.noteRequest(request);
    sockets.handleUpgrade(request, socket, head, (ws) => {
      // A stranger's broken frames close the stranger's socket; without a listener they would end the server.
      ws.on("error", (error) => log.debug("ccpocket socket failed", { remote, error: error.message }));
      if (entry.ok && entry.device !== undefined) accept(ws, tokenIn(request), entry.device);
      else turnAway(ws);
    });
  });

  const accept = (ws: WebSocket, token: string, device: Device): void => {
    connections.set(ws, device.id);
    ws.on("close", () => connections.delete(ws));
    const trusted =
      tls === undefined ? {} : { ca: tls.cert, allowPartialTrustChain: true, checkServerIdentity: () => undefined };
    const client = connect({
      url: options.url,
      credentials: { kind: "token", token },
      client: { name: "ccpocket", version: options.version },
      openSocket: (to, headers) => new WebSocket(to, { headers, ...trusted }) as unknown as globalThis.WebSocket,
    });
    client.onState(({ status }) => {
      if (status === "refused") turnAway(ws);
    });
    const keepImage = async (bytes: Buffer): Promise<string> => {
      if (!access.allows(device.id, "operate"))
        throw new BridgeError("forbidden", `A picture needs the role operate; this device has ${device.role}.`);
      const kept = await options.tickets.keep("picture", bytes, device);
      if (typeof kept === "string") throw new BridgeError("too-large", "There is no room for this picture.");
      return kept.id;
    };
    const sight = (): GitSight => {
      const known = access.device(device.id);
      if (known === undefined) throw new BridgeError("unauthenticated", "This device is not known any more.");
      return { roots: options.paths, seen: sightOf(options, known).paths };
    };
    keepAlive(ws);
    serveApp({ ws, client, sight, keepImage, log, version: options.version });
  };

  const stopListening = access.onRevoked((device) => {
    for (const [ws, id] of connections) if (id === device) turnAway(ws);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        error.code === "EADDRINUSE"
          ? new UserError(
              `Port ${String(listenAt.port)} is taken by another program. Choose another with --ccpocket-port.`,
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

/** Apps know a wrong token by the code that closes the socket. One that does not answer the goodbye is not waited for. */
const turnAway = (ws: WebSocket): void => {
  ws.close(UNAUTHORIZED, "Unauthorized");
  setTimeout(() => ws.terminate(), GOODBYE_MS).unref();
};

/** As if the token stood where everybody else's does. */
const askingByQuery = (request: IncomingMessage): Asking => {
  const asking = askingOf(request, true);
  const header: Asking["header"] = (name) =>
    name === "authorization" ? `Bearer ${tokenIn(request)}` : asking.header(name);
  return { ...asking, header };
};

const tokenIn = (request: IncomingMessage): string => {
  const { searchParams } = new URL(request.url ?? "/", "http://ccpocket");
  return searchParams.get("token") ?? request.headers.authorization?.replace(/^Bearer /u, "") ?? "";
};
