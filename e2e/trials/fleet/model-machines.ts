// Machines without a server: they are on the bus, and answer a list of sessions. Each costs a few kilobytes instead of 133 MB.
// node model-machines.ts <NATS URL> <sessions of each>; the names and secret keys come as one line of JSON on stdin. It says `ready` on
// stdout when all are on the bus.

import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { joinFleet } from "@quarterdeck/fleet";
import { BRIDGE_VERSION } from "@quarterdeck/session/bridge";
import type { ServerInfo, SessionSummary } from "@quarterdeck/session/bridge";
import { WebSocketServer } from "ws";

const [, , url = "", sessions = "0"] = process.argv;
process.once("disconnect", () => process.exit());

const infoOf = (name: string): ServerInfo => ({
  bridge: BRIDGE_VERSION,
  server: { name: "quarterdeck", version: "0.1.0", id: name, startedAt: 1 },
  device: { id: "d", name: "A device", role: "admin" },
  agent: { kind: "claude", version: "2.1.325" },
  machine: { hostname: name, platform: "linux", home: "/home/somebody", roots: [] },
  limits: { frameBytes: 1_000_000, uploadBytes: 1_000_000 },
});
const summaryOf = (name: string, n: number): SessionSummary => ({
  id: `${name}-${String(n)}`,
  title: `Session ${String(n)} of ${name}`,
  cwd: `/home/somebody/project-${String(n)}`,
  project: `/home/somebody/project-${String(n)}`,
  createdAt: n,
  updatedAt: n,
  archived: false,
  live: false,
  phase: "ended",
  since: n,
  lastEventAt: n,
  costUsd: 0.1,
  waiting: [],
  queued: 0,
  tasks: 0,
  lastText: "The end of the conversation, shortened.",
  lastOrder: 10,
  watching: 0,
  origin: "quarterdeck",
  held: false,
});

const serve = (name: string) => {
  const results: Readonly<Record<string, () => unknown>> = {
    initialize: () => infoOf(name),
    "sessions/list": () => ({
      sessions: Array.from({ length: Number(sessions) }, (_, n) => summaryOf(name, n)),
    }),
  };
  const server = createServer((_asked, response) => response.end("{}"));
  new WebSocketServer({ server }).on("connection", (socket) => {
    const tell = (frame: object): void => socket.send(JSON.stringify({ jsonrpc: "2.0", ...frame }));
    socket.on("message", (data: Buffer) => {
      const { id, method } = JSON.parse(data.toString()) as { readonly id?: number; readonly method: string };
      if (id !== undefined) tell({ id, result: results[method]?.() ?? {} });
    });
    tell({
      method: "server/challenge",
      params: { bridge: BRIDGE_VERSION, serverId: name, nonce: "n", version: "0.1.0" },
    });
  });
  return server;
};

const keys = await new Promise<Record<string, string>>((resolve) =>
  createInterface({ input: process.stdin }).once("line", (line) => resolve(JSON.parse(line) as Record<string, string>)),
);
for (const [name, seed] of Object.entries(keys)) {
  const server = serve(name);
  await joinFleet({
    name,
    url,
    seed,
    version: "0.1.0",
    bridge: BRIDGE_VERSION,
    hub: "hub",
    onOpen: () => ({ ok: true, take: (socket) => void server.emit("connection", socket) }),
    onAsk: () => ({ ok: true }),
  });
}
console.log("ready");
