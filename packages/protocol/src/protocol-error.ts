/** A mistake of the caller of this package. */
export type ProtocolErrorCode = "invalid-message" | "not-serialisable" | "empty-content" | "invalid-answer";

export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  readonly code: ProtocolErrorCode;
  constructor(code: ProtocolErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
