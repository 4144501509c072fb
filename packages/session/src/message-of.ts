// The message of an event, with its type.

import { decodeValue } from "@quarterdeck/protocol";
import type { Message } from "@quarterdeck/protocol";
import type { Event, Streamed } from "./event.ts";

/** A message from or to the CLI. Undefined for other events, and for a message that this version does not know. */
export const messageOf = (event: Event | Streamed): Message | undefined => {
  if (event.type !== "received" && event.type !== "streamed" && event.type !== "sent") return undefined;
  const decoded = decodeValue(event.message, event.type === "sent" ? "host" : "cli");
  return decoded.kind === "message" ? decoded.message : undefined;
};
