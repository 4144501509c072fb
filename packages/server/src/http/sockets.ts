// Sockets from the upgrade to the bridge. A socket without a credential is closed after five seconds, and earlier if it
// is the oldest of too many. A real device answers the challenge at once. A new socket always gets the chance to
// answer, however many wait. The sockets of a revoked device are closed here, whatever the bridge does with them.

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
  /** How long a socket may stay open without a credential. */
  readonly strangerMs?: number;
  /** For tests. */
  readonly limitFrames?: typeof limitFrames;
}

export interface Sockets {
  /** `onProven` is called when the device is admitted. */
  open(ws: WebSocket, about: Omit<SocketAbout, "admitted">, onProven: () => void): void;
  /** Closes the sockets that the bridge left open. */
  close(): void;
}

const STRANGER_MS = 5000;
const MOST_STRANGERS = 200;
/** A device that opens more has a bug. Its other sockets stay open. */
const MOST_OF_ONE_DEVICE = 256;
/** Max pings and pongs before a device is admitted. */
const MOST_CONTROL_FRAMES = 8;
/** How long a client may take to answer a close. The types of `ws` lack this option. */
export const CLOSING = { closeTimeout: 500 } as const;

export const createSockets = ({
  access,
  onSocket,
  log,
  metrics,
  strangerMs = STRANGER_MS,
  limitFrames: limit = limitFrames,
}: SocketsOptions): Sockets => {
  /** In order of arrival. */
  const strangers = new Map<WebSocket, NodeJS.Timeout>();
  const admitted = new Map<WebSocket, string>();
  const ofDevice = new Map<string, number>();
  const turnedAway = metrics.counter("quarterdeck_sockets_turned_away_total", "Sockets closed before authentication");
  metrics.gauge("quarterdeck_sockets_open", "Sockets of authenticated devices", () => admitted.size);
  metrics.gauge("quarterdeck_sockets_strangers", "Open sockets without authentication", () => strangers.size);

  const end = (ws: WebSocket, code: number, reason: string): void => ws.close(code, reason);
  const turnAway = (ws: WebSocket, code: number, reason: string): void => {
    clearTimeout(strangers.get(ws));
    strangers.delete(ws);
    turnedAway.add(1, { reason });
    end(ws, code, reason);
  };
  /** Returns false if the socket is closed instead. */
  const admit = (ws: WebSocket, device: Device): boolean => {
    clearTimeout(strangers.get(ws));
    strangers.delete(ws);
    if (ws.readyState !== ws.OPEN) return false;
    if (admitted.has(ws)) return true;
    const before = ofDevice.get(device.id) ?? 0;
    // The device was revoked while it answered.
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
      // Broken frames close the client's socket. Nothing else is needed.
      ws.on("error", (error) => log.debug("socket failed", { remote: about.remote, error: error.message }));
      ws.on("close", () => {
        clearTimeout(strangers.get(ws));
        strangers.delete(ws);
        leave(ws);
      });
      if (!limit(ws, FIRST_FRAME_BYTES)) {
        // The server's limit applies, so the frame is already in memory, but it is not parsed.
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
