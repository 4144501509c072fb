// This machine as a node of its fleet, for one question of a command.

import { FleetError, inboxPrefix, openBus } from "@quarterdeck/fleet";
import type { Bus } from "@quarterdeck/fleet";
import { ServerError } from "../server-error.ts";
import { isInFleet, readNode } from "./fleet-files.ts";
import type { NodeFile } from "./fleet-files.ts";

export const ASK_MS = 5000;

export const mustBeMember = (dataDir: string): NodeFile => {
  const node = isInFleet(dataDir) ? readNode(dataDir) : undefined;
  if (node === undefined)
    throw new ServerError(
      "This machine is in no fleet. Use `quarterdeck fleet create` or `quarterdeck fleet join CODE`.",
    );
  return node;
};

/** Connects as this machine's own user of NATS. */
export const asNode = async <T>(node: NodeFile, use: (bus: Bus) => Promise<T>): Promise<T> => {
  const more = node.certificate === undefined ? {} : { certificate: node.certificate };
  const bus = await openBus({ url: node.url, seed: node.seed, inboxPrefix: inboxPrefix(node.name), ...more });
  try {
    return await use(bus);
  } finally {
    await bus.close();
  }
};
export const askHub = async (bus: Bus, node: NodeFile, question: object): Promise<unknown> => {
  const subject = `qd.f.${node.name}.${node.hub}.ask`;
  const bytes = await bus.request(subject, new TextEncoder().encode(JSON.stringify(question)), ASK_MS);
  const answer = JSON.parse(new TextDecoder().decode(bytes)) as { readonly ok?: unknown; readonly value?: unknown };
  if (answer.ok !== true) throw new FleetError("refused", "The hub refused.");
  return answer.value;
};
