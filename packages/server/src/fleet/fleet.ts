// The fleet of a server, if it is in one. Nothing of NATS is loaded on a machine without a fleet: `running-fleet.ts` is imported when it
// is needed.

import { remembered } from "@quarterdeck/fleet/roster";
import { createGateway } from "../http/gateway.ts";
import type { Gateway } from "../http/gateway.ts";
import type { FleetDoor } from "../http/http-server.ts";
import type { Notifier } from "../notify/notifier.ts";
import type { Duplex } from "node:stream";
import type { FleetMember, FleetMemberOptions, FleetStatus } from "./contract.ts";
import { isInFleet, readNode, readRoster, fleetStatusOf } from "./fleet-files.ts";
import type { RunningFleet } from "./running-fleet.ts";

export interface ServerFleet extends FleetMember {
  readonly gateway: Gateway;
  /** Called once, when the server can take connections. A fleet that cannot be reached does not stop the server. */
  start(parts: ServerParts): Promise<void>;
  close(): Promise<void>;
}

interface ServerParts {
  readonly arrive: (socket: Duplex, door: FleetDoor) => void;
  readonly notifier: Notifier;
}

export const createFleet = (options: FleetMemberOptions): ServerFleet => {
  let running: RunningFleet | undefined;
  let parts: ServerParts | undefined;
  let step: Promise<unknown> = Promise.resolve();
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) listener();
  };

  const reload = async (): Promise<void> => {
    if (parts === undefined) return;
    if (running !== undefined && (!isInFleet(options.dataDir) || !running.takeOver())) {
      await running.close(isInFleet(options.dataDir) ? "again" : "leave");
      running = undefined;
    }
    if (running === undefined && isInFleet(options.dataDir)) {
      const { startFleet } = await import("./running-fleet.ts");
      running = await startFleet({ ...options, ...parts, onChange: changed });
    }
    changed();
  };
  /** One after the other. */
  const inTurn = (what: () => Promise<void>): Promise<void> => {
    const done = step.then(what);
    step = done.catch(() => undefined);
    return done;
  };

  return {
    gateway: createGateway(
      async (machine) => {
        if (running === undefined)
          throw isInFleet(options.dataDir) ? new NotStarted("This server is still joining the fleet.") : new NoFleet();
        return running.open(machine);
      },
      (error) => {
        if (error instanceof NoFleet) return { status: 404, code: "not-found", message: "Not found." };
        const { code, message } = error as { readonly code?: unknown; readonly message: string };
        if (code === "refused" || code === "introduce") return { status: 403, code: "forbidden", message };
        if (code === "machine-away" || code === "bus-down" || code === "no-answer" || code === "not-accepted")
          return { status: 503, code: "machine-away", message };
        return { status: 502, code: "machine-away", message: "The other machine closed the connection." };
      },
    ),
    // A client of a server that has just started must not believe that the machine left its fleet.
    status: () => running?.status() ?? starting(options.dataDir),
    reload: () => inTurn(reload),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async start(given) {
      parts = given;
      await inTurn(reload).catch((error: unknown) =>
        options.log.error("fleet not started", { error: (error as Error).message }),
      );
    },
    close: () =>
      inTurn(async () => {
        parts = undefined;
        await running?.close("stop");
        running = undefined;
      }),
  };
};

const starting = (dataDir: string): FleetStatus | undefined => {
  try {
    const file = isInFleet(dataDir) ? readNode(dataDir) : undefined;
    return file && fleetStatusOf(file, file.hub === file.name, "down", remembered(readRoster(dataDir)));
  } catch {
    // The file is damaged. The commands of the fleet say so.
    return undefined;
  }
};

class NoFleet extends Error {}
class NotStarted extends Error {
  readonly code = "bus-down";
}
