// Turns errors of the protocol package into HostErrors.

import { ArgvError, ProtocolError } from "@quarterdeck/protocol";
import { HostError } from "../host-error.ts";

/** Other errors stay unchanged. */
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

/** Runs `work`, and turns a protocol error into a HostError. */
export const translated = <T>(work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw hostErrorOf(error);
  }
};
