// How connections arrive, at whichever port: how long they may take, how many may say nothing, and what a request looks like to
// `access`.

import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { Asking } from "../access/access.ts";

const HEADERS_MS = 5000;
const REQUEST_MS = 10 * 60_000;
/** Connections that have not asked for anything yet. */
const MOST_SILENT = 256;

/** Of a server: what a stranger may take up. */
export const PATIENCE = {
  headersTimeout: HEADERS_MS,
  requestTimeout: REQUEST_MS,
  keepAliveTimeout: HEADERS_MS,
  connectionsCheckingInterval: 1000,
  maxHeaderSize: 16 * 1024,
} as const;

/** Who opens many connections and says nothing loses the oldest; one who means it asks at once. */
export const watchConnections = (server: Server) => {
  const silent = new Map<string, Socket>();
  const keyOf = ({ remoteAddress, remotePort }: Pick<Socket, "remoteAddress" | "remotePort">): string =>
    `${remoteAddress ?? ""} ${String(remotePort)}`;
  server.on("connection", (socket: Socket) => {
    const key = keyOf(socket);
    silent.set(key, socket);
    socket.once("close", () => {
      if (silent.get(key) === socket) silent.delete(key);
    });
    if (silent.size <= MOST_SILENT) return;
    const [[oldestKey, oldest] = []] = silent;
    oldest?.destroy();
    if (oldestKey !== undefined) silent.delete(oldestKey);
  });
  return { noteRequest: (request: IncomingMessage): void => void silent.delete(keyOf(request.socket)) };
};

export const askingOf = (request: IncomingMessage, isUpgrade: boolean): Asking => ({
  method: request.method ?? "",
  isUpgrade,
  address: request.socket.remoteAddress ?? "",
  isEncrypted: "encrypted" in request.socket,
  header(name) {
    // Sent twice, it means two things; Node joins them, or keeps the first, and so might not a proxy before us.
    const values = request.headersDistinct[name];
    return values === undefined ? undefined : values.length === 1 ? values[0] : values.join("\n");
  },
});
