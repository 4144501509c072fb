// A node or a device that is revoked must be out at once.

import { connect } from "@quarterdeck/client";
import { FleetError, joinFleet } from "@quarterdeck/fleet";
import { removeNode } from "@quarterdeck/server/fleet";
import { browserKey } from "@quarterdeck/test-kit/browser-key";
import { atMost, none, quantile, told } from "../outcome.ts";
import type { Line, Size } from "../outcome.ts";
import { shortOfMs, until, untilDone } from "./world.ts";
import type { World } from "./world.ts";

/** Models that the world must have for this trial. */
export const SPARES: readonly string[] = Array.from({ length: 10 }, (_, n) => `spare-${String(n)}`);

export const revoke = async (world: World, size: Size): Promise<Line[]> => {
  const { dataDir } = world.machine("hub").place;
  const [nodesOut, written]: [number[], number[]] = [[], []];
  let stillIn = 0;
  const refuse = () => ({ ok: false, code: "refused", message: "Not here." }) as const;
  for (const name of SPARES.slice(0, size.isSmall ? 1 : SPARES.length)) {
    let outAt = 0;
    const about = {
      name,
      url: world.url,
      seed: world.seeds[name]!,
      version: "1",
      bridge: 1,
      onOpen: refuse,
      onAsk: refuse,
      // NATS ended its connection.
      onBus: () => (outAt = performance.now()),
    };
    const node = await joinFleet(about);
    const { publicKey } = await browserKey();
    const devices = [{ id: "d", name: "A device", role: "admin", publicKey }];
    await node.ask("box", { kind: "introduce", rev: "1", origins: ["https://spare.example"], devices });
    const socket = await node.open("box", { rev: "1" });
    outAt = 0;
    const began = performance.now();
    await removeNode(dataDir, name);
    // The files are written, and NATS has its signal.
    written.push(performance.now() - began);
    await until(() => outAt > 0 && socket.destroyed);
    nodesOut.push(Math.max(0, outAt - began - written.at(-1)!));
    const again = await joinFleet(about).catch((error: unknown) => error);
    if (!(again instanceof FleetError && again.code === "not-accepted")) stillIn += 1;
    await node.close();
  }
  const devicesOut: number[] = [];
  for (let n = 0; n < (size.isSmall ? 1 : 20); n += 1) {
    const person = await world.device(["hub"]);
    const fleet = world.fleet("hub", person);
    const clients = ["box", "mac"].map((name) => fleet.machine(name));
    for (const client of clients) await untilDone(() => client.call("ping", {}));
    const admin = world.admin("hub");
    await admin.call("ping", {});
    const began = performance.now();
    await admin.command("devices/revoke", { id: person.devices.get("hub")!.id });
    await until(() => clients.every(({ state }) => state.status === "refused"));
    devicesOut.push(performance.now() - began);
    fleet.close();
    // It cannot come back either.
    for (const machine of ["box", "mac"]) {
      const client = connect({
        url: world.machine("hub").server!.url,
        machine,
        credentials: person.devices.get("hub")!,
        client: { name: "trial", version: "1" },
        openSocket: (url, headers) => new WebSocket(url, { headers } as never),
      });
      // After five attempts a minute it is told to wait.
      await until(() => client.state.status !== "connecting");
      if (client.state.status === "open") stillIn += 1;
      client.close();
    }
  }
  return [
    atMost(
      `a revoked node is out after NATS is told, worst of ${String(nodesOut.length)}`,
      quantile(nodesOut, 1),
      100,
      " ms",
    ),
    told("before that, its files are written, worst", shortOfMs(quantile(written, 1))),
    atMost(
      `a revoked device is out on two machines, worst of ${String(devicesOut.length)}`,
      quantile(devicesOut, 1),
      1000,
      " ms",
    ),
    none("revoked, and let in again", stillIn),
  ];
};
