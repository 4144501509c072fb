// One client's socket: reads its frames, authenticates it, checks each call once (method, shape, policy) and answers.
// It knows how much the client has received. It does not know what a call means.

import { isRecord } from "@quarterdeck/protocol";
import { BRIDGE_VERSION, CLOSE_CODES } from "@quarterdeck/session/bridge";
import type { Method, Notification, NotificationParams, ParamsOf, ServerInfo } from "@quarterdeck/session/bridge";
import { seesRoots } from "@quarterdeck/session/bridge/policy";
import { METHODS } from "@quarterdeck/session/bridge/schema";
import type { RawData, WebSocket } from "ws";
import { z } from "zod";
import { guardListener } from "../http/guard.ts";
import type { Access, Device } from "../access/contract.ts";
import type { SocketAbout } from "../http/contract.ts";
import type { Log } from "../log.ts";
import { readFrame } from "./client-frame.ts";
import type { CallFrame } from "./client-frame.ts";
import { mustBeAllowed } from "./must-be-allowed.ts";
import type { BridgeCommand, CommandLedger } from "./command-ledger.ts";
import { frameWriterOf } from "./frame-writer.ts";
import type { FrameWriter } from "./frame-writer.ts";
import { errorFrame, Refusal, refusalOf } from "../refusal.ts";
import { binaryFrameOf, frameOf } from "./wire-frame.ts";
import type { WireFrame } from "./wire-frame.ts";

/** A session that the client follows. It learns how much the client has received. */
export interface Following {
  acknowledged(length: number): void;
  /** The network has room again. */
  hasRoom(): void;
  pinged(): void;
  ponged(): void;
}
export const notificationText = <N extends Notification>(method: N, params: NotificationParams<N>): string =>
  JSON.stringify({ jsonrpc: "2.0", method, params });

/** Max characters on their way to a client. A client that is further behind gets the rest when it has caught up. */
export const WINDOW = 256 * 1024;
/** A client that sends more and more calls but reads nothing is closed. */
const MOST_BUFFERED = 32 * 1024 * 1024;
/** `readyState` of an open WebSocket. */
const OPEN = 1;
const MOST_CALLS = 100;
const MOST_BAD_FRAMES = 20;
const SILENT_MS = 15_000;

export interface ConnectionOwner {
  readonly access: Access;
  readonly commands: CommandLedger;
  readonly log: Log;
  readonly version: string;
  /** The answer to `initialize`, except for what differs per client. */
  readonly info: Omit<ServerInfo, "device" | "notice">;
  /** Why this method cannot start now, or undefined. */
  readonly refuses: (method: Method) => Refusal | undefined;
  readonly run: (method: Method, params: unknown, caller: Connection) => unknown;
  /** A call that changes nothing. Running it again is harmless, so its result is not recorded. */
  readonly onlyReads: (method: Method, params: unknown) => boolean;
  /** Called before a command is answered, so that the client sees its effect first. */
  readonly flush: () => void;
  readonly counted: (method: string, outcome: string) => void;
  readonly onReady: (connection: Connection) => void;
  readonly onGone: (connection: Connection) => void;
}

export class Connection {
  readonly #ws: WebSocket;
  readonly #write: FrameWriter;
  readonly #about: SocketAbout;
  readonly #owner: ConnectionOwner;
  readonly #nonce: string;
  #admitted: Device | undefined;
  #calls = 0;
  #bad = 0;
  #heardAt = performance.now();
  #pinged = false;
  #hasRoom = true;
  /** Followed sessions, by id. */
  readonly following = new Map<string, Following>();

  constructor(ws: WebSocket, about: SocketAbout, owner: ConnectionOwner) {
    this.#ws = ws;
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
    // Each ping gets an answer. A client that sends pings but reads nothing would fill the memory with answers.
    ws.on("ping", () => this.#closeIfUnread());
    const onDrain = (): void => {
      this.#hasRoom = true;
      for (const one of this.following.values()) one.hasRoom();
    };
    const socket = { destroy: () => ws.terminate() };
    this.#write = frameWriterOf(ws, guardListener(socket, "drain", owner.log, onDrain));
    ws.on("close", () => owner.onGone(this));
    ws.on("error", (error) => owner.log.debug("socket failed", { remote: about.remote, error: error.message }));
    const { access, version } = owner;
    this.tell("server/challenge", { bridge: BRIDGE_VERSION, serverId: access.serverId, nonce: this.#nonce, version });
  }

  /** The device as in the server's current record. */
  get device(): Device {
    const device = this.#admitted && this.#owner.access.device(this.#admitted.id);
    if (device === undefined) throw new Refusal("unauthenticated", "This device was removed.");
    return device;
  }

  /** The folders that the device is limited to. A removed device sees nothing. */
  get folders(): readonly string[] | undefined {
    const device = this.#admitted && this.#owner.access.device(this.#admitted.id);
    return device === undefined ? [] : device.folders;
  }

  /** The gateway of the device. */
  get via(): string | undefined {
    return this.#about.via;
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

  /** Whether the network has room. */
  get hasRoom(): boolean {
    return this.#hasRoom;
  }

  send(frame: WireFrame): void {
    if (this.#ws.readyState === OPEN) this.#hasRoom = this.#write(frame);
  }

  /** Answers cannot be dropped, unlike frames of a feed. */
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

  /** Sent as bytes, for a client that asked for them. */
  tellBytes(text: string): void {
    this.send(binaryFrameOf(text));
    this.#closeIfUnread();
  }

  /** Called every few seconds, to check that the client is still there. */
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

  /** Closes the socket, and waits a moment for the client's answer. */
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

  /**
   * The pong shows that everything sent before has arrived. Every client answers a ping, whether it acknowledges or
   * not.
   */
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
    // The socket is closing. A client that failed to authenticate gets no second try.
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

  /** A bug of ours closes this client's connection, and affects no other client. */
  #broke(what: string, error: unknown): void {
    this.#owner.log.error(`${what} failed`, { error: error instanceof Error ? error.stack : String(error) });
    this.close(1011, "Something went wrong in the server.");
  }

  /** Clients send acknowledgements very often, so these are parsed by hand. */
  #acknowledge(params: unknown): void {
    if (!isRecord(params)) return;
    const { session, bytes } = params as Partial<ParamsOf<"session/ack">>;
    if (typeof session !== "string" || typeof bytes !== "number") return;
    this.following.get(session)?.acknowledged(bytes);
  }

  #initialize(call: CallFrame): void {
    try {
      if (call.method !== "initialize") throw new Refusal("unauthenticated", "The first call must be `initialize`.");
      const params = parse("initialize", call.params);
      const device = this.#admit(params);
      this.#admitted = device;
      this.#about.admitted(device);
      const { id, name, role, folders } = device;
      const { info } = this.#owner;
      const roots = seesRoots(role) ? [...(folders ?? info.machine.roots)] : [];
      const machine = { ...info.machine, roots };
      const notice = params.bridge === BRIDGE_VERSION ? {} : { notice: differenceOf(params.bridge) };
      this.#result(call, { ...info, machine, device: { id, name, role }, ...notice });
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
    const { device: bearer, origin, remote, via } = this.#about;
    if (bearer !== undefined) {
      if (claim !== undefined)
        throw new Refusal("bad-request", "A program authenticates with its token only. Omit `device`.");
      return bearer;
    }
    if (claim === undefined)
      throw new Refusal("unauthenticated", "Sign the challenge with a device key, or send a bearer token.");
    const admission = this.#owner.access.authenticate({ ...claim, nonce: this.#nonce, origin, remote, via });
    if (!admission.ok) throw new Refusal(admission.code, admission.message);
    return admission.device;
  }

  async #answer(call: CallFrame): Promise<void> {
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

  #run({ method, params: given }: CallFrame): unknown {
    if (!isMethod(method))
      throw new Refusal("unknown-method", `The method ${quoted(method)} does not exist.`, { method });
    if (method === "initialize") throw new Refusal("bad-request", "This connection is already initialized.");
    const { device } = this;
    // First by the method alone: the parameters of a forbidden call are not parsed.
    mustBeAllowed(device, method);
    const params = parse(method, given);
    mustBeAllowed(device, method, params);
    const refused = this.#owner.refuses(method);
    if (refused !== undefined) throw refused;
    if (!isCommandParams(params) || this.#owner.onlyReads(method, params)) return this.#owner.run(method, params, this);
    return this.#owner.commands.once(device.sameAs ?? device.id, { method, params }, async () =>
      this.#owner.run(method, params, this),
    );
  }

  #result({ id }: CallFrame, result: unknown): void {
    this.#reply(JSON.stringify({ jsonrpc: "2.0", id, result }));
  }

  #failed({ id, method }: CallFrame, error: unknown): void {
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

const isCommandParams = (params: object): params is BridgeCommand["params"] => "commandId" in params;

const isCommand = ({ params }: CallFrame): boolean =>
  typeof params === "object" && params !== null && "commandId" in params;

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
