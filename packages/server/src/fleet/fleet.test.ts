// What a server says about its fleet before it has joined it.

import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import { expect, it } from "vitest";
import { openAccess } from "../access/access.ts";
import { writeNode, writeRoster } from "./fleet-files.ts";
import { createFleet } from "./fleet.ts";

it("[A8] a server that is still starting names the machines of its last run, so that no client gives them up", async () => {
  const dataDir = scratchFolder();
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const fleet = createFleet({ dataDir, access: openAccess({ dataDir }), version: "1", log });
  expect(fleet.status()).toBeUndefined();
  const asked = fleet.gateway.forward({} as never, {} as never, { machine: "box", path: "/" });
  await expect(asked.catch((error: unknown) => fleet.gateway.failure(error))).resolves.toMatchObject({ status: 404 });

  const node = {
    version: 1,
    fleet: "f",
    fleetName: "Home",
    name: "mac",
    url: "nats://127.0.0.1:1",
    seed: "S",
  } as const;
  writeNode(dataDir, { ...node, hub: "hub", allowed: { box: "view" }, allowedOthers: "none" });
  const box = { name: "box", state: "here", since: 1, heardAt: 5, incarnation: "i", version: "1", bridge: 1 } as const;
  writeRoster(dataDir, [box]);
  expect(fleet.status()).toEqual({
    name: "Home",
    node: "mac",
    isHub: false,
    bus: "down",
    machines: [{ name: "box", state: "away", since: 5, version: "1", bridge: 1, allowed: "view" }],
  });
  const again = fleet.gateway.forward({} as never, {} as never, { machine: "box", path: "/" });
  await expect(again.catch((error: unknown) => fleet.gateway.failure(error))).resolves.toEqual({
    status: 503,
    code: "machine-away",
    message: "This server is still joining the fleet.",
  });
});
