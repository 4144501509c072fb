// Sockets from the upgrade to the bridge. Who has not said who he is within five seconds goes, and so does the oldest of too
// many strangers: one who belongs answers the challenge at once. A revoked device's sockets are closed here, whatever
// the bridge does with them.

import type { WebSocket } from "ws";
import { CLOSE_CODES } from "@quarterdeck/session/bridge";
import type { Access, Device, Log, Metrics, SocketAbout } from "../seams.ts";

export interface SocketsOptions {
  readonly access: Pick<Access, "onRevoked" | "device">;
  readonly onSocket: (ws: WebSocket, about: SocketAbout) => void;
  readonly log: Log;
  readonly metrics: Metrics;
  /** How long somebody may stay without saying who he is. */
  readonly strangerMs?: number;
}

export interface Sockets {
  open(ws: WebSocket, about: Omit<SocketAbout, "admitted">): void;
  /** Ends those that a bridge left open. */
  close(): void;
}

const STRANGER_MS = 5000;
const MOST_STRANGERS = 50;
/** How long a client may take to answer a close. */
const CLOSE_MS = 500;

export const createSockets = ({
  access,
  onSocket,
  log,
  metrics,
  strangerMs = STRANGER_MS,
}: SocketsOptions): Sockets => {
  /** In the order of their coming. */
  const strangers = new Map<WebSocket, NodeJS.Timeout>();
  const admitted = new Map<WebSocket, string>();
  const turnedAway = metrics.counter("quarterdeck_sockets_turned_away_total", "Sockets closed before anybody came in");
  metrics.gauge("quarterdeck_sockets_open", "Sockets of devices that came in", () => admitted.size);
  metrics.gauge("quarterdeck_sockets_strangers", "Sockets that nobody has come in by yet", () => strangers.size);

  const end = (ws: WebSocket, code: number, reason: string): void => {
    ws.close(code, reason);
    setTimeout(() => ws.terminate(), CLOSE_MS).unref();
  };
  const turnAway = (ws: WebSocket, code: number, reason: string): void => {
    clearTimeout(strangers.get(ws));
    strangers.delete(ws);
    turnedAway.add(1, { reason });
    end(ws, code, reason);
  };
  const admit = (ws: WebSocket, device: Device): void => {
    clearTimeout(strangers.get(ws));
    strangers.delete(ws);
    // Revoked while it answered.
    if (access.device(device.id) === undefined) end(ws, CLOSE_CODES.revoked, "revoked");
    else if (ws.readyState === ws.OPEN) admitted.set(ws, device.id);
  };
  const stopListening = access.onRevoked((id) => {
    for (const [ws, deviceId] of admitted) {
      if (deviceId !== id) continue;
      admitted.delete(ws);
      end(ws, CLOSE_CODES.revoked, "revoked");
    }
  });

  return {
    open(ws, about) {
      // A client's broken frames close its socket; that is all there is to it.
      ws.on("error", (error) => log.debug("socket failed", { remote: about.remote, error: error.message }));
      ws.on("close", () => {
        clearTimeout(strangers.get(ws));
        strangers.delete(ws);
        admitted.delete(ws);
      });
      if (about.device === undefined) {
        const [oldest] = strangers.keys();
        if (strangers.size >= MOST_STRANGERS && oldest !== undefined) {
          turnAway(oldest, CLOSE_CODES.tooMany, "too many");
        }
        const timer = setTimeout(() => turnAway(ws, CLOSE_CODES.unauthenticated, "too slow"), strangerMs).unref();
        strangers.set(ws, timer);
      } else admit(ws, about.device);
      onSocket(ws, { ...about, admitted: (device) => admit(ws, device) });
    },
    close() {
      stopListening();
      for (const ws of [...strangers.keys(), ...admitted.keys()]) end(ws, CLOSE_CODES.shuttingDown, "shutting down");
    },
  };
};
