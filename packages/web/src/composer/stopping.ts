// The turn that a person asked to stop, from wherever on the page: after a while, the composer offers to stop the process.

import { BridgeError, type Client } from "@quarterdeck/client";
import { useSyncExternalStore } from "react";
import { toastError } from "../parts/toast.tsx";

/** `failed`: there is nothing to wait for. */
type Stopping = "asked" | "failed";

let turn: readonly [session: string, Stopping] | undefined;
const listeners = new Set<() => void>();
const set = (next: typeof turn): void => {
  turn = next;
  for (const listener of listeners) listener();
};
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useStopping = (session: string): Stopping | undefined =>
  useSyncExternalStore(subscribe, () => (turn?.[0] === session ? turn[1] : undefined));

/** The turn is over, or another session is open. */
export const forgetStop = (): void => set(undefined);

/** Rejects when the stop failed, which was reported then. */
export const stopTurn = async (client: Client, session: string): Promise<void> => {
  set([session, "asked"]);
  try {
    await client.command("session/interrupt", { session, holdQueue: true });
  } catch (error) {
    // Without its process, the turn is over, and the conversation says so.
    if (error instanceof BridgeError && error.code === "process-ended") return;
    set([session, "failed"]);
    toastError(error);
    throw error;
  }
};
