// The two ports of a server, and a raw socket that writes any bytes.

import { connect } from "node:net";
import type { Socket } from "node:net";
import type { Bench } from "../bridge/bench.ts";

export const CCPOCKET = ["--ccpocket-port", "0", "--log", "json"];

export const bridgePort = ({ server }: Bench): number => Number(new URL(server.url).port);

export const ccpocketPort = ({ server }: Bench): number => server.ccpocketPort;

/** Resolves when the socket is connected, or already closed: with many sockets at once, the server may close it first. */
export const rawSocket = (port: number): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    for (const event of ["connect", "close"]) socket.once(event, () => resolve(socket));
  });

export const closed = (socket: Socket): Promise<unknown> =>
  socket.destroyed ? Promise.resolve() : new Promise((resolve) => socket.once("close", resolve));

export const KEY = "dGhlIHNhbXBsZSBub25jZQ==";

export const upgradeHead = (
  port: number,
  {
    path = "/bridge",
    headers = {},
  }: { readonly path?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): string =>
  [
    `GET ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${String(port)}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    `Sec-WebSocket-Key: ${KEY}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "\r\n",
  ].join("\r\n");

export interface FrameOptions {
  readonly opcode?: number;
  readonly final?: boolean;
  /** Reserved bits of the first byte. */
  readonly reserved?: number;
  readonly masked?: boolean;
  /** A false length for the header. */
  readonly length?: number;
}

/** A frame of a client, in which every part can be wrong. */
export const frame = (payload: Buffer | string, options: FrameOptions = {}): Buffer => {
  const { opcode = 1, final = true, reserved = 0, masked = true } = options;
  const body = Buffer.from(payload);
  const length = options.length ?? body.length;
  const long = Buffer.alloc(length > 65_535 ? 8 : length > 125 ? 2 : 0);
  if (long.length === 8) long.writeBigUInt64BE(BigInt(length));
  else if (long.length === 2) long.writeUInt16BE(length);
  const short = long.length === 8 ? 127 : long.length === 2 ? 126 : length;
  const head = Buffer.from([(final ? 0x80 : 0) | reserved | opcode, (masked ? 0x80 : 0) | short]);
  if (!masked) return Buffer.concat([head, long, body]);
  const mask = Buffer.from([1, 2, 3, 4]);
  return Buffer.concat([head, long, mask, Buffer.from(body.map((byte, at) => byte ^ mask[at % 4]!))]);
};
