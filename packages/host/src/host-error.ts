// Every failure that a caller of the host can meet is a HostError with a code. What goes wrong in a session is an
// event. Errors of the host's parts are HostErrors with their own codes, and errors of the protocol are translated. The
// store's writer thread loads this file, so it imports nothing.

/** A wrong call, or a call that is not possible now. */
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
  | "budget-reached"
  | "invalid-answer"
  | "invalid-message"
  | "invalid-options"
  | "unsafe-flags"
  | "not-trustable"
  | "turn-running"
  | "snapshot-failed"
  | "settings-refused"
  | "bypass-unavailable"
  | "invalid-policy"
  | "unknown-policy"
  | "closed";

/** Failures of the CLI's process. */
export type CliProcessErrorCode =
  | "program-missing"
  | "not-executable"
  | "folder-missing"
  | "folder-forbidden"
  | "system-limit"
  | "spawn-failed"
  | "process-ended"
  | "stdin-closed";

/** Why no CLI was found. */
export type FindClaudeErrorCode = "not-found" | "not-executable" | "not-claude" | "does-not-run";

/** Failures of the store. */
export type StoreErrorCode = "locked" | "newer-schema" | "no-permission" | "disk-full" | "io" | "corrupt" | "closed";

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
