// One machine on the bus: it says that it is here, knows who else is, opens virtual connections to others and accepts theirs. It does not
// know what the bytes mean, nor who may send them.

import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { openBus } from "./bus.ts";
import type { Bus, BusMessage } from "./bus.ts";
import { FleetError } from "./fleet-error.ts";
import type { FleetErrorCode } from "./fleet-error.ts";
import { decodeFrame, encodeFrame } from "./frames.ts";
import type { Frame } from "./frames.ts";
import { BEAT_MS, cutOff, EMPTY_ROSTER, forgotten, heard, lost, readPresence, ticked } from "./roster.ts";
import type { Presence, Roster, RosterChange } from "./roster.ts";
import {
  DISCONNECTS,
  inboxPrefix,
  presenceSubject,
  readPresenceSubject,
  readTunnelSubject,
  tunnelSubject,
} from "./subjects.ts";
import { BUS_DOWN, VirtualSocket } from "./virtual-socket.ts";

/** An absent machine is known at once; this is for one that hangs. */
const OPEN_MS = 1000;
const ASK_MS = 3000;
/** Open connections with one other node. */
const MOST_CONNECTIONS = 512;
const TICK_MS = 500;
const BYE_MS = 500;
/** The place of a connection in the subject of a question. Connections have longer names. */
const QUESTION = "ask";
/** The same for a check whether the node is there. Any answer counts. */
const LOOK = "look";

export type BusAnswer = { readonly ok: true; readonly value?: unknown } | Refused;
interface Refused {
  readonly ok: false;
  readonly code: "refused" | "introduce";
  readonly message: string;
}

export interface FleetNodeOptions {
  readonly name: string;
  readonly url: string;
  readonly seed: string;
  readonly certificate?: string;
  readonly version: string;
  readonly bridge: number;
  /** The node that reads from NATS that a connection ended, and tells the others. */
  readonly hub?: string;
  /** From the last run. */
  readonly roster?: Roster;
  readonly onRoster?: (change: RosterChange) => void;
  /** The bus went down or came back. */
  readonly onBus?: () => void;
  readonly onRefused?: () => void;
  /** Another node wants a connection. `about` is what it sent. `take` is called with the socket after an `ok`. */
  readonly onOpen: (from: string, about: unknown) => BusAnswer & { readonly take?: (socket: VirtualSocket) => void };
  /** Another node asks something. */
  readonly onAsk: (from: string, question: unknown) => BusAnswer;
}

export interface FleetNode {
  readonly name: string;
  readonly bus: Bus;
  readonly roster: Roster;
  /** Rejects with a `FleetError`. Nothing is queued for a machine that is away. */
  open(to: string, about: unknown): Promise<VirtualSocket>;
  ask(to: string, question: unknown): Promise<unknown>;
  forget(name: string): void;
  /** Ends all connections with this node. It may open new ones. */
  reset(name: string): void;
  close(): Promise<void>;
}

export const joinFleet = async (options: FleetNodeOptions): Promise<FleetNode> => {
  const { name, version, bridge } = options;
  let roster = options.roster ?? EMPTY_ROSTER;
  let incarnation = newId();
  /** By other node, then by connection. */
  const sockets = new Map<string, Map<string, VirtualSocket>>();
  let lastPort = 0;

  const endAll = (peer: string, why?: Error): void => {
    for (const socket of sockets.get(peer)?.values() ?? []) socket.destroy(why);
  };
  const apply = (change: RosterChange): void => {
    roster = change.roster;
    // It may only have been silent, so the other end is told. One that does not know the connection ignores it.
    for (const gone of change.gone) endAll(gone, new Error("The other machine is gone."));
    if (change.changed.length > 0) options.onRoster?.(change);
  };
  const tell = (kind: Presence["kind"]): void => {
    const presence: Presence = { kind, incarnation, version, bridge };
    bus.publish(presenceSubject(name), bytesOf(presence));
  };
  const make = (peer: string, connection: string): VirtualSocket => {
    const subject = tunnelSubject(name, peer, connection);
    const own = sockets.get(peer) ?? new Map<string, VirtualSocket>();
    const socket = new VirtualSocket({
      peer,
      port: ++lastPort,
      send: (frame) => bus.publish(subject, encodeFrame(frame)),
      onGone: () => {
        own.delete(connection);
        if (own.size === 0) sockets.delete(peer);
      },
    });
    // Everyone who uses the socket learns of its end by `close`. An error without a listener would end the process.
    socket.on("error", () => undefined);
    sockets.set(peer, own.set(connection, socket));
    return socket;
  };

  const onFrame = (from: string, connection: string, frame: Frame | undefined): void => {
    const socket = sockets.get(from)?.get(connection);
    if (socket !== undefined && frame !== undefined) socket.received(frame);
    else if (socket !== undefined) socket.destroy(new Error("The other machine sent an invalid frame."));
    else if (frame !== undefined && frame.type !== "reset")
      bus.publish(tunnelSubject(name, from, connection), encodeFrame({ type: "reset", reason: "unknown" }));
  };
  const onRequest = (from: string, connection: string, bytes: Uint8Array): BusAnswer => {
    if (from === name) return refused("A machine cannot reach itself through the fleet.");
    const value = jsonOf(bytes);
    if (connection === QUESTION) return options.onAsk(from, value);
    if (connection.length < 16 || sockets.get(from)?.has(connection) === true)
      return refused("This connection exists.");
    if ((sockets.get(from)?.size ?? 0) >= MOST_CONNECTIONS) return refused("Too many connections of this machine.");
    const { take, ...answer } = options.onOpen(from, value);
    if (answer.ok) take?.(make(from, connection));
    return answer;
  };
  const onTunnel = ({ subject, bytes, answer }: BusMessage): void => {
    const address = readTunnelSubject(subject);
    if (address === undefined || address.to !== name) return;
    if (answer === undefined) onFrame(address.from, address.connection, decodeFrame(bytes));
    else answer(bytesOf(onRequest(address.from, address.connection, bytes)));
  };
  const onPresence = ({ subject, bytes }: BusMessage): void => {
    const from = readPresenceSubject(subject);
    const presence = readPresence(bytes);
    if (from === undefined || from === name || presence === undefined) return;
    const { kind } = presence;
    apply(heard(roster, from, presence, Date.now()));
    // A node that has just come learns at once who is here.
    if (kind === "hello") tell("beat");
    if (kind === "look" && from === options.hub) lookForAll();
  };
  /** NATS answers at once for a node without a connection. One that hangs is found by its missing beats. */
  const look = async (at: string): Promise<void> => {
    const looked = roster.get(at)?.incarnation;
    try {
      await bus.request(tunnelSubject(name, at, LOOK), new Uint8Array(), OPEN_MS);
    } catch (error) {
      // The node may have started again meanwhile.
      const isSame = roster.get(at)?.incarnation === looked;
      if (isSame && error instanceof FleetError && error.code === "machine-away") apply(lost(roster, at, Date.now()));
    }
  };
  const lookForAll = (): void => {
    for (const { name: at, state } of roster.values()) if (state === "here") void look(at);
  };

  const bus = await openBus({
    url: options.url,
    seed: options.seed,
    inboxPrefix: inboxPrefix(name),
    ...(options.certificate !== undefined && { certificate: options.certificate }),
    onUp: () => {
      // Others may not have noticed the break. The new incarnation tells them that old connections are dead.
      incarnation = newId();
      tell("hello");
      options.onBus?.();
    },
    onDown: () => {
      for (const own of sockets.values()) for (const socket of own.values()) socket.cut(BUS_DOWN);
      apply(cutOff(roster, Date.now()));
      options.onBus?.();
    },
    ...(options.onRefused !== undefined && { onRefused: options.onRefused }),
  });
  bus.subscribe(`qd.f.*.${name}.*`, onTunnel);
  bus.subscribe("qd.p.*", onPresence);
  if (name === options.hub)
    bus.subscribe(DISCONNECTS, () => {
      tell("look");
      lookForAll();
    });
  tell("hello");
  let beatAt = Date.now();
  const timer = setInterval(() => {
    const now = Date.now();
    if (now - beatAt >= BEAT_MS) {
      beatAt = now;
      tell("beat");
    }
    apply(ticked(roster, now));
    // Nobody reports the end of the hub.
    if (options.hub !== undefined && roster.get(options.hub)?.state === "here") void look(options.hub);
  }, TICK_MS).unref();

  const request = async (to: string, connection: string, value: unknown, withinMs: number): Promise<unknown> => {
    const answer = jsonOf(await bus.request(tunnelSubject(name, to, connection), bytesOf(value), withinMs)) as
      | Partial<BusAnswer>
      | undefined;
    if (answer?.ok === true) return answer.value;
    // It comes from another machine, so nothing about it is sure.
    const { code, message } = (answer ?? {}) as { readonly code?: unknown; readonly message?: unknown };
    const known: FleetErrorCode = code === "introduce" ? "introduce" : "refused";
    const said =
      typeof message === "string" ? message.replaceAll(/\p{C}/gu, " ").slice(0, 500) : "The other machine refused.";
    throw new FleetError(known, said);
  };

  return {
    name,
    bus,
    get roster() {
      return roster;
    },
    async open(to, about) {
      const connection = newId();
      // Made first: the first bytes of the other side may arrive with its answer.
      const socket = make(to, connection);
      try {
        await request(to, connection, about, OPEN_MS);
      } catch (error) {
        socket.destroy();
        throw error;
      }
      if (socket.destroyed) throw new FleetError("machine-away", "The machine left while the connection was opened.");
      return socket;
    },
    ask: (to, question) => request(to, QUESTION, question, ASK_MS),
    forget: (gone) => {
      roster = forgotten(roster, gone);
    },
    reset: (peer) => endAll(peer),
    async close() {
      clearInterval(timer);
      for (const own of sockets.values()) for (const socket of own.values()) socket.destroy();
      tell("bye");
      // A server that does not answer must not hold up the end.
      if (bus.isUp) await Promise.race([bus.flush().catch(() => undefined), delay(BYE_MS, undefined, { ref: false })]);
      await bus.close();
    },
  };
};

const newId = (): string => randomBytes(15).toString("base64url");
const refused = (message: string): Refused => ({ ok: false, code: "refused", message });
const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value ?? null));
const jsonOf = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch {
    // Not JSON. The caller refuses undefined.
    return undefined;
  }
};
