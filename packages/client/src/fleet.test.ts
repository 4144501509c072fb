import type { SessionSummary } from "@quarterdeck/session/bridge";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { urlOf } from "./connect.ts";
import { connectFleet } from "./fleet.ts";
import type { Fleet } from "./fleet.ts";
import { ModelServer, NOTHING } from "./model-server.fixture.ts";

let servers: Record<string, ModelServer>;
let fleet: Fleet;

const settle = (ms = 200): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
const summary = (id: string, updatedAt: number, waits = false): SessionSummary =>
  ({ id, updatedAt, waiting: waits ? [{ id: "r", about: "x" }] : [] }) as unknown as SessionSummary;
const statusWith = (states: Record<string, string>) => ({
  name: "Home",
  node: "hub",
  isHub: true,
  bus: "up",
  machines: Object.entries(states).map(([name, state]) => ({ name, state, since: 1, version: "1", bridge: 1 })),
});
const tell = async (states: Record<string, string>): Promise<void> => {
  servers["hub"]!.answers["fleet/status"] = () => ({ fleet: statusWith(states) });
  servers["hub"]!.socket.tell({ method: "fleet/changed", params: { fleet: statusWith(states) } });
  await settle();
};

beforeEach(async () => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", () => Promise.reject(new Error("no network")));
  servers = { hub: new ModelServer(), box: new ModelServer(), cloud: new ModelServer() };
  servers["hub"]!.summaries = [summary("a", 1)];
  servers["box"]!.summaries = [summary("b", 2), summary("a", 0, true)];
  servers["hub"]!.answers["fleet/status"] = () => ({ fleet: statusWith({ cloud: "away", box: "here" }) });
  fleet = connectFleet({
    url: "http://127.0.0.1:1",
    credentials: { kind: "device", id: "d", sign: () => Promise.resolve("s") },
    client: { name: "test", version: "1" },
    openSocket: (url, headers) => servers[/\/m\/([^/]+)\//u.exec(url)?.[1] ?? "hub"]!.openSocket(url, headers),
  });
  await settle();
});
afterEach(() => {
  fleet.close();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it("[M1] lists machines and the sessions of all, those that need a person first, and follows changes", async () => {
  const seen: string[] = [];
  fleet.subscribe(() => seen.push(fleet.snapshot.machines.map(({ name, state }) => `${name} ${state}`).join(", ")));
  expect(fleet.snapshot).toMatchObject({ status: "ready", name: "Home", bus: "up" });
  expect(fleet.snapshot.machines.map(({ name, isOwn, state }) => [name, isOwn, state])).toEqual([
    ["hub", true, "here"],
    ["box", false, "here"],
    ["cloud", false, "away"],
  ]);
  // Nothing is connected before it is used.
  expect(servers["box"]!.sockets).toEqual([]);
  const stop = fleet.sessions.subscribe(() => undefined);
  await settle();
  const keys = (): string[] =>
    fleet.sessions.snapshot.sessions.map(({ machine, session }) => `${machine}/${session.id}`);
  expect(keys()).toEqual(["box/a", "box/b", "hub/a"]);
  expect(servers["cloud"]!.sockets).toEqual([]);
  // A frame without news keeps every object.
  const before = fleet.sessions.snapshot;
  await tell({ cloud: "away", box: "here" });
  expect([fleet.sessions.snapshot, seen]).toEqual([before, []]);
  expect(fleet.sessions.snapshot).toBe(before);

  servers["cloud"]!.summaries = [summary("c", 9)];
  await tell({ cloud: "here", box: "here" });
  expect(keys()).toEqual(["box/a", "cloud/c", "box/b", "hub/a"]);
  expect(seen).toEqual(["hub here, box here, cloud here"]);
  // When a machine is removed from the fleet, its sessions leave the list.
  await tell({ box: "here" });
  expect(keys()).toEqual(["box/a", "box/b", "hub/a"]);
  expect(servers["cloud"]!.socket.readyState).toBe(3);
  stop();
  expect(fleet.machine("hub")).toBe(fleet.own);
  expect(fleet.machine("box")).toBe(fleet.machine("box"));
  expect(urlOf(fleet.machine("box"), "/t/1").href).toBe("http://127.0.0.1:1/m/box/t/1");
});

it("[M2] queues nothing for a machine that does not answer, and reaches it at once when it is back", async () => {
  const box = fleet.machine("box");
  await settle();
  expect(await box.call("ping", {})).toEqual({});
  // A call that got no answer is repeated after a short break, but not after the machine went away.
  servers["box"]!.answers["session/prompt"] = () => NOTHING;
  const sent = box.command("session/prompt", { session: "a", content: "x" }).catch((error: unknown) => error);
  servers["box"]!.isDown = true;
  servers["box"]!.dropAll();
  await tell({ cloud: "away", box: "not-answering" });
  await expect(box.command("session/interrupt", { session: "a" })).rejects.toMatchObject({ code: "machine-away" });
  await expect(fleet.machine("cloud").call("ping", {})).rejects.toMatchObject({ code: "machine-away" });
  await expect(fleet.machine("nobody").call("ping", {})).rejects.toMatchObject({ code: "not-found" });
  await settle(20_000);
  await tell({ cloud: "away", box: "away" });
  expect(await sent).toMatchObject({ code: "machine-away", data: { machine: "box" } });
  servers["box"]!.isDown = false;
  const { length } = servers["box"]!.sockets;
  await tell({ cloud: "away", box: "here" });
  expect(servers["box"]!.sockets.length).toBe(length + 1);
  expect(await box.call("ping", {})).toEqual({});
  expect(servers["box"]!.socket.calls("session/prompt")).toEqual([]);
});

it("[M2] reaches a machine at once when the server is back, although its own next try is later", async () => {
  const box = fleet.machine("box");
  await settle();
  const both = [servers["hub"]!, servers["box"]!];
  for (const server of both) server.isDown = true;
  for (const server of both) server.dropAll();
  await settle(60_000);
  for (const server of both) server.isDown = false;
  const { length } = servers["box"]!.sockets;
  fleet.own.retryNow();
  // Shorter than half of any delay of that age, which is the least that a try waits.
  await settle(50);
  expect(servers["box"]!.sockets.length).toBe(length + 1);
  expect(box.state.status).toBe("open");
});
