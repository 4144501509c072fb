// This server in its fleet. As a machine, it lets in devices of others within what its owner allows. As a gateway, it introduces its own devices
// and pipes their connections. It never acts in its own name.

import { randomUUID } from "node:crypto";
import type { Duplex } from "node:stream";
import { FleetError, joinFleet, readJoinSubject, remembered } from "@quarterdeck/fleet";
import type { BusAnswer, BusMessage, FleetNode } from "@quarterdeck/fleet";
import { BRIDGE_VERSION, ROLES } from "@quarterdeck/session/bridge";
import { z } from "zod";
import { fleetHost } from "../http/gateway.ts";
import type { FleetDoor } from "../http/http-server.ts";
import type { Notifier } from "../notify/notifier.ts";
import { ServerError } from "../server-error.ts";
import type { FleetMemberOptions, FleetStatus } from "./contract.ts";
import {
  allowedFor,
  fleetPaths,
  foldersFor,
  readHub,
  readNode,
  readRoster,
  fleetStatusOf,
  writeNode,
  writeRoster,
} from "./fleet-files.ts";
import type { NodeFile, RosterFile } from "./fleet-files.ts";
import { EndNote, FleetNotes, Receivers, WaitingNotes } from "./fleet-notes.ts";
import { admitNode, removeNode, replaceKey, saveHub, signalNats } from "./hub.ts";
import { startNatsChild } from "./nats-child.ts";
import type { NatsChild } from "./nats-child.ts";

const RETRY_MS = 1000;
/** Smaller than the largest message of NATS. */
const MOST_INTRODUCTION_BYTES = 200 * 1024;

export interface RunningFleet {
  status(): FleetStatus;
  open(machine: string): Promise<Duplex>;
  /** Reads what others may do here. Returns false if this machine is in another fleet now, or has another key. */
  takeOver(): boolean;
  close(why: "stop" | "leave" | "again"): Promise<void>;
}

const Introduce = z.object({
  kind: z.literal("introduce"),
  rev: z.string().max(100),
  origins: z.array(z.string().max(300)).max(50),
  devices: z
    .array(
      z.object({
        id: z.string().min(1).max(100),
        name: z.string().max(100),
        role: z.enum(ROLES),
        publicKey: z.string().max(500),
      }),
    )
    .max(2000),
});
const Question = z.discriminatedUnion("kind", [
  Introduce,
  WaitingNotes,
  EndNote,
  Receivers,
  z.object({ kind: z.literal("time") }),
  z.object({ kind: z.literal("members") }),
  z.object({ kind: z.literal("leave") }),
  z.object({ kind: z.literal("rotate"), key: z.string().max(100) }),
]);
const Members = z.array(z.string());
const NOT_HUB = "This machine is not the hub.";
const Open = z.object({ rev: z.string().max(100) });

export const startFleet = async (
  options: FleetMemberOptions & {
    readonly arrive: (socket: Duplex, door: FleetDoor) => void;
    readonly notifier: Notifier;
    /** The status changed. */
    readonly onChange: () => void;
  },
): Promise<RunningFleet> => {
  const { dataDir, access, version, log, arrive, notifier, onChange } = options;
  const found = readNode(dataDir);
  if (found === undefined) throw new ServerError("This machine is not in a fleet.");
  let file: NodeFile = found;
  let node: FleetNode | undefined;
  let isRefused = false;
  let isClosed = false;
  let nats: NatsChild | undefined;
  const hub = readHub(dataDir);

  // As a machine.

  /** What each gateway introduced. */
  const gateways = new Map<string, { readonly said: z.output<typeof Introduce>; readonly door: FleetDoor }>();
  const introduce = (from: string, said: z.output<typeof Introduce>): BusAnswer => {
    const allowed = allowedFor(file, from);
    access.introduced.set(from, said.devices, allowed, foldersFor(file, from));
    if (allowed === undefined) return shut(from);
    const doors = {
      hosts: new Set([fleetHost(file.name)]),
      origins: new Set(said.origins),
      aliases: new Set<string>(),
      linkOrigin: "",
      refusesTokens: true,
    } as const;
    gateways.set(from, { said, door: { gateway: from, enter: access.enterAt(doors) } });
    return { ok: true };
  };
  const shut = (from: string): BusAnswer => {
    gateways.delete(from);
    const message = `${file.name} does not let devices of ${from} in. Its owner can: quarterdeck fleet allow ${from} ROLE`;
    return { ok: false, code: "refused", message };
  };
  const gone = (name: string): void => {
    gateways.delete(name);
    access.introduced.forget(name);
    introducedTo.delete(name);
  };
  const onOpen: Parameters<typeof joinFleet>[0]["onOpen"] = (from, about) => {
    if (allowedFor(file, from) === undefined) return shut(from);
    const asked = Open.safeParse(about);
    const gateway = gateways.get(from);
    if (!asked.success || gateway?.said.rev !== asked.data.rev)
      return { ok: false, code: "introduce", message: "Introduce your devices first." };
    return { ok: true, take: (socket) => arrive(socket, gateway.door) };
  };
  const onAsk = (from: string, question: unknown): BusAnswer => {
    const asked = Question.safeParse(question);
    if (!asked.success) return { ok: false, code: "refused", message: "This machine does not know the question." };
    switch (asked.data.kind) {
      case "introduce":
        return introduce(from, asked.data);
      case "waiting":
        return { ok: true, value: notes.heard(from, asked.data) };
      case "ended":
        notes.heardEnd(from, asked.data);
        return { ok: true };
      case "receivers":
        notes.receivers(from, asked.data);
        return { ok: true };
      case "members":
        return hub === undefined ? { ok: false, code: "refused", message: NOT_HUB } : { ok: true, value: members() };
      case "time":
        return { ok: true, value: Date.now() };
      case "leave":
      case "rotate":
        if (hub === undefined) return { ok: false, code: "refused", message: NOT_HUB };
        // NATS proves who asks. The answer goes first: the change ends the connection of the one who asked.
        queueMicrotask(() => void atHub(from, asked.data as HubWish));
        return { ok: true };
    }
  };
  type HubWish = { readonly kind: "leave" } | { readonly kind: "rotate"; readonly key: string };
  const atHub = async (from: string, wish: HubWish): Promise<void> => {
    try {
      await node?.bus.flush();
      if (wish.kind === "rotate") await replaceKey(dataDir, from, wish.key);
      else if (await removeNode(dataDir, from)) node?.forget(from);
    } catch (error) {
      log.error("fleet not changed", { by: from, error: (error as Error).message });
    }
  };
  const onJoin = async ({ subject, bytes, answer }: BusMessage): Promise<void> => {
    const codeId = readJoinSubject(subject);
    if (codeId === undefined || answer === undefined || bytes.length > 2000) return;
    let asked: unknown;
    try {
      asked = JSON.parse(new TextDecoder().decode(bytes));
    } catch {
      // `admitNode` refuses it.
    }
    const said = await admitNode(dataDir, codeId, asked);
    log.info("asked to join the fleet", { ok: said.ok, ...(!said.ok && { why: said.code }) });
    answer(new TextEncoder().encode(JSON.stringify(said)));
    if (!said.ok) return;
    await node?.bus.flush();
    signalNats(dataDir);
  };

  // As a gateway.

  let rev = randomUUID();
  const introducedTo = new Set<string>();
  const introduceTo = async (machine: string): Promise<void> => {
    const { origins, devices } = access.introductions();
    let size = 0;
    // The newest devices are last in the record.
    const fitting = devices
      .toReversed()
      .filter((device) => (size += JSON.stringify(device).length) < MOST_INTRODUCTION_BYTES);
    await mustBeUp().ask(machine, { kind: "introduce", rev, origins, devices: fitting });
    introducedTo.add(machine);
  };
  const stopListening = access.onDevices(() => {
    rev = randomUUID();
    for (const machine of introducedTo)
      introduceTo(machine).catch((error: unknown) =>
        log.warn("devices not introduced", { machine, error: (error as Error).message }),
      );
  });
  const mustBeUp = (): FleetNode => {
    if (node === undefined)
      throw isRefused
        ? new FleetError("not-accepted", "The fleet no longer accepts this machine.")
        : new FleetError("bus-down", "The NATS server of the fleet cannot be reached.");
    return node;
  };

  const notes = new FleetNotes({
    notifier,
    ask: async (gateway, question) => mustBeUp().ask(gateway, question),
    machines: () => [...(node?.roster.values() ?? [])],
    limitOf: (gateway) => {
      const allowed = allowedFor(file, gateway);
      const folders = foldersFor(file, gateway);
      return allowed && { allowed, ...(folders !== undefined && { folders }) };
    },
  });

  /** Only a memory of who was here. A command that leaves the fleet may remove its folder at the same time. */
  const remember = (roster: RosterFile): void => {
    try {
      writeRoster(dataDir, roster);
    } catch (error) {
      log.warn("machines of the fleet not saved", { error: (error as Error).message });
    }
  };
  const members = (): readonly string[] => Object.keys(readHub(dataDir)?.nodes ?? {});
  /** A machine that was revoked or left is not remembered as one that is away. */
  const forgetOthers = async (): Promise<void> => {
    const known = hub === undefined ? Members.parse(await mustBeUp().ask(file.hub, { kind: "members" })) : members();
    const others = [...(node?.roster.keys() ?? [])].filter((name) => !known.includes(name));
    if (others.length === 0) return;
    for (const name of others) node?.forget(name);
    remember([...(node?.roster.values() ?? [])]);
    onChange();
  };
  const lookForMembers = (): void => {
    forgetOthers().catch((error: unknown) => log.debug("members not known", { error: (error as Error).message }));
  };

  const dial = async (): Promise<void> => {
    const using = async (seed: string): Promise<FleetNode> =>
      joinFleet({
        name: file.name,
        url: file.url,
        seed,
        ...(file.certificate !== undefined && { certificate: file.certificate }),
        version,
        bridge: BRIDGE_VERSION,
        hub: file.hub,
        roster: remembered(readRoster(dataDir)),
        onRoster: (change) => {
          for (const name of change.gone) gone(name);
          remember([...change.roster.values()]);
          if (change.changed.some(({ state }) => state === "away")) lookForMembers();
          notes.touch();
          onChange();
        },
        onBus: onChange,
        onRefused: () => {
          isRefused = !isClosed;
          log.error("the fleet no longer accepts this machine");
          onChange();
        },
        onOpen,
        onAsk,
      });
    try {
      node = await using(file.seed);
    } catch (error) {
      if (!(error instanceof FleetError) || error.code !== "not-accepted" || file.nextSeed === undefined) throw error;
      // The hub took the new key, and its answer was lost.
      node = await using(file.nextSeed);
      const { nextSeed, ...rest } = file;
      file = { ...rest, seed: nextSeed };
      writeNode(dataDir, file);
    }
    if (hub !== undefined)
      node.bus.subscribe("qd.j.*", (message) => {
        onJoin(message).catch((error: unknown) => log.error("join failed", { error: (error as Error).message }));
      });
    log.info("fleet joined", { fleet: file.fleetName, node: file.name });
    notes.touch();
    lookForMembers();
    onChange();
  };
  let timer: NodeJS.Timeout | undefined;
  const keepDialing = async (): Promise<void> => {
    try {
      await dial();
      if (isClosed) await node?.close();
    } catch (error) {
      isRefused = error instanceof FleetError && error.code === "not-accepted";
      if (isRefused) log.error("the fleet does not accept this machine");
      if (!isClosed) timer = setTimeout(() => void keepDialing(), isRefused ? 30 * RETRY_MS : RETRY_MS).unref();
    }
  };

  if (hub?.program !== undefined) {
    saveHub(dataDir, hub);
    const { program, host, port } = hub;
    nats = await startNatsChild({ dataDir, program, config: fleetPaths(dataDir).config, host, port, log });
  }
  await keepDialing();

  return {
    status: () =>
      fleetStatusOf(
        file,
        hub !== undefined,
        isRefused ? "refused" : node?.bus.isUp === true ? "up" : "down",
        node?.roster ?? remembered(readRoster(dataDir)),
      ),
    async open(machine) {
      const at = mustBeUp();
      try {
        return await at.open(machine, { rev });
      } catch (error) {
        // An answer is lost when NATS reads its configuration at this moment. Opening again changes nothing else.
        if (!(error instanceof FleetError) || (error.code !== "introduce" && error.code !== "no-answer")) throw error;
        if (error.code === "introduce") await introduceTo(machine);
      }
      return at.open(machine, { rev });
    },
    takeOver() {
      const now = readNode(dataDir);
      if (now?.fleet !== file.fleet || now.name !== file.name || now.seed !== file.seed || now.url !== file.url)
        return false;
      const before = file;
      file = now;
      for (const [from, { said }] of gateways) {
        introduce(from, said);
        // An open connection may follow a session that is outside now.
        if (String(foldersFor(before, from)) !== String(foldersFor(file, from))) node?.reset(from);
      }
      notes.touch();
      lookForMembers();
      return !isRefused;
    },
    async close(why) {
      isClosed = true;
      clearTimeout(timer);
      stopListening();
      await notes.close(why);
      for (const name of gateways.keys()) gone(name);
      await node?.close();
      await nats?.close();
    },
  };
};
