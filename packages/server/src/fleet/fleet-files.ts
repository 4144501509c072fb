// What a machine keeps about its fleet, in a private folder of the data directory. `node.json`: who this machine is there, and what others
// may do here. `hub.json`, only on the hub: all nodes and codes. Commands and the server change them, so a change holds a lock.

import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Roster } from "@quarterdeck/fleet";
import { z } from "zod";
import { ROLES } from "@quarterdeck/session/bridge";
import type { Role } from "@quarterdeck/session/bridge";
import { makePrivateFolder, readPrivateFile, writePrivateFile } from "../access/private-file.ts";
import { isAlive } from "../running-server.ts";
import { ServerError } from "../server-error.ts";
import type { FleetStatus } from "./contract.ts";

const Allowed = z.enum([...ROLES, "none"]);
export type Allowed = z.output<typeof Allowed>;

const NodeFile = z.object({
  version: z.literal(1),
  fleet: z.string(),
  fleetName: z.string(),
  name: z.string(),
  url: z.string(),
  seed: z.string(),
  /** Set while the key is replaced, in case that the answer of the hub is lost. */
  nextSeed: z.string().optional(),
  hub: z.string(),
  certificate: z.string().optional(),
  /** What devices of a machine may do here, by its name. */
  allowed: z.record(z.string(), Allowed),
  /** The same for machines without an entry. */
  allowedOthers: Allowed,
  /** Only these folders, as real paths, by the name of a machine. An empty list: all folders. */
  folders: z.record(z.string(), z.array(z.string())).optional(),
  foldersOthers: z.array(z.string()).optional(),
  oldestNats: z.string().optional(),
});
export type NodeFile = z.output<typeof NodeFile>;

const HubFile = z.object({
  version: z.literal(1),
  fleet: z.string(),
  fleetName: z.string(),
  name: z.string(),
  host: z.string(),
  port: z.number(),
  /** The address for other machines. */
  url: z.string(),
  tls: z.object({ cert: z.string(), key: z.string() }).optional(),
  /** The program that the server starts. Absent: somebody else runs it. */
  program: z.string().optional(),
  natsVersion: z.string(),
  nodes: z.record(z.string(), z.object({ key: z.string(), joinedAt: z.number() })),
  codes: z.record(
    z.string(),
    z.object({ key: z.string(), expiresAt: z.number(), usedBy: z.string().optional(), name: z.string().optional() }),
  ),
});
export type HubFile = z.output<typeof HubFile>;

const RosterFile = z.array(
  z.object({
    name: z.string(),
    state: z.enum(["here", "not-answering", "away"]),
    since: z.number(),
    heardAt: z.number(),
    incarnation: z.string(),
    version: z.string(),
    bridge: z.number(),
  }),
);
export type RosterFile = z.output<typeof RosterFile>;

export const FLEET_FOLDER = "fleet";
const folderOf = (dataDir: string): string => join(dataDir, FLEET_FOLDER);
export const fleetPaths = (dataDir: string) => {
  const at = (name: string): string => join(folderOf(dataDir), name);
  return {
    node: at("node.json"),
    hub: at("hub.json"),
    roster: at("roster.json"),
    config: at("nats.conf"),
    pid: at("nats.pid"),
    log: at("nats.log"),
    device: at("device.json"),
  };
};

export const isInFleet = (dataDir: string): boolean => existsSync(fleetPaths(dataDir).node);

const read = <T>(path: string, shape: z.ZodType<T>): T | undefined => {
  const text = readPrivateFile(path);
  if (text === undefined) return undefined;
  try {
    return shape.parse(JSON.parse(text));
  } catch (error) {
    throw new ServerError(`${path} is damaged. Restore it, or leave the fleet with \`quarterdeck fleet leave\`.`, {
      cause: error,
    });
  }
};
const write = (path: string, value: unknown): void => writePrivateFile(path, `${JSON.stringify(value, null, 2)}\n`);

export const readNode = (dataDir: string): NodeFile | undefined => read(fleetPaths(dataDir).node, NodeFile);
export const readHub = (dataDir: string): HubFile | undefined => read(fleetPaths(dataDir).hub, HubFile);
export const readRoster = (dataDir: string): RosterFile => {
  try {
    return read(fleetPaths(dataDir).roster, RosterFile) ?? [];
  } catch {
    // Only a memory of who was here. It is written again.
    return [];
  }
};
export const writeNode = (dataDir: string, node: NodeFile): void => {
  makePrivateFolder(folderOf(dataDir));
  write(fleetPaths(dataDir).node, node);
};
export const writeHub = (dataDir: string, hub: HubFile): void => {
  makePrivateFolder(folderOf(dataDir));
  write(fleetPaths(dataDir).hub, hub);
};
export const writeRoster = (dataDir: string, roster: RosterFile): void => {
  // The machine may have left the fleet a moment ago.
  if (isInFleet(dataDir)) write(fleetPaths(dataDir).roster, roster);
};
/** Nothing of the fleet is left on this machine. */
export const removeFleet = (dataDir: string): void => rmSync(folderOf(dataDir), { recursive: true, force: true });

/** What devices of another machine may do here, or undefined for nothing. */
export const allowedFor = ({ allowed, allowedOthers }: NodeFile, gateway: string): Role | undefined => {
  const role = Object.hasOwn(allowed, gateway) ? allowed[gateway]! : allowedOthers;
  return role === "none" ? undefined : role;
};

/** The folders that devices of another machine may use here. Undefined: all. */
export const foldersFor = ({ folders = {}, foldersOthers = [] }: NodeFile, gateway: string): string[] | undefined => {
  const limited = Object.hasOwn(folders, gateway) ? folders[gateway]! : foldersOthers;
  return limited.length === 0 ? undefined : limited;
};

/** What the bridge says about the fleet. */
export const fleetStatusOf = (
  file: NodeFile,
  isHub: boolean,
  bus: FleetStatus["bus"],
  roster: Roster,
): FleetStatus => ({
  name: file.fleetName,
  node: file.name,
  isHub,
  bus,
  machines: [...roster.values()].map(({ name, state, since, version, bridge }) => {
    const allowed = allowedFor(file, name);
    const folders = foldersFor(file, name);
    const may = { ...(allowed !== undefined && { allowed }), ...(folders !== undefined && { folders }) };
    return { name, state, since, version, bridge, ...may };
  }),
});

const LOCK_MS = 10_000;

/** One change at a time, of the server and of commands. */
export const withFleetLock = async <T>(dataDir: string, change: () => T | Promise<T>): Promise<T> => {
  const path = `${folderOf(dataDir)}.lock`;
  mkdirSync(dataDir, { recursive: true });
  const until = Date.now() + LOCK_MS;
  while (!takeLock(path)) {
    if (Date.now() > until)
      throw new ServerError(`Another command changes the fleet at this moment. If not, remove ${path}.`);
    await delay(25);
  }
  try {
    return await change();
  } finally {
    rmSync(path, { force: true });
  }
};

const takeLock = (path: string): boolean => {
  try {
    const descriptor = openSync(path, "wx", 0o600);
    writeSync(descriptor, String(process.pid));
    closeSync(descriptor);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  // A killed command leaves its lock.
  if (!isAlive(pidIn(path))) rmSync(path, { force: true });
  return false;
};

const pidIn = (path: string): number => {
  try {
    return Number(readFileSync(path, "utf8")) || process.pid;
  } catch {
    // It was released a moment ago.
    return process.pid;
  }
};
