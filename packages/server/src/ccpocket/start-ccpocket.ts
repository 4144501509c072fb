// The ccpocket dialect on a port of its own, off unless it is asked for. Its apps send their token in the query, which nothing
// else here takes; hosts and origins are checked as everywhere.

import { createServer as createHttpServer } from "node:http";
import type { IncomingMessage } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { connect } from "@quarterdeck/client";
import { WebSocket, WebSocketServer } from "ws";
import type { StartDialect } from "../seams.ts";
import { UserError } from "../user-error.ts";
import { serveApp } from "./pocket-connection.ts";

const UNAUTHORIZED = 4001;
/** Pictures come in the frame itself. */
const MOST_FRAME = 24 * 1024 * 1024;

export const startCcpocket: StartDialect = async (options) => {
  const { access, log, tls, listenAt } = options;
  const server = tls === undefined ? createHttpServer() : createHttpsServer(tls);
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MOST_FRAME, perMessageDeflate: false });
  const connections = new Map<WebSocket, string>();
  let hosts: ReadonlySet<string> = new Set();

  server.on("request", (request, response) => {
    const isAllowed = hosts.has(request.headers.host ?? "") && request.headers.origin === undefined;
    const isHealth = request.url === "/health";
    response.writeHead(!isAllowed ? 403 : isHealth ? 200 : 404, { "content-type": "application/json" });
    response.end(isAllowed && isHealth ? JSON.stringify({ status: "ok", version: options.version }) : "{}");
  });
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    // Apps send no origin; a browser does, and has no business here.
    if (!hosts.has(request.headers.host ?? "") || request.headers.origin !== undefined) {
      socket.end("HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n");
      return;
    }
    sockets.handleUpgrade(request, socket, head, (ws) => accept(ws, request));
  });

  const accept = (ws: WebSocket, request: IncomingMessage): void => {
    const remote = request.socket.remoteAddress ?? "";
    const token = tokenIn(request);
    const admission = access.bearer(`Bearer ${token}`, remote);
    if (!admission.ok) {
      log.info("ccpocket refused", { remote, reason: admission.code });
      ws.close(UNAUTHORIZED, "Unauthorized");
      return;
    }
    connections.set(ws, admission.device.id);
    ws.on("close", () => connections.delete(ws));
    ws.on("error", (error) => log.debug("ccpocket socket failed", { remote, error: error.message }));
    const trusted =
      tls === undefined ? {} : { ca: tls.cert, allowPartialTrustChain: true, checkServerIdentity: () => undefined };
    const client = connect({
      url: options.url,
      credentials: { kind: "token", token },
      client: { name: "ccpocket", version: options.version },
      openSocket: (to, headers) => new WebSocket(to, { headers, ...trusted }) as unknown as globalThis.WebSocket,
    });
    client.onState(({ status }) => {
      if (status === "refused") ws.close(UNAUTHORIZED, "Unauthorized");
    });
    serveApp({ ws, client, paths: options.paths, log, version: options.version });
  };

  const stopListening = access.onRevoked((device) => {
    for (const [ws, id] of connections) if (id === device) ws.close(UNAUTHORIZED, "Unauthorized");
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
  hosts = options.hostsAt(port);
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

const tokenIn = (request: IncomingMessage): string => {
  const { searchParams } = new URL(request.url ?? "/", "http://ccpocket");
  return searchParams.get("token") ?? request.headers.authorization?.replace(/^Bearer /u, "") ?? "";
};
