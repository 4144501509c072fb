// Reads a process's pipe into one buffer that all pipes share. A stream makes a buffer for each read and takes it through its queue.
// The pipe's handle is in Node's private field `_handle`; where it is missing, the stream is read as usual.
// The gain, and what to delete when Node changes: docs/decisions/0009-pipes-read-into-one-buffer.md.

import { Socket } from "node:net";
import type { SocketConstructorOpts } from "node:net";
import type { Readable } from "node:stream";

const buffer = Buffer.allocUnsafeSlow(64 * 1024);

/** Gives the stream to pause, to resume and to wait for in place of `pipe`. `onBytes` has the bytes until it returns. */
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
