// `quarterdeck fleet`: changes the files of the fleet, and lets a running server read them.

import { realpathSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { BridgeError } from "@quarterdeck/client";
import { BRIDGE_VERSION, ROLES } from "@quarterdeck/session/bridge";
import type { ResultOf } from "@quarterdeck/session/bridge";
import {
  allowMachine,
  checkFleet,
  fleetPaths,
  foundFleet,
  joinWithCode,
  leaveFleet,
  makeCode,
  mustBeMember,
  nodeNameFrom,
  readCode,
  readHub,
  removeNode,
  rotateKey,
} from "@quarterdeck/server/fleet";
import type { Allowed, HubFile } from "@quarterdeck/server/fleet";
import { connectLocally } from "../serve/local-client.ts";
import { openKeyboard } from "../terminal/printer.ts";
import { jsonText } from "../terminal/terminal.ts";
import type { Paint } from "../terminal/terminal.ts";
import { UsageError, UserError } from "../user-error.ts";

export interface FleetCommandOptions {
  readonly action: string;
  readonly words: readonly string[];
  readonly flags: {
    readonly json?: boolean | undefined;
    readonly name?: string | undefined;
    readonly listen?: string | undefined;
    readonly "reach-at"?: string | undefined;
    readonly "tls-cert"?: string | undefined;
    readonly "tls-key"?: string | undefined;
    readonly "nats-server"?: string | undefined;
    readonly "own-nats"?: boolean | undefined;
    readonly "accept-nats"?: string | undefined;
    readonly allow?: string | undefined;
    readonly folder?: readonly string[] | undefined;
    readonly "all-folders"?: boolean | undefined;
    readonly minutes?: string | undefined;
    readonly for?: string | undefined;
    readonly into?: string | undefined;
    readonly "end-fleet"?: boolean | undefined;
  };
  readonly dataDir: string;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly interactive: boolean;
  readonly write: (text: string) => void;
  readonly paint: Paint;
}

const LASTS_MINUTES = 60;

export const runFleet = async (options: FleetCommandOptions): Promise<number> => {
  const steps: Readonly<Record<string, (options: FleetCommandOptions) => Promise<number>>> = {
    ls: list,
    create,
    code,
    join,
    allow,
    leave,
    revoke,
    rotate,
    doctor,
    archive,
  };
  return steps[options.action]!(options);
};

const create = async (options: FleetCommandOptions): Promise<number> => {
  const { flags, dataDir, env, write, paint } = options;
  const { host, port } = addressOf(flags.listen ?? "127.0.0.1:4222");
  const [cert, key] = [flags["tls-cert"], flags["tls-key"]];
  if ((cert === undefined) !== (key === undefined)) throw new UsageError("Use --tls-cert and --tls-key together.");
  const hub = await foundFleet({
    dataDir,
    fleetName: fleetName(options.words[0]!),
    name: ownName(options),
    host,
    port,
    ...(flags["reach-at"] !== undefined && { reachAt: flags["reach-at"] }),
    ...(cert !== undefined && key !== undefined && { tls: { cert: resolve(cert), key: resolve(key) } }),
    nats: flags["nats-server"] ?? "nats-server",
    path: env["PATH"],
    runsElsewhere: flags["own-nats"] === true,
    oldestNats: flags["accept-nats"],
    ...(await allowedOf(options)),
  });
  const bus = hub.program === undefined ? "none" : await startFleet(options);
  // NATS of somebody else may start later. A server that runs tries until it is there.
  if (hub.program === undefined) await reload(options);
  const made = await makeCode(dataDir, { lastsMs: LASTS_MINUTES * 60_000 });
  if (flags.json === true) {
    write(
      `${jsonText({ fleet: hub.fleetName, node: hub.name, url: hub.url, code: made.text, expiresAt: made.expiresAt, bus })}\n`,
    );
    return 0;
  }
  write(
    `The fleet ${paint("bold", hub.fleetName)} exists. This machine is ${paint("bold", hub.name)}, its hub, at ${hub.url}.\n`,
  );
  if (hub.program === undefined) write(ownNatsLines(dataDir, hub));
  else if (bus === undefined) write("Start the server with `quarterdeck serve`. It starts nats-server.\n");
  write(
    `\nOn another machine, within ${String(LASTS_MINUTES)} minutes, once:\n\n  quarterdeck fleet join ${made.text}\n`,
  );
  return 0;
};

/** A fleet whose NATS does not start is not left behind. */
const startFleet = async (options: FleetCommandOptions): Promise<string | undefined> => {
  try {
    return await reload(options);
  } catch (error) {
    await leaveFleet(options.dataDir, true);
    try {
      await reload(options);
    } catch {
      // The first error says what is wrong.
    }
    throw error;
  }
};

/** A line for a unit of systemd, and one for a container. */
const ownNatsLines = (dataDir: string, { port }: HubFile): string => {
  const { config } = fleetPaths(dataDir);
  return (
    `Run nats-server with its configuration. It must be able to read the file; send it SIGHUP when the file has changed.\n\n` +
    `  unit       ExecStart=nats-server -c ${config}\n             ExecReload=/bin/kill -HUP $MAINPID\n` +
    `  container  docker run -v ${config}:${config}:ro -p ${String(port)}:${String(port)} nats:2.12 -c ${config}\n\n` +
    "A server of Quarterdeck that runs connects by itself. Otherwise start it with `quarterdeck serve`.\n"
  );
};

const code = async ({ flags, dataDir, write }: FleetCommandOptions): Promise<number> => {
  const minutes = Number(flags.minutes ?? LASTS_MINUTES);
  if (!Number.isSafeInteger(minutes) || minutes < 1 || minutes > 24 * 60)
    throw new UsageError("--minutes needs 1 to 1440.");
  const made = await makeCode(dataDir, {
    lastsMs: minutes * 60_000,
    ...(flags.for !== undefined && { name: flags.for }),
  });
  write(flags.json === true ? `${jsonText({ code: made.text, expiresAt: made.expiresAt })}\n` : `${made.text}\n`);
  return 0;
};

const join = async (options: FleetCommandOptions): Promise<number> => {
  const { flags, dataDir, write, paint } = options;
  const text = options.words[0]!;
  // First what needs no answer of a person.
  const { fleetName: to } = readCode(text);
  const name = ownName(options);
  const node = await joinWithCode({
    dataDir,
    code: text,
    name,
    ...(await allowedOf(options, to)),
    oldestNats: flags["accept-nats"],
  });
  const bus = await reload(options);
  if (flags.json === true) {
    write(`${jsonText({ fleet: node.fleetName, node: node.name, hub: node.hub, allowed: node.allowedOthers, bus })}\n`);
    return 0;
  }
  write(`This machine is ${paint("bold", name)} in the fleet ${paint("bold", node.fleetName)}.\n`);
  write(
    `Devices of other machines may do here: ${node.allowedOthers}${whereText(node.foldersOthers ?? [])}. \`quarterdeck fleet allow NODE ROLE\` changes it.\n`,
  );
  if (bus === undefined) write("Start the server with `quarterdeck serve`. Then other machines see it.\n");
  return 0;
};

type Status = ResultOf<"fleet/status">["fleet"];

const list = async (options: FleetCommandOptions): Promise<number> => {
  const { flags, dataDir, write, paint } = options;
  const node = mustBeMember(dataDir);
  const client = await connectLocally(options);
  if (client === undefined) throw new UserError("No server is running. Start one with `quarterdeck serve`.");
  let status: Status;
  try {
    ({ fleet: status } = await client.call("fleet/status", {}));
    if (status === undefined) {
      await client.command("fleet/reload", {});
      ({ fleet: status } = await client.call("fleet/status", {}));
    }
  } catch (error) {
    throw error instanceof BridgeError ? new UserError(error.message) : error;
  } finally {
    client.close();
  }
  const known = Object.keys(readHub(dataDir)?.nodes ?? {}).filter((name) => name !== node.name);
  const machines = [...(status?.machines ?? [])].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const never = known.filter((name) => !machines.some((machine) => machine.name === name)).toSorted();
  if (flags.json === true) {
    write(`${jsonText({ ...status, never }, 2)}\n`);
    return 0;
  }
  const bus = { up: "connected", down: "the NATS server cannot be reached", refused: "this machine was revoked" }[
    status?.bus ?? "down"
  ];
  write(
    `${paint("bold", node.fleetName)}: this machine is ${node.name}${status?.isHub === true ? ", the hub" : ""}; ${bus}\n`,
  );
  const rows = [
    ...machines.map(({ name, state, since, version, allowed, folders }) => [
      name,
      state === "here" ? "here" : state === "away" ? `away since ${timeOf(since)}` : "not answering",
      version,
      allowed === undefined ? "may do nothing here" : `may ${allowed} here${whereText(folders ?? [])}`,
    ]),
    ...never.map((name) => [name, "never seen", "", ""]),
  ];
  const widths = [0, 1, 2].map((at) => Math.max(...rows.map((row) => row[at]!.length)));
  for (const row of rows)
    write(
      `  ${row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd()}\n`,
    );
  for (const { name, bridge } of machines)
    if (bridge !== BRIDGE_VERSION)
      write(
        `\n${name} runs ${bridge < BRIDGE_VERSION ? "an older" : "a newer"} Quarterdeck (bridge ${String(bridge)}, here ` +
          `${String(BRIDGE_VERSION)}). What both know works. Update ${bridge < BRIDGE_VERSION ? "it" : "this machine"}.\n`,
      );
  return 0;
};

const timeOf = (at: number): string => new Date(at).toISOString().slice(0, 16).replace("T", " ");

const allow = async (options: FleetCommandOptions): Promise<number> => {
  const [name = "", role = ""] = options.words;
  const allowed = roleNamed(role);
  const { folder, "all-folders": isAll } = options.flags;
  if (folder !== undefined && isAll === true) throw new UsageError("Use either --folder or --all-folders.");
  const given = isAll === true ? [] : foldersOf(folder);
  const changed = await allowMachine(options.dataDir, name, allowed, given);
  await reload(options);
  const folders = (name === "others" ? undefined : changed.folders?.[name]) ?? changed.foldersOthers ?? [];
  if (options.flags.json === true) options.write(`${jsonText({ node: name, allowed, folders })}\n`);
  else
    options.write(
      `Devices of ${name === "others" ? "other machines" : name} may do here: ${allowed}${whereText(folders)}.\n`,
    );
  return 0;
};

const leave = async (options: FleetCommandOptions): Promise<number> => {
  const { node, wasTold, isEnd } = await leaveFleet(options.dataDir, options.flags["end-fleet"] === true);
  await reload(options);
  if (options.flags.json === true) options.write(`${jsonText({ left: node.fleetName, wasTold })}\n`);
  else
    options.write(
      isEnd ? `The fleet ${node.fleetName} has ended.\n` : `This machine left the fleet ${node.fleetName}.\n`,
    );
  if (!wasTold && options.flags.json !== true)
    options.write(`The hub was not reached. Run there: quarterdeck fleet revoke ${node.name}\n`);
  return 0;
};

const revoke = async (options: FleetCommandOptions): Promise<number> => {
  const { words, flags, dataDir, write } = options;
  const name = words[0]!;
  if (!(await removeNode(dataDir, name)))
    throw new UserError(`The fleet has no machine ${name}. \`quarterdeck fleet ls\` shows all.`);
  await reload(options);
  write(
    flags.json === true
      ? `${jsonText({ revoked: name })}\n`
      : `Revoked ${name}. It is out, and can join again only with a new code.\n`,
  );
  return 0;
};

const rotate = async (options: FleetCommandOptions): Promise<number> => {
  await rotateKey(options.dataDir);
  await reload(options);
  options.write(
    options.flags.json === true
      ? `${jsonText({ rotated: true })}\n`
      : "This machine has a new key. The old one does not work any more.\n",
  );
  return 0;
};

const doctor = async ({ flags, dataDir, write, paint }: FleetCommandOptions): Promise<number> => {
  const checks = await checkFleet(dataDir);
  if (flags.json === true) write(`${jsonText(checks, 2)}\n`);
  else
    for (const { about, ok, text } of checks)
      write(`${paint(ok ? "green" : "red", ok ? "ok   " : "wrong")} ${about.padEnd(12)} ${text}\n`);
  return checks.every(({ ok }) => ok) ? 0 : 1;
};

const archive = async ({ words, flags, dataDir, version, write }: FleetCommandOptions): Promise<number> => {
  if (flags.into === undefined) throw new UsageError("fleet archive needs --into with the folder of the archive.");
  const { archiveMachines } = await import("./archive.ts");
  const done = await archiveMachines({ dataDir, version, machines: words, into: resolve(flags.into) });
  if (flags.json === true) write(`${jsonText(done)}\n`);
  else
    for (const { machine, sessions, facts, deleted } of done)
      write(
        `${machine}: ${counted(sessions, "session")}, ${counted(facts, "new fact")}, ${String(deleted)} deleted. ` +
          `Read them with: quarterdeck serve --data-dir ${flags.into}\n`,
      );
  return 0;
};

const counted = (count: number, what: string): string => `${String(count)} ${what}${count === 1 ? "" : "s"}`;

/** A running server reads the files. Undefined: no server runs. */
const reload = async (options: FleetCommandOptions): Promise<string | undefined> => {
  const client = await connectLocally(options);
  if (client === undefined) return undefined;
  try {
    return (await client.command("fleet/reload", {})).bus;
  } catch (error) {
    throw error instanceof BridgeError ? new UserError(error.message) : error;
  } finally {
    client.close();
  }
};

const ownName = ({ flags }: FleetCommandOptions): string => {
  const name = flags.name ?? nodeNameFrom(hostname());
  if (name === undefined) throw new UsageError("The host name cannot be used. Choose one with --name.");
  return name;
};

const fleetName = (text: string): string => {
  const name = text.replaceAll(/\p{C}/gu, " ").trim();
  if (name === "" || name.length > 60) throw new UsageError("The name of a fleet has 1 to 60 characters.");
  return name;
};

const addressOf = (text: string): { readonly host: string; readonly port: number } => {
  const found = /^(?:\[([0-9a-f:]+)\]|([a-z0-9.-]+)):(\d{1,5})$/u.exec(text);
  const port = Number(found?.[3]);
  if (found === null || port < 1 || port > 65_535)
    throw new UsageError("--listen needs an address and a port, such as 127.0.0.1:4222.");
  return { host: found[1] ?? found[2]!, port };
};

const CHOICES: readonly Allowed[] = [...ROLES, "none"];
const roleNamed = (text: string): Allowed => {
  const role = CHOICES.find((known) => known === text);
  if (role === undefined) throw new UsageError(`The role must be one of ${CHOICES.join(", ")}.`);
  return role;
};

const whereText = (folders: readonly string[]): string => (folders.length === 0 ? "" : ` in ${folders.join(", ")}`);

/** Real paths, because links may lead elsewhere later. */
const foldersOf = (given: readonly string[] | undefined): string[] | undefined =>
  given?.map((path) => {
    try {
      const real = realpathSync(path);
      if (statSync(real).isDirectory()) return real;
    } catch {
      // Reported below.
    }
    throw new UserError(`${path} is not a folder of this machine.`);
  });

/** The owner decides. A script names it. */
const allowedOf = async (
  { flags, interactive }: FleetCommandOptions,
  fleet?: string,
): Promise<{ readonly allowed: Allowed; readonly folders: readonly string[] | undefined }> => {
  const named = foldersOf(flags.folder);
  if (flags.allow !== undefined) return { allowed: roleNamed(flags.allow), folders: named };
  if (!interactive)
    throw new UsageError(`Say what devices of other machines may do here: --allow ${CHOICES.join("|")}.`);
  const keyboard = openKeyboard();
  try {
    keyboard.show(
      `What may devices of other machines${fleet === undefined ? "" : ` of ${fleet}`} do on this machine?\n` +
        "  view: read sessions · answer: also answer requests · operate: also start and steer sessions\n" +
        "  admin: everything except devices and the fleet · none: nothing\n",
    );
    const allowed = roleNamed((await keyboard.ask("Role (none): ")).trim() || "none");
    if (allowed === "none" || named !== undefined) return { allowed, folders: named };
    const typed = (await keyboard.ask("Only in these folders, with a comma between them (all): ")).trim();
    return { allowed, folders: typed === "" ? undefined : foldersOf(typed.split(",").map((path) => path.trim())) };
  } finally {
    keyboard.close();
  }
};
