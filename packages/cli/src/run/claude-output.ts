// Prints a run as `claude -p` prints it with `--output-format`: its own messages, one per line, the result alone, or only
// the text of the result. The run itself prints our events as JSON lines, and this picks from them.

import { isRecord } from "@quarterdeck/protocol";
import { jsonText } from "../terminal/terminal.ts";

export type ClaudeFormat = "text" | "json" | "stream-json";

export interface ClaudeOutput {
  readonly write: (text: string) => void;
  /** After the run. */
  readonly end: () => void;
}

export const asClaudeWrites = (format: ClaudeFormat, write: (text: string) => void): ClaudeOutput => {
  let result: Message | undefined;
  return {
    write: (text) => {
      const message = messageIn(text);
      if (message === undefined) return;
      if (message["type"] === "result") result = message;
      if (format === "stream-json") write(`${jsonText(message)}\n`);
    },
    end: () => {
      if (result === undefined || format === "stream-json") return;
      write(`${format === "json" ? jsonText(result) : textOf(result)}\n`);
    },
  };
};

type Message = Readonly<Record<string, unknown>>;

/** A turn that reached a limit has no result, but says why. */
const textOf = ({ result, errors, subtype }: Message): string => {
  if (typeof result === "string") return result.replace(/\n$/u, "");
  return `Error: ${Array.isArray(errors) && errors.length > 0 ? errors.join("\n") : String(subtype)}`;
};

/** What a host has asked the CLI for, and a script has not. */
const NOT_PRINTED: ReadonlySet<unknown> = new Set([
  "auth_status",
  "control_request",
  "control_response",
  "control_cancel_request",
  "command_lifecycle",
  "keep_alive",
  "stream_event",
]);

const messageIn = (line: string): Message | undefined => {
  const event: unknown = JSON.parse(line);
  if (!isRecord(event) || event["type"] !== "received" || !isRecord(event["message"])) return undefined;
  const { message } = event;
  const isReplay = message["type"] === "user" && message["isReplay"] === true;
  return NOT_PRINTED.has(message["type"]) || isReplay || isHostsState(message) ? undefined : message;
};

const isHostsState = ({ type, subtype, status }: Message): boolean =>
  type === "system" &&
  // The CLI reports its requests to the model only together with deltas.
  (subtype === "session_state_changed" || (subtype === "status" && status === "requesting"));
