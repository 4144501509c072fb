/** A refusal of the server with its code, or `closed` if this client was closed first. */
export class BridgeError extends Error {
  override readonly name = "BridgeError";
  readonly code: string;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, data: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
