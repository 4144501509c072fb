// `kill -9` of each part, in the middle of commands: NATS, a gateway, a machine. Each command must happen once, and the way must be
// open again soon after the part is up.

import { setTimeout as delay } from "node:timers/promises";
import { atMost, count, quantile } from "../outcome.ts";
import type { Line, Size } from "../outcome.ts";
import { Commands } from "./commands.ts";
import { untilDone } from "./world.ts";
import type { World } from "./world.ts";

const OPEN_AGAIN_MS = 2000;

interface Kills {
  readonly what: string;
  readonly kills: number;
  /** Sent before each kill, without waiting. */
  readonly commands: number;
  /** Clients of the machine. With two, each second command goes through both. */
  readonly clients: () => ReturnType<typeof clientOf>[];
  readonly kill: () => Promise<void>;
  /** Resolves when it listens. */
  readonly start: () => Promise<void>;
  /** A new page for each kill: one that lost its server many times a minute tries less and less often. */
  readonly isNewPage?: boolean;
  readonly reachesCli: boolean;
}

const clientOf = (world: World, gateway: string, person: Awaited<ReturnType<World["device"]>>) => {
  const fleet = world.fleet(gateway, person);
  return { fleet, client: fleet.machine("box") };
};

const killed = async (world: World, size: Size, about: Kills): Promise<Line[]> => {
  const commands = new Commands(world, "box");
  const opened: number[] = [];
  const until = performance.now() + size.limitMs;
  let clients = about.clients();
  let kills = 0;
  for (; kills < about.kills && performance.now() < until; kills += 1) {
    if (about.isNewPage === true && kills > 0) {
      for (const { fleet } of clients) fleet.close();
      clients = about.clients();
    }
    const [first, ...others] = clients.map(({ client }) => client);
    await untilDone(() => first!.call("ping", {}));
    await commands.prepare(first!);
    // The first error counts, whenever it comes.
    const sending = Promise.all(
      Array.from({ length: about.commands }, (_, at) => commands.send(first!, ...(at % 2 === 0 ? others : []))),
    ).then(
      () => undefined,
      (error: unknown) => error,
    );
    await delay(Math.random() * 12);
    await about.kill();
    await about.start();
    opened.push(await untilDone(() => first!.call("ping", {})));
    const failed = await sending;
    if (failed !== undefined) throw failed;
    if (kills % 20 === 19) size.say(`${about.what}: killed ${String(kills + 1)} of ${String(about.kills)} times`);
  }
  for (const { fleet } of clients) fleet.close();
  return [
    count(`kill -9 of ${about.what}`, kills, about.kills),
    ...(await commands.lines(about)),
    atMost("open again after it is up, median", quantile(opened, 0.5), OPEN_AGAIN_MS, " ms"),
    atMost("open again after it is up, worst", quantile(opened, 1), OPEN_AGAIN_MS, " ms"),
  ];
};

/** Kills a part again and again. Commands go through these gateways: the first one has all of them, the second one each second. */
const kill = async (
  world: World,
  size: Size,
  gateways: readonly string[],
  about: Omit<Kills, "clients">,
): Promise<Line[]> => {
  const person = await world.device(gateways);
  const clients = () => gateways.map((gateway) => clientOf(world, gateway, person));
  return killed(world, size, { ...about, ...(size.isSmall && { commands: 6 }), clients });
};
const serverOf = (world: World, name: string): Pick<Kills, "kill" | "start"> => {
  const machine = world.machine(name);
  return { kill: () => machine.server!.kill(), start: () => machine.startAgain() };
};

export const killNats = (world: World, size: Size): Promise<Line[]> =>
  kill(world, size, ["hub", "mac"], {
    what: "NATS",
    kills: size.isSmall ? 2 : 100,
    commands: 30,
    reachesCli: true,
    kill: () => world.killNats(),
    start: () => world.startNats(),
  });

export const killGateway = (world: World, size: Size): Promise<Line[]> =>
  kill(world, size, ["mac", "hub"], {
    what: "a gateway",
    kills: size.isSmall ? 1 : 1000,
    commands: 5,
    reachesCli: true,
    ...serverOf(world, "mac"),
    isNewPage: true,
  });

export const killMachine = (world: World, size: Size): Promise<Line[]> =>
  kill(world, size, ["hub", "mac"], {
    what: "a machine's server",
    kills: size.isSmall ? 1 : 200,
    commands: 10,
    reachesCli: false,
    ...serverOf(world, "box"),
  });
