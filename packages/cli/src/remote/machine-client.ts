// Clients of other machines of the fleet, through the server of this machine. Commands have a device of their own there, because a
// token does not work through the fleet. A command that cannot work says so before anything is sent.

import { request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";
import { text } from "node:stream/consumers";
import type { Client, ResultOf } from "@quarterdeck/client";
import { connect } from "@quarterdeck/client";
import { makeOwnDevice, readOwnDevice } from "@quarterdeck/server/fleet-device";
import type { OwnDevice } from "@quarterdeck/server/fleet-device";
import { readServerAddress } from "@quarterdeck/server/running-server";
import type { ServerAddress } from "@quarterdeck/server/running-server";
import { WebSocket } from "ws";
import { endCommand, needServer } from "../serve/local-client.ts";
import type { LocalClientOptions } from "../serve/local-client.ts";
import { UserError } from "../user-error.ts";

export type FleetStatus = NonNullable<ResultOf<"fleet/status">["fleet"]>;

/** The caller closes it. It may be this machine itself. */
export const openedOn = async (options: LocalClientOptions, machine: string): Promise<Client> => {
  const own = await needServer(options);
  try {
    const { fleet } = await own.call("fleet/status", {});
    if (fleet === undefined)
      throw new UserError("This machine is in no fleet. `quarterdeck fleet create` or `fleet join` changes that.");
    if (machine === fleet.node) return own;
    const client = await openedThrough(own, fleet, options, machine);
    own.close();
    return client;
  } catch (error) {
    own.close();
    throw error;
  }
};

/** A client of another machine. `own` is a client of this machine's server, and stays open. */
export const openedThrough = async (
  own: Client,
  fleet: FleetStatus,
  options: LocalClientOptions,
  machine: string,
): Promise<Client> => {
  mustBeHere(fleet, machine);
  const address = readServerAddress(options.dataDir);
  if (address === undefined) throw new UserError("No server is running. Start one with `quarterdeck serve`.");
  const device = await deviceOf(own, fleet, options.dataDir, address);
  const reached = await ask(address, `/m/${machine}/healthz`);
  if (reached.status !== 200) throw new UserError(messageIn(reached.body) ?? `${machine} does not answer.`);
  const client = connect({
    url: address.url,
    machine,
    credentials: { kind: "device", ...device },
    client: { name: "quarterdeck", version: options.version },
    onListenerError: endCommand,
    openSocket: (to, headers) => new WebSocket(to, { headers, ...tlsOf(address) }) as unknown as globalThis.WebSocket,
  });
  try {
    await cameIn(client, machine);
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
};

const mustBeHere = ({ machines, node, bus }: FleetStatus, name: string): void => {
  if (bus === "refused") throw new UserError("The fleet no longer accepts this machine. Its hub must send a new code.");
  const machine = machines.find((each) => each.name === name);
  if (machine === undefined) {
    const known = [node, ...machines.map((each) => each.name)].join(", ");
    throw new UserError(`The fleet has no machine ${name}. It has: ${known}.`);
  }
  if (bus === "down") throw new UserError("The NATS server of the fleet cannot be reached. Nothing was sent.");
  if (machine.state !== "here") throw new UserError(`${name} is ${stateText(machine)}. Nothing was sent.`);
};

export const stateText = ({ state, since }: Pick<FleetStatus["machines"][number], "state" | "since">): string =>
  state === "here"
    ? "here"
    : state === "away"
      ? `away since ${new Date(since).toISOString().slice(0, 16).replace("T", " ")}`
      : "not answering";

/** The device of earlier commands, if the server still knows it. */
const deviceOf = async (
  own: Client,
  { node }: FleetStatus,
  dataDir: string,
  address: ServerAddress,
): Promise<OwnDevice> => {
  const found = readOwnDevice(dataDir);
  if (found !== undefined) {
    const { devices } = await own.call("devices/list", {});
    if (devices.some(({ id }) => id === found.id)) return found;
  }
  return makeOwnDevice(dataDir, async (publicKey) => {
    const { code } = await own.command("devices/pair", { role: "admin" });
    const sent = JSON.stringify({ code, name: `Commands of ${node}`, publicKey });
    const { status, body } = await ask(address, "/pair", sent);
    const { device } = jsonOf(body) as { device?: { id?: string } };
    if (status !== 200 || device?.id === undefined)
      throw new UserError(`The server did not take the key of the command line: ${messageIn(body) ?? String(status)}`);
    return device.id;
  });
};

const cameIn = (client: Client, machine: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const look = (): void => {
      const { state } = client;
      if (state.status === "open") resolve();
      else if (state.status === "refused") reject(new UserError(`${machine} refused: ${state.reason}`));
      // The connection worked a moment ago, so one failure may be temporary.
      else if (state.status === "waiting" && state.attempt > 3)
        reject(new UserError(`${machine} does not answer: ${state.reason}`));
    };
    client.onState(look);
    look();
  });

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** `fetch` cannot trust the certificate of the server itself. */
const ask = (address: ServerAddress, path: string, body?: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const url = new URL(path, address.url);
    const send = url.protocol === "https:" ? tlsRequest : plainRequest;
    const headers = {
      origin: new URL(address.url).origin,
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const request = send(
      url,
      { method: body === undefined ? "GET" : "POST", headers, ...tlsOf(address) },
      (response) => {
        text(response).then((said) => resolve({ status: response.statusCode ?? 0, body: said }), reject);
      },
    );
    request.on("error", (error) =>
      reject(new UserError(`The server at ${address.url} does not answer: ${error.message}`)),
    );
    request.end(body);
  });

const tlsOf = ({ certificate }: ServerAddress) =>
  certificate === undefined
    ? {}
    : { ca: certificate, allowPartialTrustChain: true, checkServerIdentity: () => undefined };

const jsonOf = (body: string): object => {
  try {
    return (JSON.parse(body) as object | null) ?? {};
  } catch {
    // The answer does not come from Quarterdeck.
    return {};
  }
};
const messageIn = (body: string): string | undefined => {
  const { error } = jsonOf(body) as { error?: { message?: unknown } };
  return typeof error?.message === "string" ? error.message : undefined;
};
