// The simple interface: callbacks for what happens in a session.

import { isInterrupted, parsePartialJson, waitsForPerson } from "@quarterdeck/session";
import type { Draft, ErrorRow, Event, OpenRequest, Row, Streamed, ToolRow, TurnRow } from "@quarterdeck/session";
import type { Session } from "./session.ts";
import { SessionError } from "./session-error.ts";

export interface Callbacks {
  /** New text of the model, as it is streamed. */
  readonly onText?: (text: string) => void;
  readonly onThinking?: (text: string) => void;
  /** The input of a call while the model writes it: the part that can be read so far. `onToolStart` follows with the whole. */
  readonly onToolInput?: (name: string, id: string, input: unknown) => void;
  readonly onToolStart?: (name: string, id: string, input: unknown) => void;
  /** Without a result, this is empty. `tool.state` says why. */
  readonly onToolEnd?: (id: string, result: string, tool: ToolRow) => void;
  /** A request waits for an answer: `session.respond(request.id, …)`. */
  readonly onRequest?: (request: OpenRequest) => void;
  /** A turn is done, or a person stopped it: `turn.ok`, `turn.reason`, `turn.stopReason`. */
  readonly onComplete?: (result: string, costUsd: number, turn: TurnRow) => void;
  /** A turn failed, or a process died. `error.code` says which. The message of a death has the last lines of stderr. */
  readonly onError?: (error: SessionError) => void;
  /** What the process writes to stderr. It may contain secrets; `session.head.stderr` does not. */
  readonly onStderr?: (text: string) => void;
}

/** Returns a function that stops listening. What is already in the session is not reported. */
export const listen = (session: Session, callbacks: Callbacks): (() => void) => {
  let { rev } = session;
  /** How many characters of each block were reported. */
  const told = new Map<string, number>();
  /** How many characters of each input were reported. */
  const inputTold = new Map<string, number>();
  const asked = new Set(session.head.requests.map((request) => request.id));
  let lastText = "";
  /** Says why the turn failed. */
  let lastError: ErrorRow | undefined;

  const tellText = (id: string, text: string, tell: ((text: string) => void) | undefined): void => {
    const from = told.get(id) ?? 0;
    told.set(id, text.length);
    if (text.length > from) tell?.(text.slice(from));
  };
  const tellDraft = (draft: Draft): void => {
    if (draft.kind === "text") tellText(draft.id, draft.text, callbacks.onText);
    else if (draft.kind === "thinking") tellText(draft.id, draft.text, callbacks.onThinking);
    else if (callbacks.onToolInput !== undefined && draft.name !== undefined && draft.toolUseId !== undefined) {
      const length = inputTold.get(draft.id);
      if (length === draft.text.length) return;
      inputTold.set(draft.id, draft.text.length);
      const input = draftInput(draft);
      if (input !== undefined) callbacks.onToolInput(draft.name, draft.toolUseId, input);
    }
  };
  const tellRow = (row: Row): void => {
    if (row.parent !== undefined) return;
    switch (row.kind) {
      case "text":
        tellText(row.id, row.text, callbacks.onText);
        lastText = row.text;
        break;
      case "thinking":
        tellText(row.id, row.text, callbacks.onThinking);
        break;
      case "tool":
        if (!told.has(row.id)) callbacks.onToolStart?.(row.name, row.toolUseId, row.input);
        if (hasEnded(row) && told.get(row.id) !== 1) callbacks.onToolEnd?.(row.toolUseId, row.result?.text ?? "", row);
        told.set(row.id, hasEnded(row) ? 1 : 0);
        break;
      case "turn":
        if (row.ok || isInterrupted(row)) callbacks.onComplete?.(lastText, row.costUsd, row);
        else callbacks.onError?.(SessionError.ofTurn(row, lastText, lastError));
        told.clear();
        inputTold.clear();
        lastError = undefined;
        // The next turn must not repeat this text if it has none.
        lastText = "";
        break;
      case "error":
        lastText = row.text;
        lastError = row;
        if (row.source === "process") callbacks.onError?.(SessionError.ofRow(row));
        break;
      case "command":
        lastText = row.text;
        break;
      // Other kinds have no callback.
      default:
        break;
    }
  };
  const onEvent = (event: Event | Streamed): void => {
    if (event.type === "streamed") {
      for (const draft of session.drafts) tellDraft(draft);
      return;
    }
    if (event.type === "stderr") callbacks.onStderr?.(event.text);
    const changes = session.changes(rev);
    ({ rev } = changes);
    for (const row of changes.rows) tellRow(row);
    for (const request of changes.head.requests ?? []) {
      if (asked.has(request.id) || !waitsForPerson(request)) continue;
      asked.add(request.id);
      callbacks.onRequest?.(request);
    }
  };
  return session.subscribe(onEvent);
};

/** A call that was cut off by the end of its turn or process gets no result. */
const hasEnded = ({ result, endedAt }: ToolRow): boolean => result !== undefined || endedAt !== undefined;

/** The input of a tool call that is still being streamed. */
export const draftInput = (draft: Draft): unknown => (draft.kind === "tool" ? parsePartialJson(draft.text) : undefined);
