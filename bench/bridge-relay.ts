// A minimal relay between sessions and clients, to compare the server with. It splits and parses what the programs
// write, and sends each line to the sockets of its session (`/<session>`). What a socket sends goes to the program. It
// stores nothing.
// Usage: bridge-relay.ts <program> <session>...
// Prints the port on stderr when all programs have answered `initialize`.
import { spawn } from "node:child_process";

import { controlRequest, encodeLine } from "@quarterdeck/protocol";
import { WebSocketServer } from "ws";
import type { WebSocket } from "ws";

const [, , program = "", ...sessions] = process.argv;

const start = async (session: string) => {
  const clients = new Set<WebSocket>();
  const child = spawn(program, ["--session-id", session], { stdio: ["pipe", "pipe", "inherit"], detached: true });
  const decoder = new TextDecoder();
  let begun = "";
  const initialized = Promise.withResolvers<void>();
  child.stdout.on("data", (chunk: Buffer) => {
    begun += decoder.decode(chunk, { stream: true });
    const lines = begun.split("\n");
    begun = lines.pop() ?? "";
    for (const line of lines) {
      const { type } = JSON.parse(line) as { type: string };
      if (type === "control_response") initialized.resolve();
      for (const client of clients) client.send(line);
    }
  });
  child.stdin.write(encodeLine(controlRequest("initialize", { subtype: "initialize" })));
  await initialized.promise;
  return { clients, child };
};

const running = new Map(await Promise.all(sessions.map(async (session) => [session, await start(session)] as const)));
const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
server.on("connection", (socket, { url = "/" }) => {
  const { clients, child } = running.get(url.slice(1))!;
  clients.add(socket);
  socket.on("close", () => clients.delete(socket));
  socket.on("message", (data: Buffer) => child.stdin.write(data));
});
server.on("listening", () => console.error(JSON.stringify(server.address())));
process.on("SIGTERM", () => {
  for (const { child } of running.values()) child.kill();
  process.exit(0);
});
