// What the way through a gateway costs: calls of one client to a machine, directly and through the fleet, in turn.

import { setTimeout as delay } from "node:timers/promises";
import { atMost, quantile, told } from "../outcome.ts";
import type { Line, Size } from "../outcome.ts";
import { pings, shortOfMs, startSession, until, untilDone } from "./world.ts";
import type { World } from "./world.ts";

export const tunnel = async (world: World, size: Size): Promise<Line[]> => {
  const person = await world.device(["hub", "box"]);
  const [direct, through] = [world.fleet("box", person).own, world.fleet("hub", person).machine("box")];
  for (const client of [direct, through]) await untilDone(() => client.call("ping", {}));
  const [rounds, calls] = size.isSmall ? [2, 20] : [10, 500];
  const times = { direct: [] as number[], through: [] as number[] };
  // The first round compiles.
  for (let round = 0; round <= rounds; round += 1)
    for (const [name, client] of Object.entries({ direct, through }) as [keyof typeof times, typeof direct][]) {
      const some = await pings(client, calls);
      if (round > 0) times[name].push(...some);
    }
  const [p50, p99] = [0.5, 0.99].map((share) => quantile(times.through, share)) as [number, number];
  const [directP50, directP99] = [0.5, 0.99].map((share) => quantile(times.direct, share)) as [number, number];
  return [
    told("direct, p50 and p99", `${shortOfMs(directP50)} and ${shortOfMs(directP99)}`),
    told("through the fleet, p50", shortOfMs(p50)),
    atMost("through the fleet / direct, p50", p50 / directP50, 4, ""),
    atMost("through the fleet, p99", p99, 5, " ms"),
  ];
};

/** A row of 8 MiB goes to a client of one gateway. Others of that gateway must not wait. */
export const largeRow = async (world: World, size: Size): Promise<Line[]> => {
  const person = await world.device(["hub"]);
  const fleet = world.fleet("hub", person);
  const [box, other] = [fleet.machine("box"), fleet.machine("mac")];
  for (const client of [box, other]) await untilDone(() => client.call("ping", {}));
  const session = await startSession(box, world.machine("box").place.cwd);
  const view = fleet.session("box", session);
  world.onClose(view.subscribe(() => undefined));
  await until(() => view.snapshot.status === "ready");
  const before = await pings(other, size.isSmall ? 20 : 400, 1);
  const longest = (): number =>
    Math.max(0, ...view.snapshot.rows.map((row) => (row.kind === "text" ? row.text.length : 0)));
  const wanted = size.isSmall ? 500_000 : 8_388_610;
  const during: number[] = [];
  const began = performance.now();
  await box.command("session/prompt", { session, content: size.isSmall ? "small row" : "large row" });
  while (longest() < wanted) {
    if (performance.now() - began > 120_000) throw new Error("The large row does not arrive.");
    during.push(...(await pings(other, 1)));
    await delay(1);
  }
  const arrived = performance.now() - began;
  return [
    told(
      `a row of ${size.isSmall ? "0.5 MB" : "8 MiB"} arrived after`,
      `${shortOfMs(arrived)}, ${String(longest())} characters`,
    ),
    told("p99 of another machine's calls before", shortOfMs(quantile(before, 0.99))),
    atMost("p99 of another machine's calls meanwhile", quantile(during, 0.99), 40, " ms"),
  ];
};
