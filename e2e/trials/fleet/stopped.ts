// A gateway that stands still (SIGSTOP) while many sessions stream to its clients. Others must not notice.

import { setTimeout as delay } from "node:timers/promises";
import { atMost, none, quantile, told } from "../outcome.ts";
import type { Line, Size } from "../outcome.ts";
import { pings, shortOfMs, startSession, untilDone, usageOf } from "./world.ts";
import type { World } from "./world.ts";

export const stopped = async (world: World, size: Size): Promise<Line[]> => {
  const [sessions, pages, stoppedMs, beforeMs] = size.isSmall ? [1, 1, 1000, 500] : [10, 10, 60_000, 30_000];
  const person = await world.device(["hub", "mac"]);
  const client = world.fleet("hub", person).machine("box");
  await untilDone(() => client.call("ping", {}));
  const { cwd } = world.machine("box").place;
  const ids: string[] = [];
  for (let n = 0; n < sessions; n += 1) ids.push(await startSession(client, cwd));
  // Pages of the gateway that will stop, each with its own connection to the machine, and one page of the other gateway.
  const fleets = [...Array.from({ length: pages }, () => world.fleet("mac", person)), world.fleet("hub", person)];
  for (const fleet of fleets) {
    await untilDone(() => fleet.machine("box").call("ping", {}));
    for (const id of ids) world.onClose(fleet.session("box", id).subscribe(() => undefined));
  }
  for (const session of ids) await client.command("session/prompt", { session, content: "stream" });
  await delay(size.isSmall ? 200 : 5000);

  const { pid } = world.nats;
  let most = usageOf(pid).residentBytes;
  const measured = async (ms: number): Promise<number[]> => {
    const all: number[] = [];
    for (const end = performance.now() + ms; performance.now() < end; await delay(5)) {
      all.push(...(await pings(client, 1)));
      most = Math.max(most, usageOf(pid).residentBytes);
    }
    return all;
  };
  const before = await measured(beforeMs);
  const memoryBefore = most;
  const gateway = world.machine("mac").server!.pid;
  process.kill(gateway, "SIGSTOP");
  let during: number[];
  try {
    during = await measured(stoppedMs);
  } finally {
    process.kill(gateway, "SIGCONT");
  }
  const back = await untilDone(() => fleets[0]!.machine("box").call("ping", {}));
  for (const session of ids) await untilDone(() => client.command("session/interrupt", { session }));
  for (const fleet of fleets) fleet.close();
  const [was, is] = [quantile(before, 0.99), quantile(during, 0.99)];
  return [
    told("sessions that stream, and connections of the stopped gateway", `${String(sessions)} and ${String(pages)}`),
    told("others' p99 before and meanwhile", `${shortOfMs(was)} and ${shortOfMs(is)}`),
    atMost("others' p99 while a gateway stands still / before", is / was, 1.5, ""),
    atMost("more memory of NATS", (most - memoryBefore) / 2 ** 20, 20, " MiB"),
    none("slow consumers in the log of NATS", world.nats.output().match(/slow consumer/giu)?.length ?? 0),
    told("the gateway's page works again after", shortOfMs(back)),
  ];
};
