// Reads a process's pipe into one buffer that all pipes share. A stream would allocate a buffer for each read and queue
// it. The pipe's handle is in Node's private field `_handle`. If it is missing, the stream is read as usual. For the
// gain, and what to delete when Node changes, see docs/decisions/0009-pipes-read-into-one-buffer.md.

import { Socket } from "node:net";
import type { SocketConstructorOpts } from "node:net";
import type { Readable } from "node:stream";

const buffer = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * Returns the stream to pause, resume and await instead of `pipe`. The bytes are valid only until `onBytes` returns.
 */
export const readPipe = (pipe: Readable, onBytes: (bytes: Uint8Array) => void): Readable => {
  const { _handle: handle } = pipe as { _handle?: object | null };
  if (handle === undefined || handle === null) return pipe.on("data", onBytes);
  Object.assign(pipe, { _handle: null });
  const callback = (size: number): boolean => {
    onBytes(buffer.subarray(0, size));
    return true;
  };
  const options = { handle, readable: true, writable: false, onread: { buffer, callback } };
  return new Socket(options as SocketConstructorOpts).resume();
};
