// A proxy between browser and server that counts every byte from the server. It counts requests of the page, of workers
// and of preloads, in any compression.
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";

export interface CountedLink {
  /** The address that the browser uses, which the server must know as its own. */
  readonly host: string;
  readonly received: () => number;
  /** Sets the address of the server. */
  leadTo(url: string): void;
  close(): void;
}

export const openCountedLink = async (): Promise<CountedLink> => {
  let received = 0;
  let target = new URL("http://127.0.0.1:0");
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect({ host: target.hostname, port: Number(target.port) });
    far.on("data", (chunk: Buffer) => (received += chunk.length));
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.pipe(to);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    host: `127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    received: () => received,
    leadTo: (url) => {
      target = new URL(url);
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
};
