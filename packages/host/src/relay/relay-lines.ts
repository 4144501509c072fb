// Lines of a caller and lines for it, read just enough to know where they belong.

import { isRecord } from "@quarterdeck/protocol";
import type { Line, RequestOf } from "@quarterdeck/protocol";
import { POLICY_HOOK } from "../session/responders.ts";

/** The caller's first request, which also starts the host's use of the process. */
export interface FirstRequest {
  readonly id: string;
  readonly request: RequestOf<"initialize">;
}

/** What is wrong with a line that is not JSON. */
export const NOISE: Readonly<Record<string, string>> = {
  "not-utf8": "not UTF-8",
  oversized: "longer than 64 MB",
  "too-deep": "nested too deep",
};

export const firstRequestIn = (message: unknown): FirstRequest | undefined => {
  if (!isRecord(message) || message["type"] !== "control_request") return undefined;
  const { request_id: id, request } = message;
  if (typeof id !== "string" || !isRecord(request) || request["subtype"] !== "initialize") return undefined;
  const { systemPrompt } = request;
  // SDKs of 0.1 send a text. The CLI reads both.
  const read = typeof systemPrompt === "string" ? { ...request, systemPrompt: [systemPrompt] } : request;
  return { id, request: read as unknown as RequestOf<"initialize"> };
};

/** A repeated prompt. The CLI also marks the output of its own commands like this, and sends that in any case (measured). */
export const isEcho = (message: Readonly<Record<string, unknown>>): boolean => {
  if (message["isReplay"] !== true) return false;
  const { content } = (message["message"] ?? {}) as { readonly content?: unknown };
  return typeof content !== "string" || !content.startsWith("<local-command-");
};

/** The host's own hook must not be confused with the caller's. */
export const usesOurHook = ({ hooks }: RequestOf<"initialize">): boolean =>
  Object.values(hooks ?? {}).some(
    (matchers) => Array.isArray(matchers) && matchers.some((one) => one?.hookCallbackIds?.includes(POLICY_HOOK)),
  );

export const lineText = (line: Line): string => {
  if (typeof line === "string") return `${line}\n`;
  return `${Buffer.from(line instanceof Uint8Array ? line : line.head).toString("utf8")}\n`;
};

export const isRequest = (text: string, requestId: string): boolean => {
  if (!text.includes(requestId)) return false;
  const message = JSON.parse(text) as { readonly type?: unknown; readonly request_id?: unknown };
  return message.type === "control_request" && message.request_id === requestId;
};
