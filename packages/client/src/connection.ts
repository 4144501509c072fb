// One connection that outlives its sockets. It opens a socket, authenticates, sends calls and reconnects. Unanswered calls
// are sent again on the next socket, in order. A silent socket gets a ping.

import { BRIDGE_PATH, BRIDGE_VERSION, challengeText, CLOSE_CODES } from "@quarterdeck/session/bridge";
import type { Method, Notification, ParamsOf, ResultOf, ServerInfo } from "@quarterdeck/session/bridge";
import { BridgeError } from "./bridge-error.ts";
import type { CallOptions, ConnectionState, ConnectOptions, RefusalCode } from "./contract.ts";
import { callAll, reportBug } from "./listeners.ts";
import type { Report } from "./listeners.ts";

const HANDSHAKE_MS = 15_000;
/** An attempt of this age may hang on a lost network. */
const STUCK_MS = 3_000;
/** Silence before a ping. A half-open socket is found within both times together. */
const QUIET_MS = 8_000;
const ANSWER_MS = 7_000;
/** After a connection of this length, a reconnect starts at once. */
const STABLE_MS = 5_000;
const FIRST_DELAY_MS = 250;
/** A server that restarts is back within seconds, also on a busy machine. */
const QUICK_TRIES = 15;
const LONGEST_QUICK_DELAY_MS = 1_500;
const LONGEST_DELAY_MS = 15_000;
const CROWDED_DELAY_MS = 5_000;

/** A timer that is this late means that this machine slept. It says nothing about the server. */
const SLEPT_MS = 2_000;

interface Pending {
  readonly method: string;
  readonly params: unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: BridgeError) => void;
  /** The call means nothing on another socket. */
  readonly once: boolean;
  id?: number;
}
interface ServerFrame {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: Readonly<Record<string, unknown>>;
  };
}
interface Challenge {
  readonly serverId: string;
  readonly nonce: string;
}

export interface ConnectionEvents {
  /** Runs before waiting calls are sent again. */
  opened(): void;
  notified(method: Notification, params: never, size: number): void;
}

export class Connection {
  state: ConnectionState = { status: "connecting", attempt: 1 };
  info: ServerInfo | undefined;
  readonly listeners = new Set<(state: ConnectionState) => void>();
  /** Receives errors of listeners. */
  readonly report: Report;
  readonly #options: ConnectOptions;
  readonly #events: ConnectionEvents;
  readonly #address: URL;
  readonly #pending = new Set<Pending>();
  readonly #sent = new Map<number, Pending>();
  #lastId = 0;
  #socket: WebSocket | undefined;
  /** What HTTP reported about the last failed attempts. */
  #why: string | undefined;
  #failures = 0;
  #connectingSince = 0;
  #heardAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #due = 0;

  constructor(options: ConnectOptions, events: ConnectionEvents) {
    this.#options = options;
    this.report = options.onListenerError ?? reportBug;
    this.#events = events;
    this.#address = new URL(machinePath(options) + BRIDGE_PATH, options.url);
    this.#connect();
  }

  /** An answer is a promise, so it may resolve after later frames. */
  call<M extends Method>(method: M, params: ParamsOf<M>, { signal }: CallOptions = {}): Promise<ResultOf<M>> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason as Error);
      const over = this.#overWith();
      if (over !== undefined) return reject(over);
      const abort = (): void => {
        this.#pending.delete(pending);
        reject(signal!.reason as Error);
      };
      const pending = this.#add(method, params, false, {
        resolve: (result) => {
          signal?.removeEventListener("abort", abort);
          resolve(result as ResultOf<M>);
        },
        reject: (error) => {
          signal?.removeEventListener("abort", abort);
          reject(error);
        },
      });
      signal?.addEventListener("abort", abort);
    });
  }

  /** Sends on this socket or not at all. The answer is handled in order with the frames. */
  ask<M extends Method>(
    method: M,
    params: ParamsOf<M>,
    answer: { readonly resolve: (result: ResultOf<M>) => void; readonly reject?: (error: BridgeError) => void },
  ): void {
    const { resolve, reject = () => {} } = answer;
    if (this.state.status !== "open") reject(disconnected());
    else this.#add(method, params, true, { resolve: (result) => resolve(result as ResultOf<M>), reject });
  }

  notify(method: Method, params: object): void {
    if (this.state.status === "open") this.#send(textOf({ method, params }));
  }

  /** Retries now: the network is back, the page is visible, or someone pressed a button. */
  wake(): void {
    if (this.state.status === "waiting") this.#connect();
    else if (this.state.status === "open") this.#askForLife();
    else if (this.state.status === "connecting" && Date.now() - this.#connectingSince > STUCK_MS) {
      this.#leave();
      this.#connect();
    }
  }

  retryNow(): void {
    if (this.state.status === "refused") this.#connect();
    else this.wake();
  }

  close(): void {
    if (this.state.status === "closed") return;
    this.#leave();
    this.#set({ status: "closed" });
    this.#rejectAll();
  }

  #connect(): void {
    this.#set({ status: "connecting", attempt: this.#failures + 1 });
    if (this.state.status !== "connecting") return;
    this.#connectingSince = Date.now();
    this.#arm(HANDSHAKE_MS, () => this.#ended(0, "The server did not answer in time."));
    let socket: WebSocket;
    try {
      socket = this.#open();
    } catch (error) {
      this.#ended(0, (error as Error).message);
      return;
    }
    let failure = "The connection ended.";
    this.#socket = socket;
    const mine = (): boolean => this.#socket === socket;
    socket.addEventListener("message", ({ data }: MessageEvent) => {
      if (mine()) this.#heard(String(data));
    });
    socket.addEventListener("error", (event) => {
      // Sockets of programs give a reason; sockets of browsers do not.
      const { message } = event as { message?: unknown };
      if (typeof message === "string" && message !== "") failure = message;
    });
    socket.addEventListener("close", ({ code, reason }: CloseEvent) => {
      if (mine()) this.#ended(code, reason === "" ? failure : reason);
    });
  }

  #open(): WebSocket {
    const { url, credentials, openSocket } = this.#options;
    const address = new URL(this.#address);
    address.protocol = address.protocol.replace("http", "ws");
    const headers: Record<string, string> =
      credentials.kind === "token" ? { authorization: `Bearer ${credentials.token}` } : { origin: originOf(url) };
    if (openSocket !== undefined) return openSocket(address.href, headers);
    // Node's WebSocket accepts headers. A browser sets the origin itself and nothing else.
    const isProgram = credentials.kind === "token" || pageOrigin() === undefined;
    return isProgram ? new WebSocket(address, { headers } as never) : new WebSocket(address);
  }

  #heard(text: string): void {
    this.#heardAt = Date.now();
    let frame: ServerFrame;
    try {
      frame = JSON.parse(text) as ServerFrame;
    } catch {
      this.#ended(0, "The server sent text that is not JSON.");
      return;
    }
    if (frame.method === "server/challenge") void this.#comeIn(frame.params as Challenge);
    else if (frame.method !== undefined)
      this.#events.notified(frame.method as Notification, frame.params as never, text.length);
    else if (frame.id !== undefined) this.#answered(frame.id, frame);
  }

  async #comeIn({ serverId, nonce }: Challenge): Promise<void> {
    const socket = this.#socket;
    const { credentials, client, url } = this.#options;
    try {
      const device = credentials.kind === "device" && {
        id: credentials.id,
        signature: await credentials.sign(challengeText({ serverId, origin: originOf(url), nonce })),
      };
      if (this.#socket !== socket) return;
      const asked = Date.now();
      const params = { bridge: BRIDGE_VERSION, client, ...(device && { device }) };
      const pending = this.#add("initialize", params, true, {
        resolve: (info) => {
          this.info = info as ServerInfo;
          this.#opened(Date.now() - asked);
        },
        reject: ({ code, message }) => {
          if (code === "unauthenticated") this.#refuse("unauthenticated", message);
          else if (code === "unsupported") this.#refuse("version", message);
          else if (code !== "disconnected") this.#ended(0, message);
        },
      });
      this.#ask(pending);
    } catch (error) {
      // The device could not sign.
      if (this.#socket === socket) this.#ended(0, (error as Error).message);
    }
  }

  #opened(latencyMs: number): void {
    this.#set({ status: "open", since: Date.now(), latencyMs });
    if (this.state.status !== "open") return;
    const waiting = [...this.#pending];
    this.#events.opened();
    for (const pending of waiting) if (this.#pending.has(pending) && pending.id === undefined) this.#ask(pending);
    this.#watch();
  }

  #add(method: string, params: unknown, once: boolean, answer: Pick<Pending, "resolve" | "reject">): Pending {
    const pending: Pending = { method, params, once, ...answer };
    this.#pending.add(pending);
    if (this.state.status === "open") this.#ask(pending);
    return pending;
  }

  #ask(pending: Pending): void {
    const { method, params } = pending;
    const id = ++this.#lastId;
    const text = textOf({ id, method, params });
    const limit = this.info?.limits.frameBytes ?? Infinity;
    if (isLonger(text, limit)) {
      // The server would close this socket, and the next one too.
      this.#pending.delete(pending);
      pending.reject(new BridgeError("too-large", `A call may have ${limit} bytes at most.`, { limit }));
      return;
    }
    pending.id = id;
    this.#sent.set(id, pending);
    this.#send(text);
  }

  #send(text: string): void {
    const socket = this.#socket;
    if (socket?.readyState === 1) socket.send(text);
  }

  #answered(id: number, { result, error }: ServerFrame): void {
    const pending = this.#sent.get(id);
    this.#sent.delete(id);
    if (pending === undefined || !this.#pending.has(pending)) return;
    const code = error?.data?.["code"];
    if (code === "shutting-down" && !pending.once) {
      // The server did nothing. The call waits for the next server, like an unsent call.
      delete pending.id;
      return;
    }
    this.#pending.delete(pending);
    if (error === undefined) return pending.resolve(result);
    pending.reject(new BridgeError(typeof code === "string" ? code : String(error.code), error.message, error.data));
  }

  // Life of the socket.

  #watch(): void {
    this.#arm(Math.max(0, this.#heardAt + QUIET_MS - Date.now()), () => {
      if (Date.now() - this.#heardAt < QUIET_MS) this.#watch();
      else this.#askForLife();
    });
  }

  #askForLife(): void {
    const asked = Date.now();
    this.ask(
      "ping",
      {},
      {
        resolve: () => {
          if (this.state.status === "open") this.#set({ ...this.state, latencyMs: Date.now() - asked });
        },
      },
    );
    this.#await(asked);
  }

  #await(asked: number): void {
    this.#arm(ANSWER_MS, () => {
      if (this.#heardAt >= asked) this.#watch();
      else if (Date.now() - this.#due > SLEPT_MS) this.#await(asked);
      else this.#ended(0, "The server has gone silent.");
    });
  }

  #arm(delay: number, then: () => void): void {
    clearTimeout(this.#timer);
    this.#due = Date.now() + delay;
    this.#timer = setTimeout(then, delay);
  }

  #ended(code: number, reason: string): void {
    const wasOpen = this.state.status === "open";
    const wasStable = this.state.status === "open" && Date.now() - this.state.since >= STABLE_MS;
    this.#leave();
    // Closed before `initialize` was answered: the client was too slow, which is not a refusal.
    if (code === CLOSE_CODES.unauthenticated && wasOpen) return this.#refuse("unauthenticated", reason);
    if (code === CLOSE_CODES.revoked) return this.#refuse("revoked", reason);
    this.#failures = wasStable ? 0 : this.#failures + 1;
    const delay = Math.max(delayAfter(this.#failures), code === CLOSE_CODES.tooMany ? CROWDED_DELAY_MS : 0);
    this.#arm(delay, () => this.#connect());
    if (wasOpen) this.#why = undefined;
    const why = this.#why ?? reason;
    this.#set({ status: "waiting", attempt: this.#failures + 1, retryAt: Date.now() + delay, reason: why });
    if (!wasOpen) void this.#askWhy(reason);
  }

  /** A wrong token or host name is refused before the socket opens, so only HTTP gives the reason. */
  async #askWhy(reason: string): Promise<void> {
    const { credentials, openSocket, machine } = this.#options;
    if (machine !== undefined) return this.#askGateway();
    if (credentials.kind !== "token") return;
    // `ws` has the status in its error.
    let status = Number(/\b\d{3}$/.exec(reason)?.[0]);
    let said: string | undefined;
    if (openSocket === undefined) {
      const headers = { authorization: `Bearer ${credentials.token}` };
      try {
        const answer = await fetch(this.#address, { headers });
        ({ status } = answer);
        const { error } = (await answer.json()) as { error?: { message?: string } };
        // 429: this address sent several wrong tokens, and this is one more.
        if (status === 403 || status === 429) said = error?.message;
      } catch (error) {
        // No server, or another program: Node has the reason.
        said = (error as { cause?: Error }).cause?.message;
      }
    }
    const { state } = this;
    // A slow answer may arrive during the next attempt.
    if (status === 401 && (state.status === "waiting" || state.status === "connecting"))
      return this.#refuse("unauthenticated", "The server does not know this token.");
    if (!said) return;
    this.#why = said;
    if (state.status === "waiting") this.#set({ ...state, reason: said });
  }

  /** The gateway says why it does not reach the machine. */
  async #askGateway(): Promise<void> {
    const answer = await fetch(new URL(machinePath(this.#options) + "/healthz", this.#options.url)).catch(
      () => undefined,
    );
    if (answer === undefined || answer.ok) return;
    const { error } = (await answer.json().catch(() => ({}))) as { error?: { message?: string } };
    const { state } = this;
    if (error?.message === undefined || state.status === "open") return;
    this.#why = error.message;
    if (state.status === "waiting") this.#set({ ...state, reason: error.message });
  }

  #refuse(code: RefusalCode, reason: string): void {
    this.#leave();
    this.#set({ status: "refused", code, reason });
    this.#rejectAll();
  }

  #leave(): void {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
    this.#sent.clear();
    for (const pending of this.#pending) {
      delete pending.id;
      if (!pending.once) continue;
      this.#pending.delete(pending);
      pending.reject(disconnected());
    }
  }

  #rejectAll(): void {
    const over = this.#overWith();
    if (over === undefined) return;
    for (const pending of this.#pending) pending.reject(over);
    this.#pending.clear();
  }

  #overWith(): BridgeError | undefined {
    const { state } = this;
    if (state.status === "closed") return new BridgeError("closed", "This client was closed.");
    return state.status === "refused" ? new BridgeError(state.code, state.reason) : undefined;
  }

  #set(state: ConnectionState): void {
    if (this.state.status === "closed") return;
    this.state = state;
    callAll(this.report, this.listeners, state);
  }
}

const textOf = (frame: object): string => JSON.stringify({ jsonrpc: "2.0", ...frame });

/** A character has at most three bytes. They are counted only near the limit. */
const isLonger = (text: string, bytes: number): boolean =>
  text.length * 3 > bytes && new TextEncoder().encode(text).length > bytes;

const disconnected = (): BridgeError => new BridgeError("disconnected", "The connection ended.");

/** Paths of another machine begin with this. */
export const machinePath = ({ machine }: Pick<ConnectOptions, "machine">): string =>
  machine === undefined ? "" : `/m/${machine}`;

/** The origin of the page, which a browser sends itself. A program uses the origin of the server. */
const originOf = (url: string): string => pageOrigin() ?? new URL(url).origin;
export const pageOrigin = (): string | undefined => (globalThis as { location?: { origin: string } }).location?.origin;

/** Exponential backoff with jitter. */
const delayAfter = (failures: number): number => {
  if (failures === 0) return 0;
  const longest = failures <= QUICK_TRIES ? LONGEST_QUICK_DELAY_MS : LONGEST_DELAY_MS;
  return Math.min(longest, FIRST_DELAY_MS * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);
};
