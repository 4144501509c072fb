// A fleet of many machines: five real ones, and models for the others.

import { setTimeout as delay } from "node:timers/promises";
import { openSqliteStore } from "@quarterdeck/host";
import { createFold } from "@quarterdeck/session";
import { atMost, count, quantile, told } from "../outcome.ts";
import type { Line, Size } from "../outcome.ts";
import { modelMachines } from "./model-child.ts";
import { until, untilDone, usageOf, World } from "./world.ts";

/** As a session that a person had once. */
const fill = async (dataDir: string, name: string, sessions: number): Promise<void> => {
  const store = await openSqliteStore(dataDir);
  for (let n = 0; n < sessions; n += 1) {
    const id = `${name}-${String(n)}`;
    const named = {
      id,
      createdAt: 1 + n,
      updatedAt: 1 + n,
      cwd: `/home/somebody/project-${String(n)}`,
      archived: false,
    };
    await store.putSession({ ...named, title: `Session ${String(n)} of ${name}`, settings: { cli: {} } });
    const fold = createFold();
    for (const event of await store.append(id, [{ at: 1 + n, fact: { type: "prompt-withdrawn", uuid: id } }]))
      fold.apply(event);
    await store.saveFold(id, { seq: fold.seq, fold: fold.save() });
  }
  await store.close();
};

export const many = async (size: Size): Promise<Line[]> => {
  const [real, models, sessions, watchMs] = size.isSmall ? [1, 5, 4, 500] : [4, 45, 20, 30_000];
  const names = Array.from({ length: models }, (_, n) => `model-${String(n)}`);
  const machines = Object.fromEntries(
    Array.from({ length: real }, (_, n) => [n === 0 ? "box" : `real-${String(n)}`, {}]),
  );
  const world = await World.open({
    machines,
    models: names,
    prepare: (name, { place }) => fill(place.dataDir, name, sessions),
  });
  const stop = await modelMachines(world, sessions);
  try {
    const all = 1 + real + models;
    const person = await world.device(["hub"]);
    const listed: number[] = [];
    for (let n = 0; n < (size.isSmall ? 1 : 10); n += 1) {
      const fleet = world.fleet("hub", person);
      // The page is open and knows its machine. Then it asks all for their lists.
      await untilDone(() => fleet.own.call("ping", {}));
      await until(() => fleet.snapshot.machines.filter(({ state }) => state === "here").length === all);
      const began = performance.now();
      const leave = fleet.sessions.subscribe(() => undefined);
      await until(() => fleet.sessions.snapshot.sessions.length === all * sessions);
      listed.push(performance.now() - began);
      leave();
      fleet.close();
    }
    const { pid } = world.nats;
    const fleet = world.fleet("hub", person);
    fleet.sessions.subscribe(() => undefined);
    await until(() => fleet.sessions.snapshot.sessions.length === all * sessions);
    const [before, began] = [usageOf(pid), performance.now()];
    await delay(watchMs);
    const [after, ms] = [usageOf(pid), performance.now() - began];
    return [
      told(
        "machines and sessions",
        `${String(1 + real)} real, ${String(models)} model, ${String(all * sessions)} sessions`,
      ),
      count("sessions in the list", fleet.sessions.snapshot.sessions.length, all * sessions),
      atMost("list of all, median", quantile(listed, 0.5) / 1000, 1, " s"),
      atMost("list of all, worst", quantile(listed, 1) / 1000, 1, " s"),
      atMost("NATS while nothing happens, of a core", (100 * (after.cpuMs - before.cpuMs)) / ms, 5, " %"),
      atMost("memory of NATS", after.residentBytes / 2 ** 20, 40, " MiB"),
    ];
  } finally {
    stop();
    await world.close();
  }
};
