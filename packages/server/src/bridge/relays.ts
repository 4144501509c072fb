// Programs that drive the CLI of a session over their sockets. A relay belongs to one socket and ends with it. Its session
// does not.

import { randomUUID } from "node:crypto";
import { Relay } from "@quarterdeck/host";
import type { RelayedCall } from "@quarterdeck/host";
import type { Actor } from "@quarterdeck/session";
import type { Connection } from "./connection.ts";
import { Refusal } from "../refusal.ts";

/** Longer output is sent in several frames. */
const FRAME_CHARACTERS = 512 * 1024;
/** Small lines that come together are sent together. */
const BATCH_CHARACTERS = 256 * 1024;
const MOST_RELAYS = 20;

/** Half of a character that takes two units cannot be written as bytes. */
const cutOf = (text: string, at: number): number => {
  if (at >= text.length) return text.length;
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
};

export class Relays {
  readonly #relays = new Map<string, { readonly relay: Relay; readonly connection: Connection }>();

  /** The program learns of its relay before it gets any output. */
  add(
    call: RelayedCall,
    by: Actor,
    connection: Connection,
    inBytes: boolean,
  ): { readonly id: string; readonly relay: Relay } {
    const own = [...this.#relays.values()].filter((one) => one.connection === connection);
    if (own.length >= MOST_RELAYS) throw new Refusal("limit", `A socket may have at most ${MOST_RELAYS} relays.`);
    const id = randomUUID();
    let waiting = "";
    let isDue = false;
    const tell = (text: string): void => {
      if (inBytes) connection.tellBytes(`${id} ${text.length}\n${text}`);
      else connection.tell("relay/output", { relay: id, text });
    };
    const flush = (): void => {
      isDue = false;
      const text = waiting;
      waiting = "";
      for (let at = 0; at < text.length;) {
        const end = cutOf(text, at + FRAME_CHARACTERS);
        tell(text.slice(at, end));
        at = end;
      }
    };
    const relay = new Relay(call, by, {
      onOutput: (text) => {
        waiting += text;
        if (waiting.length >= BATCH_CHARACTERS) flush();
        else if (!isDue) {
          isDue = true;
          setImmediate(flush);
        }
      },
      onStderr: (text) => connection.tell("relay/stderr", { relay: id, text }),
      onExit: (exit) => {
        flush();
        this.#relays.delete(id);
        connection.tell("relay/exited", { relay: id, ...exit });
      },
    });
    this.#relays.set(id, { relay, connection });
    return { id, relay };
  }

  /** A relay of this socket. Those of others do not exist for it. */
  of(id: string, connection: Connection): Relay {
    const found = this.#relays.get(id);
    if (found === undefined || found.connection !== connection)
      throw new Refusal("not-found", "This relay does not exist, or its program has ended.", { relay: id });
    return found.relay;
  }

  /** The socket is gone. */
  leave(connection: Connection): void {
    for (const [id, one] of this.#relays) {
      if (one.connection !== connection) continue;
      this.#relays.delete(id);
      one.relay.leave();
    }
  }
}
