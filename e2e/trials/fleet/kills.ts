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

export const killNats = async (world: World, size: Size): Promise<Line[]> => {
  const person = await world.device(["hub", "mac"]);
  return killed(world, size, {
    what: "NATS",
    kills: size.isSmall ? 2 : 100,
    commands: size.isSmall ? 6 : 30,
    clients: () => ["hub", "mac"].map((gateway) => clientOf(world, gateway, person)),
    kill: () => world.killNats(),
    start: () => world.startNats(),
    reachesCli: true,
  });
};

export const killGateway = async (world: World, size: Size): Promise<Line[]> => {
  const person = await world.device(["hub", "mac"]);
  const mac = world.machine("mac");
  return killed(world, size, {
    what: "a gateway",
    kills: size.isSmall ? 1 : 1000,
    commands: size.isSmall ? 6 : 5,
    clients: () => ["mac", "hub"].map((gateway) => clientOf(world, gateway, person)),
    kill: () => mac.server!.kill(),
    start: () => mac.startAgain(),
    isNewPage: true,
    reachesCli: true,
  });
};

export const killMachine = async (world: World, size: Size): Promise<Line[]> => {
  const person = await world.device(["hub", "mac"]);
  const box = world.machine("box");
  return killed(world, size, {
    what: "a machine's server",
    kills: size.isSmall ? 1 : 200,
    commands: size.isSmall ? 6 : 10,
    clients: () => ["hub", "mac"].map((gateway) => clientOf(world, gateway, person)),
    kill: () => box.server!.kill(),
    start: () => box.startAgain(),
    reachesCli: false,
  });
};
