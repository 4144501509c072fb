// A stranger's client: a socket and JSON, written from docs/bridge.md without our code. It may drop its socket at any
// moment, or misbehave on purpose.

import { createHash, randomUUID } from "node:crypto";
import { WebSocket } from "ws";

export interface Told {
  readonly method: string;
  readonly params: Readonly<Record<string, any>>; // oxlint-disable-line typescript/no-explicit-any -- a stranger has no types
  /** Characters of the frame. */
  readonly length: number;
}
type Json = any; // oxlint-disable-line typescript/no-explicit-any -- a stranger has no types

export class CallError extends Error {
  readonly code: string;
  readonly number: number;
  readonly data: Readonly<Record<string, Json>>;
  constructor(error: { code: number; message: string; data?: Record<string, Json> }) {
    super(error.message);
    this.number = error.code;
    this.data = error.data ?? {};
    this.code = String(this.data["code"]);
  }
}

export interface Door {
  readonly url: string;
  readonly token?: string;
}

export class RawClient {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, { resolve: (value: Json) => void; reject: (error: Error) => void }>();
  readonly #listeners = new Set<(told: Told) => void>();
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  #id = 0;
  #next: ((frame: Json) => void) | undefined;
  /** The server's first message. */
  challenge!: Told;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) =>
      socket.on("close", (code, reason) => {
        for (const { reject } of this.#waiting.values()) reject(new Error(`The socket closed (${code}).`));
        this.#waiting.clear();
        resolve({ code, reason: reason.toString() });
      }),
    );
    socket.on("message", (data: Buffer) => this.#onFrame(data.toString()));
    socket.on("error", () => undefined);
  }

  /** A socket that has received the server's challenge. */
  static async connect({ url, token }: Door): Promise<RawClient> {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const socket = new WebSocket(`${url.replace("http", "ws")}/bridge`, { headers });
    const client = new RawClient(socket);
    const challenged = client.told("server/challenge");
    await Promise.race([
      challenged,
      new Promise((_, reject) => socket.on("error", reject)),
      client.closed.then(() => Promise.reject(new Error("The socket closed."))),
    ]);
    client.challenge = await challenged;
    return client;
  }

  /** A socket that is authenticated. */
  static async open(door: Door): Promise<RawClient> {
    const client = await RawClient.connect(door);
    await client.call("initialize", { bridge: 1, client: { name: "stranger", version: "1" } });
    return client;
  }

  /** `onResult` gets the answer before any later frame. */
  call(method: string, params: Record<string, Json> = {}, onResult?: (result: Json) => void): Promise<Json> {
    const id = ++this.#id;
    return new Promise((resolve, reject) => {
      const answered = (result: Json): void => {
        onResult?.(result);
        resolve(result);
      };
      this.#waiting.set(id, { resolve: answered, reject });
      this.send({ jsonrpc: "2.0", id, method, params });
    });
  }

  /** Calls the method with a new command id. */
  command(method: string, params: Record<string, Json>): Promise<Json> {
    return this.call(method, { commandId: randomUUID(), ...params });
  }

  tell(method: string, params: Record<string, Json>): void {
    this.send({ jsonrpc: "2.0", method, params });
  }

  send(frame: Json): void {
    this.sendText(JSON.stringify(frame));
  }
  sendText(text: string | Buffer, binary = false): void {
    this.#socket.send(text, { binary });
  }

  onTold(listener: (told: Told) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls the listener with the next frame. */
  onFrame(listener: (frame: Json) => void): void {
    this.#next = listener;
  }

  /** The next notification of this kind that matches. */
  told(method: string, fits: (params: Told["params"]) => boolean = () => true): Promise<Told> {
    return new Promise((resolve) => {
      const stop = this.onTold((told) => {
        if (told.method !== method || !fits(told.params)) return;
        stop();
        resolve(told);
      });
    });
  }

  /** Stops reading, like a client whose network hangs. */
  pause(): void {
    this.#socket.pause();
  }
  resume(): void {
    this.#socket.resume();
  }

  /** Closes without a close frame. */
  async drop(): Promise<void> {
    this.#socket.terminate();
    await this.closed;
  }

  #onFrame(text: string): void {
    const frame: Json = JSON.parse(text);
    this.#next?.(frame);
    this.#next = undefined;
    if (frame.method !== undefined) {
      for (const listener of this.#listeners)
        listener({ method: frame.method, params: frame.params, length: text.length });
      return;
    }
    const waiting = this.#waiting.get(frame.id);
    this.#waiting.delete(frame.id);
    if (frame.error !== undefined) waiting?.reject(new CallError(frame.error));
    else waiting?.resolve(frame.result);
  }
}

/** The error of a refused call. */
export const refusalOf = async (call: Promise<unknown>): Promise<CallError> => {
  try {
    await call;
  } catch (error) {
    if (error instanceof CallError) return error;
    throw error;
  }
  throw new Error("The call was not refused.");
};

/** As documented: keys sorted, `undefined` left out. */
const canonical = (value: Json): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value !== null && typeof value === "object")
    return `{${Object.keys(value)
      .toSorted()
      .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
      .join(",")}}`;
  return JSON.stringify(value);
};

export const hashOf = (request: Json): string => createHash("sha256").update(canonical(request)).digest("hex");

/** The fields that identify this open request in an answer. */
export const bindingOf = (request: Json): { requestId: string; incarnation: number; inputHash: string } => ({
  requestId: request.id,
  incarnation: request.incarnation,
  inputHash: hashOf(request.request),
});
