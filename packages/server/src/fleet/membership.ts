// How a machine makes, joins and leaves a fleet. Each step checks everything first: a machine is in the fleet, or nothing is left of the
// attempt. Commands call this; the server then reads the files.

import { createPrivateKey, randomBytes, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, isIPv6 } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import {
  decodeJoinCode,
  FleetError,
  inboxPrefix,
  isBusUrl,
  isNodeName,
  joinInboxPrefix,
  joinSubject,
  newKey,
  OLDEST_NATS,
  openBus,
} from "@quarterdeck/fleet";
import type { Bus, JoinCode } from "@quarterdeck/fleet";
import { isLoopback } from "../access/through-proxy.ts";
import { ServerError } from "../server-error.ts";
import { ASK_MS, askHub, asNode, mustBeMember } from "./as-node.ts";
import { isInFleet, readHub, readNode, removeFleet, withFleetLock, writeNode } from "./fleet-files.ts";
import type { Allowed, HubFile, NodeFile } from "./fleet-files.ts";
import { natsPid, saveHub, selfSigned } from "./hub.ts";
import type { JoinAnswer } from "./hub.ts";
import { findNats, natsVersionOf, refuseOldNats } from "./nats-program.ts";

/** NATS needs a moment to read its configuration. */
const ACCEPT_MS = 10_000;

export interface FoundOptions {
  readonly dataDir: string;
  readonly fleetName: string;
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** The address for other machines, if it is not the one to listen on. */
  readonly reachAt?: string;
  readonly tls?: { readonly cert: string; readonly key: string };
  /** A path, or a name on the PATH. */
  readonly nats: string;
  readonly path: string | undefined;
  /** Somebody else runs `nats-server`. */
  readonly runsElsewhere: boolean;
  readonly oldestNats: string | undefined;
  readonly allowed: Allowed;
  readonly folders?: readonly string[] | undefined;
}

export const foundFleet = (options: FoundOptions): Promise<HubFile> =>
  withFleetLock(options.dataDir, async () => {
    const { dataDir, fleetName, name, host, port, tls } = options;
    refuseMember(dataDir);
    refuseName(name);
    if (tls === undefined && host !== "localhost" && !isLoopback(host))
      throw new ServerError(
        `Without TLS on ${host}, others on the network could read everything. Use --tls-cert and --tls-key, or listen on 127.0.0.1.`,
      );
    const program = findNats(options.nats, options.path);
    if (program === undefined && !options.runsElsewhere)
      throw new ServerError(
        "nats-server was not found. Install it (https://nats.io/download), or name it with --nats-server PATH.",
      );
    // One that runs in a container or on another machine is checked by those who join, and by `fleet doctor`.
    const natsVersion = program === undefined ? OLDEST_NATS : natsVersionOf(program);
    refuseOldNats(natsVersion, options.oldestNats);
    const certificate = tls && certificateOf(tls);
    const url = urlFor(options);
    if (!options.runsElsewhere) await mustBeFree(host, port);
    const fleet = randomBytes(9).toString("base64url");
    const { seed, publicKey } = newKey();
    const hub: HubFile = {
      version: 1,
      fleet,
      fleetName,
      name,
      host: host === "localhost" ? "127.0.0.1" : host,
      port,
      url,
      ...(tls !== undefined && { tls }),
      ...(!options.runsElsewhere && program !== undefined && { program }),
      natsVersion,
      nodes: { [name]: { key: publicKey, joinedAt: Date.now() } },
      codes: {},
    };
    try {
      saveHub(dataDir, hub);
      writeNode(dataDir, {
        version: 1,
        fleet,
        fleetName,
        name,
        hub: name,
        url,
        seed,
        ...(certificate !== undefined && { certificate }),
        allowed: {},
        allowedOthers: options.allowed,
        ...(options.folders !== undefined && { foldersOthers: [...options.folders] }),
        ...(options.oldestNats !== undefined && { oldestNats: options.oldestNats }),
      });
    } catch (error) {
      removeFleet(dataDir);
      throw error;
    }
    return hub;
  });

/** What other machines dial. It stands in each join code. */
const urlFor = ({ host, port, reachAt, tls }: FoundOptions): string => {
  const isEverywhere = host === "0.0.0.0" || host === "::";
  if (isEverywhere && reachAt === undefined)
    throw new ServerError(
      `${host} means all addresses of this machine. Name the one that other machines reach with --reach-at.`,
    );
  const shown = (reachAt ?? (host === "localhost" ? "127.0.0.1" : host)).toLowerCase();
  const url = `${tls === undefined ? "nats" : "tls"}://${isIPv6(shown) ? `[${shown}]` : shown}:${String(port)}`;
  if (isBusUrl(url)) return url;
  throw new ServerError(
    `“${shown}” is not a host name or an address. Use --reach-at without a port; --listen has the port.`,
  );
};

/** The certificate itself, if other machines must get it with the code. */
const certificateOf = ({ cert, key }: { readonly cert: string; readonly key: string }): string | undefined => {
  try {
    const isPair = new X509Certificate(readFileSync(cert)).checkPrivateKey(createPrivateKey(readFileSync(key)));
    if (isPair) return selfSigned(cert);
  } catch (error) {
    const why = (error as Error).message;
    throw new ServerError(
      `The certificate or its key cannot be used: ${why}. Name PEM files with --tls-cert and --tls-key.`,
    );
  }
  throw new ServerError("The key of --tls-key is not the key of the certificate of --tls-cert.");
};

/** `nats-server` would say so later, to nobody. */
const mustBeFree = async (host: string, port: number): Promise<void> => {
  const probe = createServer();
  const problem = await new Promise<string | undefined>((done) => {
    probe.once("error", ({ code }: NodeJS.ErrnoException) => done(code ?? "unknown"));
    probe.listen(port, host === "localhost" ? "127.0.0.1" : host, () => done(undefined));
  });
  await new Promise((done) => probe.close(done));
  if (problem === "EADDRINUSE")
    throw new ServerError(
      `Port ${String(port)} is in use by another program. Choose another with --listen ${host}:PORT, or use --own-nats if it is your nats-server.`,
    );
  if (problem !== undefined)
    throw new ServerError(
      `This machine cannot listen at ${host}:${String(port)} (${problem}). Name one of its addresses with --listen.`,
    );
};

export interface JoinOptions {
  readonly dataDir: string;
  readonly code: string;
  readonly name: string;
  readonly allowed: Allowed;
  readonly folders?: readonly string[] | undefined;
  readonly oldestNats: string | undefined;
}

/** Reads a code, and says what is wrong with it before anything is asked. */
export const readCode = (text: string): JoinCode => {
  const code = decodeJoinCode(text);
  if (code === "not-a-code") throw new ServerError("This is not a join code. It begins with qdf1-.");
  if (code === "broken") throw new ServerError("This join code is incomplete or was changed. Copy all of it.");
  return code;
};

export const joinWithCode = ({
  dataDir,
  code: text,
  name,
  allowed,
  folders,
  oldestNats,
}: JoinOptions): Promise<NodeFile> =>
  withFleetLock(dataDir, async () => {
    const code = readCode(text);
    refuseMember(dataDir);
    refuseName(name);
    const more = code.certificate === undefined ? {} : { certificate: code.certificate };
    const { seed, publicKey } = newKey();
    const bus = await dial(code.url, () =>
      openBus({ url: code.url, seed: code.seed, inboxPrefix: joinInboxPrefix(code.codeId), ...more }),
    );
    let answer: JoinAnswer;
    try {
      await refuseWeakBus(bus, oldestNats);
      answer = await askToJoin(bus, code, { fleet: code.fleet, name, key: publicKey });
    } finally {
      await bus.close();
    }
    if (!answer.ok) throw new ServerError(answer.message);
    await mustBeAccepted(code.url, { seed, inboxPrefix: inboxPrefix(name), ...more }, name);
    const node: NodeFile = {
      version: 1,
      fleet: code.fleet,
      fleetName: code.fleetName,
      name,
      hub: answer.hub,
      url: code.url,
      seed,
      ...more,
      allowed: {},
      allowedOthers: allowed,
      ...(folders !== undefined && { foldersOthers: [...folders] }),
      ...(oldestNats !== undefined && { oldestNats }),
    };
    writeNode(dataDir, node);
    return node;
  });

const askToJoin = async (bus: Bus, code: JoinCode, asked: object): Promise<JoinAnswer> => {
  try {
    const bytes = await bus.request(joinSubject(code.codeId), new TextEncoder().encode(JSON.stringify(asked)), ASK_MS);
    return JSON.parse(new TextDecoder().decode(bytes)) as JoinAnswer;
  } catch (error) {
    if (error instanceof FleetError && (error.code === "machine-away" || error.code === "no-answer"))
      throw new ServerError("The hub of the fleet does not answer. Start `quarterdeck` there, then try again.");
    throw error;
  }
};

const CERTIFICATE_ADVICE =
  "A new code has the certificate that the hub has now: `quarterdeck fleet code` there. If it is the same, another program answers at this address.";
const LOOPBACK_CODE =
  "The code names the machine that uses it, so it works only on the hub itself. Make the fleet again there with --listen, --tls-cert and --tls-key.";

const dial = async (url: string, open: () => Promise<Bus>): Promise<Bus> => {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof FleetError)) throw error;
    if (error.code === "not-accepted")
      throw new ServerError(
        `The NATS server at ${url} does not accept this code. It is for another fleet, or was withdrawn.`,
      );
    const isLocal = isLoopback(new URL(url).hostname);
    const advice =
      error.code === "wrong-certificate"
        ? CERTIFICATE_ADVICE
        : isLocal
          ? LOOPBACK_CODE
          : "Check that the hub runs and that this machine can reach it.";
    throw new ServerError(`${url}: ${error.message} ${advice}`);
  }
};

/** The hub has agreed, so NATS accepts the new key within a moment. */
const mustBeAccepted = async (
  url: string,
  about: Omit<Parameters<typeof openBus>[0], "url">,
  name: string,
): Promise<void> => {
  const until = Date.now() + ACCEPT_MS;
  for (;;) {
    try {
      await (await openBus({ url, ...about })).close();
      return;
    } catch (error) {
      if (!(error instanceof FleetError)) throw error;
      if (Date.now() > until)
        throw new ServerError(
          `The hub agreed, but NATS does not accept this machine. On the hub run \`quarterdeck fleet revoke ${name}\`, then try again.`,
        );
    }
    await delay(100);
  }
};

const refuseMember = (dataDir: string): void => {
  const node = isInFleet(dataDir) ? readNode(dataDir) : undefined;
  if (node !== undefined)
    throw new ServerError(
      `This machine is in the fleet “${node.fleetName}” as ${node.name}. Leave it first: quarterdeck fleet leave`,
    );
};
const refuseName = (name: string): void => {
  if (!isNodeName(name))
    throw new ServerError(
      `“${name}” cannot be the name of a machine. Use at most 32 small letters, digits and dashes.`,
    );
};
const refuseWeakBus = async (bus: Bus, accepted: string | undefined): Promise<void> => {
  const { version, isOpenToAll } = bus.server;
  if (isOpenToAll || (await bus.maySubscribe(">")))
    throw new ServerError(
      "This NATS server is open to all: everyone who reaches it can read everything. It cannot be used.",
    );
  refuseOldNats(version, accepted);
};

/** `wasTold`: the hub has removed this machine. Otherwise its owner has to revoke it. */
export const leaveFleet = async (
  dataDir: string,
  isSure: boolean,
): Promise<{ readonly node: NodeFile; readonly wasTold: boolean; readonly isEnd: boolean }> => {
  const node = mustBeMember(dataDir);
  const hub = readHub(dataDir);
  const others = Object.keys(hub?.nodes ?? {}).filter((name) => name !== node.name);
  if (hub !== undefined && others.length > 0 && !isSure)
    throw new ServerError(
      `This machine is the hub. Without it the fleet ends for ${others.join(", ")}. Use --end-fleet if you are sure.`,
    );
  let wasTold = hub !== undefined;
  if (hub === undefined)
    try {
      await asNode(node, (bus) => askHub(bus, node, { kind: "leave" }));
      wasTold = true;
    } catch (error) {
      // The fleet may be gone. Leaving must work then, too.
      if (!(error instanceof FleetError)) throw error;
      // It was revoked, so nothing is left to do at the hub.
      wasTold = error.code === "not-accepted";
    }
  await withFleetLock(dataDir, () => removeFleet(dataDir));
  return { node, wasTold, isEnd: hub !== undefined };
};

/** A new key for this machine. The old one does not work any more when this resolves. */
export const rotateKey = (dataDir: string): Promise<void> =>
  withFleetLock(dataDir, async () => {
    const node = mustBeMember(dataDir);
    const { seed, publicKey } = newKey();
    const hub = readHub(dataDir);
    if (hub === undefined) {
      // Kept before the hub is asked: if its answer is lost, the server tries both.
      writeNode(dataDir, { ...node, nextSeed: seed });
      await asNode(node, (bus) => askHub(bus, node, { kind: "rotate", key: publicKey }));
    } else {
      const own = hub.nodes[node.name]!;
      writeNode(dataDir, { ...node, nextSeed: seed });
      saveHub(dataDir, { ...hub, nodes: { ...hub.nodes, [node.name]: { ...own, key: publicKey } } });
    }
    if (hub === undefined || natsPid(dataDir) !== undefined) {
      const more = node.certificate === undefined ? {} : { certificate: node.certificate };
      await mustBeAccepted(node.url, { seed, inboxPrefix: inboxPrefix(node.name), ...more }, node.name);
    }
    const { nextSeed: _done, ...rest } = node;
    writeNode(dataDir, { ...rest, seed });
  });

/** Without `folders`, those of before stay. An empty list: all folders. */
export const allowMachine = (
  dataDir: string,
  name: string,
  allowed: Allowed,
  folders?: readonly string[],
): Promise<NodeFile> =>
  withFleetLock(dataDir, () => {
    const node = mustBeMember(dataDir);
    if (name !== "others") refuseName(name);
    const limit = folders === undefined ? undefined : [...folders];
    const changed: NodeFile =
      name === "others"
        ? { ...node, allowedOthers: allowed, ...(limit !== undefined && { foldersOthers: limit }) }
        : {
            ...node,
            allowed: { ...node.allowed, [name]: allowed },
            ...(limit !== undefined && { folders: { ...node.folders, [name]: limit } }),
          };
    writeNode(dataDir, changed);
    return changed;
  });
