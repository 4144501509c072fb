// An exception in a listener closes only the connection of that event. All our servers and sockets emit through here, so listeners
// that are added later are guarded too.
//
// An exception outside of a listener still ends the process, on purpose (the command prints it first). A session may be half changed,
// and continuing could write that to the log. The log is complete at every commit, so a restart is safe.

import type { Server } from "node:http";
import { WebSocket } from "ws";
import type { Log } from "../log.ts";

export const guardServer = (server: Server, log: Log): void => {
  const emit = server.emit.bind(server) as (event: string, ...args: unknown[]) => boolean;
  const guarded = (event: string, ...args: unknown[]): boolean => {
    try {
      return emit(event, ...args);
    } catch (error) {
      logFailure(log, event, error);
      for (const arg of args) if (isDestroyable(arg)) arg.destroy();
      return true;
    }
  };
  server.emit = guarded;
  // Accepting can fail at any time, for example when there are no more file descriptors.
  server.on("error", (error) => log.error("listening failed", { error: error.message }));
};

/** For `new WebSocketServer({ WebSocket })`, and for sockets that we open ourselves. */
export const guardedWebSocket = (log: Log): typeof WebSocket =>
  class extends WebSocket {
    override emit(event: string | symbol, ...args: unknown[]): boolean {
      try {
        return super.emit(event, ...args);
      } catch (error) {
        logFailure(log, String(event), error);
        this.terminate();
        return true;
      }
    }
  };

/** A listener on a bare socket. */
export const guardListener =
  <A extends unknown[]>(socket: { destroy(): unknown }, event: string, log: Log, listener: (...args: A) => void) =>
  (...args: A): void => {
    try {
      listener(...args);
    } catch (error) {
      logFailure(log, event, error);
      socket.destroy();
    }
  };

const logFailure = (log: Log, event: string, error: unknown): void =>
  log.error("listener failed", { on: event, error: error instanceof Error ? error.stack : String(error) });

const isDestroyable = (value: unknown): value is { destroy: () => void } =>
  typeof value === "object" && value !== null && "destroy" in value && typeof value.destroy === "function";
