// What a host writes, as typed constructors, so no line is built by hand. There is no constructor for a `tool_result`: on
// stdin it has no effect in any measured CLI.

import type { ContentBlock, DocumentBlock, ImageBlock, TextBlock } from "./content.ts";
import { CONTROL } from "./control.ts";
import type { HostRequest, ResponseOf } from "./control.ts";
import type { HookOutput } from "./hooks.ts";
import type { ImageMediaType } from "./image-types.ts";
import { isRecord } from "./json.ts";
import type { PermissionUpdate } from "./permission.ts";
import { ProtocolError } from "./protocol-error.ts";
import { misfitOf } from "./schema.ts";
import type { ControlRequest, ControlResponse, Origin, UserMessage } from "./stdout.ts";

export type StdinMessage =
  | UserMessage
  | ControlRequest<HostRequest>
  | ControlResponse
  | { type: "control_cancel_request"; request_id: string }
  | { type: "keep_alive" };

export type PromptBlock = TextBlock | ImageBlock | DocumentBlock;

export interface PromptOptions {
  /** Without it there is no lifecycle, no cancel and no rewind. The CLI silently drops a known uuid. */
  readonly uuid?: string;
  /** `now` interrupts the running turn, `later` waits for its end. The default joins at the next tool boundary. */
  readonly priority?: "now" | "next" | "later";
  readonly origin?: Origin;
  /** `false` stores the message without calling the model. */
  readonly shouldQuery?: boolean;
  /** No slash commands, no @-mentions in this text. */
  readonly clientComposed?: boolean;
}

export const userMessage = (content: string | readonly PromptBlock[], options: PromptOptions = {}): UserMessage => {
  if (typeof content !== "string" && !Array.isArray(content)) {
    throw new ProtocolError("invalid-message", "A prompt is a text or a list of blocks.");
  }
  if (content.length === 0 || (typeof content === "string" && content.trim() === "")) {
    throw new ProtocolError("empty-content", "A prompt needs content: the CLI would pay for a call with an empty one.");
  }
  return {
    type: "user",
    session_id: "",
    message: { role: "user", content: typeof content === "string" ? content : ([...content] as ContentBlock[]) },
    parent_tool_use_id: null,
    ...(options.uuid !== undefined && { uuid: options.uuid }),
    ...(options.priority !== undefined && { priority: options.priority }),
    ...(options.origin !== undefined && { origin: options.origin }),
    ...(options.shouldQuery !== undefined && { shouldQuery: options.shouldQuery }),
    ...(options.clientComposed === true && { client_composed: true }),
  };
};

export const textBlock = (text: string): TextBlock => ({ type: "text", text });

export const imageBlock = (mediaType: ImageMediaType, base64: string): ImageBlock => ({
  type: "image",
  source: { type: "base64", media_type: mediaType, data: base64 },
});
export const documentBlock = (mediaType: "application/pdf", base64: string, title?: string): DocumentBlock => ({
  type: "document",
  source: { type: "base64", media_type: mediaType, data: base64 },
  ...(title !== undefined && { title }),
});

export const controlRequest = <R extends HostRequest>(requestId: string, request: R): ControlRequest<R> => ({
  type: "control_request",
  request_id: requestId,
  request,
});

/**
 * Withdraws a request of our own. A request of the CLI cannot be cancelled: answer it, or interrupt. This line ends versions
 * before 2.1.325, so `encodeLine(message, { version })` refuses it for them, and without a version.
 */
export const cancelRequest = (requestId: string): StdinMessage => ({
  type: "control_cancel_request",
  request_id: requestId,
});
export const keepAlive = (): StdinMessage => ({ type: "keep_alive" });

export interface AllowOptions {
  /** Replaces the whole input; the tool checks it. */
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  readonly updatedPermissions?: readonly PermissionUpdate[];
  readonly decisionClassification?: "user_temporary" | "user_permanent";
}

/**
 * `input` is the input of the request. 2.1.22 to 2.1.38 refuse an allow without it, so it is sent unless `updatedInput`
 * replaces it.
 */
export const allow = (
  requestId: string,
  input: Readonly<Record<string, unknown>>,
  options: AllowOptions = {},
): ControlResponse =>
  answer(requestId, "can_use_tool", {
    behavior: "allow",
    updatedInput: { ...(options.updatedInput ?? input) },
    ...(options.updatedPermissions !== undefined && { updatedPermissions: [...options.updatedPermissions] }),
    ...(options.decisionClassification !== undefined && { decisionClassification: options.decisionClassification }),
  });

/** With `interrupt` the turn ends and the model never sees the message. */
export const deny = (requestId: string, message: string, options: { interrupt?: boolean } = {}): ControlResponse =>
  answer(requestId, "can_use_tool", {
    behavior: "deny",
    message: message === "" ? "The user declined." : message,
    ...(options.interrupt === true && { interrupt: true }),
  });

export const hookAnswer = (requestId: string, output: HookOutput = {}): ControlResponse =>
  answer(requestId, "hook_callback", output);

/** A notification has no reply, but the request that contains it must be answered. */
export const mcpAnswer = (requestId: string, reply: Readonly<Record<string, unknown>>): ControlResponse => {
  // Without it, every version of the CLI waits for this reply forever.
  if (!isRecord(reply) || reply["jsonrpc"] !== "2.0")
    throw new ProtocolError("invalid-answer", 'An MCP reply is JSON-RPC: { jsonrpc: "2.0", id, result }.');
  return answer(requestId, "mcp_message", { mcp_response: { ...reply } });
};

export const elicitationAnswer = (
  requestId: string,
  action: "accept" | "decline" | "cancel",
  content?: Readonly<Record<string, unknown>>,
): ControlResponse =>
  answer(requestId, "elicitation", { action, ...(content !== undefined && { content: { ...content } }) });

export const dialogAnswer = (requestId: string, outcome: ResponseOf<"request_user_dialog">): ControlResponse =>
  answer(requestId, "request_user_dialog", outcome);

/** For a request that is unknown or failed. */
export const refusal = (requestId: string, error: string): ControlResponse => ({
  type: "control_response",
  response: { subtype: "error", request_id: requestId, error },
});

const answer = <S extends "can_use_tool" | "hook_callback" | "mcp_message" | "elicitation" | "request_user_dialog">(
  requestId: string,
  subtype: S,
  response: ResponseOf<S>,
): ControlResponse => {
  const misfit = misfitOf(CONTROL[subtype].response, response);
  if (misfit !== undefined) throw new ProtocolError("invalid-answer", `The answer to ${subtype} ${misfit}.`);
  return {
    type: "control_response",
    response: { subtype: "success", request_id: requestId, response: response as Record<string, unknown> },
  };
};
