// Each command happens once. A client resends what was not acknowledged, with the same id; it gets the outcome that was
// recorded, also while the first is still running. The same id with other parameters is refused. Kept in memory for each
// device, the newest ones; what must outlive the server is durable by construction: a prompt's uuid, a session's and a fork's
// id are the command's id (`resent.ts` compares these), and who answered a request stands in the log.

import { createHash } from "node:crypto";
import { canonicalJson } from "@quarterdeck/session/bridge";
import { Refusal } from "./refusal.ts";

export interface BridgeCommand {
  readonly method: string;
  readonly params: { readonly commandId: string; readonly uploads?: readonly string[] | undefined };
}

interface Remembered {
  readonly method: string;
  /** Of the parameters; they themselves may be long. */
  readonly hash: string;
  readonly outcome: Promise<unknown>;
}

const MOST_PER_DEVICE = 2000;
const MOST_DEVICES = 200;

export class CommandLedger {
  /** Both maps in the order of last use, the oldest first. */
  readonly #devices = new Map<string, Map<string, Remembered>>();

  once<T>(device: string, { method, params }: BridgeCommand, run: () => Promise<T>): Promise<T> {
    const known = this.#of(device);
    const { commandId } = params;
    const before = known.get(commandId);
    const hash = hashOf(params);
    if (before !== undefined) {
      if (before.method !== method) throw reusedCommand(commandId, `for ${before.method}`);
      if (before.hash !== hash) throw reusedCommand(commandId, "with other parameters");
      return before.outcome as Promise<T>;
    }
    const outcome = run();
    // Whoever called hears of a failure; a resend hears of it again.
    outcome.catch(() => {});
    known.set(commandId, { method, hash, outcome });
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

/** Not the recorded outcome: the client would take it for what it asked now. */
export const reusedCommand = (commandId: string, how: string): Refusal =>
  new Refusal("bad-request", `This commandId was used ${how}. Use a new one for each command.`, { commandId });

/** An upload that is sent again has another name, so only their number counts. */
const hashOf = ({ uploads, ...params }: BridgeCommand["params"]): string =>
  createHash("sha256")
    .update(canonicalJson({ ...params, uploads: uploads?.length ?? 0 }))
    .digest("base64url")
    .slice(0, 22);

const dropOldest = (map: Map<string, unknown>, most: number): void => {
  if (map.size <= most) return;
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
};
