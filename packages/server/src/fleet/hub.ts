// The hub: the machine that made the fleet. It keeps the list of nodes and codes, writes the configuration of `nats-server`, and answers
// machines that want to join.

import { randomBytes, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { encodeJoinCode, isNodeName, isPublicKey, natsConfig, newKey } from "@quarterdeck/fleet";
import { writePrivateFile } from "../access/private-file.ts";
import { isAlive } from "../running-server.ts";
import { ServerError } from "../server-error.ts";
import { fleetPaths, readHub, withFleetLock, writeHub } from "./fleet-files.ts";
import type { HubFile } from "./fleet-files.ts";

/** An old code is kept for a day, so that its user learns why it does not work. */
const KEPT_CODE_MS = 24 * 60 * 60_000;
const MOST_CODES = 50;
const MOST_NODES = 500;

const mustBeHub = (dataDir: string): HubFile => {
  const hub = readHub(dataDir);
  if (hub === undefined) throw new ServerError("This machine is not the hub of a fleet. Run the command on the hub.");
  return hub;
};

/** Saves the hub, and lets a running `nats-server` read its configuration again. */
export const saveHub = (dataDir: string, hub: HubFile): void => {
  writeHubAndConfig(dataDir, hub);
  signalNats(dataDir);
};

/**
 * NATS reads its configuration again. It forgets which requests may be answered then, so an answer must reach it
 * first.
 */
export const signalNats = (dataDir: string): void => {
  const running = natsPid(dataDir);
  if (running !== undefined) process.kill(running, "SIGHUP");
};

const writeHubAndConfig = (dataDir: string, hub: HubFile, now = Date.now()): void => {
  const kept = Object.entries(hub.codes).filter(([, { expiresAt }]) => expiresAt + KEPT_CODE_MS > now);
  const codes = Object.fromEntries(kept.slice(-MOST_CODES));
  writeHub(dataDir, { ...hub, codes });
  const { config, pid, log } = fleetPaths(dataDir);
  const keys = (of: Readonly<Record<string, { readonly key: string }>>) =>
    Object.fromEntries(Object.entries(of).map(([name, { key }]) => [name, key]));
  const text = natsConfig({
    host: hub.host,
    port: hub.port,
    ...(hub.tls !== undefined && { tls: hub.tls }),
    pidFile: pid,
    ...(hub.program !== undefined && { logFile: log }),
    hub: hub.name,
    nodes: keys(hub.nodes),
    codes: keys(codes),
    version: hub.natsVersion,
  });
  writePrivateFile(config, text);
};

/** The process of `nats-server`, if it runs. */
export const natsPid = (dataDir: string): number | undefined => {
  try {
    const pid = Number(readFileSync(fleetPaths(dataDir).pid, "utf8").trim());
    return Number.isSafeInteger(pid) && pid > 1 && isAlive(pid) && isNats(pid) ? pid : undefined;
  } catch {
    // It was never started.
    return undefined;
  }
};

/** A file of an earlier run may name a process of another program by now. Where nothing says so, the file is believed. */
const isNats = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${String(pid)}/comm`, "utf8").startsWith("nats");
  } catch {
    return true;
  }
};

export const makeCode = (
  dataDir: string,
  { lastsMs, name }: { readonly lastsMs: number; readonly name?: string },
): Promise<{ readonly text: string; readonly expiresAt: number }> =>
  withFleetLock(dataDir, () => {
    const hub = mustBeHub(dataDir);
    const [codeId, { seed, publicKey }] = [randomBytes(9).toString("base64url"), newKey()];
    const expiresAt = Date.now() + lastsMs;
    const code = { key: publicKey, expiresAt, ...(name !== undefined && { name }) };
    saveHub(dataDir, { ...hub, codes: { ...hub.codes, [codeId]: code } });
    const certificate = hub.tls && selfSigned(hub.tls.cert);
    const { fleet, fleetName, url } = hub;
    const more = certificate === undefined ? {} : { certificate };
    return { text: encodeJoinCode({ fleet, fleetName, url, codeId, seed, expiresAt, ...more }), expiresAt };
  });

/** The certificate itself, if nobody else vouches for it. */
export const selfSigned = (path: string): string | undefined => {
  const pem = readFileSync(path, "utf8");
  const { subject, issuer } = new X509Certificate(pem);
  return subject === issuer ? pem : undefined;
};

export type JoinAnswer =
  | { readonly ok: true; readonly hub: string }
  | { readonly ok: false; readonly code: JoinRefusal; readonly message: string };
export type JoinRefusal =
  | "code-unknown"
  | "code-used"
  | "code-old"
  | "name-taken"
  | "name-invalid"
  | "other-fleet"
  | "full";

const REFUSALS: Readonly<Record<JoinRefusal, string>> = {
  "code-unknown": "The fleet does not know this code. Ask for a new one: `quarterdeck fleet code` on the hub.",
  "code-used": "This code was used already. Each code lets one machine join: `quarterdeck fleet code` on the hub.",
  "code-old": "This code is too old. Ask for a new one: `quarterdeck fleet code` on the hub.",
  "name-taken": "Another machine of the fleet has this name. Choose another with --name.",
  "name-invalid": "A name has at most 32 small letters, digits and dashes.",
  "other-fleet": "This code is for another fleet than the one that answers at its address.",
  full: "The fleet has as many machines as it can have.",
};
const refused = (code: JoinRefusal, message = REFUSALS[code]): JoinAnswer => ({ ok: false, code, message });

/**
 * Decides about a machine that wants to join. A refused machine does not use up the code. The caller answers and then
 * calls `signalNats`.
 */
export const admitNode = (dataDir: string, codeId: string, asked: unknown): Promise<JoinAnswer> =>
  withFleetLock(dataDir, () => {
    const hub = mustBeHub(dataDir);
    const { fleet, name, key } = (typeof asked === "object" && asked !== null ? asked : {}) as Record<string, unknown>;
    const code = Object.hasOwn(hub.codes, codeId) ? hub.codes[codeId] : undefined;
    if (fleet !== hub.fleet) return refused("other-fleet");
    if (code === undefined) return refused("code-unknown");
    if (typeof name !== "string" || !isNodeName(name)) return refused("name-invalid");
    if (typeof key !== "string" || !isPublicKey(key)) return refused("code-unknown");
    // The machine asks again because the first answer was lost.
    if (code.usedBy === key && hub.nodes[name]?.key === key) return { ok: true, hub: hub.name };
    if (code.usedBy !== undefined) return refused("code-used");
    if (code.expiresAt <= Date.now()) return refused("code-old");
    if (code.name !== undefined && code.name !== name)
      return refused("name-invalid", `This code is for the machine ${code.name}. Use --name ${code.name}.`);
    if (Object.hasOwn(hub.nodes, name)) return refused("name-taken");
    if (Object.keys(hub.nodes).length >= MOST_NODES) return refused("full");
    writeHubAndConfig(dataDir, {
      ...hub,
      nodes: { ...hub.nodes, [name]: { key, joinedAt: Date.now() } },
      codes: { ...hub.codes, [codeId]: { ...code, usedBy: key } },
    });
    return { ok: true, hub: hub.name };
  });

/** Returns false if the node does not exist. It is out as soon as NATS has read its configuration. */
export const removeNode = (dataDir: string, name: string): Promise<boolean> =>
  withFleetLock(dataDir, () => {
    const hub = mustBeHub(dataDir);
    if (!Object.hasOwn(hub.nodes, name)) return false;
    if (name === hub.name)
      throw new ServerError("The hub cannot be revoked. `quarterdeck fleet leave` ends the fleet.");
    const { [name]: _gone, ...nodes } = hub.nodes;
    saveHub(dataDir, { ...hub, nodes });
    return true;
  });

export const replaceKey = (dataDir: string, name: string, key: string): Promise<boolean> =>
  withFleetLock(dataDir, () => {
    const hub = mustBeHub(dataDir);
    const node = Object.hasOwn(hub.nodes, name) ? hub.nodes[name] : undefined;
    if (node === undefined || !isPublicKey(key)) return false;
    if (node.key !== key) saveHub(dataDir, { ...hub, nodes: { ...hub.nodes, [name]: { ...node, key } } });
    return true;
  });
