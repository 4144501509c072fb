// One end of a virtual connection, as a stream with the parts of a TCP socket that HTTP servers use. It never holds more than the window:
// a writer waits for credit, and credit is granted when the reader has read.

import { Duplex } from "node:stream";
import { ReceiveFlow, SendFlow } from "./flow.ts";
import { CHUNK_BYTES } from "./frames.ts";
import type { Frame } from "./frames.ts";

export interface VirtualSocketOptions {
  /** The other node. */
  readonly peer: string;
  /** Different for each connection, so that limits can tell them apart. */
  readonly port: number;
  /** Returns false if the bus is down. */
  readonly send: (frame: Frame) => boolean;
  readonly onGone: () => void;
}

export class VirtualSocket extends Duplex {
  readonly peer: string;
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly connecting = false;
  bytesRead = 0;
  bytesWritten = 0;
  readonly #send: (frame: Frame) => boolean;
  readonly #onGone: () => void;
  readonly #out = new SendFlow();
  readonly #in = new ReceiveFlow();
  readonly #arrived: (Uint8Array | null)[] = [];
  #wantsMore = false;
  #waiting: { rest: readonly Uint8Array[]; readonly done: (error?: Error | null) => void } | undefined;
  #isReset = false;
  #timer: NodeJS.Timeout | undefined;
  #timeoutMs = 0;

  constructor({ peer, port, send, onGone }: VirtualSocketOptions) {
    super({ readableHighWaterMark: CHUNK_BYTES, writableHighWaterMark: CHUNK_BYTES, allowHalfOpen: true });
    this.peer = peer;
    this.remoteAddress = `fleet:${peer}`;
    this.remotePort = port;
    this.#send = send;
    this.#onGone = onGone;
  }

  /** A frame of the other end. */
  received(frame: Frame): void {
    if (this.destroyed) return;
    this.#touch();
    switch (frame.type) {
      case "reset":
        this.#isReset = true;
        this.destroy(new Error(`The other machine closed the connection: ${frame.reason}.`));
        return;
      case "credit":
        if (this.#out.granted(frame.bytes)) this.#flush();
        else this.destroy(new Error("The other machine granted too much."));
        return;
      case "data":
      case "end": {
        const wrong = this.#in.received(frame);
        if (wrong !== undefined) {
          this.destroy(
            new Error(wrong === "lost" ? "A part of the connection was lost." : "The other machine sent too much."),
          );
          return;
        }
        if (frame.type === "data") this.bytesRead += frame.bytes.length;
        this.#arrived.push(frame.type === "data" ? frame.bytes : null);
        if (this.#wantsMore) this.#deliver();
      }
    }
  }

  /** The bus is gone: there is nobody to tell. */
  cut(reason: string): void {
    this.#isReset = true;
    this.destroy(new Error(reason));
  }

  override _read(): void {
    this.#wantsMore = true;
    this.#deliver();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#waiting = { rest: [chunk], done };
    this.#flush();
  }

  /** Used after `cork`. A WebSocket server writes the head and the text of a message apart. */
  override _writev(chunks: { readonly chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#waiting = { rest: chunks.map(({ chunk }) => chunk), done };
    this.#flush();
  }

  override _final(done: (error?: Error | null) => void): void {
    done(this.#send(this.#out.end()) ? null : new Error(BUS_DOWN));
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#timer);
    this.#waiting = undefined;
    this.#arrived.length = 0;
    if (!this.#isReset) this.#send({ type: "reset", reason: error === null ? "closed" : "failed" });
    this.#onGone();
    done(error);
  }

  setTimeout(ms: number, listener?: () => void): this {
    if (listener !== undefined) this.once("timeout", listener);
    this.#timeoutMs = ms;
    this.#touch();
    return this;
  }
  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  resetAndDestroy(): this {
    return this.destroy();
  }

  #touch(): void {
    clearTimeout(this.#timer);
    if (this.#timeoutMs > 0 && !this.destroyed)
      this.#timer = setTimeout(() => this.emit("timeout"), this.#timeoutMs).unref();
  }

  #deliver(): void {
    while (this.#wantsMore && this.#arrived.length > 0) {
      const next = this.#arrived.shift()!;
      // Without a copy: the bus makes a new buffer for each read.
      this.#wantsMore = this.push(
        next === null ? null : Buffer.from(next.buffer as ArrayBuffer, next.byteOffset, next.length),
      );
      if (next === null) return;
      const grant = this.#in.read(next.length);
      if (grant !== undefined && !this.#send(grant)) this.cut(BUS_DOWN);
    }
  }

  #flush(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    const { frames, rest } = this.#out.take(waiting.rest);
    for (const frame of frames) {
      if (this.#send(frame)) continue;
      this.#waiting = undefined;
      waiting.done(new Error(BUS_DOWN));
      return;
    }
    this.bytesWritten += sizeOf(waiting.rest) - sizeOf(rest);
    if (frames.length > 0) this.#touch();
    waiting.rest = rest;
    if (rest.length > 0) return;
    this.#waiting = undefined;
    waiting.done();
  }
}

const sizeOf = (parts: readonly Uint8Array[]): number => parts.reduce((sum, { length }) => sum + length, 0);

export const BUS_DOWN = "The connection to the fleet is down";
