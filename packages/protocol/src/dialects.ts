// Rewrites older forms (S0 to S4 in docs/protocol.md) to today's form. It runs on every decoded object that is not a stream
// event, so each rule checks one or two fields first. `tools/` reads the older forms of tool inputs and results.

import { isRecord } from "./json.ts";

type Wire = Record<string, unknown>;

export type Dialect =
  | "nested-control-request" // S2: the request is in `message`
  | "hint-suggestions" // S2: suggestions as {behavior, message}
  | "assistant-delta" // S2: deltas as `assistant.delta`
  | "unmarked-echo" // S2: the echo of a prompt without `isReplay`
  | "bare-result" // S1: a success without is_error
  | "error-result" // S0, S3: result.subtype "error" with `error`
  | "api-error-text"; // S1: "API Error: 400 {...}" as text under success

export interface Modernised {
  readonly value: Wire;
  readonly dialects: readonly Dialect[];
}

export const modernise = (value: Wire): Modernised => {
  switch (value["type"]) {
    case "control_request":
      return modernControlRequest(value);
    case "assistant":
      return modernAssistant(value);
    case "user":
      return isUnmarkedEcho(value) ? changed({ ...value, isReplay: true }, "unmarked-echo") : same(value);
    case "result":
      return modernResult(value);
    default:
      return same(value);
  }
};

const same = (value: Wire): Modernised => ({ value, dialects: [] });
const changed = (value: Wire, ...dialects: Dialect[]): Modernised => ({ value, dialects });

const modernControlRequest = (value: Wire): Modernised => {
  const dialects: Dialect[] = [];
  let flat = value;
  const nested = value["message"];
  if (value["request"] === undefined && isRecord(nested) && nested["type"] === "control_request") {
    flat = { ...value, ...nested };
    delete flat["message"];
    dialects.push("nested-control-request");
  }
  const request = flat["request"];
  if (isRecord(request) && Array.isArray(request["permission_suggestions"])) {
    const hints = request["permission_suggestions"].filter(isHint);
    if (hints.length > 0) {
      const updates = request["permission_suggestions"].filter((entry) => !isHint(entry));
      flat = { ...flat, request: { ...request, permission_suggestions: updates, suggestion_hints: hints } };
      dialects.push("hint-suggestions");
    }
  }
  return { value: flat, dialects };
};

const isHint = (entry: unknown): boolean =>
  isRecord(entry) && entry["type"] === undefined && typeof entry["behavior"] === "string";

const modernAssistant = (value: Wire): Modernised => {
  if (value["message"] === undefined && isRecord(value["delta"])) {
    const { delta, ...rest } = value;
    return changed({ ...rest, type: "stream_event", event: delta }, "assistant-delta");
  }
  if (value["is_api_error_message"] !== undefined || value["error"] !== undefined) return same(value);
  const message = value["message"];
  if (!isRecord(message) || message["model"] !== SYNTHETIC) return same(value);
  const error = apiErrorOf(firstText(message["content"]));
  return error === undefined
    ? same(value)
    : changed({ ...value, ...error, is_api_error_message: true }, "api-error-text");
};

/** The model name of text that the CLI wrote in place of the model. */
const SYNTHETIC = "<synthetic>";

const firstText = (content: unknown): unknown => {
  if (!Array.isArray(content)) return content;
  const block: unknown = content[0];
  return isRecord(block) && block["type"] === "text" ? block["text"] : undefined;
};

const modernResult = (value: Wire): Modernised => {
  if (value["subtype"] === "error") {
    const { error, ...rest } = value;
    const errors = Array.isArray(rest["errors"]) ? rest["errors"] : typeof error === "string" ? [error] : [];
    return changed({ ...rest, subtype: "error_during_execution", is_error: true, errors }, "error-result");
  }
  // S3 writes `error` under `error_during_execution` too.
  if (value["errors"] === undefined && typeof value["error"] === "string" && value["subtype"] !== "success") {
    const { error, ...rest } = value;
    return changed({ ...rest, errors: [error] }, "error-result");
  }
  // S1 names only the subtype: every measured CLI stamps its results and lists what went wrong.
  const isBare = value["uuid"] === undefined;
  if (
    isBare &&
    typeof value["subtype"] === "string" &&
    value["subtype"].startsWith("error_") &&
    value["errors"] === undefined
  ) {
    const { result, ...rest } = value;
    const errors = typeof result === "string" && result !== "" ? [result] : [];
    return changed({ is_error: true, ...rest, errors }, "bare-result");
  }
  // Every measured CLI stamps its results and says whether they failed.
  if (value["subtype"] === "success" && value["is_error"] === undefined && value["uuid"] === undefined) {
    const rest = modernResult({ ...value, is_error: false });
    return changed(rest.value, "bare-result", ...rest.dialects);
  }
  // Today's CLI gives a reason. Without a reason, only the text is left.
  if (value["subtype"] !== "success" || value["terminal_reason"] !== undefined) return same(value);
  const error = apiErrorOf(value["result"]);
  return error === undefined
    ? same(value)
    : changed({ ...value, is_error: true, api_error_status: error.api_error_status }, "api-error-text");
};

const API_ERROR = /^API Error: (\d{3})\b/;
const ERROR_NAMES: Readonly<Record<string, string>> = {
  "400": "invalid_request",
  "401": "authentication_failed",
  "402": "billing_error",
  "403": "authentication_failed",
  "404": "model_not_found",
  "429": "rate_limit",
  "529": "overloaded",
};

const apiErrorOf = (text: unknown): { error: string; api_error_status: number } | undefined => {
  const status = typeof text === "string" ? API_ERROR.exec(text)?.[1] : undefined;
  if (status === undefined) return undefined;
  const fallback = status.startsWith("5") ? "server_error" : "unknown";
  return { error: ERROR_NAMES[status] ?? fallback, api_error_status: Number(status) };
};

/** Every measured CLI stamps what it writes with `uuid` and `session_id`; the echo of S2 has neither. */
const isUnmarkedEcho = (value: Wire): boolean => {
  if (value["uuid"] !== undefined || value["session_id"] !== undefined || value["isReplay"] !== undefined) return false;
  const message = value["message"];
  if (!isRecord(message) || value["tool_use_result"] !== undefined) return false;
  const content = message["content"];
  if (typeof content === "string") return true;
  return Array.isArray(content) && !content.some((block) => isRecord(block) && block["type"] === "tool_result");
};
