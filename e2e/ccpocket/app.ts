// A ccpocket app for tests, written from ccpocket's own protocol. It knows nothing about our server.

import { WebSocket } from "ws";

export type Json = any; // oxlint-disable-line typescript/no-explicit-any -- a stranger has no types

export class App {
  readonly #socket: WebSocket;
  readonly heard: Json[] = [];
  readonly #waiting = new Set<{ wanted: (message: Json) => boolean; resolve: (message: Json) => void; from: number }>();
  readonly #opened: Promise<unknown>;
  readonly closed: Promise<number>;

  constructor(port: number, token: string, headers: Record<string, string> = {}) {
    this.#socket = new WebSocket(`ws://127.0.0.1:${port}/?token=${token}`, { headers });
    this.#opened = new Promise((resolve) => this.#socket.on("open", resolve));
    this.closed = new Promise((resolve) => this.#socket.on("close", (code) => resolve(code)));
    this.#socket.on("error", () => undefined);
    this.#socket.on("message", (data: Buffer) => {
      const message: Json = JSON.parse(data.toString());
      this.heard.push(message);
      for (const waiting of this.#waiting) {
        if (!waiting.wanted(message)) continue;
        this.#waiting.delete(waiting);
        waiting.resolve(message);
      }
    });
  }

  /** The first match, also among messages since `from`. */
  hear(wanted: (message: Json) => boolean, from = 0): Promise<Json> {
    const known = this.heard.slice(from).find(wanted);
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve) => this.#waiting.add({ wanted, resolve, from }));
  }
  hearType(type: string, from = 0): Promise<Json> {
    return this.hear((message) => message.type === type, from);
  }

  send(message: Json): number {
    const from = this.heard.length;
    const text = typeof message === "string" ? message : JSON.stringify(message);
    void this.#opened.then(() => this.#socket.send(text));
    return from;
  }

  close(): void {
    this.#socket.close();
  }
}
