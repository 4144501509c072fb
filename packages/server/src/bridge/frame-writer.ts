// Writes ready frames to the socket below a WebSocket: `ws` keeps it in `_socket`, a private field. Without compression `ws` adds
// nothing to a frame on its way there. Where the field is missing, `ws.send` takes the frame's text instead.
// The gain, and what to delete when `ws` changes: docs/decisions/0005-frames-below-ws.md.

import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { payloadOf } from "./wire-frame.ts";
import type { WireFrame } from "./wire-frame.ts";

/** False: the network takes no more now. `onDrain` is called when it does again. */
export type FrameWriter = (frame: WireFrame) => boolean;

/** About what Node lets a socket hold before `write` returns false. */
const MOST_HELD = 64 * 1024;

export const frameWriterOf = (ws: WebSocket, onDrain: () => void): FrameWriter => {
  const { _socket: socket } = ws as unknown as { readonly _socket?: Duplex | null };
  if (socket === undefined || socket === null) return senderOf(ws, onDrain);
  socket.on("drain", onDrain);
  return ({ data }) => (typeof data === "string" ? socket.write(data, "latin1") : socket.write(data));
};

/** The same by public means alone. */
const senderOf = (ws: WebSocket, onDrain: () => void): FrameWriter => {
  let isFull = false;
  const sent = (error?: Error | null): void => {
    // A socket that failed is closed, and does not drain.
    if (!isFull || (error !== undefined && error !== null) || ws.bufferedAmount > MOST_HELD) return;
    isFull = false;
    onDrain();
  };
  return (frame) => {
    ws.send(payloadOf(frame), { binary: false }, sent);
    if (ws.bufferedAmount > MOST_HELD) isFull = true;
    return !isFull;
  };
};
