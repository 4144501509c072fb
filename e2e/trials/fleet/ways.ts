// The way of one machine to NATS, which a trial can break without an end that anybody could see: a network namespace whose link is set
// down, or a proxy that passes nothing on.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import type { Socket } from "node:net";
import { fleetPaths } from "@quarterdeck/server/fleet";
import type { Around, Machine } from "../../fleet/machines.ts";

export interface Way {
  readonly around: Around;
  /** Lets the machine use it. */
  lead(machine: Machine): void;
  down(): void;
  up(): void;
  remove(): void;
}

const leadTo =
  (host: string, port: number) =>
  ({ place }: Machine): void => {
    const { node } = fleetPaths(place.dataDir);
    const record = JSON.parse(readFileSync(node, "utf8")) as object;
    writeFileSync(node, JSON.stringify({ ...record, url: `nats://${host}:${String(port)}` }));
  };

/** Needs root and Linux. Undefined where it cannot be done. NATS must listen on all addresses. */
export const namespaceWay = (port: number): Way | undefined => {
  const [space, net] = [`qd-trial-${String(process.pid)}`, `10.213.${String(process.pid % 250)}`];
  const [near, far] = [`qdn${String(process.pid % 100_000)}`, `qdf${String(process.pid % 100_000)}`];
  const ip = (...words: string[]): void => void execFileSync("ip", words, { stdio: "ignore" });
  const remove = (): void => {
    try {
      ip("netns", "del", space);
    } catch {
      // It was never made.
    }
  };
  try {
    ip("netns", "add", space);
    ip("link", "add", near, "type", "veth", "peer", "name", far, "netns", space);
    ip("addr", "add", `${net}.1/30`, "dev", near);
    ip("link", "set", near, "up");
    ip("-n", space, "addr", "add", `${net}.2/30`, "dev", far);
    ip("-n", space, "link", "set", far, "up");
    ip("-n", space, "link", "set", "lo", "up");
  } catch {
    // Not root, or no namespaces here.
    remove();
    return undefined;
  }
  return {
    around: { through: ["ip", "netns", "exec", space] },
    lead: leadTo(`${net}.1`, port),
    down: () => ip("link", "set", near, "down"),
    up: () => ip("link", "set", near, "up"),
    remove,
  };
};

export const proxyWay = async (port: number): Promise<Way> => {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isDown = false;
  const stop = ([a, b]: readonly [Socket, Socket]): void => {
    a.unpipe(b);
    b.unpipe(a);
    a.pause();
    b.pause();
  };
  const flow = ([a, b]: readonly [Socket, Socket]): void => {
    a.pipe(b);
    b.pipe(a);
  };
  const server = createServer((near) => {
    const pair = [near, connect({ host: "127.0.0.1", port })] as const;
    pairs.add(pair);
    for (const socket of pair)
      socket
        .on("error", () => undefined)
        .once("close", () => {
          pairs.delete(pair);
          for (const each of pair) each.destroy();
        });
    if (isDown) stop(pair);
    else flow(pair);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address() as { readonly port: number };
  return {
    around: {},
    lead: leadTo("127.0.0.1", address.port),
    down: () => {
      isDown = true;
      for (const pair of pairs) stop(pair);
    },
    up: () => {
      isDown = false;
      for (const pair of pairs) flow(pair);
    },
    remove: () => {
      server.close();
      for (const pair of pairs) for (const socket of pair) socket.destroy();
    },
  };
};
