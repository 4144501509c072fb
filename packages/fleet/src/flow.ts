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

  /** The first of the bytes that may go now, and the rest. Neighbors share a frame: two small writes are one message of NATS. */
  take(parts: readonly Uint8Array[]): { readonly frames: readonly Frame[]; readonly rest: readonly Uint8Array[] } {
    const frames: Frame[] = [];
    let [part, at] = [0, 0];
    while (part < parts.length && this.#credit > 0) {
      const pieces: Uint8Array[] = [];
      let room = Math.min(CHUNK_BYTES, this.#credit);
      while (part < parts.length && room > 0) {
        const piece = parts[part]!.subarray(at, at + room);
        if (piece.length > 0) pieces.push(piece);
        room -= piece.length;
        at += piece.length;
        if (at === parts[part]!.length) [part, at] = [part + 1, 0];
      }
      if (pieces.length === 0) break;
      const bytes = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
      frames.push({ type: "data", seq: this.#next(), bytes });
      this.#credit -= bytes.length;
    }
    return { frames, rest: part < parts.length ? [parts[part]!.subarray(at), ...parts.slice(part + 1)] : [] };
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
