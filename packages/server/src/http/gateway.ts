// Requests for `/m/<machine>/…` go to that machine as they are. This server reads nothing of them, adds nothing in its own name, and
// never passes on a secret of its own: no token, no cookie.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { request as httpRequest } from "./node-http.ts";

export interface MachinePath {
  readonly machine: string;
  /** The rest, as the other machine sees it. */
  readonly path: string;
}

export interface GatewayFailure {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export interface Gateway {
  forward(request: IncomingMessage, response: ServerResponse, to: MachinePath): Promise<void>;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, to: MachinePath): Promise<void>;
  /** What a client is told about an error of the other methods. */
  failure(error: unknown): GatewayFailure;
}

/** The name is part of a subject of the bus, so only plain names are taken. */
export const machinePathOf = (url: string | undefined): MachinePath | undefined => {
  const found = /^\/m\/([a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?)(\/[^\s#]*)$/u.exec(url ?? "");
  return found === null ? undefined : { machine: found[1]!, path: found[2]! };
};

/** The host name that a machine expects in requests of the fleet. */
export const fleetHost = (machine: string): string => `${machine}.fleet`;

/** Not for the other machine, or only about this connection. */
const DROPPED =
  /^(?:authorization|cookie|host|connection|keep-alive|proxy-.*|forwarded|via|x-forwarded-.*|te|trailer)$/iu;
const DROPPED_IN_ANSWERS = /^(?:connection|keep-alive|transfer-encoding|upgrade|set-cookie)$/iu;

export const createGateway = (
  open: (machine: string) => Promise<Duplex>,
  failure: (error: unknown) => GatewayFailure,
): Gateway => ({
  failure,

  async forward(request, response, { machine, path }) {
    const socket = await open(machine);
    try {
      const headers = pairsOf(request).filter(([name]) => !DROPPED.test(name));
      const sent = httpRequest({
        createConnection: () => socket,
        method: request.method,
        path,
        headers: [...headers, ["host", fleetHost(machine)], ["connection", "close"]].flat(),
      });
      const answered = new Promise<IncomingMessage>((resolve, reject) => {
        sent.once("response", resolve).once("error", reject);
      });
      // The answer may come before the whole upload was sent, for example if it is too large.
      pipeline(request, sent).catch(() => undefined);
      const answer = await answered;
      const kept = pairsOf(answer).filter(([name]) => !DROPPED_IN_ANSWERS.test(name));
      response.writeHead(answer.statusCode ?? 502, kept.flat());
      await pipeline(answer, response);
    } finally {
      socket.destroy();
    }
  },

  async upgrade(request, socket, head, { machine, path }) {
    const machineSocket = await open(machine);
    const headers = pairsOf(request).filter(([name]) => !DROPPED.test(name));
    const lines = [...headers, ["Host", fleetHost(machine)], ["Connection", "Upgrade"]].map((pair) => pair.join(": "));
    machineSocket.write(`GET ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
    if (head.length > 0) machineSocket.write(head);
    // From here on it is one connection: the end of one side is the end of the other.
    for (const [from, to] of [
      [socket, machineSocket],
      [machineSocket, socket],
    ] as const) {
      from.pipe(to);
      from.on("error", () => to.destroy());
      from.once("close", () => to.destroy());
    }
  },
});

const pairsOf = ({ rawHeaders }: IncomingMessage): [string, string][] =>
  Array.from({ length: rawHeaders.length / 2 }, (_, at) => [rawHeaders[2 * at]!, rawHeaders[2 * at + 1]!]);
