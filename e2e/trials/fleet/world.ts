// A fleet of real machines for trials: a real NATS server that the trial can kill, real servers, and devices that are paired with the
// gateways. NATS is run by the trial (`--own-nats`), so that its end and its start have a known moment.

import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { BridgeError, connectFleet } from "@quarterdeck/client";
import type { Client, DeviceCredentials, Fleet } from "@quarterdeck/client";
import { joinFleet, newKey } from "@quarterdeck/fleet";
import type { FleetNode, FleetNodeOptions } from "@quarterdeck/fleet";
import { fleetPaths, foundFleet, joinWithCode, makeCode } from "@quarterdeck/server/fleet";
import type { Allowed } from "@quarterdeck/server/fleet";
import type { Scenario } from "@quarterdeck/simulator";
import { BRIDGE_VERSION } from "@quarterdeck/session/bridge";
import type { Role } from "@quarterdeck/session/bridge";
import { browserKey } from "@quarterdeck/test-kit/browser-key";
import type { BrowserKey } from "@quarterdeck/test-kit/browser-key";
import { freePort, natsProgram, startNats } from "@quarterdeck/test-kit/nats-server";
import type { RunningNats } from "@quarterdeck/test-kit/nats-server";
import { shortOf } from "../outcome.ts";
import { makePlace } from "../../bridge/server-process.ts";
import { Machine } from "../../fleet/machines.ts";
import type { Around } from "../../fleet/machines.ts";
import type { Way } from "./ways.ts";

const SCENARIO: Scenario = {
  name: "trial",
  scripts: [
    { when: "stream", steps: [{ say: [{ text: "word ".repeat(600_000) }], pace: { deltaMs: 10, deltaChars: 25 } }] },
    { when: "large row", steps: [{ say: [{ text: "word ".repeat(1_677_722) }] }] },
    { when: "small row", steps: [{ say: [{ text: "word ".repeat(100_000) }], pace: { deltaChars: 50_000 } }] },
  ],
  otherwise: [{ say: [{ text: "Done." }] }],
};

export interface WorldOptions {
  /** Besides the hub, by name. */
  readonly machines: Readonly<Record<string, Around>>;
  /** Nodes of the fleet without a machine. The trial has their keys. */
  readonly models?: readonly string[];
  /** Called before a machine is started, for example to fill its store. */
  readonly prepare?: (name: string, machine: Machine) => Promise<void> | void;
  /** Where NATS listens. A way must know the port before. */
  readonly natsHost?: string;
  readonly port?: number;
  /** How machines reach NATS, by name. They end with the world. */
  readonly ways?: ReadonlyMap<string, Way>;
  /** The program that `box` runs as `claude`. */
  readonly claude?: string;
  /** The machines join by the command, as a person types it. */
  readonly byCommand?: boolean;
}

export class World {
  readonly machines: ReadonlyMap<string, Machine>;
  readonly port: number;
  /** Secret keys of the models. */
  readonly seeds: Readonly<Record<string, string>>;
  readonly ways: ReadonlyMap<string, Way>;
  readonly #config: string;
  #nats: RunningNats;
  readonly #closing: (() => unknown)[] = [];

  private constructor(
    machines: ReadonlyMap<string, Machine>,
    port: number,
    seeds: Readonly<Record<string, string>>,
    ways: ReadonlyMap<string, Way>,
    config: string,
    nats: RunningNats,
  ) {
    this.machines = machines;
    this.port = port;
    this.seeds = seeds;
    this.ways = ways;
    this.#config = config;
    this.#nats = nats;
  }

  static async open(options: WorldOptions): Promise<World> {
    const {
      machines,
      models = [],
      prepare,
      natsHost = "127.0.0.1",
      claude,
      byCommand = false,
      ways = new Map(),
    } = options;
    const port = options.port ?? (await freePort());
    const { command, version } = natsProgram();
    const all = new Map(
      Object.entries({ hub: {}, ...machines }).map(([name, around]) => {
        const place = makePlace(SCENARIO);
        const own = claude !== undefined && name === "box" ? { ...place, claude } : place;
        return [name, new Machine(own, around)];
      }),
    );
    const hub = all.get("hub")!;
    const { dataDir } = hub.place;
    await foundFleet({
      dataDir,
      fleetName: "Trial",
      name: "hub",
      host: "127.0.0.1",
      port,
      nats: command,
      path: undefined,
      runsElsewhere: true,
      oldestNats: version,
      allowed: "admin",
    });
    const keys = Object.fromEntries(models.map((name) => [name, newKey()]));
    const { hub: hubFile, config } = fleetPaths(dataDir);
    const record = JSON.parse(readFileSync(hubFile, "utf8")) as { host: string; nodes: Record<string, object> };
    for (const [name, { publicKey }] of Object.entries(keys)) record.nodes[name] = { key: publicKey, joinedAt: 1 };
    writeFileSync(hubFile, JSON.stringify({ ...record, host: natsHost }));
    const codes = new Map<string, string>();
    for (const name of Object.keys(machines)) codes.set(name, (await makeCode(dataDir, { lastsMs: 600_000 })).text);
    if (codes.size === 0) await makeCode(dataDir, { lastsMs: 600_000 });
    const seeds = Object.fromEntries(Object.entries(keys).map(([name, { seed }]) => [name, seed]));
    const world = new World(all, port, seeds, ways, config, await startNats(config, port));
    try {
      await prepare?.("hub", hub);
      await hub.start();
      for (const [name, code] of codes) {
        const machine = all.get(name)!;
        const more = { name, allowed: "admin" as Allowed, folders: undefined, oldestNats: version };
        if (byCommand) await machine.join(code, name, "admin");
        else await joinWithCode({ dataDir: machine.place.dataDir, code, ...more });
        ways.get(name)?.lead(machine);
        await prepare?.(name, machine);
        await machine.start();
      }
      for (const name of codes.keys()) await until(async () => (await world.states("hub"))[name] === "here");
    } catch (error) {
      await world.close();
      throw error;
    }
    return world;
  }

  get url(): string {
    return `nats://127.0.0.1:${String(this.port)}`;
  }
  get nats(): RunningNats {
    return this.#nats;
  }

  machine(name: string): Machine {
    return this.machines.get(name)!;
  }

  async killNats(): Promise<void> {
    await this.#nats.kill();
  }
  /** Returns when it listens. */
  async startNats(): Promise<void> {
    this.#nats = await startNats(this.#config, this.port);
  }

  /** A device with one key at several gateways, as a person has who paired a phone with each. */
  async device(gateways: readonly string[], role: Role = "admin"): Promise<Person> {
    const key = await browserKey();
    const devices = new Map<string, DeviceCredentials>();
    for (const name of gateways) devices.set(name, await this.machine(name).pair(role, key));
    return { key, devices };
  }

  /** What a page does: a client of the gateway, and through it clients of the others. */
  fleet(gateway: string, { devices }: Person): Fleet {
    const fleet = connectFleet({
      url: this.machine(gateway).server!.url,
      credentials: devices.get(gateway)!,
      client: { name: "trial", version: "1" },
      openSocket: (url, headers) => new WebSocket(url, { headers } as never),
    });
    this.#closing.push(() => fleet.close());
    return fleet;
  }

  /** A program on the machine itself. */
  admin(name: string): Client {
    const client = this.machine(name).admin();
    this.#closing.push(() => client.close());
    return client;
  }

  /** One of the models, on the bus. It lets nobody in. */
  model(name: string, more: Partial<FleetNodeOptions> = {}): Promise<FleetNode> {
    const refuse = () => ({ ok: false, code: "refused", message: "Not here." }) as const;
    const about = { name, url: this.url, seed: this.seeds[name]!, version: "1", bridge: BRIDGE_VERSION };
    return joinFleet({ ...about, onOpen: refuse, onAsk: refuse, ...more });
  }

  /** How a machine sees the others. */
  async states(by: string): Promise<Readonly<Record<string, string>>> {
    const admin = this.machine(by).admin();
    try {
      const { fleet } = await admin.call("fleet/status", {});
      return Object.fromEntries((fleet?.machines ?? []).map(({ name, state }) => [name, state]));
    } finally {
      admin.close();
    }
  }

  /** Called before everything ends. */
  onClose(step: () => unknown): void {
    this.#closing.push(step);
  }

  async close(): Promise<void> {
    for (const step of this.#closing.splice(0).toReversed()) await step();
    await Promise.all([...this.machines.values()].map((machine) => machine.close()));
    await this.#nats.kill();
    for (const way of this.ways.values()) way.remove();
  }
}

/** Opens a world for one trial, and ends it. */
export const inWorld = async <T>(options: WorldOptions, use: (world: World) => Promise<T>): Promise<T> => {
  let world: World;
  try {
    world = await World.open(options);
  } catch (error) {
    for (const way of options.ways?.values() ?? []) way.remove();
    throw error;
  }
  try {
    return await use(world);
  } finally {
    await world.close();
  }
};

export interface Person {
  readonly key: BrowserKey;
  readonly devices: ReadonlyMap<string, DeviceCredentials>;
}

/** Looks often. The trial ends with an error if it never becomes true. */
export const until = async (isSo: () => boolean | Promise<boolean>, withinMs = 60_000): Promise<number> => {
  const began = performance.now();
  for (let asked = began; !(await isSo()); asked = performance.now()) {
    if (asked - began > withinMs) throw new Error(`Not within ${String(withinMs)} ms: ${isSo.toString()}`);
    // A question that costs much is asked less often.
    await delay(Math.max(2, 3 * (performance.now() - asked)));
  }
  return performance.now() - began;
};

const AGAIN = new Set(["machine-away", "disconnected", "shutting-down", "not-found"]);
/** Errors of the way. The same command may be sent again with its id. */
export const isOfTheWay = (error: unknown): boolean => error instanceof BridgeError && AGAIN.has(error.code);

/** Repeats a call until the other machine answers. Returns the milliseconds that it took. */
export const untilDone = async (call: () => Promise<unknown>, withinMs = 120_000): Promise<number> => {
  const began = performance.now();
  for (;;) {
    try {
      await call();
      return performance.now() - began;
    } catch (error) {
      if (!isOfTheWay(error) || performance.now() - began > withinMs) throw error;
      await delay(5);
    }
  }
};

export const startSession = async (client: Client, cwd: string): Promise<string> => {
  const commandId = randomUUID();
  await untilDone(() => client.command("sessions/start", { commandId, cwd }));
  return commandId;
};

/** Milliseconds of calls, one after the other. */
export const pings = async (client: Client, times: number, pauseMs = 0): Promise<number[]> => {
  const all: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const began = performance.now();
    await client.call("ping", {});
    all.push(performance.now() - began);
    if (pauseMs > 0) await delay(pauseMs);
  }
  return all;
};

export const shortOfMs = (ms: number): string => `${shortOf(ms)} ms`;

export const scratch = (): string => mkdtempSync(join(tmpdir(), "quarterdeck-trial-"));
export const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });

const TICKS_A_SECOND = 100;
/** CPU milliseconds and resident bytes of a process. NaN where the system does not tell. */
export const usageOf = (pid: number): { readonly cpuMs: number; readonly residentBytes: number } => {
  const [stat, status] = [`/proc/${String(pid)}/stat`, `/proc/${String(pid)}/status`];
  if (!existsSync(stat)) return { cpuMs: Number.NaN, residentBytes: Number.NaN };
  const fields = readFileSync(stat, "utf8").split(") ")[1]!.split(" ");
  const ticks = Number(fields[11]) + Number(fields[12]);
  const resident = /VmRSS:\s+(\d+) kB/u.exec(readFileSync(status, "utf8"))?.[1];
  return { cpuMs: (ticks * 1000) / TICKS_A_SECOND, residentBytes: Number(resident) * 1024 };
};
