// A minimal client of the bridge. It measures the server, not the work of a client.
import { randomUUID } from "node:crypto";

import type { DeviceCredentials } from "@quarterdeck/client";
import { challengeText } from "@quarterdeck/session/bridge";
import type { Method, ParamsOf, ResultOf } from "@quarterdeck/session/bridge";
import { WebSocket } from "ws";

export interface Told {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}
type Params<M extends Method> = Omit<ParamsOf<M>, "commandId">;

/** The same as in `@quarterdeck/client`. */
const ACK_CHARACTERS = 64 * 1024;

/** Characters of a session's frames since the subscription. */
interface Received {
  characters: number;
  acknowledged: number;
}

export class BridgeSocket {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #received = new Map<string, Received>();
  readonly #challenge = Promise.withResolvers<Told>();
  #lastId = 0;
  onTold: (told: Told) => void = () => {};
  /** Characters of all received frames. */
  characters = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data: Buffer) => this.#take(data.toString()));
    socket.on("close", (code) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`The socket closed (${String(code)}).`));
      this.#waiting.clear();
    });
  }

  static async open({ url, token }: { readonly url: string; readonly token: string }): Promise<BridgeSocket> {
    const client = await BridgeSocket.#connected(url, "/bridge", { authorization: `Bearer ${token}` });
    await client.call("initialize", { bridge: 1, client: { name: "bench", version: "1" } });
    return client;
  }

  /** As a device of the server, at another machine of its fleet. */
  static async openThrough(
    { url, device: { id, sign } }: { readonly url: string; readonly device: DeviceCredentials },
    machine: string,
  ): Promise<BridgeSocket> {
    const client = await BridgeSocket.#connected(url, `/m/${machine}/bridge`, { origin: url });
    const { serverId, nonce } = (await client.#challenge.promise).params as { serverId: string; nonce: string };
    const device = { id, signature: await sign(challengeText({ serverId, origin: url, nonce })) };
    await client.call("initialize", { bridge: 1, client: { name: "bench", version: "1" }, device });
    return client;
  }

  static async #connected(url: string, path: string, headers: Record<string, string>): Promise<BridgeSocket> {
    const socket = new WebSocket(`${url.replace("http", "ws")}${path}`, { headers, perMessageDeflate: false });
    const client = new BridgeSocket(socket);
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    return client;
  }

  call<M extends Method>(method: M, params: Params<M>): Promise<ResultOf<M>> {
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(id, answer);
    this.#send({ jsonrpc: "2.0", id, method, params });
    return answer.promise as Promise<ResultOf<M>>;
  }

  /** Calls the method with a new command id. */
  command<M extends Method>(method: M, params: Params<M>): Promise<ResultOf<M>> {
    return this.call(method, { commandId: randomUUID(), ...params });
  }

  async subscribe(params: Params<"session/subscribe">): Promise<ResultOf<"session/subscribe">> {
    this.#received.set(params.session, { characters: 0, acknowledged: 0 });
    return this.call("session/subscribe", params);
  }

  /** Closes without a close frame. */
  drop(): void {
    this.#socket.terminate();
  }

  #send(frame: object): void {
    this.#socket.send(JSON.stringify(frame));
  }

  #take(text: string): void {
    this.characters += text.length;
    const frame = JSON.parse(text) as Partial<Told> & { id?: number; result?: unknown; error?: { message: string } };
    if (frame.method === "server/challenge") this.#challenge.resolve(frame as Told);
    if (frame.method !== undefined) {
      this.onTold(frame as Told);
      this.#acknowledge(frame as Told, text.length);
      return;
    }
    const waiting = this.#waiting.get(frame.id ?? 0);
    this.#waiting.delete(frame.id ?? 0);
    if (frame.error === undefined) waiting?.resolve(frame.result);
    else waiting?.reject(new Error(frame.error.message));
  }

  #acknowledge({ params }: Told, characters: number): void {
    const { session } = params;
    const received = typeof session === "string" ? this.#received.get(session) : undefined;
    if (received === undefined) return;
    received.characters += characters;
    if (received.characters - received.acknowledged < ACK_CHARACTERS) return;
    received.acknowledged = received.characters;
    if (this.#socket.readyState === WebSocket.OPEN)
      this.#send({ jsonrpc: "2.0", method: "session/ack", params: { session, bytes: received.characters } });
  }
}
