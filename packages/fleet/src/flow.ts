// The counts of one virtual connection: how much may be sent, which frame comes next, and when the reader grants more. It knows no
// streams and no NATS.

import { CHUNK_BYTES, WINDOW_BYTES } from "./frames.ts";
import type { Frame } from "./frames.ts";

/** The largest number of a frame. A connection that needs more is reset: 2^32 chunks are 256 TiB. */
const LAST_SEQ = 0xffff_ffff;

/** What one side may send. */
export class SendFlow {
  #credit = WINDOW_BYTES;
  #seq = 0;

  get credit(): number {
    return this.#credit;
  }

  /** Returns false if the other side grants more than it has read. */
  granted(bytes: number): boolean {
    if (this.#credit + bytes > WINDOW_BYTES) return false;
    this.#credit += bytes;
    return true;
  }

  /** The first part of `bytes` that may go now, and the rest. */
  take(bytes: Uint8Array): { readonly frames: readonly Frame[]; readonly rest: Uint8Array } {
    const frames: Frame[] = [];
    let at = 0;
    while (at < bytes.length && this.#credit > 0) {
      const size = Math.min(CHUNK_BYTES, this.#credit, bytes.length - at);
      frames.push({ type: "data", seq: this.#next(), bytes: bytes.subarray(at, at + size) });
      this.#credit -= size;
      at += size;
    }
    return { frames, rest: bytes.subarray(at) };
  }

  end(): Frame {
    return { type: "end", seq: this.#next() };
  }

  #next(): number {
    if (this.#seq > LAST_SEQ) throw new RangeError("A virtual connection has sent too many frames.");
    return this.#seq++;
  }
}

/** What one side has received. */
export class ReceiveFlow {
  #seq = 0;
  #allowed = WINDOW_BYTES;
  #read = 0;
  #ended = false;

  /** Returns why the connection must be reset, or undefined. */
  received(frame: Extract<Frame, { type: "data" | "end" }>): "lost" | "flooded" | undefined {
    if (this.#ended || frame.seq !== this.#seq) return "lost";
    this.#seq++;
    if (frame.type === "end") {
      this.#ended = true;
      return undefined;
    }
    this.#allowed -= frame.bytes.length;
    return this.#allowed < 0 ? "flooded" : undefined;
  }

  /** The program has read these bytes. Returns a grant when it is worth a message. */
  read(bytes: number): Frame | undefined {
    this.#read += bytes;
    if (this.#read < WINDOW_BYTES / 4 || this.#ended) return undefined;
    const grant = this.#read;
    this.#read = 0;
    this.#allowed += grant;
    return { type: "credit", bytes: grant };
  }
}
