// Every failure that a caller of the host can meet is a HostError with a code; what goes wrong in a session is an event. Errors of
// its parts are HostErrors themselves, with codes of their own; those of the protocol are translated. The store's writer loads this
// in a thread of its own: it imports nothing.

import type { CliProcessErrorCode } from "./process/cli-process-error.ts";
import type { StoreErrorCode } from "./store/event-store.ts";
import type { FindClaudeErrorCode } from "./process/find-claude.ts";

/** What a caller did wrong, or what cannot be done now. */
export type CallErrorCode =
  | "no-process"
  | "process-ended"
  | "request-timeout"
  | "request-aborted"
  | "request-failed"
  | "unknown-request"
  | "not-open"
  | "changed"
  | "already-answered"
  | "unknown-session"
  | "unknown-prompt"
  | "unknown-row"
  | "not-run"
  | "no-output"
  | "not-kept"
  | "session-exists"
  | "no-folder"
  | "folder-changed"
  | "folder-busy"
  | "nothing-to-continue"
  | "too-late"
  | "session-live"
  | "session-held"
  | "limit-reached"
  | "invalid-answer"
  | "invalid-message"
  | "invalid-options"
  | "unsafe-flags"
  | "not-trustable"
  | "closed";

export type HostErrorCode = CallErrorCode | CliProcessErrorCode | FindClaudeErrorCode | StoreErrorCode;

export class HostError extends Error {
  override readonly name: string = "HostError";
  readonly code: HostErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  constructor(
    code: HostErrorCode,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.code = code;
    this.details = details;
  }
}
