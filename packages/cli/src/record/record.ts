// `quarterdeck record`: sits between a host and its `claude` and changes nothing. Bytes, backpressure, ends of pipes,
// signals and the exit are passed on, and what crossed is recorded. If the recording fails (a full disk), it is given
// up with one line on stderr, and the session continues.

import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { findClaudeFile } from "../claude-program.ts";
import { rawOutput, say } from "../terminal/printer.ts";
import { metaFileOf, Recording } from "./recording.ts";
import type { Direction } from "./recording.ts";
import { personHere, Redactor } from "./redact.ts";
import { UserError } from "../user-error.ts";

export interface RecordOptions {
  readonly args: readonly string[];
  readonly claude?: string;
  readonly out?: string;
  readonly redact?: boolean;
  readonly force?: boolean;
}

export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Passed on. The child has its own session, so that Ctrl-C in a terminal reaches it once, through us. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"] as const;
const MOST_STDERR_BYTES = 1024 * 1024;
/** Descendants of the child may keep the pipes open. This long after the exit, the recorder stops waiting. */
const QUIET_AFTER_EXIT_MS = 1000;

export const record = async (options: RecordOptions): Promise<ProgramEnd> => {
  const { args } = options;
  const program = findClaudeFile(options.claude);
  const file = options.out ?? `claude-${new Date().toISOString().replaceAll(/[-:]|\..*/g, "")}.ndjson`;
  const recording = new Recording(file, {
    ...(options.redact === true && { redactor: new Redactor(personHere()) }),
    ...(options.force === true && { force: true }),
  });
  const tape = new Tape(recording);
  const speaksJson = args.some((arg) => arg.includes("stream-json"));
  // A person at a terminal without JSON: there is nothing to record, and the CLI would wait for a pipe.
  const stdin = process.stdin.isTTY && !speaksJson ? "inherit" : "pipe";
  const child = spawn(program.command, [...program.prefixArgs, ...args], {
    stdio: [stdin, "pipe", "pipe"],
    detached: true,
  });
  if (child.stdin !== null) relay(process.stdin, child.stdin, tape.of("in"));
  const { stdout, stderr } = rawOutput();
  relay(child.stdout!, stdout, tape.of("out"));
  relay(child.stderr!, stderr, tape.ofStderr);
  const handOn = (signal: NodeJS.Signals): void => {
    tape.signal(signal);
    child.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, handOn);

  let end: ProgramEnd;
  try {
    end = await endOf(child);
  } catch (error) {
    recording.discard();
    throw new UserError(`Cannot start ${program.command}: ${(error as Error).message}`);
  } finally {
    process.stdin.destroy();
    for (const signal of SIGNALS) process.off(signal, handOn);
  }
  tape.finish(args, end);
  await Promise.all([drained(stdout), drained(stderr)]);
  if (tape.isWhole) {
    const hint = speaksJson ? "" : " (without stream-json: its text is kept as raw lines)";
    say(`quarterdeck: ${recording.lines} lines recorded in ${file}, ${metaFileOf(file)}${hint}\n`);
  }
  return end;
};

/** Ends this process as the child ended: with its code, or by its signal. */
export const endLike = ({ code, signal }: ProgramEnd): number => {
  if (signal === null) return code ?? 1;
  process.kill(process.pid, signal);
  // Node does not die of this signal.
  return 128 + constants.signals[signal];
};

/** Called for what passes a pipe. */
export interface OutputListener {
  readonly data: (chunk: Buffer) => void;
  readonly end: () => void;
}

/** The recording. Its failures never reach the session. */
class Tape {
  readonly #recording: Recording;
  readonly #stderr: Buffer[] = [];
  #stderrBytes = 0;
  isWhole = true;

  constructor(recording: Recording) {
    this.#recording = recording;
  }

  of(dir: Direction): OutputListener {
    return {
      // A copy, because an incomplete line refers to it, and the stream may reuse its buffer.
      data: (chunk) => this.#attempt(() => this.#recording.push(dir, Uint8Array.from(chunk))),
      end: () => this.#attempt(() => this.#recording.end(dir)),
    };
  }

  readonly ofStderr: OutputListener = {
    data: (chunk) => {
      const room = MOST_STDERR_BYTES - this.#stderrBytes;
      if (room > 0) this.#stderr.push(chunk.subarray(0, room));
      this.#stderrBytes += chunk.length;
    },
    end: () => undefined,
  };

  signal(name: string): void {
    this.#attempt(() => this.#recording.signal(name));
  }

  finish(args: readonly string[], { code, signal: sig }: ProgramEnd): void {
    const stderr = Buffer.concat(this.#stderr).toString("utf8");
    this.#attempt(() => this.#recording.finish({ args, exit: { code, sig }, stderr }));
  }

  #attempt(step: () => void): void {
    if (!this.isWhole) return;
    try {
      step();
    } catch (error) {
      this.isWhole = false;
      say(`quarterdeck: the recording stops here: ${(error as Error).message}\n`);
    }
  }
}

/**
 * Copies from one pipe to the next with backpressure, including the end. If the reader is gone, the writer ends too.
 */
export const relay = (from: Readable, to: Writable, listener: OutputListener): void => {
  from.on("data", (chunk: Buffer) => {
    listener.data(chunk);
    if (to.write(chunk)) return;
    from.pause();
    to.once("drain", () => from.resume());
  });
  from.once("end", () => {
    listener.end();
    // Our own outputs stay open for our messages. Pipes of the child must be closed.
    if (!isOurs(to)) to.end();
  });
  from.on("error", () => to.destroy());
  to.on("error", () => from.destroy());
};

const isOurs = (stream: Writable): boolean => Object.values<Writable>(rawOutput()).includes(stream);

const endOf = (child: ChildProcess): Promise<ProgramEnd> =>
  new Promise((resolve, reject) => {
    child.on("error", reject);
    child.once("exit", (code, signal) => {
      const done = (): void => {
        clearTimeout(quiet);
        resolve({ code, signal });
      };
      const quiet = setTimeout(done, QUIET_AFTER_EXIT_MS);
      for (const pipe of [child.stdout, child.stderr]) pipe?.on("data", () => quiet.refresh());
      child.once("close", done);
    });
  });

const drained = (stream: Writable): Promise<void> =>
  new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) resolve();
    else stream.write("", () => resolve());
  });
