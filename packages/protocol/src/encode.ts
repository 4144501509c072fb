// Encodes a message to the CLI as one line. One bad line ends the CLI, so every line is checked.

import { requestSchemaOf } from "./control.ts";
import { isRecord } from "./json.ts";
import { ProtocolError } from "./protocol-error.ts";
import { misfitOf } from "./schema.ts";
import type { StdinMessage } from "./stdin.ts";
import { ControlResponse, TOP_LEVEL, UserMessage } from "./stdout.ts";

export interface EncodeOptions {
  /** The version of the CLI. Lines that would end it are refused, and so is a cancel unless this version reads it. */
  readonly version?: string;
}

/** Returns the line with its LF. Throws a `ProtocolError` for a line that would end the CLI. */
export const encodeLine = (message: StdinMessage, options: EncodeOptions = {}): string => {
  let text: string;
  try {
    text = JSON.stringify(message);
  } catch (error) {
    throw new ProtocolError("not-serialisable", `A line to the CLI cannot be written as JSON: ${String(error)}`);
  }
  // Checks the written text, not the object, because a `toJSON` may change it.
  const misfit = text === undefined ? "is not JSON" : misfitOfStdin(JSON.parse(text) as StdinMessage | null, options);
  if (misfit !== undefined) throw new ProtocolError("invalid-message", `A line to the CLI ${misfit}`);
  // JSON has no raw LF, but strings may have U+2028 and U+2029, where some readers split.
  return `${text.replace(/[\u2028\u2029]/g, (end) => (end === "\u2028" ? "\\u2028" : "\\u2029"))}\n`;
};

/** A cancel ends 2.1.22 to 2.1.38 with exit code 1; 2.1.325 reads it. Versions between them are not measured, so it is refused. */
const readsCancel = (version: string): boolean => {
  const [major = 0, minor = 0, patch = 0] = (/^\d+\.\d+\.\d+/.exec(version)?.[0] ?? "").split(".").map(Number);
  return major > 2 || (major === 2 && (minor > 1 || (minor === 1 && patch >= 325)));
};

const misfitOfStdin = (message: StdinMessage | null, { version }: EncodeOptions): string | undefined => {
  if (message === null || typeof message !== "object") return "is not an object";
  switch (message.type) {
    case "user":
      return misfitOf(UserMessage, message);
    case "control_request": {
      const { request, request_id: id } = message;
      if (typeof id !== "string" || id === "") return "has no request_id";
      if (!isRecord(request)) return "has no request";
      const schema = requestSchemaOf(request.subtype);
      return schema === undefined ? `asks for ${request.subtype}, which is not known` : misfitOf(schema, request);
    }
    case "control_response":
      return misfitOf(ControlResponse, message);
    case "control_cancel_request":
      if (version === undefined) return "is a cancel, which ends older CLIs: say to which version it goes";
      if (!readsCancel(version)) return `is a cancel, which ends Claude Code ${version}`;
      return misfitOf(TOP_LEVEL.control_cancel_request, message);
    case "keep_alive":
      return undefined;
    default:
      return `has the type ${JSON.stringify((message as { type?: unknown }).type)}, which the CLI does not read`;
  }
};
