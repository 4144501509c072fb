// Types of the answer to a control request.
import type { Json } from "./json.ts";
import type { Session } from "./session-contract.ts";

export class ControlError extends Error {
  readonly code: string | undefined;
  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

export interface Request {
  readonly session: Session;
  readonly id: string;
  readonly request: Json;
  readonly signal: AbortSignal;
  /** Writes the response now, if other lines must follow it. */
  readonly reply: (response?: Json, envelope?: Json) => void;
}

/** `undefined`: success without a response. */
export type Answer = (request: Request) => Json | undefined | Promise<Json | undefined>;
