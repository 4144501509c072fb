// What others see when a machine is killed, when its link dies without a word, and when the link is back. Then gateways that are cut
// off from NATS while a person goes on working.

import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "@quarterdeck/test-kit/nats-server";
import { atMost, none, quantile, same, told } from "../outcome.ts";
import type { Line, Size } from "../outcome.ts";
import { Commands } from "./commands.ts";
import { namespaceWay, proxyWay } from "./ways.ts";
import { inWorld, isOfTheWay, until, untilDone } from "./world.ts";
import type { World } from "./world.ts";

export const links = async (size: Size): Promise<Line[]> => {
  const port = await freePort();
  const space = namespaceWay(port);
  const way = space ?? (await proxyWay(port));
  const about = {
    machines: { box: way.around },
    port,
    ways: new Map([["box", way]]),
    natsHost: space === undefined ? "127.0.0.1" : "0.0.0.0",
  };
  return inWorld(about, async (world) => [
    told(
      "the link",
      space === undefined ? "a proxy that passes nothing on (no namespace)" : "a veth of a network namespace",
    ),
    ...(await linkOfBox(world, size)),
  ]);
};

/** The world has a way for `box`. */
export const linkOfBox = async (world: World, size: Size): Promise<Line[]> => {
  const way = world.ways.get("box")!;
  const fleet = world.fleet("hub", await world.device(["hub"]));
  const box = fleet.machine("box");
  const state = () => fleet.snapshot.machines.find(({ name }) => name === "box")?.state;
  const isHere = () => untilDone(() => box.call("sessions/list", {}));
  await isHere();
  const seen = { killed: [] as number[], down: [] as number[], up: [] as number[] };
  for (let n = 0; n < (size.isSmall ? 1 : 20); n += 1) {
    await until(() => state() === "here");
    const began = performance.now();
    const killing = world.machine("box").server!.kill();
    await until(() => state() !== "here");
    seen.killed.push(performance.now() - began);
    await killing;
    await world.machine("box").startAgain();
    await isHere();
  }
  for (let n = 0; n < (size.isSmall ? 1 : 5); n += 1) {
    await until(() => state() === "here");
    // A small one does not wait until the silence is noticed.
    const began = performance.now();
    way.down();
    if (size.isSmall) await delay(100);
    else await until(() => state() !== "here");
    seen.down.push(performance.now() - began);
    await delay(size.isSmall ? 0 : Math.random() * 5000);
    const back = performance.now();
    way.up();
    await isHere();
    seen.up.push(performance.now() - back);
    size.say(`links: ${String(n + 1)}`);
  }
  const worst = (of: readonly number[]): number => quantile(of, 1) / 1000;
  return [
    atMost(`machine killed, shown, worst of ${String(seen.killed.length)}`, worst(seen.killed), 1, " s"),
    ...(size.isSmall
      ? []
      : [atMost(`link down, shown, worst of ${String(seen.down.length)}`, worst(seen.down), 8, " s")]),
    atMost(`link up, usable, worst of ${String(seen.up.length)}`, worst(seen.up), 2, " s"),
  ];
};

/** Three gateways. Two of them are cut off, and a person sends each command through all three with one id. */
export const partition = async (size: Size): Promise<Line[]> => {
  const port = await freePort();
  const ways = new Map([
    ["mac", await proxyWay(port)],
    ["pad", await proxyWay(port)],
  ]);
  const about = { machines: { box: {}, mac: {}, pad: {} }, port, ways };
  return inWorld(about, (world) => cutOffGateways(world, ["mac", "pad"], size));
};

export const cutOffGateways = async (world: World, cut: readonly string[], size: Size): Promise<Line[]> => {
  const ways = cut.map((name) => world.ways.get(name)!);
  const names = ["hub", ...cut];
  const person = await world.device(names);
  const fleets = names.map((name) => world.fleet(name, person));
  const clients = fleets.map((fleet) => fleet.machine("box"));
  for (const client of clients) await untilDone(() => client.call("ping", {}));
  const commands = new Commands(world, "box");
  const opened: number[] = [];
  let refused = 0;
  for (let round = 0; round < (size.isSmall ? 1 : 5); round += 1) {
    await commands.prepare(clients[0]!);
    for (const way of ways) way.down();
    const sending = Array.from({ length: size.isSmall ? 4 : 20 }, () => commands.send(...clients));
    if (!size.isSmall) {
      // The connection to the gateway stays. What goes to the machine is refused, not kept for later.
      await until(() => fleets[1]!.snapshot.machines.every(({ isOwn, state }) => isOwn || state !== "here"));
      const content = `Never ${randomUUID()}`;
      const session = (await clients[0]!.call("sessions/list", {})).sessions[0]!.id;
      await clients[1]!.command("session/prompt", { session, content }).catch((error: unknown) => {
        if (isOfTheWay(error)) refused += 1;
      });
      await delay(Math.random() * 3000);
    }
    const back = performance.now();
    for (const way of ways) way.up();
    for (const client of clients) await untilDone(() => client.call("ping", {}));
    opened.push(performance.now() - back);
    await Promise.all(sending);
    size.say(`partition: ${String(round + 1)}`);
  }
  // Models may be away.
  const real = [...world.machines.keys()];
  const missed = async (by: string): Promise<string[]> => {
    const states = await world.states(by);
    return real.filter((name) => name !== by && states[name] !== "here");
  };
  for (const name of names) await until(async () => (await missed(name)).length === 0);
  const lists = await Promise.all(
    clients.map(async (client) =>
      (await client.call("sessions/list", {})).sessions.map(({ id, lastText, phase }) => [id, lastText, phase]),
    ),
  );
  return [
    ...(await commands.lines({ reachesCli: true })),
    ...(size.isSmall ? [] : [same("commands at a gateway that is cut off, refused at once", refused, 5)]),
    none(
      "gateways whose list differs",
      lists.filter((list) => JSON.stringify(list) !== JSON.stringify(lists[0])).length,
    ),
    none("machines that a gateway still misses", (await Promise.all(names.map(missed))).flat().length),
    atMost("all gateways usable after the heal, worst", quantile(opened, 1) / 1000, 2, " s"),
  ];
};
