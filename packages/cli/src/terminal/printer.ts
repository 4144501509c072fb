// The only module that writes to the terminal and reads from it. All text goes through `printed`, so control sequences in it do
// nothing. The linter forbids process.stdout, process.stderr and console everywhere else in this package.

import { createInterface } from "node:readline/promises";
import { setTimeout as delay } from "node:timers/promises";
import { PickList } from "./pick-list.ts";
import type { PickOptions, Picked } from "./pick-list.ts";
import { TypedKeys } from "./typed-keys.ts";
import type { KeyInput } from "./typed-keys.ts";
import { cellWidthOf, jsonText, paint, printed, wantsColors, widthOf } from "./terminal.ts";

export const print = (text: string): void => void process.stdout.write(printed(text, wantsColors(process.stdout)));
/** Messages for people, when a program may read the output. */
export const say = (text: string): void => void process.stderr.write(printed(text, wantsColors(process.stderr)));
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

/** The same sizes at any later time, because a person may resize the terminal. */
export const sizeNow = (): { readonly width: number; readonly columns: number } => {
  const { width, columns } = looks();
  return { width, columns };
};

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
  /** Shows a list and reads keys. Absent if no terminal is here. Rejects like `ask`. */
  readonly pick?: (pick: PickOptions, signal?: AbortSignal) => Promise<Picked>;
  /** Tells when a person types a line at a terminal, so that nothing else is written there meanwhile. */
  readonly onTyping: (listener: Typing) => void;
  /** Pasted blocks are whole: their newlines are part of the line. */
  readonly onLine: (listener: (line: string) => void) => void;
  readonly onClose: (listener: () => void) => void;
  readonly close: () => void;
}

export interface Typing {
  /** False: a request is shown, and the line is not for the session. */
  readonly begins: () => boolean;
  /** The line was sent or removed. */
  readonly ends: () => void;
  /** Whether a sent line is shown at once as a prompt of the session. */
  readonly comesBack: () => boolean;
}

export interface KeyboardStreams {
  readonly input: NodeJS.ReadableStream & KeyInput;
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
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
/** The terminal marks what is pasted, from here on. */
const [MARKS_PASTES, NO_MARKS] = ["\u001b[?2004h", "\u001b[?2004l"];

const UP_OR_DOWN: ReadonlySet<string> = new Set(["\u001b[A", "\u001b[B"]);
const CLEAR_ROW = "\r\u001b[K";

export const openKeyboard = ({ streams, onInterrupt }: KeyboardOptions = {}): Keyboard => {
  const { input, output }: KeyboardStreams = streams ?? { input: process.stdin, output: process.stderr };
  const colors = wantsColors(output);
  const isTyped = input.isTTY === true && output.isTTY === true;
  /** Blocks of several lines, by the words that stand for them in the line. */
  const pasted = new Map<string, string>();
  const onPaste = (text: string): void => {
    if (picking !== undefined) return picking(text);
    const lineCount = text.split("\n").length;
    const mark = `[Pasted ${String(lineCount)} lines, ${String(pasted.size + 1)}]`;
    beginLine();
    if (lineCount > 1) pasted.set(mark, text);
    lines.write(lineCount > 1 ? mark : text);
  };
  const suspend = (): void => {
    input.setRawMode?.(false);
    process.once("SIGCONT", () => {
      input.setRawMode?.(true);
      lines.prompt(true);
    });
    process.kill(process.pid, "SIGTSTP");
  };
  let typing: Typing | undefined;
  let isTypingLine = false;
  let questions = 0;
  const beginLine = (): void => {
    if (lines.line !== "" || questions > 0 || typing?.begins() !== true) return;
    isTypingLine = true;
    lines.prompt(true);
  };
  const endLine = (): void => {
    if (!isTypingLine) return;
    isTypingLine = false;
    typing?.ends();
  };
  const onTyped = (key: string): void => {
    // Text, or a line of the history.
    if (!/\p{Cc}/u.test(key) || UP_OR_DOWN.has(key)) beginLine();
    // readline has not read the key yet.
    setImmediate(() => {
      if (!isTypingLine || lines.line !== "") return;
      output.write(CLEAR_ROW);
      endLine();
    });
  };
  const keys = isTyped ? new TypedKeys({ input, onPaste, onTyped, suspend }) : undefined;
  const lines = createInterface({ input: keys?.lines ?? input, output, ...(isTyped && { terminal: true }) });
  if (isTyped) output.write(MARKS_PASTES);
  lines.on("close", () => {
    keys?.close();
    // What comes next does not continue a line that was not sent.
    if (isTyped) output.write(lines.line === "" ? NO_MARKS : `${NO_MARKS}\n`);
  });
  lines.on("line", (line) => {
    if (isTypingLine && line.trim() !== "" && typing?.comesBack() === true) {
      const rows = Math.floor(cellWidthOf(lines.getPrompt() + line) / (output.columns || 80)) + 1;
      output.write(`\u001b[${String(rows)}A\r\u001b[J`);
    }
    endLine();
  });
  const interrupt = onInterrupt ?? (() => process.kill(process.pid, "SIGINT"));
  lines.on("SIGINT", interrupt);
  const whole = (line: string): string => {
    let text = line;
    for (const [mark, block] of pasted) text = text.replace(mark, () => block);
    pasted.clear();
    return text;
  };
  const size = () => (output.isTTY === true ? { rows: output.rows || 24, columns: output.columns || 80 } : undefined);
  const show = (text: string): void => void output.write(printed(text, colors));
  /** Takes a pasted text while a person picks from a list. */
  let picking: ((text: string) => void) | undefined;
  const pickWith = (typed: TypedKeys, wanted: PickOptions, signal?: AbortSignal): Promise<Picked> => {
    const list = new PickList(wanted);
    picking = (text) => {
      list.paste(text);
      draw();
    };
    let drawn: readonly string[] = [];
    const draw = (): void => {
      // Only the lines that were drawn before, and nothing of others, is drawn again. A narrower terminal has wrapped them.
      const { columns } = size()!;
      const rows = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(cellWidthOf(line) / columns)), 0);
      if (rows > 0) output.write(`\u001b[${String(rows)}A\r\u001b[J`);
      drawn = list.lines(size()!, paint);
      show(`${drawn.join("\n")}\n`);
    };
    const { promise, resolve, reject } = Promise.withResolvers<Picked>();
    const stop = (): void => reject(new AbortError());
    typed.onKey = (key) => {
      if (key === CTRL_C) return interrupt();
      if (key === CTRL_D) return lines.close();
      const picked = list.press(key);
      draw();
      if (picked !== undefined) resolve(picked);
    };
    draw();
    // After readline, which draws its own line again.
    output.on("resize", draw);
    lines.once("close", stop);
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted === true) stop();
    return promise.finally(() => {
      typed.onKey = undefined;
      picking = undefined;
      output.off("resize", draw);
      lines.off("close", stop);
      signal?.removeEventListener("abort", stop);
    });
  };
  return {
    size,
    show,
    ...(keys !== undefined && { pick: (wanted: PickOptions, signal?: AbortSignal) => pickWith(keys, wanted, signal) }),
    settle: async (signal) => {
      if (output.isTTY !== true) return;
      await delay(SETTLE_MS, undefined, signal === undefined ? {} : { signal });
      pasted.clear();
      Object.assign(lines, { line: "", cursor: 0 });
      isTypingLine = false;
    },
    ask: async (text, signal) => {
      questions += 1;
      try {
        return whole(await lines.question(printed(text, colors), signal === undefined ? {} : { signal }));
      } finally {
        questions -= 1;
      }
    },
    onTyping: (listener) => void (typing = listener),
    onLine: (listener) => void lines.on("line", (line) => listener(whole(line))),
    onClose: (listener) => void lines.on("close", listener),
    close: () => lines.close(),
  };
};

/** Like the error of a question that ends. */
class AbortError extends Error {
  readonly code = "ABORT_ERR";
  override readonly name = "AbortError";
  constructor() {
    super("The list was closed.");
  }
}
