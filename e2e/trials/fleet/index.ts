// The trials of the fleet by name. The first ones share a world. A small run shares it for all.

import { loadavg } from "node:os";
import { freePort } from "@quarterdeck/test-kit/nats-server";
import type { Done, Line, Size } from "../outcome.ts";
import { archive } from "./archive.ts";
import { clocks, HOUR_MS, movedByUs, movedGateway } from "./clocks.ts";
import { killGateway, killMachine, killNats } from "./kills.ts";
import { cutOffGateways, linkOfBox, links, partition } from "./links.ts";
import { load } from "./load.ts";
import { listOfAll, many, modelNames } from "./many.ts";
import { matrix } from "./matrix.ts";
import { revoke, SPARES } from "./revoke.ts";
import { stopped } from "./stopped.ts";
import { largeRow, tunnel } from "./tunnel.ts";
import { versions } from "./versions.ts";
import { proxyWay } from "./ways.ts";
import { World } from "./world.ts";

type Trial = (world: World, size: Size) => Promise<Line[]>;

/** With a hub and the machines `box` and `mac`. */
const SHARED: Readonly<Record<string, Trial>> = {
  tunnel,
  "large-row": largeRow,
  "nats-killed": killNats,
  "gateway-killed": killGateway,
  "machine-killed": killMachine,
  "gateway-stopped": stopped,
  permissions: matrix,
  revoked: revoke,
  archive,
  versions,
};

/** Each makes machines of its own. */
const ALONE: Readonly<Record<string, (size: Size) => Promise<Line[]>>> = { links, partition, clocks, many, load };

export const TRIALS: readonly string[] = [...Object.keys(SHARED), ...Object.keys(ALONE)];

/** All of them with the same servers, except `load`. The link of `box` and of `mac` can be cut, and the clock of `mac` is an hour ahead. */
export const SMALL: Readonly<Record<string, Trial>> = {
  ...SHARED,
  links: linkOfBox,
  partition: (world, size) => cutOffGateways(world, ["mac"], size),
  clocks: movedGateway,
  many: listOfAll,
};

export const smallWorld = async (): Promise<World> => {
  const port = await freePort();
  const ways = new Map([
    ["box", await proxyWay(port)],
    ["mac", await proxyWay(port)],
  ]);
  const models = ["liar", "older", SPARES[0]!, ...modelNames(5)];
  return World.open({ machines: { box: {}, mac: movedByUs(HOUR_MS) }, models, port, ways });
};

export async function* runTrials(only: readonly string[], size: Size): AsyncGenerator<Done> {
  const isWanted = ([name]: readonly [string, unknown]): boolean => only.length === 0 || only.includes(name);
  const shared = Object.entries(size.isSmall ? SMALL : SHARED).filter(isWanted);
  const alone = Object.entries(size.isSmall ? { load } : ALONE).filter(isWanted);
  if (shared.length > 0) {
    const models = ["liar", "older", ...SPARES];
    const world = size.isSmall ? await smallWorld() : await World.open({ machines: { box: {}, mac: {} }, models });
    try {
      for (const [name, trial] of shared) yield await doneOf(name, () => trial(world, size));
    } finally {
      await world.close();
    }
  }
  for (const [name, trial] of alone) yield await doneOf(name, () => trial(size));
}

const doneOf = async (trial: string, run: () => Promise<Line[]>): Promise<Done> => {
  const [began, before] = [performance.now(), loadavg()[0]!];
  const lines = await run();
  return { trial, lines, seconds: (performance.now() - began) / 1000, load: [before, loadavg()[0]!] };
};
