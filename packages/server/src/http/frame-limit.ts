// How large a frame one socket may receive. `ws` compares its option `maxPayload` with the header of a frame, before it keeps any of
// the frame. The option is the same for all sockets of a server, so this sets the private field that it is copied to.
// Why, the fallback, and what to delete when `ws` changes: docs/decisions/0008-a-frame-limit-for-each-socket.md.

import type { WebSocket } from "ws";

/** A device's frame; what is larger goes by a ticket. */
export const FRAME_BYTES = 1024 * 1024;
/** Until a device came in: there is only `initialize`. */
export const FIRST_FRAME_BYTES = 4096;

/** False where this version of `ws` has no such field: the server's own limit stays. */
export const limitFrames = (ws: WebSocket, bytes: number): boolean => {
  const { _receiver: receiver } = ws as unknown as { readonly _receiver?: { readonly _maxPayload?: unknown } | null };
  const { _maxPayload: before } = receiver ?? {};
  if (typeof before !== "number") return false;
  Object.assign(receiver!, { _maxPayload: bytes });
  return true;
};
