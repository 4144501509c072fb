// What can go wrong on the way to another machine. Callers switch over `code`.

export type FleetErrorCode =
  /** This machine has no connection to NATS. */
  | "bus-down"
  /** Nobody listens under the other machine's name. */
  | "machine-away"
  | "no-answer"
  /** NATS does not accept the key of this machine. */
  | "not-accepted"
  /** The NATS server shows a certificate that this machine does not know. */
  | "wrong-certificate"
  /** The other machine refused. The message is from there. */
  | "refused"
  /** The other machine must first learn which devices this machine has. */
  | "introduce";

export class FleetError extends Error {
  readonly code: FleetErrorCode;

  constructor(code: FleetErrorCode, message: string) {
    super(message);
    this.name = "FleetError";
    this.code = code;
  }
}
