// The only module that writes to the terminal and reads from it. All text goes through `printed`, so control sequences in it do
// nothing. The linter forbids process.stdout, process.stderr and console everywhere else in this package.

import { createInterface } from "node:readline/promises";
import { setTimeout as delay } from "node:timers/promises";
import { jsonText, paint, printed, wantsColours, widthOf } from "./terminal.ts";

export const print = (text: string): void => void process.stdout.write(printed(text, wantsColours(process.stdout)));
/** Messages for people, when a program may read the output. */
export const say = (text: string): void => void process.stderr.write(printed(text, wantsColours(process.stderr)));
export const printJson = (value: unknown, indent?: number): void => print(`${jsonText(value, indent)}\n`);

/** Output functions and sizes for a command. */
export const looks = () => ({
  write: print,
  say,
  paint,
  width: widthOf(process.stdout),
  /** Where the terminal breaks lines. Infinity if there is no terminal. */
  columns: isTerminal("stdout") ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY,
});

export const isTerminal = (stream: "stdout" | "stderr"): boolean => process[stream].isTTY;
/** Whether a person can see questions and answer them. */
export const isInteractive = (): boolean => process.stdin.isTTY && process.stderr.isTTY;

/** A reader that goes away (`quarterdeck ls | head`) is an error of the stream. */
export const onOutputError = (streams: readonly ("stdout" | "stderr")[], listener: (error: Error) => void): void => {
  for (const stream of streams) process[stream].on("error", listener);
};

/**
 * Unchanged bytes, only for `record`, `claude` and `acp`. The first two stand in for the user's own `claude`, which would write the
 * same bytes to the same terminal. `acp` writes JSON for an editor. A program that reads them needs every byte.
 */
export const rawOutput = () => ({ stdout: process.stdout, stderr: process.stderr });

export interface Keyboard {
  /** Undefined if the questions do not go to a terminal. */
  readonly size: () => { readonly rows: number; readonly columns: number } | undefined;
  /** Writes to the place where questions appear. Otherwise a person could answer a request that went to a file. */
  readonly show: (text: string) => void;
  /**
   * Gives a person time to see the request, then drops what was typed before. Otherwise a `y` that was meant for
   * something else could answer a request that has just appeared. Rejects like `ask`.
   */
  readonly settle: (signal?: AbortSignal) => Promise<void>;
  /** Rejects with an AbortError when the signal aborts or the input ends. */
  readonly ask: (text: string, signal?: AbortSignal) => Promise<string>;
  readonly onLine: (listener: (line: string) => void) => void;
  readonly onClose: (listener: () => void) => void;
  readonly close: () => void;
}

export interface KeyboardStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream & {
    readonly isTTY?: boolean;
    readonly rows?: number;
    readonly columns?: number;
  };
}

export interface KeyboardOptions {
  /** Default: stdin and stderr of this process. */
  readonly streams?: KeyboardStreams;
  /** Called for Ctrl-C. Default: sends SIGINT to this process. */
  readonly onInterrupt?: () => void;
}

/** The page disables its buttons for the same time. */
const SETTLE_MS = 500;

export const openKeyboard = ({ streams, onInterrupt }: KeyboardOptions = {}): Keyboard => {
  const { input, output } = streams ?? { input: process.stdin, output: process.stderr };
  const colours = wantsColours(output);
  const lines = createInterface({ input, output });
  lines.on("SIGINT", onInterrupt ?? (() => process.kill(process.pid, "SIGINT")));
  return {
    size: () => (output.isTTY === true ? { rows: output.rows || 24, columns: output.columns || 80 } : undefined),
    show: (text) => void output.write(printed(text, colours)),
    settle: async (signal) => {
      if (output.isTTY !== true) return;
      await delay(SETTLE_MS, undefined, signal === undefined ? {} : { signal });
      Object.assign(lines, { line: "", cursor: 0 });
    },
    ask: (text, signal) => lines.question(printed(text, colours), signal === undefined ? {} : { signal }),
    onLine: (listener) => void lines.on("line", listener),
    onClose: (listener) => void lines.on("close", listener),
    close: () => lines.close(),
  };
};
