// How connections arrive, at either port: time limits, max connections without a credential, max unread bytes, and what
// `access` sees of a request.
//
// Nobody is refused because of others at the same address, because on this machine all clients have the same one. A new
// connection always gets its chance. If there are too many strangers, the oldest connection of the most crowded address
// is closed.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Asking } from "../access/access.ts";

const HEADERS_MS = 5000;
const REQUEST_MS = 10 * 60_000;
/** A client that reads nothing of its answer for this long is closed. */
const STALLED_MS = 20_000;
/** The same for a client with a credential: a person may pause a download. */
const PROVEN_STALLED_MS = 2 * 60_000;
/** Max connections without a credential, per port. */
const MOST_STRANGERS = 256;
/** Max unread bytes of all strangers together. The kernel holds them until they are read. */
const MOST_OWED = 32 * 1024 * 1024;
/** Browsers and proxies send one request at a time. */
const MOST_UNANSWERED = 4;
const MOST_REQUESTS = 1000;

/** Server options that limit what a stranger can use. */
export const PATIENCE = {
  headersTimeout: HEADERS_MS,
  requestTimeout: REQUEST_MS,
  keepAliveTimeout: HEADERS_MS,
  connectionsCheckingInterval: 1000,
  maxHeaderSize: 16 * 1024,
} as const;

/** The same over TLS. */
export const TLS_PATIENCE = { ...PATIENCE, minVersion: "TLSv1.2", handshakeTimeout: HEADERS_MS } as const;

export interface Arrivals {
  /**
   * Counts a request or an upgrade of the client at `remote`. Behind a proxy, that is not the connection's own address.
   * Returns false if the connection sent too many requests at once; it is closed then.
   */
  noteRequest(request: IncomingMessage, remote: string, response?: ServerResponse): boolean;
  /** The whole answer was written. */
  noteAnswer(request: IncomingMessage): void;
  /** The client showed a credential. The connection is not closed for others until the response or the socket ends. */
  prove(request: IncomingMessage, response?: ServerResponse): void;
  /** Connected strangers, and their unread bytes. */
  readonly strangers: number;
  readonly owed: number;
}

interface Visitor {
  readonly socket: Socket;
  remote: string;
  /** Bytes of the last answer. The next request shows that the client has read it. */
  owed: number;
  writtenBefore: number;
  unanswered: number;
  proofs: number;
}

export const watchConnections = (server: Server): Arrivals => {
  const visitors = new Map<string, Visitor>();
  /** Connections without a credential, by address, oldest first. */
  const strangers = new Map<string, Set<Visitor>>();
  let count = 0;
  let owed = 0;

  const leave = (visitor: Visitor): void => {
    const crowd = strangers.get(visitor.remote);
    if (crowd?.delete(visitor) !== true) return;
    if (crowd.size === 0) strangers.delete(visitor.remote);
    count--;
    owed -= visitor.owed;
  };
  const join = (visitor: Visitor): void => {
    const crowd = strangers.get(visitor.remote) ?? new Set();
    strangers.set(visitor.remote, crowd.add(visitor));
    count++;
    owed += visitor.owed;
  };
  /**
   * Closes the oldest connection of the address with the most weight, but never `newest`. Returns false if there is no
   * other.
   */
  const pushOut = (newest: Visitor, weightOf: (visitor: Visitor) => number): boolean => {
    let most = 0;
    let oldest: Visitor | undefined;
    for (const crowd of strangers.values()) {
      const others = [...crowd].filter((visitor) => visitor !== newest && weightOf(visitor) > 0);
      const weight = others.reduce((sum, visitor) => sum + weightOf(visitor), 0);
      if (weight > most) [most, oldest] = [weight, others[0]];
    }
    if (oldest === undefined) return false;
    leave(oldest);
    // A reset, because after a normal close the kernel would still hold the unread bytes.
    oldest.socket.resetAndDestroy();
    return true;
  };
  const isCrowded = (): boolean => count > MOST_STRANGERS;
  const isOwing = (): boolean => owed > MOST_OWED;
  const makeRoom = (newest: Visitor): void => {
    let hasOthers = true;
    while (hasOthers && isCrowded()) hasOthers = pushOut(newest, () => 1);
    while (hasOthers && isOwing()) hasOthers = pushOut(newest, (visitor) => visitor.owed);
  };

  server.on("connection", (socket: Socket) => {
    const visitor: Visitor = {
      socket,
      remote: socket.remoteAddress ?? "",
      owed: 0,
      writtenBefore: 0,
      unanswered: 0,
      proofs: 0,
    };
    const key = keyOf(socket);
    visitors.set(key, visitor);
    join(visitor);
    socket.once("close", () => {
      leave(visitor);
      if (visitors.get(key) === visitor) visitors.delete(key);
    });
    makeRoom(visitor);
  });
  server.maxRequestsPerSocket = MOST_REQUESTS;
  server.setTimeout(STALLED_MS, (socket: Socket) => {
    if (socket.writableLength > 0) visitors.get(keyOf(socket))?.socket.resetAndDestroy();
    socket.destroy();
  });

  return {
    noteRequest(request, remote, response) {
      const visitor = visitors.get(keyOf(request.socket));
      // The connection was closed while its request was read.
      if (visitor === undefined || visitor.socket.destroyed) return false;
      if (++visitor.unanswered > MOST_UNANSWERED) {
        leave(visitor);
        visitor.socket.resetAndDestroy();
        return false;
      }
      response?.once("close", () => visitor.unanswered--);
      const isStranger = visitor.proofs === 0;
      if (isStranger) leave(visitor);
      visitor.remote = remote;
      visitor.owed = 0;
      visitor.writtenBefore = request.socket.bytesWritten;
      if (isStranger) join(visitor);
      return true;
    },
    noteAnswer(request) {
      const visitor = visitors.get(keyOf(request.socket));
      if (visitor === undefined || visitor.proofs > 0 || visitor.socket.destroyed) return;
      leave(visitor);
      visitor.owed = request.socket.bytesWritten - visitor.writtenBefore;
      join(visitor);
      makeRoom(visitor);
    },
    prove(request, response) {
      const visitor = visitors.get(keyOf(request.socket));
      if (visitor === undefined) return;
      if (visitor.proofs++ === 0) leave(visitor);
      if (response === undefined) return;
      request.socket.setTimeout(PROVEN_STALLED_MS);
      // A proxy may use the same connection for another client next.
      response.once("close", () => {
        if (--visitor.proofs === 0 && !visitor.socket.destroyed) join(visitor);
      });
    },
    get strangers() {
      return count;
    },
    get owed() {
      return owed;
    },
  };
};

/** With TLS, the socket of a request is not the accepted socket. */
const keyOf = ({ remoteAddress, remotePort }: Pick<Socket, "remoteAddress" | "remotePort">): string =>
  `${remoteAddress ?? ""} ${String(remotePort)}`;

export const askingOf = (request: IncomingMessage, isUpgrade: boolean): Asking => ({
  method: request.method ?? "",
  isUpgrade,
  address: request.socket.remoteAddress ?? "",
  isEncrypted: "encrypted" in request.socket,
  header(name) {
    // A repeated header is ambiguous: Node joins the values or keeps the first, and a proxy in front may do something
    // else.
    const values = request.headersDistinct[name];
    return values === undefined ? undefined : values.length === 1 ? values[0] : values.join("\n");
  },
});
