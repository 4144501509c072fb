// One socket to the server of this machine, for the lines of a program. It is small, because a program waits for its start, and
// it does not reconnect: the CLI of a relay ends with its server.

import { WebSocket } from "ws";
import { BRIDGE_PATH, BRIDGE_VERSION } from "@quarterdeck/session/bridge";
import type { Method, Notification, NotificationParams, ParamsOf, ResultOf } from "@quarterdeck/session/bridge";
import type { ServerAddress } from "@quarterdeck/server/running-server";
import { UserError } from "../user-error.ts";

export interface RelaySocket {
  call<M extends Method>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>>;
  close(): void;
}

export interface SocketUse {
  readonly version: string;
  readonly onTold: <N extends Notification>(method: N, params: NotificationParams<N>) => void;
  /** Output of Claude Code. `characters` is what `relay/ack` counts. */
  readonly onOutput: (bytes: Uint8Array, characters: number) => void;
  /** The server closed the socket. Called once, not after `close`. */
  readonly onGone: (why: string) => void;
}

const LF = 10;

interface Answer {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message?: string; readonly data?: { readonly code?: string } };
}

/** A refusal of the server, in its words. */
export class RelayRefusal extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export const openRelaySocket = (
  { url, token, certificate }: ServerAddress,
  { version, onTold, onOutput, onGone }: SocketUse,
): Promise<RelaySocket> =>
  new Promise((resolve, reject) => {
    const tls =
      certificate === undefined
        ? {}
        : { ca: certificate, allowPartialTrustChain: true, checkServerIdentity: () => undefined };
    const to = new URL(BRIDGE_PATH, url);
    to.protocol = to.protocol === "https:" ? "wss:" : "ws:";
    const ws = new WebSocket(to, {
      headers: { authorization: `Bearer ${token}` },
      perMessageDeflate: false,
      skipUTF8Validation: true,
      ...tls,
    });
    const waiting = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>();
    let nextId = 0;
    let isOpen = false;
    let isClosed = false;
    const call: RelaySocket["call"] = (method, params) =>
      new Promise((done, fail) => {
        if (isClosed) return fail(new RelayRefusal("shutting-down", "The server has ended."));
        const id = nextId++;
        waiting.set(id, { resolve: done, reject: fail });
        ws.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
      });
    const close = (): void => {
      isClosed = true;
      ws.close();
    };
    const enter = (): void => {
      const client = { name: "quarterdeck claude", version };
      call("initialize", { bridge: BRIDGE_VERSION, client }).then(() => {
        isOpen = true;
        resolve({ call, close });
      }, reject);
    };
    ws.on("message", (data: Buffer, isBinary: boolean) => {
      if (isBinary) {
        const start = data.indexOf(LF) + 1;
        const [, characters = ""] = data.toString("latin1", 0, start).split(" ");
        onOutput(data.subarray(start), Number(characters));
        return;
      }
      const { id, method, params, result, error } = JSON.parse(data.toString("utf8")) as Answer;
      if (method === "server/challenge") enter();
      else if (method !== undefined) onTold(method as Notification, params as never);
      else if (id !== undefined) {
        const one = waiting.get(id);
        waiting.delete(id);
        if (error === undefined) one?.resolve(result as never);
        else one?.reject(new RelayRefusal(error.data?.code ?? "internal", error.message ?? "The server refused."));
      }
    });
    ws.on("error", (error) => {
      if (!isOpen) reject(new UserError(`The server at ${url} does not answer: ${error.message}`));
    });
    ws.on("close", () => {
      const wasOpen = isOpen && !isClosed;
      isClosed = true;
      for (const one of waiting.values()) one.reject(new RelayRefusal("shutting-down", "The server has ended."));
      waiting.clear();
      if (wasOpen) onGone("The server of Quarterdeck has ended, and Claude Code with it. The session is kept.");
      else if (!isOpen) reject(new UserError(`The server at ${url} closed the connection.`));
    });
  });
