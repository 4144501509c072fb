// How connections arrive, at whichever port: how long they may take, how many may be there unproven and how much they may
// be owed, and what a request looks like to `access`.
//
// Nobody is refused because of others at the same address: on this machine everybody has the same one. A new connection always
// gets its chance. When there are too many strangers, the oldest of the most crowded address goes.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Asking } from "../access/access.ts";

const HEADERS_MS = 5000;
const REQUEST_MS = 10 * 60_000;
/** A client that takes nothing of its answer for so long is not reading. */
const STALLED_MS = 20_000;
/** The same for one that proved itself: a person may pause a download. */
const PROVEN_STALLED_MS = 2 * 60_000;
/** Connections at one port that have not shown a credential. */
const MOST_STRANGERS = 256;
/** What all of them together may be owed: the kernel keeps it until it is read. */
const MOST_OWED = 32 * 1024 * 1024;
/** Browsers and proxies ask one thing at a time. */
const MOST_UNANSWERED = 4;
const MOST_REQUESTS = 1000;

/** Of a server: what a stranger may take up. */
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
   * A request or an upgrade of the client at `remote`, which behind a proxy is not the connection's own address. False where the
   * connection asked for too much at once; it is closed then.
   */
  noteRequest(request: IncomingMessage, remote: string, response?: ServerResponse): boolean;
  /** All of the answer was handed over. */
  noteAnswer(request: IncomingMessage): void;
  /** A credential was shown: others do not push this connection out, until the response or the socket ends. */
  prove(request: IncomingMessage, response?: ServerResponse): void;
  /** Strangers that are connected, and the bytes that they are owed. */
  readonly strangers: number;
  readonly owed: number;
}

interface Visitor {
  readonly socket: Socket;
  remote: string;
  /** Bytes of the last answer: whoever asks again has read it. */
  owed: number;
  writtenBefore: number;
  unanswered: number;
  proofs: number;
}

export const watchConnections = (server: Server): Arrivals => {
  const visitors = new Map<string, Visitor>();
  /** Those without a proof, by address, the oldest first. */
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
  /** The oldest of the address that weighs most, but never the newest. False where there is nobody else. */
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
    // Not a polite end: the kernel would keep what it owes.
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
      // Pushed out while its request was read.
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
      // A proxy may use the same connection for somebody else next.
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

/** Over TLS the socket of a request is not the one that was accepted. */
const keyOf = ({ remoteAddress, remotePort }: Pick<Socket, "remoteAddress" | "remotePort">): string =>
  `${remoteAddress ?? ""} ${String(remotePort)}`;

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
