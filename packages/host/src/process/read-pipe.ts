// Reads a process's pipe into one buffer that all pipes share. A stream makes a buffer for each read and takes it through its queue:
// for a line of 300 bytes that is a tenth of what the server does with it (measured, `bridge-load`).

import { Socket } from "node:net";
import type { SocketConstructorOpts } from "node:net";
import type { Readable } from "node:stream";

const buffer = Buffer.allocUnsafeSlow(64 * 1024);

/** What is read in place of `pipe`. The bytes are `onBytes`'s until it returns. */
export const readPipe = (pipe: Readable, onBytes: (bytes: Uint8Array) => void): Readable => {
  const { _handle: handle } = pipe as { _handle?: object | null };
  // Node's own; where there is none, or no more, the stream does.
  if (handle === undefined || handle === null) return pipe.on("data", onBytes);
  Object.assign(pipe, { _handle: null });
  const callback = (size: number): boolean => {
    onBytes(buffer.subarray(0, size));
    return true;
  };
  const options = { handle, readable: true, writable: false, onread: { buffer, callback } };
  return new Socket(options as SocketConstructorOpts).resume();
};
