// One client's socket: reads its frames, lets it in, checks each call once (method, role, shape) and answers. It knows how far
// the client has come with what was sent, and nothing of what a call means.

import type { Duplex } from "node:stream";
import { isRecord } from "@quarterdeck/protocol";
import { BRIDGE_VERSION, CLOSE_CODES, includesRole } from "@quarterdeck/session/bridge";
import type { Method, Notification, NotificationParams, ParamsOf, ServerInfo } from "@quarterdeck/session/bridge";
import { METHODS } from "@quarterdeck/session/bridge/schema";
import type { RawData, WebSocket } from "ws";
import { z } from "zod";
import { guardListener } from "../http/guard.ts";
import type { Access, Device, Log, SocketAbout } from "../seams.ts";
import type { Command, Commands } from "./commands.ts";
import { readFrame } from "./frame.ts";
import type { Call } from "./frame.ts";
import { errorFrame, Refusal, refusalOf } from "./refusal.ts";

/** Framed once, written to many sockets. */
export interface Frame {
  /** A whole WebSocket frame: bytes, or, where all of them are ASCII, the same as Latin-1, which needs no buffer. */
  readonly data: Buffer | string;
  /** UTF-16 units, as a client counts them in `session/ack`. */
  readonly length: number;
}
const FINAL_TEXT = 0x81;
const SHORT = 16_384;

/** `size` in bytes, where it is known: to count them a text of many parts is put together, and then again with its header. */
export const frameOf = (text: string, size = Buffer.byteLength(text)): Frame => {
  const { length } = text;
  if (size === length && size < SHORT) {
    const header =
      size < 126 ? String.fromCharCode(FINAL_TEXT, size) : String.fromCharCode(FINAL_TEXT, 126, size >> 8, size & 0xff);
    return { data: header + text, length };
  }
  const start = size < 126 ? 2 : size < 65_536 ? 4 : 10;
  const data = Buffer.allocUnsafe(start + size);
  data[0] = FINAL_TEXT;
  data[1] = start === 2 ? size : start === 4 ? 126 : 127;
  if (start === 4) data.writeUInt16BE(size, 2);
  else if (start === 10) data.writeBigUInt64BE(BigInt(size), 2);
  data.write(text, start, "utf8");
  return { data, length };
};

/** As they go out. */
export const bytesOfFrame = ({ data }: Frame): Buffer =>
  typeof data === "string" ? Buffer.from(data, "latin1") : data;

/** A session that the client follows: learns how far the client has come. */
export interface Following {
  acknowledged(length: number): void;
  /** The network takes more again. */
  hasRoom(): void;
  pinged(): void;
  ponged(): void;
}
export const notificationText = <N extends Notification>(method: N, params: NotificationParams<N>): string =>
  JSON.stringify({ jsonrpc: "2.0", method, params });

/** So much may be under way to a client; beyond that it gets what it misses when it has caught up. */
export const WINDOW = 256 * 1024;
/** A client that asks on and on and reads nothing is let go. */
const MOST_BUFFERED = 32 * 1024 * 1024;
/** Of a WebSocket. */
const OPEN = 1;
const MOST_CALLS = 100;
const MOST_BAD_FRAMES = 20;
const SILENT_MS = 15_000;

export interface ConnectionOwner {
  readonly access: Access;
  readonly commands: Commands;
  readonly log: Log;
  readonly version: string;
  /** What `initialize` answers, but for what differs from client to client. */
  readonly info: Omit<ServerInfo, "device" | "notice">;
  /** Why this method may not begin now, if it may not. */
  readonly refuses: (method: Method) => Refusal | undefined;
  readonly run: (method: Method, params: unknown, caller: Connection) => unknown;
  /** A command that changes nothing: done again it does no harm, and what it gave need not be kept. */
  readonly onlyReads: (method: Method, params: unknown) => boolean;
  /** Before a command is answered: whoever did something sees it done. */
  readonly flush: () => void;
  readonly counted: (method: string, outcome: string) => void;
  readonly onReady: (connection: Connection) => void;
  readonly onGone: (connection: Connection) => void;
}

export class Connection {
  readonly #ws: WebSocket;
  readonly #socket: Duplex;
  readonly #about: SocketAbout;
  readonly #owner: ConnectionOwner;
  readonly #nonce: string;
  #admitted: Device | undefined;
  #calls = 0;
  #bad = 0;
  #heardAt = performance.now();
  #pinged = false;
  #hasRoom = true;
  /** What it follows, by session. */
  readonly following = new Map<string, Following>();

  constructor(ws: WebSocket, about: SocketAbout, owner: ConnectionOwner) {
    this.#ws = ws;
    const { _socket: socket } = ws as unknown as { readonly _socket: Duplex };
    this.#socket = socket;
    this.#about = about;
    this.#owner = owner;
    this.#nonce = owner.access.challenge();
    ws.on("message", (data, isBinary) => {
      try {
        this.#onMessage(data, isBinary);
      } catch (error) {
        this.#broke("frame", error);
      }
    });
    ws.on("pong", () => this.#onPong());
    // Each ping is answered. A client that sends pings and reads nothing would fill the memory with the answers.
    ws.on("ping", () => this.#closeIfUnread());
    const onDrain = (): void => {
      this.#hasRoom = true;
      for (const one of this.following.values()) one.hasRoom();
    };
    socket.on("drain", guardListener(socket, "drain", owner.log, onDrain));
    ws.on("close", () => owner.onGone(this));
    ws.on("error", (error) => owner.log.debug("socket failed", { remote: about.remote, error: error.message }));
    const { access, version } = owner;
    this.tell("server/challenge", { bridge: BRIDGE_VERSION, serverId: access.serverId, nonce: this.#nonce, version });
  }

  /** As the server's record is now. */
  get device(): Device {
    const device = this.#admitted && this.#owner.access.device(this.#admitted.id);
    if (device === undefined) throw new Refusal("unauthenticated", "This device was removed.");
    return device;
  }

  get deviceId(): string {
    return this.#admitted?.id ?? "";
  }
  get deviceName(): string {
    return this.#admitted?.name ?? "";
  }

  get isReady(): boolean {
    return this.#admitted !== undefined;
  }

  get isOpen(): boolean {
    return this.#ws.readyState === OPEN;
  }

  /** Whether the network takes what is sent. */
  get hasRoom(): boolean {
    return this.#hasRoom;
  }

  /**
   * Written to the socket as it is: a frame that many get is made once, and one write costs a third less than the two of
   * `ws.send` (measured). Without compression `ws` has nothing of its own in between.
   */
  send({ data }: Frame): void {
    if (this.#ws.readyState !== OPEN) return;
    this.#hasRoom = typeof data === "string" ? this.#socket.write(data, "latin1") : this.#socket.write(data);
  }

  /** Answers cannot be left out, as frames of a feed can. */
  #reply(text: string): void {
    this.send(frameOf(text));
    this.#closeIfUnread();
  }

  #closeIfUnread(): void {
    if (this.#ws.bufferedAmount > MOST_BUFFERED) this.close(CLOSE_CODES.tooSlow, "The client does not read.");
  }

  tell<N extends Notification>(method: N, params: NotificationParams<N>): void {
    this.#reply(notificationText(method, params));
  }

  /** Every few seconds: is anybody there? */
  beat(now: number): void {
    try {
      if (now - this.#heardAt > SILENT_MS) this.#ws.terminate();
      else this.ping();
    } catch (error) {
      this.#broke("heartbeat", error);
    }
  }

  close(code: number, reason: string): void {
    this.#ws.close(code, reason);
  }

  /** Says goodbye, and waits a moment for the answer. */
  leave(code: number, withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#ws.terminate(), withinMs);
      this.#ws.once("close", () => {
        clearTimeout(timer);
        resolve();
      });
      this.#ws.close(code, "The server ends.");
      if (this.#ws.readyState === this.#ws.CLOSED) {
        clearTimeout(timer);
        resolve();
      }
    });
  }

  /** What was sent before it has come when it is answered; every client answers, whether it acknowledges or not. */
  ping(): void {
    if (this.#pinged || this.#ws.readyState !== OPEN) return;
    this.#pinged = true;
    for (const one of this.following.values()) one.pinged();
    this.#ws.ping();
  }

  #onPong(): void {
    this.#heardAt = performance.now();
    this.#pinged = false;
    for (const one of this.following.values()) one.ponged();
  }

  #onMessage(data: RawData, isBinary: boolean): void {
    this.#heardAt = performance.now();
    // On its way out: who was not let in gets no second try.
    if (!this.isOpen) return;
    if (isBinary) return this.close(1003, "Frames are text.");
    const frame = readFrame((data as Buffer).toString("utf8"));
    if (frame.kind === "call") {
      if (!this.isReady) this.#initialize(frame);
      else this.#answer(frame).catch((error: unknown) => this.#broke("call", error));
    } else if (frame.kind === "told") {
      if (!this.isReady) this.close(1008, "The first frame must be initialize.");
      else if (frame.method === "session/ack") this.#acknowledge(frame.params);
    } else {
      this.#reply(errorFrame(frame.id, new Refusal("bad-request", frame.why), frame.number));
      if (!this.isReady) this.close(1008, "The first frame must be initialize.");
      else if (++this.#bad > MOST_BAD_FRAMES) this.close(1008, "Too many invalid frames.");
    }
  }

  /** A bug of ours costs this client its connection, and nobody else anything. */
  #broke(what: string, error: unknown): void {
    this.#owner.log.error(`${what} failed`, { error: error instanceof Error ? error.stack : String(error) });
    this.close(1011, "Something went wrong in the server.");
  }

  /** The one thing that clients say on and on, so it is looked at by hand. */
  #acknowledge(params: unknown): void {
    if (!isRecord(params)) return;
    const { session, bytes } = params as Partial<ParamsOf<"session/ack">>;
    if (typeof session !== "string" || typeof bytes !== "number") return;
    this.following.get(session)?.acknowledged(bytes);
  }

  #initialize(call: Call): void {
    try {
      if (call.method !== "initialize") throw new Refusal("unauthenticated", "The first call must be `initialize`.");
      const params = parse("initialize", call.params);
      const device = this.#admit(params);
      this.#admitted = device;
      this.#about.admitted(device);
      const { id, name, role } = device;
      const notice = params.bridge === BRIDGE_VERSION ? {} : { notice: differenceOf(params.bridge) };
      this.#result(call, { ...this.#owner.info, device: { id, name, role }, ...notice });
      this.#owner.counted("initialize", "ok");
      this.#owner.onReady(this);
    } catch (error) {
      this.#failed(call, error);
      this.close(CLOSE_CODES.unauthenticated, "Not let in.");
    }
  }

  #admit({
    device: claim,
  }: {
    readonly device?: { readonly id: string; readonly signature: string } | undefined;
  }): Device {
    const { device: bearer, origin, remote } = this.#about;
    if (bearer !== undefined) {
      if (claim !== undefined)
        throw new Refusal("bad-request", "A program authenticates with its token only. Omit `device`.");
      return bearer;
    }
    if (claim === undefined)
      throw new Refusal("unauthenticated", "Sign the challenge with a device key, or send a bearer token.");
    const admission = this.#owner.access.authenticate({ ...claim, nonce: this.#nonce, origin, remote });
    if (!admission.ok) throw new Refusal(admission.code, admission.message);
    return admission.device;
  }

  async #answer(call: Call): Promise<void> {
    if (this.#calls >= MOST_CALLS) {
      this.#failed(call, new Refusal("limit", `A client may have at most ${MOST_CALLS} open calls.`));
      return;
    }
    this.#calls++;
    try {
      const result = await this.#run(call);
      if (isCommand(call)) this.#owner.flush();
      this.#result(call, result);
      this.#owner.counted(call.method, "ok");
    } catch (error) {
      this.#failed(call, error);
    } finally {
      this.#calls--;
    }
  }

  #run({ method, params: given }: Call): unknown {
    if (!isMethod(method))
      throw new Refusal("unknown-method", `The method ${quoted(method)} does not exist.`, { method });
    if (method === "initialize") throw new Refusal("bad-request", "This connection is already initialized.");
    const { device } = this;
    const { role } = METHODS[method];
    if (!includesRole(device.role, role))
      throw new Refusal("forbidden", `${method} needs the role ${role}; this device has ${device.role}.`, { role });
    const params = parse(method, given);
    const refused = this.#owner.refuses(method);
    if (refused !== undefined) throw refused;
    if (!isCommandParams(params) || this.#owner.onlyReads(method, params)) return this.#owner.run(method, params, this);
    return this.#owner.commands.once(device.id, { method, params }, async () => this.#owner.run(method, params, this));
  }

  #result({ id }: Call, result: unknown): void {
    this.#reply(JSON.stringify({ jsonrpc: "2.0", id, result }));
  }

  #failed({ id, method }: Call, error: unknown): void {
    const { log, counted } = this.#owner;
    const known = refusalOf(error);
    const refusal = known ?? new Refusal("internal", "The server had an internal error. Its log has the details.");
    const name = isMethod(method) ? method : "unknown";
    counted(name, refusal.code);
    if (refusal.code === "internal") {
      const stack = error instanceof Error ? error.stack : String(error);
      log.error("call failed", { method: name, error: stack });
    }
    this.#reply(errorFrame(id, refusal));
  }
}

const isCommandParams = (params: object): params is Command["params"] => "commandId" in params;

const isCommand = ({ params }: Call): boolean => typeof params === "object" && params !== null && "commandId" in params;

const isMethod = (name: string): name is Method => Object.hasOwn(METHODS, name);

const parse = <M extends Method>(method: M, params: unknown): z.output<(typeof METHODS)[M]["params"]> => {
  const parsed = METHODS[method].params.safeParse(params);
  if (!parsed.success)
    throw new Refusal("bad-request", `${method}: ${z.prettifyError(parsed.error)}`.slice(0, 2000), { method });
  return parsed.data as z.output<(typeof METHODS)[M]["params"]>;
};

const quoted = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);

const differenceOf = (theirs: number): string =>
  theirs < BRIDGE_VERSION
    ? `This server speaks bridge ${BRIDGE_VERSION}, the client ${theirs}: reload or update the client. What both know works.`
    : `This server speaks bridge ${BRIDGE_VERSION}, the client ${theirs}: update the server. What both know works.`;
