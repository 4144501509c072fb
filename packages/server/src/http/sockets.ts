// Sockets from the upgrade to the bridge. A socket that proves nothing within five seconds is closed, and so is the oldest of too
// many strangers: a device that belongs here answers the challenge at once. A new socket is always let in to do so, however
// many wait. A revoked device's sockets are closed here, whatever the bridge does with them.

import type { WebSocket } from "ws";
import { CLOSE_CODES } from "@quarterdeck/session/bridge";
import type { Access, Device } from "../access/contract.ts";
import type { Metrics, SocketAbout } from "./contract.ts";
import type { Log } from "../log.ts";
import { FIRST_FRAME_BYTES, FRAME_BYTES, limitFrames } from "./frame-limit.ts";

export interface SocketsOptions {
  readonly access: Pick<Access, "onRevoked" | "device">;
  readonly onSocket: (ws: WebSocket, about: SocketAbout) => void;
  readonly log: Log;
  readonly metrics: Metrics;
  /** How long somebody may stay without saying who he is. */
  readonly strangerMs?: number;
  /** For tests. */
  readonly limitFrames?: typeof limitFrames;
}

export interface Sockets {
  /** `onProven`: the device came in. */
  open(ws: WebSocket, about: Omit<SocketAbout, "admitted">, onProven: () => void): void;
  /** Ends those that a bridge left open. */
  close(): void;
}

const STRANGER_MS = 5000;
const MOST_STRANGERS = 200;
/** A device that opens more has lost count of them; its others stay. */
const MOST_OF_ONE_DEVICE = 256;
/** Before anybody came in, a ping or two is plenty. */
const MOST_CONTROL_FRAMES = 8;
/** How long a client may take to answer a close. An option of `ws` that its types do not have. */
export const CLOSING = { closeTimeout: 500 } as const;

export const createSockets = ({
  access,
  onSocket,
  log,
  metrics,
  strangerMs = STRANGER_MS,
  limitFrames: limit = limitFrames,
}: SocketsOptions): Sockets => {
  /** In the order of their coming. */
  const strangers = new Map<WebSocket, NodeJS.Timeout>();
  const admitted = new Map<WebSocket, string>();
  const ofDevice = new Map<string, number>();
  const turnedAway = metrics.counter("quarterdeck_sockets_turned_away_total", "Sockets closed before anybody came in");
  metrics.gauge("quarterdeck_sockets_open", "Sockets of devices that came in", () => admitted.size);
  metrics.gauge("quarterdeck_sockets_strangers", "Sockets that nobody has come in by yet", () => strangers.size);

  const end = (ws: WebSocket, code: number, reason: string): void => ws.close(code, reason);
  const turnAway = (ws: WebSocket, code: number, reason: string): void => {
    clearTimeout(strangers.get(ws));
    strangers.delete(ws);
    turnedAway.add(1, { reason });
    end(ws, code, reason);
  };
  /** False where the socket is closed instead. */
  const admit = (ws: WebSocket, device: Device): boolean => {
    clearTimeout(strangers.get(ws));
    strangers.delete(ws);
    if (ws.readyState !== ws.OPEN) return false;
    if (admitted.has(ws)) return true;
    const before = ofDevice.get(device.id) ?? 0;
    // Revoked while it answered.
    if (access.device(device.id) === undefined) end(ws, CLOSE_CODES.revoked, "revoked");
    else if (before >= MOST_OF_ONE_DEVICE) turnAway(ws, CLOSE_CODES.tooMany, "too many of this device");
    else {
      admitted.set(ws, device.id);
      ofDevice.set(device.id, before + 1);
      return true;
    }
    return false;
  };
  const leave = (ws: WebSocket): void => {
    const id = admitted.get(ws);
    if (id === undefined) return;
    admitted.delete(ws);
    const left = (ofDevice.get(id) ?? 1) - 1;
    if (left === 0) ofDevice.delete(id);
    else ofDevice.set(id, left);
  };
  const stopListening = access.onRevoked((id) => {
    for (const [ws, deviceId] of admitted) {
      if (deviceId !== id) continue;
      leave(ws);
      end(ws, CLOSE_CODES.revoked, "revoked");
    }
  });

  return {
    open(ws, about, onProven) {
      // A client's broken frames close its socket; that is all there is to it.
      ws.on("error", (error) => log.debug("socket failed", { remote: about.remote, error: error.message }));
      ws.on("close", () => {
        clearTimeout(strangers.get(ws));
        strangers.delete(ws);
        leave(ws);
      });
      if (!limit(ws, FIRST_FRAME_BYTES)) {
        // The server's own limit holds, and the frame is in memory by now: at least nobody parses it.
        ws.on("message", (data: Buffer) => {
          if (strangers.has(ws) && data.length > FIRST_FRAME_BYTES) turnAway(ws, 1009, "too large");
        });
      }
      let controlFrames = 0;
      const noteControl = (): void => {
        if (strangers.has(ws) && ++controlFrames > MOST_CONTROL_FRAMES) turnAway(ws, 1008, "too many pings");
      };
      ws.on("ping", noteControl).on("pong", noteControl);
      if (about.device === undefined) {
        const [oldest] = strangers.keys();
        if (strangers.size >= MOST_STRANGERS && oldest !== undefined) {
          turnAway(oldest, CLOSE_CODES.tooMany, "too many");
        }
        const timer = setTimeout(() => turnAway(ws, CLOSE_CODES.unauthenticated, "too slow"), strangerMs).unref();
        strangers.set(ws, timer);
      } else {
        if (!admit(ws, about.device)) return;
        onProven();
      }
      const cameIn = (device: Device): void => {
        if (!admit(ws, device)) return;
        limit(ws, FRAME_BYTES);
        onProven();
      };
      onSocket(ws, { ...about, admitted: cameIn });
    },
    close() {
      stopListening();
      for (const ws of [...strangers.keys(), ...admitted.keys()]) end(ws, CLOSE_CODES.shuttingDown, "shutting down");
    },
  };
};
