// What the host answers for a caller that is gone. Its hooks fail closed: a call that a hook would have checked is refused.
// Its tools return an error. Permission requests are not answered here, because another device can answer them.

import type { CliRequest, JsonValue, RequestOf } from "@quarterdeck/protocol";

const WHO = "The program that started this session is gone";

/** Undefined if the answer is an error: the text is `goneText`. */
export const goneAnswer = (request: CliRequest): JsonValue | undefined => {
  if (request.subtype === "mcp_message") return mcpError(request);
  if (request.subtype !== "hook_callback") return undefined;
  const event = request.input.hook_event_name;
  const reason = `${WHO}, so its ${event} hook cannot check this. Start the program again, or send the prompt from it.`;
  switch (event) {
    case "PreToolUse":
      return {
        hookSpecificOutput: {
          hookEventName: event,
          permissionDecision: "deny",
          permissionDecisionReason: reason,
        },
      };
    case "PermissionRequest":
      return { hookSpecificOutput: { hookEventName: event, decision: { behavior: "deny", message: reason } } };
    case "UserPromptSubmit":
      return { decision: "block", reason };
    default:
      // Nothing is left to refuse. The CLI reports the error and continues.
      return undefined;
  }
};

export const goneText = (request: CliRequest): string =>
  request.subtype === "hook_callback"
    ? `${WHO}, so its ${request.input.hook_event_name} hook did not run.`
    : `${WHO}, so nobody can answer ${request.subtype}.`;

const mcpError = ({ message, server_name: server }: RequestOf<"mcp_message">): JsonValue => {
  const { id } = message as { readonly id?: JsonValue };
  const text = `${WHO}. It ran the MCP server ${server}.`;
  return { mcp_response: { jsonrpc: "2.0", id: id ?? 0, error: { code: -32_000, message: text } } };
};
