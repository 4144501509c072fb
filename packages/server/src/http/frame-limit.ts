// How large a frame one socket may receive. `ws` compares its option `maxPayload` with the header of a frame, before it
// stores any of the frame. The option is the same for all sockets of a server, so this sets the private field that it
// is copied to. For the reason, the fallback, and what to delete when `ws` changes, see
// docs/decisions/0008-a-frame-limit-for-each-socket.md.

import type { WebSocket } from "ws";

/** Max frame of a device. Larger data needs a ticket. */
export const FRAME_BYTES = 1024 * 1024;
/** Max frame before a device is admitted: only `initialize` is sent then. */
export const FIRST_FRAME_BYTES = 4096;

/** Returns false if this version of `ws` has no such field. The server's own limit then applies. */
export const limitFrames = (ws: WebSocket, bytes: number): boolean => {
  const { _receiver: receiver } = ws as unknown as { readonly _receiver?: { readonly _maxPayload?: unknown } | null };
  const { _maxPayload: before } = receiver ?? {};
  if (typeof before !== "number") return false;
  Object.assign(receiver!, { _maxPayload: bytes });
  return true;
};
