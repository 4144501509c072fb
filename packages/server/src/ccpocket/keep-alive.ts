// Detects that an app is gone. A phone that lost its network does not close its socket. If an app was silent for fifteen seconds,
// the next ping closes its socket instead: twenty seconds after the app was last heard.

import type { WebSocket } from "ws";

const PING_MS = 5000;
const SILENT_MS = 15_000;

export const keepSocketAlive = (ws: Pick<WebSocket, "on" | "ping" | "terminate">): void => {
  let heardAt = performance.now();
  const heard = (): void => {
    heardAt = performance.now();
  };
  const timer = setInterval(() => {
    if (performance.now() - heardAt > SILENT_MS) ws.terminate();
    else ws.ping();
  }, PING_MS).unref();
  ws.on("message", heard);
  ws.on("pong", heard);
  ws.on("close", () => clearInterval(timer));
};
