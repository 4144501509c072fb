// A network between client and server that can be cut, become silent, and recover.

import { createServer, connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";

export interface FlakyProxy {
  readonly url: string;
  /** Number of connections so far. */
  readonly connections: () => number;
  /** Ends every connection at once. */
  cut(): void;
  /** Nothing passes any more, not even the end of a connection, and neither side gets an error. */
  silence(isSilent: boolean): void;
  close(): Promise<void>;
}

export const startProxy = async (targetUrl: string): Promise<FlakyProxy> => {
  const target = new URL(targetUrl);
  const pairs = new Set<readonly [Socket, Socket]>();
  let [isSilent, made] = [false, 0];
  const server = createServer((near) => {
    made++;
    const far = connect({ host: target.hostname, port: Number(target.port) });
    const pair = [near, far] as const;
    pairs.add(pair);
    const end = (): void => {
      // The side that gave up first must not tell the other one.
      if (isSilent) return;
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    const pass = (from: Socket, to: Socket): void => {
      from.on("data", (chunk) => {
        if (!isSilent) to.write(chunk);
      });
      from.on("close", end);
      from.on("error", end);
    };
    pass(near, far);
    pass(far, near);
  });
  const destroy = (which: (pair: readonly [Socket, Socket]) => boolean): void => {
    for (const pair of [...pairs].filter(which)) for (const socket of pair) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    // The server admits only clients that use an address that it knows.
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    connections: () => made,
    cut: () => destroy(() => true),
    silence: (wanted) => {
      isSilent = wanted;
      if (!wanted) destroy(([near, far]) => near.destroyed || far.destroyed);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        destroy(() => true);
      }),
  };
};
