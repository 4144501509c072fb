// The same day of work with equal clocks and with clocks that are hours apart. Nothing may differ.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Fleet } from "@quarterdeck/client";
import type { Around } from "../../fleet/machines.ts";
import { same, told } from "../outcome.ts";
import type { Line } from "../outcome.ts";
import { remove, scratch, startSession, until, untilDone, World } from "./world.ts";

/** `libfaketime` moves the clock of the whole process. Without it, ours moves what JavaScript reads. */
const faketime = (): string | undefined => {
  const found = [
    "/usr/lib",
    ...(existsSync("/usr/lib") ? readdirSync("/usr/lib").map((name) => join("/usr/lib", name)) : []),
  ]
    .map((folder) => join(folder, "faketime", "libfaketime.so.1"))
    .find((path) => existsSync(path));
  return found;
};
export const movedByUs = (ms: number): Around => ({
  env: {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
      `const Real=Date,now=Real.now;Real.now=()=>now()+${String(ms)};` +
        "globalThis.Date=new Proxy(Real,{construct:(of,args,as)=>Reflect.construct(of,args.length>0?args:[Real.now()],as)});",
    )}`,
  },
});
const movedByFaketime = (library: string, ms: number): Around => ({
  env: {
    LD_PRELOAD: library,
    FAKETIME: `${ms < 0 ? "-" : "+"}${String(Math.abs(ms / 1000))}s`,
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    FAKETIME_DONT_RESET: "1",
  },
});

export const HOUR_MS = 3_600_000;

export const clocks = async (): Promise<Line[]> => {
  const library = faketime();
  const moved = (ms: number): Around => (library === undefined ? movedByUs(ms) : movedByFaketime(library, ms));
  const [apart, offsets] = await dayOf({ box: moved(-HOUR_MS), mac: moved(HOUR_MS) });
  const [equal] = await dayOf({ box: {}, mac: {} });
  return [
    told("the clocks of two machines are moved by", library === undefined ? "an offset of ours" : "libfaketime"),
    told("what doctor says about them", offsets.join("; ")),
    same("a day of work with clocks one hour before and after", apart, equal),
  ];
};

/** The clock of `mac` is moved. Work through it is compared with work through the hub. */
export const movedGateway = async (world: World): Promise<Line[]> => {
  const person = await world.device(["hub", "mac"]);
  const days: unknown[] = [];
  for (const name of ["hub", "mac"]) {
    const fleet = world.fleet(name, person);
    days.push(await workThrough(world, fleet));
    fleet.close();
  }
  return [same("work through a gateway whose clock is an hour ahead", days[1], days[0])];
};

const workThrough = async (world: World, fleet: Fleet): Promise<unknown[]> => {
  const box = fleet.machine("box");
  await untilDone(() => box.call("ping", {}));
  const session = await startSession(box, world.machine("box").place.cwd);
  const found = async () => (await box.call("sessions/list", {})).sessions.find(({ id }) => id === session);
  await box.command("session/prompt", { session, content: "hello" });
  await until(async () => (await found())?.lastText === "Done.");
  const { events } = await box.call("session/events", { session });
  return [box.info?.device.role, events.filter(({ type }) => type.startsWith("prompt")).map(({ type }) => type)];
};

/** What happened, without anything that is new each time. */
const dayOf = async (machines: Readonly<Record<"box" | "mac", Around>>): Promise<[unknown, string[]]> => {
  // The codes of the hub last ten minutes, by its own clock.
  const world = await World.open({ machines, byCommand: true });
  const into = scratch();
  try {
    const person = await world.device(["hub", "mac"]);
    const gateways = ["hub", "mac"].map((name) => world.fleet(name, person));
    const said: unknown[] = [];
    for (const fleet of gateways) {
      said.push(await workThrough(world, fleet));
      said.push(fleet.snapshot.machines.map(({ name, state }) => [name, state]));
    }
    const [archived] = await world
      .machine("hub")
      .fleet<{ sessions: number; deleted: number }[]>("archive", "box", "--into", into);
    said.push(archived!.sessions, archived!.deleted);
    const offsets: string[] = [];
    for (const name of ["box", "mac"]) {
      const checks = await world.machine(name).fleet<{ about: string; ok: boolean; text: string }[]>("doctor");
      said.push(checks.map(({ about, ok }) => [about, ok]));
      offsets.push(`${name}: ${checks.find(({ about }) => about === "clock")?.text ?? "nothing"}`);
    }
    const { machines: seen } = await world.machine("hub").fleet<{ machines: { name: string; state: string }[] }>("ls");
    said.push(seen.map(({ name, state }) => `${name} ${state}`).toSorted((a, b) => (a < b ? -1 : 1)));
    await world.machine("hub").fleet("revoke", "mac");
    await until(async () => (await world.machine("mac").fleet<{ bus: string }>("ls")).bus === "refused");
    const admin = world.admin("hub");
    await admin.command("devices/revoke", { id: person.devices.get("hub")!.id });
    const box = gateways[0]!.machine("box");
    await until(() => box.state.status === "refused");
    said.push("revoked");
    return [said, offsets];
  } finally {
    await world.close();
    remove(into);
  }
};
