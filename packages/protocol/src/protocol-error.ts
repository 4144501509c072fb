/** What a caller of this package did wrong. */
export type ProtocolErrorCode = "invalid-message" | "not-serialisable" | "empty-content" | "invalid-answer";

export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  readonly code: ProtocolErrorCode;
  constructor(code: ProtocolErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
