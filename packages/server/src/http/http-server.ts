// One port for everything: the page, the few paths of `routes.ts`, and the WebSocket. This file knows how bytes arrive
// and how long they may take. `access` decides who may connect, and the bridge knows what a socket says.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { WebSocket } from "ws";
import type { Doors, Enter, EntryAnswer, AccessNeed } from "../access/access.ts";
import type { SocketAbout } from "./contract.ts";
import type { Log } from "../log.ts";
import { loggedPath } from "../log.ts";
import { ServerError } from "../server-error.ts";
import { askingOf, PATIENCE, TLS_PATIENCE, watchConnections } from "./arrivals.ts";
import type { Arrivals } from "./arrivals.ts";
import { FRAME_BYTES } from "./frame-limit.ts";
import { guardedWebSocket, guardServer } from "./guard.ts";
import { machinePathOf } from "./gateway.ts";
import type { Gateway } from "./gateway.ts";
import { createServer, STATUS_CODES } from "./node-http.ts";
import { rawReply, reply, replyError } from "./reply.ts";
import { mayVisit, routeOf } from "./routes.ts";
import type { HttpRoute, Served } from "./routes.ts";
import { CLOSING, createSockets } from "./sockets.ts";
import type { SocketsOptions } from "./sockets.ts";

export interface HttpServerOptions extends Served {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer };
  /** Names of the server, once the port is known. */
  readonly doorsAt: (port: number) => Doors;
  readonly onSocket: (ws: WebSocket, about: SocketAbout) => void;
  readonly log: Log;
  /** Default: five seconds. */
  readonly strangerMs?: number;
  /** Pipes `/m/<machine>/…` to other machines of the fleet. */
  readonly gateway?: Gateway;
  /** For tests. */
  readonly limitFrames?: NonNullable<SocketsOptions["limitFrames"]>;
}

/** A door for one gateway: what it may reach, and who it is. */
export interface FleetDoor {
  readonly gateway: string;
  readonly enter: Enter;
}

export interface HttpServer {
  readonly port: number;
  /** A connection that did not come through the port, but through the fleet. */
  arrive(socket: Duplex, door: FleetDoor): void;
  /** Accepts no more connections and ends the open ones. */
  close(): Promise<void>;
}

export const startHttpServer = async (options: HttpServerOptions): Promise<HttpServer> => {
  const { access, log, metrics, tls } = options;
  const requests = metrics.counter("quarterdeck_http_requests_total", "Requests by route and status");
  const sockets = createSockets(options);
  const upgrader = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: FRAME_BYTES,
    ...CLOSING,
    WebSocket: guardedWebSocket(log),
  });
  const server: Server = tls === undefined ? createServer(PATIENCE) : tlsServer(tls);
  /** Never listens. Connections of the fleet arrive here, so their limits are their own. */
  const fleetServer = createServer(PATIENCE);
  const doors = new WeakMap<Duplex, FleetDoor>();
  for (const each of [server, fleetServer]) guardServer(each, log);
  const portConnections = watchConnections(server);
  const fleetConnections = watchConnections(fleetServer);
  metrics.gauge(
    "quarterdeck_connections_strangers",
    "Connections without a credential",
    () => portConnections.strangers,
  );
  metrics.gauge("quarterdeck_connections_owed_bytes", "Unread bytes of their answers", () => portConnections.owed);

  const note = (route: string, request: IncomingMessage, status: number, remote: string): void => {
    requests.add(1, { route, status: String(status) });
    const fields = { route, method: request.method, path: loggedPath(request.url ?? ""), status, remote };
    log.debug("request answered", fields);
  };
  const enter = (request: IncomingMessage, need: AccessNeed, isUpgrade: boolean): EntryAnswer =>
    (doors.get(request.socket)?.enter ?? access.enter)(askingOf(request, isUpgrade), need);
  const arrivalsOf = (request: IncomingMessage): Arrivals =>
    doors.has(request.socket) ? fleetConnections : portConnections;

  const visit = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = pathOf(request.url);
    const route: HttpRoute = routeOf(path ?? "/");
    const entry = enter(request, route.need, false);
    const connections = arrivalsOf(request);
    if (!connections.noteRequest(request, entry.remote, response)) return;
    if (entry.ok && entry.device !== undefined) connections.prove(request, response);
    response.once("close", () => note(route.name, request, response.statusCode, entry.remote));
    if (!entry.ok) {
      if (entry.status === 308)
        reply(response, 308, { location: `${entry.location}${path === undefined ? "/" : request.url!}` });
      else replyError(response, entry.status, refusal(entry), entry.status === 429 ? { "retry-after": "60" } : {});
    } else if (path === undefined) {
      replyError(response, 400, { code: "bad-request", message: "This is not an address." });
    } else if (!route.methods.includes(request.method ?? "")) {
      replyError(
        response,
        405,
        { code: "bad-request", message: `This takes ${route.methods.join(" and ")}.` },
        { allow: route.methods.join(", ") },
      );
    } else if (doors.has(request.socket) && route.fleet !== true) {
      replyError(response, 404, { code: "not-found", message: "Not found." });
    } else if (!mayVisit(route, entry)) {
      replyError(response, 403, { code: "forbidden", message: `This needs the role ${route.role ?? ""}.` });
    } else {
      const prove = (): void => connections.prove(request, response);
      await route.answer({ request, response, path, entry, prove }, options);
    }
    connections.noteAnswer(request);
  };

  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    visit(request, response).catch((error: unknown) => {
      log.error("request failed", { path: loggedPath(request.url ?? ""), error: (error as Error).stack });
      if (response.headersSent) response.destroy();
      else replyError(response, 500, { code: "internal", message: "Internal error. See the server's log." });
    });
  };

  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const connections = arrivalsOf(request);
    const door = doors.get(request.socket);
    socket.on("error", () => socket.destroy());
    const route = routeOf(pathOf(request.url) ?? "/");
    const isBridge = route.name === "bridge";
    const toMachine = machinePathOf(request.url);
    // Every upgrade is checked like one of the bridge. Otherwise the answer would reveal which paths exist.
    const entry = enter(request, "challenge", true);
    if (!connections.noteRequest(request, entry.remote)) return;
    const refuse = (status: number, error: { readonly code: string; readonly message: string }): void => {
      note(route.name, request, status, entry.remote);
      socket.end(rawReply(status, STATUS_CODES[status] ?? "", error), () => socket.destroy());
    };
    if (!entry.ok) refuse(entry.status === 308 ? 403 : entry.status, refusal(entry));
    else if (toMachine !== undefined && options.gateway !== undefined && door === undefined) {
      options.gateway.upgrade(request, socket, head, toMachine).then(
        () => note(route.name, request, 101, entry.remote),
        (error: unknown) => {
          const { status, ...said } = options.gateway!.failure(error);
          refuse(status, said);
        },
      );
    } else if (!isBridge) refuse(404, { code: "not-found", message: "There is no WebSocket here." });
    else if (!options.isReady()) refuse(503, { code: "shutting-down", message: "The server is shutting down." });
    else {
      const { device, origin, remote } = entry;
      upgrader.handleUpgrade(request, socket, head, (ws) => {
        note(route.name, request, 101, remote);
        sockets.open(ws, { device, origin, remote, via: door?.gateway }, () => connections.prove(request));
      });
    }
  };

  const onClientError = (error: NodeJS.ErrnoException, socket: Duplex): void => {
    const isLate = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
    requests.add(1, { route: "none", status: isLate ? "408" : "400" });
    if (!socket.writable) return;
    // Browsers connect ahead of time. A reply to nothing would be taken for the answer to the next request.
    if (isLate && (socket as Partial<Socket>).bytesRead === 0) return void socket.destroy();
    socket.end(rawReply(400, "Bad Request", { code: "bad-request", message: "This is not HTTP." }), () =>
      socket.destroy(),
    );
  };
  for (const each of [server, fleetServer])
    each.on("request", onRequest).on("upgrade", onUpgrade).on("clientError", onClientError);

  const port = await listening(server, options);
  access.openDoors(options.doorsAt(port));
  return {
    port,
    arrive(socket, door) {
      doors.set(socket, door);
      fleetServer.emit("connection", socket);
    },
    async close() {
      sockets.close();
      fleetServer.closeAllConnections();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      setTimeout(() => server.closeAllConnections(), 1000).unref();
      await closed;
    },
  };
};

const tlsServer = (tls: NonNullable<HttpServerOptions["tls"]>): Server => {
  try {
    return createTlsServer({ ...TLS_PATIENCE, ...tls });
  } catch (error) {
    throw new ServerError(
      `--tls-cert and --tls-key cannot be used: ${(error as Error).message}. Use PEM files that belong together.`,
      { cause: error },
    );
  }
};

const listening = async (server: Server, { host, port }: HttpServerOptions): Promise<number> => {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(explained(error, host, port)));
    server.listen({ host, port }, resolve);
  });
  return (server.address() as AddressInfo).port;
};

const explained = (error: NodeJS.ErrnoException, host: string, port: number): Error => {
  switch (error.code) {
    case "EADDRINUSE":
      return new ServerError(
        `Port ${String(port)} is in use by another program. Use --port to choose another, or --port 0 for any free port.`,
      );
    case "EACCES":
      return new ServerError(
        `Port ${String(port)} needs more rights than you have. Use --port to choose one above 1023.`,
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new ServerError(`${host} is not an address of this machine. Use --host to choose another.`);
    default:
      return error;
  }
};

const refusal = (entry: EntryAnswer & { readonly ok: false }): { readonly code: string; readonly message: string } =>
  entry.status === 308
    ? { code: "forbidden", message: "Use the address that the server prints at its start." }
    : {
        code: { 401: "unauthenticated", 403: "forbidden", 429: "limit" }[entry.status],
        message: entry.message,
      };

/** Returns undefined if it is not a path, or cannot be decoded. */
const pathOf = (url: string | undefined): string | undefined => {
  const raw = (url ?? "").split(/[?#]/u, 1)[0]!;
  if (!raw.startsWith("/")) return undefined;
  try {
    const path = decodeURIComponent(raw);
    return path.includes("\0") ? undefined : path;
  } catch {
    // The path has an invalid percent sign.
    return undefined;
  }
};
