// The second attack on both ports: requests that a proxy could read in another way, and authenticated devices that use more
// than their share.

import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { Bench } from "../bridge/bench.ts";
import { bridgePort, CCPOCKET, ccpocketPort, closed, frame, rawSocket, upgradeHead } from "./ports.ts";

const shared = Bench.shared(CCPOCKET);
const ports = (bench: Bench): readonly (readonly [string, number])[] => [
  ["bridge", bridgePort(bench)],
  ["ccpocket", ccpocketPort(bench)],
];

/** The statuses of all answers, until the server closes the connection or stops answering. */
const statusesOf = async (port: number, bytes: string): Promise<number[]> => {
  const socket = await rawSocket(port);
  onTestFinished(() => void socket.destroy());
  let answer = "";
  socket.on("data", (chunk: Buffer) => (answer += chunk.toString("latin1")));
  socket.end(bytes);
  await closed(socket);
  return [...answer.matchAll(/^HTTP\/1\.1 (\d{3})/gmu)].map(([, status]) => Number(status));
};

describe("[S62] requests that can be read in two ways", () => {
  it("[S62] are refused, and later requests on the connection get no answer", async () => {
    const bench = await shared();
    for (const [name, port] of ports(bench)) {
      const host = `Host: 127.0.0.1:${String(port)}\r\n`;
      const next = `0\r\n\r\nGET /healthz HTTP/1.1\r\n${host}\r\n`;
      const post = `POST /pair HTTP/1.1\r\n${host}Origin: http://127.0.0.1:${String(port)}\r\n`;
      const shapes = [
        `${post}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n${next}`,
        `${post}Transfer-Encoding: chunked, identity\r\n\r\n${next}`,
        `${post}Transfer-Encoding : chunked\r\n\r\n${next}`,
        `${post}Content-Length: 4\r\nContent-Length: 5\r\n\r\n${next}`,
        `${post}Content-Length: +5\r\n\r\n${next}`,
        `GET /healthz HTTP/1.1\n${host}\n${next}`,
        `GET /healthz HTTP/1.1\r\n${host} folded: x\r\n\r\n${next}`,
        `GET /healthz HTTP/1.1\r\n${host}${"a:b\r\n".repeat(3000)}\r\n${next}`,
      ];
      for (const shape of shapes) {
        const statuses = await statusesOf(port, shape);
        expect([name, shape.slice(0, 160), statuses]).toEqual([name, shape.slice(0, 160), [400]]);
      }
    }
  });

  it("[S5] the main port does not accept a token in the address", async () => {
    const bench = await shared();
    const port = bridgePort(bench);
    for (const path of ["/bridge", "/metrics"]) {
      const head = upgradeHead(port, { path: `${path}?token=${bench.server.token}` });
      expect(await statusesOf(port, head)).toEqual([401]);
    }
  });
});

/** An authenticated device that does not read from its socket. */
const unread = async (bench: Bench, name: string, port: number): Promise<Socket> => {
  const { token } = bench.server;
  const socket = await rawSocket(port);
  onTestFinished(() => void socket.destroy());
  const isBridge = name === "bridge";
  const came = new Promise<void>((resolve) => {
    let heard = "";
    socket.on("data", (chunk: Buffer) => {
      heard += chunk.toString("latin1");
      if (heard.includes(isBridge ? '"id":1,"result"' : "session_list")) resolve();
    });
  });
  const path = isBridge ? "/bridge" : `/?token=${token}`;
  socket.write(upgradeHead(port, { path, headers: isBridge ? { Authorization: `Bearer ${token}` } : {} }));
  const params = { bridge: 1, client: { name: "flood", version: "1" } };
  if (isBridge) socket.write(frame(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })));
  await came;
  socket.pause();
  return socket;
};

const residentMb = ({ server }: Bench): number =>
  Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${String(server.pid)}/status`, "utf8"))![1]) / 1024;

describe("[S62] an authenticated device", () => {
  it("[S62] cannot fill the memory with answers to pings that it does not read", async () => {
    const bench = await shared();
    const pings = Buffer.concat(Array.from({ length: 1000 }, () => frame("p".repeat(125), { opcode: 9 })));
    for (const [name, port] of ports(bench)) {
      const before = residentMb(bench);
      const socket = await unread(bench, name, port);
      let sent = 0;
      const over = closed(socket);
      while (!socket.destroyed && sent < 400_000_000) {
        sent += pings.length;
        if (socket.write(pings)) await new Promise((resolve) => setImmediate(resolve));
        else await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), over]);
      }
      expect([name, socket.destroyed]).toEqual([name, true]);
      expect(residentMb(bench) - before).toBeLessThan(300);
    }
    expect(await (await bench.client()).call("ping")).toEqual({});
  });
});
