// The trials of the fleet by name. Those of one world share its servers, in this order.

import { loadavg } from "node:os";
import type { Done, Line, Size } from "../outcome.ts";
import { archive } from "./archive.ts";
import { clocks } from "./clocks.ts";
import { killGateway, killMachine, killNats } from "./kills.ts";
import { links, partition } from "./links.ts";
import { load } from "./load.ts";
import { many } from "./many.ts";
import { matrix } from "./matrix.ts";
import { revoke, SPARES } from "./revoke.ts";
import { stopped } from "./stopped.ts";
import { largeRow, tunnel } from "./tunnel.ts";
import { versions } from "./versions.ts";
import { World } from "./world.ts";

type Trial = (world: World, size: Size) => Promise<Line[]>;

/** With a hub and the machines `box` and `mac`. */
export const SHARED: Readonly<Record<string, Trial>> = {
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
export const ALONE: Readonly<Record<string, (size: Size) => Promise<Line[]>>> = {
  links,
  partition,
  clocks,
  many,
  load,
};

export const TRIALS: readonly string[] = [...Object.keys(SHARED), ...Object.keys(ALONE)];

export async function* runTrials(only: readonly string[], size: Size): AsyncGenerator<Done> {
  const wanted = (name: string): boolean => only.length === 0 || only.includes(name);
  const shared = Object.entries(SHARED).filter(([name]) => wanted(name));
  if (shared.length > 0) {
    const world = await World.open({ machines: { box: {}, mac: {} }, models: ["liar", "older", ...SPARES] });
    try {
      for (const [name, trial] of shared) yield await doneOf(name, () => trial(world, size));
    } finally {
      await world.close();
    }
  }
  for (const [name, trial] of Object.entries(ALONE)) if (wanted(name)) yield await doneOf(name, () => trial(size));
}

const doneOf = async (trial: string, run: () => Promise<Line[]>): Promise<Done> => {
  const [began, before] = [performance.now(), loadavg()[0]!];
  const lines = await run();
  return { trial, lines, seconds: (performance.now() - began) / 1000, load: [before, loadavg()[0]!] };
};
