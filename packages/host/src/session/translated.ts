// What the protocol package refuses, in the host's words.

import { ArgvError, ProtocolError } from "@quarterdeck/protocol";
import { HostError } from "../host-error.ts";

/** Anything else as it is. */
export const hostErrorOf = (error: unknown): unknown => {
  if (error instanceof ArgvError) {
    const { option, value } = error;
    return new HostError("invalid-options", error.message, { option, value, reason: error.code }, { cause: error });
  }
  if (error instanceof ProtocolError) {
    const code = error.code === "invalid-answer" ? "invalid-answer" : "invalid-message";
    return new HostError(code, error.message, { reason: error.code }, { cause: error });
  }
  return error;
};

/** Does it, and says in the host's words what the protocol refused. */
export const translated = <T>(work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw hostErrorOf(error);
  }
};
