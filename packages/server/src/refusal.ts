// Why a call was refused: a code from a closed list, a sentence, data. All other errors are translated here and nowhere
// else. An unexpected error becomes `internal`, and its message stays in the log.

import { FindClaudeError, HostError, StoreError } from "@quarterdeck/host";
import type { CallErrorCode, CliProcessErrorCode, StoreErrorCode } from "@quarterdeck/host";
import { ArgvError, ProtocolError } from "@quarterdeck/protocol";
import { BRIDGE_ERRORS } from "@quarterdeck/session/bridge";
import type { BridgeErrorCode } from "@quarterdeck/session/bridge";

export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: BridgeErrorCode;
  readonly data: Readonly<Record<string, unknown>>;
  constructor(code: BridgeErrorCode, message: string, data: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const OF_HOST: Readonly<Record<CallErrorCode | CliProcessErrorCode, BridgeErrorCode>> = {
  "no-process": "not-live",
  "process-ended": "process-ended",
  "request-timeout": "timeout",
  "request-aborted": "internal",
  "request-failed": "cli-refused",
  "unknown-request": "unknown-request",
  "not-open": "not-open",
  changed: "changed",
  "unknown-row": "not-found",
  "unsafe-flags": "unsupported",
  "not-trustable": "unsupported",
  "settings-refused": "unsupported",
  "bypass-unavailable": "unsupported",
  "invalid-policy": "bad-request",
  "unknown-policy": "not-found",
  "not-run": "not-found",
  "no-output": "cli-refused",
  "not-kept": "unsupported",
  "session-exists": "bad-request",
  "no-folder": "not-found",
  "folder-changed": "folder-untrusted",
  "folder-busy": "timeout",
  "nothing-to-continue": "not-found",
  "already-answered": "already-answered",
  "unknown-session": "unknown-session",
  "unknown-prompt": "unknown-prompt",
  "too-late": "too-late",
  "session-live": "session-live",
  "session-held": "session-held",
  "limit-reached": "limit",
  "budget-reached": "over-budget",
  "invalid-answer": "invalid-answer",
  "invalid-message": "bad-request",
  "invalid-options": "bad-request",
  "turn-running": "turn-running",
  "snapshot-failed": "unsupported",
  closed: "shutting-down",
  "program-missing": "unsupported",
  "not-executable": "unsupported",
  "folder-missing": "not-found",
  "folder-forbidden": "not-found",
  "system-limit": "limit",
  "spawn-failed": "internal",
  "stdin-closed": "process-ended",
};

const OF_STORE: Readonly<Partial<Record<StoreErrorCode, BridgeErrorCode>>> = { closed: "shutting-down" };

const isBridgeCode = (code: unknown): code is BridgeErrorCode => typeof code === "string" && code in BRIDGE_ERRORS;

/** Undefined if the error is a bug of ours. */
export const refusalOf = (error: unknown): Refusal | undefined => {
  if (error instanceof Refusal) return error;
  if (error instanceof ArgvError) return new Refusal("bad-request", error.message, { option: error.option });
  if (error instanceof ProtocolError)
    return new Refusal(error.code === "invalid-answer" ? "invalid-answer" : "bad-request", error.message);
  if (error instanceof StoreError)
    return new Refusal(OF_STORE[error.code] ?? "internal", error.message, { store: error.code });
  if (error instanceof FindClaudeError) return new Refusal("unsupported", error.message);
  if (error instanceof HostError)
    return new Refusal(OF_HOST[error.code as keyof typeof OF_HOST], error.message, error.details);
  // Errors of other parts of the server, with a code of the bridge.
  if (error instanceof Error && "code" in error && isBridgeCode(error.code))
    return new Refusal(error.code, error.message);
  return undefined;
};

export const unknownSession = (session: string): Refusal =>
  new Refusal("unknown-session", "The session does not exist.", { session });

/** `number`: set if JSON-RPC has its own number for our code. */
export const errorFrame = (
  id: string | number | null,
  { code, message, data }: Refusal,
  number: number = BRIDGE_ERRORS[code],
): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    id,
    error: { code: number, message, data: { ...data, code } },
  });
