// What the host does in a case, as data: steps in order, and answers to requests of the CLI. The constructors below
// keep a case short.
import type { Pattern } from "./match.ts";

export type HostStep =
  | { readonly do: "prompt"; readonly content: unknown; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly do: "see"; readonly all: readonly Pattern[] }
  | {
      readonly do: "request";
      readonly request: Readonly<Record<string, unknown>>;
      readonly response: Pattern;
      readonly wait: boolean;
    }
  | { readonly do: "write"; readonly message: Readonly<Record<string, unknown>> }
  | { readonly do: "raw"; readonly line: string }
  /** Writes an empty file into the folder of the case. A command may wait for it. */
  | { readonly do: "file"; readonly name: string }
  | { readonly do: "eof" }
  | { readonly do: "signal"; readonly signal: NodeJS.Signals }
  | { readonly do: "exit" };

/**
 * How the CLI's own requests are answered: by the first answer that matches. A request without a match fails the case.
 */
export type Answer =
  | { readonly to: "tool"; readonly tool: string; readonly input?: Pattern; readonly reply: ToolReply }
  | {
      readonly to: "hook";
      readonly callback: string;
      readonly input?: Pattern;
      readonly output: Readonly<Record<string, unknown>>;
    }
  | { readonly to: "mcp"; readonly server: string; readonly tools: readonly McpTool[] };

export type ToolReply =
  | { readonly response: Readonly<Record<string, unknown>> }
  /** Allows with the original input, changed in these fields, and other fields of the reply. */
  | { readonly allow: Readonly<Record<string, unknown>>; readonly also?: Readonly<Record<string, unknown>> }
  | { readonly error: string }
  | { readonly silent: true };

export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export const prompt = (content: unknown, fields: Readonly<Record<string, unknown>> = {}): HostStep => ({
  do: "prompt",
  content,
  fields,
});
/** Waits until each pattern has matched a line after the last wait. */
export const see = (...all: readonly Pattern[]): HostStep => ({ do: "see", all });
export const settled: HostStep = see({ type: "result" });
/** A prompt and its result. */
export const turn = (content: unknown, fields: Readonly<Record<string, unknown>> = {}): readonly HostStep[] => [
  prompt(content, fields),
  settled,
];
/** Sends a control request. Continues when its response matches `response` (the inside of `control_response`). */
export const request = (
  fields: Readonly<Record<string, unknown>>,
  response: Pattern = { subtype: "success" },
): HostStep => ({ do: "request", request: fields, response, wait: true });
export const requestWithoutWaiting = (fields: Readonly<Record<string, unknown>>): HostStep => ({
  do: "request",
  request: fields,
  response: {},
  wait: false,
});
export const interrupt = request({ subtype: "interrupt" });
export const initialize = (
  fields: Readonly<Record<string, unknown>> = {},
  response: Pattern = { subtype: "success" },
): HostStep => request({ subtype: "initialize", ...fields }, response);
export const write = (message: Readonly<Record<string, unknown>>): HostStep => ({ do: "write", message });
export const raw = (line: string): HostStep => ({ do: "raw", line });
export const file = (name: string): HostStep => ({ do: "file", name });
export const eof: HostStep = { do: "eof" };
export const signal = (name: NodeJS.Signals): HostStep => ({ do: "signal", signal: name });
/** Waits for the process to end by itself. */
export const exit: HostStep = { do: "exit" };

export const allow = (tool: string, changes: Readonly<Record<string, unknown>> = {}): Answer => ({
  to: "tool",
  tool,
  reply: { allow: changes },
});
export const deny = (tool: string, message: string, also: Readonly<Record<string, unknown>> = {}): Answer => ({
  to: "tool",
  tool,
  reply: { response: { behavior: "deny", message, ...also } },
});
export const respond = (tool: string, response: Readonly<Record<string, unknown>>): Answer => ({
  to: "tool",
  tool,
  reply: { response },
});
export const hook = (callback: string, output: Readonly<Record<string, unknown>> = {}): Answer => ({
  to: "hook",
  callback,
  output,
});
