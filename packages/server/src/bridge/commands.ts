// Commands: each happens once. A client resends what was not acknowledged, with the same id; it gets the outcome that was
// recorded, also while the first is still running. Kept in memory for each device, the newest ones; what must outlive the
// server is durable by construction: a prompt's uuid, a session's and a fork's id are the command's id, and who answered a
// request stands in the log.

import { Refusal } from "./refusal.ts";

interface Remembered {
  readonly method: string;
  readonly outcome: Promise<unknown>;
}

const MOST_PER_DEVICE = 2000;
const MOST_DEVICES = 200;

export class Commands {
  /** Both maps in the order of last use, the oldest first. */
  readonly #devices = new Map<string, Map<string, Remembered>>();

  once<T>(device: string, commandId: string, method: string, run: () => Promise<T>): Promise<T> {
    const known = this.#of(device);
    const before = known.get(commandId);
    if (before !== undefined) {
      if (before.method !== method)
        throw new Refusal(
          "bad-request",
          `This commandId was used for ${before.method}: take a new one for each thing.`,
        );
      return before.outcome as Promise<T>;
    }
    const outcome = run();
    // Whoever called hears of a failure; a resend hears of it again.
    outcome.catch(() => {});
    known.set(commandId, { method, outcome });
    dropOldest(known, MOST_PER_DEVICE);
    return outcome;
  }

  #of(device: string): Map<string, Remembered> {
    const known = this.#devices.get(device) ?? new Map<string, Remembered>();
    this.#devices.delete(device);
    this.#devices.set(device, known);
    dropOldest(this.#devices, MOST_DEVICES);
    return known;
  }
}

const dropOldest = (map: Map<string, unknown>, most: number): void => {
  if (map.size <= most) return;
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
};
