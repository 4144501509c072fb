// A fleet of many machines: five real ones, and models for the others.

import { setTimeout as delay } from "node:timers/promises";
import type { Fleet } from "@quarterdeck/client";
import { openSqliteStore } from "@quarterdeck/host";
import { createFold } from "@quarterdeck/session";
import type { Machine } from "../../fleet/machines.ts";
import { atMost, quantile, told } from "../outcome.ts";
import type { Line, Size } from "../outcome.ts";
import { modelMachines } from "./model-child.ts";
import { inWorld, until, untilDone, usageOf } from "./world.ts";
import type { World } from "./world.ts";

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

/** Each machine has so many sessions. */
const SESSIONS = 20;

export const many = async (size: Size): Promise<Line[]> => {
  const names = ["box", "real-1", "real-2", "real-3"];
  const about = {
    machines: Object.fromEntries(names.map((name) => [name, {}])),
    models: modelNames(45),
    prepare: (name: string, { place }: Machine) => fill(place.dataDir, name, SESSIONS),
  };
  return inWorld(about, (world) => listOfAll(world, size));
};

export const modelNames = (count: number): string[] => Array.from({ length: count }, (_, n) => `model-${String(n)}`);

export const listOfAll = async (world: World, size: Size): Promise<Line[]> => {
  const models = Object.fromEntries(Object.entries(world.seeds).filter(([name]) => name.startsWith("model-")));
  const stop = await modelMachines(world.url, models, SESSIONS);
  try {
    const real = world.machines.size;
    const wanted = [...world.machines.keys(), ...Object.keys(models)];
    const all = wanted.length;
    const person = await world.device(["hub"]);
    const isWhole = ({ sessions: { snapshot } }: Fleet): boolean => {
      if (!size.isSmall) return snapshot.sessions.length === all * SESSIONS;
      // In the shared world, other trials made sessions too.
      const fromModels = snapshot.sessions.filter(({ machine }) => machine in models);
      return fromModels.length === Object.keys(models).length * SESSIONS;
    };
    const listed: number[] = [];
    for (let n = 0; n < (size.isSmall ? 1 : 10); n += 1) {
      const fleet = world.fleet("hub", person);
      // The page is open and knows its machine. Then it asks all for their lists.
      await untilDone(() => fleet.own.call("ping", {}));
      await until(() => {
        const here = new Set(fleet.snapshot.machines.flatMap(({ name, state }) => (state === "here" ? [name] : [])));
        return wanted.every((name) => here.has(name));
      });
      const began = performance.now();
      const leave = fleet.sessions.subscribe(() => undefined);
      await until(() => isWhole(fleet));
      listed.push(performance.now() - began);
      leave();
      fleet.close();
    }
    const { pid } = world.nats;
    const fleet = world.fleet("hub", person);
    fleet.sessions.subscribe(() => undefined);
    await until(() => isWhole(fleet));
    const [before, began] = [usageOf(pid), performance.now()];
    await delay(size.isSmall ? 200 : 30_000);
    const [after, ms] = [usageOf(pid), performance.now() - began];
    return [
      told(
        "machines and sessions",
        `${String(real)} real, ${String(all - real)} model, ${String(fleet.sessions.snapshot.sessions.length)} sessions`,
      ),
      atMost("list of all, median", quantile(listed, 0.5) / 1000, 1, " s"),
      atMost("list of all, worst", quantile(listed, 1) / 1000, 1, " s"),
      atMost("NATS while nothing happens, of a core", (100 * (after.cpuMs - before.cpuMs)) / ms, 5, " %"),
      atMost("memory of NATS", after.residentBytes / 2 ** 20, 40, " MiB"),
    ];
  } finally {
    stop();
  }
};
