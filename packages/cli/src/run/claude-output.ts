// Prints a run as `claude -p` prints it with `--output-format`: its own messages, one per line, or the result alone. The
// run itself prints our events as JSON lines, and this picks from them.

import { isRecord } from "@quarterdeck/protocol";
import { jsonText } from "../terminal/terminal.ts";

export interface ClaudeOutput {
  readonly write: (text: string) => void;
  /** After the run. */
  readonly end: () => void;
}

export const asClaudeWrites = (format: "json" | "stream-json", write: (text: string) => void): ClaudeOutput => {
  let result: unknown;
  return {
    write: (text) => {
      const message = messageIn(text);
      if (message === undefined) return;
      if (message["type"] === "result") result = message;
      if (format === "stream-json") write(`${jsonText(message)}\n`);
    },
    end: () => {
      if (format === "json" && result !== undefined) write(`${jsonText(result)}\n`);
    },
  };
};

/** What a host has asked the CLI for, and a script has not. */
const NOT_PRINTED: ReadonlySet<unknown> = new Set([
  "control_request",
  "control_response",
  "control_cancel_request",
  "command_lifecycle",
  "keep_alive",
  "stream_event",
]);

const messageIn = (line: string): Readonly<Record<string, unknown>> | undefined => {
  const event: unknown = JSON.parse(line);
  if (!isRecord(event) || event["type"] !== "received" || !isRecord(event["message"])) return undefined;
  const { message } = event;
  const isReplay = message["type"] === "user" && message["isReplay"] === true;
  const isState = message["type"] === "system" && message["subtype"] === "session_state_changed";
  return NOT_PRINTED.has(message["type"]) || isReplay || isState ? undefined : message;
};
