// Each command runs once. A client resends an unacknowledged command with the same id, and gets the recorded result,
// also while the first is still running. The same id with other parameters is refused. The newest commands of each
// device are kept in memory. What must survive the server is durable in other ways. The command id is the uuid of a
// prompt, or the id of a session or fork (`resent.ts` compares these). The log says who answered a request.

import { createHash } from "node:crypto";
import { canonicalJson } from "@quarterdeck/session/bridge";
import { Refusal } from "../refusal.ts";

export interface BridgeCommand {
  readonly method: string;
  readonly params: { readonly commandId: string; readonly uploads?: readonly string[] | undefined };
}

interface Remembered {
  readonly method: string;
  /** Hash of the parameters, which may be long themselves. */
  readonly hash: string;
  readonly outcome: Promise<unknown>;
}

const MOST_PER_DEVICE = 2000;
const MOST_DEVICES = 200;

export class CommandLedger {
  /** Both maps are in order of last use, oldest first. */
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
    // The caller gets the failure, and a resend gets it again.
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

/** The client must not get the recorded result, because it would take it for the result of the new command. */
export const reusedCommand = (commandId: string, how: string): Refusal =>
  new Refusal("bad-request", `This commandId was used ${how}. Use a new one for each command.`, { commandId });

/** An upload that is sent again has another name, so only the number of uploads counts. */
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
