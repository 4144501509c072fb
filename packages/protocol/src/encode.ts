// A message to the CLI -> one line. One bad line on its stdin kills the CLI, so nothing goes out unchecked.

import { requestSchemaOf } from "./control.ts";
import { ProtocolError } from "./protocol-error.ts";
import { misfitOf } from "./schema.ts";
import type { StdinMessage } from "./stdin.ts";
import { ControlResponse, TOP_LEVEL, UserMessage } from "./stdout.ts";

/** The line with its LF. Throws a `ProtocolError` instead of building a line that the CLI would die of. */
export const encodeLine = (message: StdinMessage): string => {
  const misfit = misfitOfStdin(message);
  if (misfit !== undefined) throw new ProtocolError("invalid-message", `A line to the CLI ${misfit}`);
  let text: string;
  try {
    text = JSON.stringify(message);
  } catch (error) {
    throw new ProtocolError("not-serialisable", `A line to the CLI cannot be written as JSON: ${String(error)}`);
  }
  // JSON has no raw LF, but JavaScript's own line ends may stand in strings: some readers split there.
  return `${text.replace(/[\u2028\u2029]/g, (end) => (end === "\u2028" ? "\\u2028" : "\\u2029"))}\n`;
};

const misfitOfStdin = (message: StdinMessage): string | undefined => {
  switch (message.type) {
    case "user":
      return misfitOf(UserMessage, message);
    case "control_request": {
      const { request, request_id: id } = message;
      if (typeof id !== "string" || id === "") return "has no request_id";
      const schema = requestSchemaOf(request.subtype);
      return schema === undefined ? `asks for ${request.subtype}, which is not known` : misfitOf(schema, request);
    }
    case "control_response":
      return misfitOf(ControlResponse, message);
    case "control_cancel_request":
      return misfitOf(TOP_LEVEL.control_cancel_request, message);
    case "keep_alive":
      return undefined;
    default:
      return `has the type ${JSON.stringify((message as { type?: unknown }).type)}, which the CLI does not read`;
  }
};
