// Writes ready frames to the socket below a WebSocket. `ws` keeps it in the private field `_socket`. Without
// compression `ws` would add nothing to the frame. If the field is missing, `ws.send` sends the frame's text instead.
// For the gain, and what to delete when `ws` changes, see docs/decisions/0005-frames-below-ws.md.

import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { payloadOf } from "./wire-frame.ts";
import type { WireFrame } from "./wire-frame.ts";

/** Returns false if the network has no room. `onDrain` is called when it has room again. */
export type FrameWriter = (frame: WireFrame) => boolean;

/** About as much as Node lets a socket buffer before `write` returns false. */
const MOST_HELD = 64 * 1024;

export const frameWriterOf = (ws: WebSocket, onDrain: () => void): FrameWriter => {
  const { _socket: socket } = ws as unknown as { readonly _socket?: Duplex | null };
  if (socket === undefined || socket === null) return senderOf(ws, onDrain);
  socket.on("drain", onDrain);
  return ({ data }) => (typeof data === "string" ? socket.write(data, "latin1") : socket.write(data));
};

/** The same with public methods only. */
const senderOf = (ws: WebSocket, onDrain: () => void): FrameWriter => {
  let isFull = false;
  const sent = (error?: Error | null): void => {
    // A failed socket is closed and does not drain.
    if (!isFull || (error !== undefined && error !== null) || ws.bufferedAmount > MOST_HELD) return;
    isFull = false;
    onDrain();
  };
  return (frame) => {
    ws.send(payloadOf(frame), { binary: frame.isBinary === true }, sent);
    if (ws.bufferedAmount > MOST_HELD) isFull = true;
    return !isFull;
  };
};
