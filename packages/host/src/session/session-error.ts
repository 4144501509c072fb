// What went wrong in a session, for callbacks: a turn that failed, or a process that died.

import type { ErrorRow, TurnRow } from "@quarterdeck/session";

/**
 * `process-ended`: the CLI died. `auth`, `limit`, `api`, `refusal`: why the model did not answer. `max-turns`, `max-budget`,
 * `no-output`: a limit that the caller set, or an answer that does not fit the schema. `turn-failed`: anything else.
 */
export type SessionErrorCode =
  | "process-ended"
  | "auth"
  | "limit"
  | "api"
  | "refusal"
  | "protocol"
  | "memory"
  | "max-turns"
  | "max-budget"
  | "no-output"
  | "turn-failed";

const BY_SUBTYPE: Readonly<Record<string, SessionErrorCode>> = {
  error_max_turns: "max-turns",
  error_max_budget_usd: "max-budget",
  error_max_structured_output_retries: "no-output",
};

export class SessionError extends Error {
  override readonly name: string = "SessionError";
  readonly code: SessionErrorCode;
  readonly row: ErrorRow | TurnRow;

  private constructor(code: SessionErrorCode, message: string, row: ErrorRow | TurnRow) {
    super(message);
    this.code = code;
    this.row = row;
  }

  static ofRow(row: ErrorRow): SessionError {
    return new SessionError(row.source === "process" ? "process-ended" : row.source, row.text, row);
  }

  /** `why` is the last error of the turn. */
  static ofTurn(turn: TurnRow, text: string, why: ErrorRow | undefined): SessionError {
    const message = turn.errors.join("\n") || text || turn.subtype;
    const cause = why === undefined ? undefined : SessionError.ofRow(why).code;
    return new SessionError(BY_SUBTYPE[turn.subtype] ?? cause ?? "turn-failed", message, turn);
  }
}
