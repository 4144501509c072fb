/** What a caller of the host did wrong, or what cannot be done now. What goes wrong in a session is an event. */
export type HostErrorCode =
  | "no-process"
  | "process-ended"
  | "request-timeout"
  | "request-aborted"
  | "request-failed"
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
  | "nothing-to-continue"
  | "too-late"
  | "session-live"
  | "session-held"
  | "limit-reached"
  | "invalid-answer"
  | "unsafe-flags"
  | "closed";

export class HostError extends Error {
  override readonly name = "HostError";
  readonly code: HostErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  constructor(code: HostErrorCode, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}
