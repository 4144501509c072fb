// How a failed request ends a turn: the synthetic message that replaces the answer, and its texts by status.
import { randomUUID } from "node:crypto";
import type { Json } from "./json.ts";
import type { Failure } from "./scenario.ts";
import { SYNTHETIC_USAGE } from "./usage.ts";
import type { Session, Thread, ThreadEnd } from "./session-contract.ts";

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

/** Writes the synthetic message that replaces a missing answer. */
export const apiError = (session: Session, thread: Thread, failure: Failure | undefined): ThreadEnd => {
  const { text, name } = errorText(session, failure);
  const requestId = failure?.headers?.["request-id"];
  const answered = failure !== undefined && failure.status !== 0;
  const error: Json = answered
    ? { api_error_status: failure.status, api_error_type: failure.type ?? ERROR_TYPES[failure.status] ?? "api_error" }
    : failure === undefined
      ? {}
      : { api_error: "connection_failed" };
  thread.turn?.onFirstByte();
  const first = thread.turn?.firstMarks ?? {};
  if (thread.turn !== undefined) thread.turn.firstMarks = {};
  session.voice.assistant({
    message: syntheticMessage(text, "stop_sequence", ""),
    thread,
    extra: {
      error: name,
      ...(requestId === undefined ? {} : { request_id: requestId }),
      is_api_error_message: true,
      ...error,
      ...first,
    },
  });
  return {
    kind: "api-error",
    text,
    error,
    terminal: failure?.status === 413 ? "image_error" : "api_error",
    stop: "stop_sequence",
  };
};

/** Writes the synthetic message that follows an incomplete answer. */
export const brokenAnswer = (session: Session, thread: Thread, isError: boolean, usesTools: boolean): ThreadEnd => {
  const what = isError ? "Server error" : "Connection lost";
  const text = `API Error: ${what} mid-response. The response above may be incomplete.`;
  const error: Json = isError ? {} : { api_error: "connection_failed" };
  session.voice.assistant({
    message: usesTools ? syntheticMessage(text, "tool_use", null) : syntheticMessage(text, "stop_sequence", ""),
    thread,
    extra: { error: "server_error", is_api_error_message: true, ...error },
  });
  return { kind: "api-error", text, error, terminal: "api_error", stop: "stop_sequence" };
};

/** A second refusal in a row: the model is not asked again. */
export const refuse = (session: Session, thread: Thread, requestId: string, messageId: string): string => {
  const name = session.modelName();
  const text = `API Error: ${name}'s safeguards flagged this message (https://www.anthropic.com/legal/aup). This sometimes happens with safe, normal conversations. Claude Code can't respond to this message with ${name}.\n\nTry rephrasing the request in a new session or change your model.\n\nLearn more: https://support.claude.com/en/articles/8106465\n\nRequest ID: ${requestId}\n\nMessage ID: ${messageId}`;
  const uuid = thread.turn?.uuids.at(-1);
  session.voice.emit({
    type: "system",
    subtype: "model_refusal_no_fallback",
    original_model: thread.model,
    request_id: requestId,
    api_refusal_category: null,
    api_refusal_explanation: null,
    refused_user_message_uuid: uuid ?? randomUUID(),
    content: "",
  });
  session.voice.assistant({
    message: syntheticMessage(text, "refusal", ""),
    thread,
    extra: {
      error: "invalid_request",
      request_id: requestId,
      is_api_error_message: true,
      refused_message_id: messageId,
      ...(uuid === undefined ? {} : { user_message_uuid: uuid, user_message_uuids: thread.turn?.uuids }),
    },
  });
  return text;
};

export const syntheticMessage = (text: string, stopReason: string, stopSequence: string | null): Json => ({
  diagnostics: null,
  id: randomUUID(),
  container: null,
  model: "<synthetic>",
  role: "assistant",
  stop_details: null,
  stop_reason: stopReason,
  stop_sequence: stopSequence,
  type: "message",
  usage: SYNTHETIC_USAGE,
  content: [{ type: "text", text }],
  context_management: null,
});

const errorText = (
  session: Session,
  failure: Failure | undefined,
): { readonly text: string; readonly name: string } => {
  if (failure === undefined) return { text: "Not logged in · Please run /login", name: "authentication_failed" };
  const message = failure.message ?? `Scripted failure ${String(failure.status)}`;
  const status = String(failure.status);
  switch (failure.status) {
    case 0:
      return {
        text: "API Error: Connection dropped (ECONNRESET). Check the gateway set in ANTHROPIC_BASE_URL, then try again.",
        name: "server_error",
      };
    case 401:
    case 403:
      return { text: `Failed to authenticate. API Error: ${status} ${message}`, name: "authentication_failed" };
    case 404:
      return {
        text: `There's an issue with the selected model (${session.modelId}). It may not exist or you may not have access to it. Run --model to pick a different model.`,
        name: "model_not_found",
      };
    case 413:
      return {
        text: "Request too large (max 32MB). Accumulated images and attachments in the conversation pushed the request over the limit. Remove older images or compact the conversation.",
        name: "invalid_request",
      };
    case 429:
      return { text: `API Error: Request rejected (429) · ${message}`, name: "rate_limit" };
    default:
      if (failure.status < 500) return { text: `API Error: ${status} ${message}`, name: "unknown" };
      return {
        text: `API Error: ${status} ${message}. This is a server-side issue, usually temporary — try again in a moment. If it persists, check ${gateway()}.`,
        name: "server_error",
      };
  }
};

const gateway = (): string => {
  const host = gatewayHost();
  return host === undefined ? "https://status.claude.com" : `your inference gateway (${host})`;
};

/** The host of an API that is not the default one. */
export const gatewayHost = (): string | undefined => {
  const url = process.env.ANTHROPIC_BASE_URL;
  return url !== undefined && URL.canParse(url) ? new URL(url).host : undefined;
};
