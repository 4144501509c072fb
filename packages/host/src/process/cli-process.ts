// One process of the CLI: bytes in, whole lines out, and its end. It spawns without a shell, and reads stdout and
// stderr to their end. It writes whole lines in the order of the calls, and leaves no process behind. It knows no
// session and does not interpret messages. The caller decides when to start, pause and stop. Every promise settles.

import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { decodeLine, encodeLine, LineSplitter, ProtocolError } from "@quarterdeck/protocol";
import type { Decoded, Line, StdinMessage } from "@quarterdeck/protocol";
import { CliProcessError, spawnFailure } from "./cli-process-error.ts";
import { endDescendants, MARKER_VARIABLE, markerValue } from "./descendants.ts";
import { readPipe } from "./read-pipe.ts";
import { StderrRing } from "./stderr-ring.ts";

export interface CliProcessOptions {
  readonly command: string;
  /** Arguments before `argv`: the script, if the command is an interpreter. */
  readonly prefixArgs?: readonly string[];
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment. The marker is added to it. */
  readonly env: Readonly<Record<string, string>>;
  readonly marker: string;
  /** Version of the CLI. A line that would kill this version is refused. */
  readonly version?: string;
  /** `decoded` was read from `line`. */
  readonly onLine: (decoded: Decoded, line: Line) => void;
  /** Called with several chunks at a time, at most 256 KB. A cut is marked in the text. */
  readonly onStderr: (text: string) => void;
  /** Called for each signal that `close` sends. */
  readonly onSignal?: (signal: StopSignal) => void;
  /** Called once, after the last line and the last of stderr, also if the process could not be started. */
  readonly onExit: (exit: CliExit) => void;
  readonly maxLineBytes?: number;
  /** Time between SIGTERM and SIGKILL. */
  readonly graceMs?: number;
  /** Waits between the steps of `close`. A test decides itself when a time is over. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export type StopSignal = "SIGINT" | "SIGTERM" | "SIGKILL";

export interface CliExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface CloseOptions {
  /** Called first, and awaited for up to `graceMs`. A failure is ignored. */
  readonly interrupt?: () => Promise<unknown>;
  readonly graceMs?: number;
  /** For a CLI that does not react: SIGINT, SIGTERM, SIGKILL, without an interrupt and without the end of its input first. */
  readonly bySignals?: boolean;
}

const GRACE_MS = 5000;
/** An idle CLI ends 0.2 to 0.8 s after its input. With a running tool or task, it does not end then. */
const END_OF_INPUT_MS = 2000;
/** How long a CLI that does not react may take after SIGINT, and then after SIGTERM. */
const SIGNAL_MS = 1000;
/** Time between two calls of `onStderr`. */
const STDERR_MS = 100;
/** How long a broken pipe waits for the exit that explains it. */
const BROKEN_PIPE_MS = 250;
/** After the process and all its descendants are gone, a pipe that stays open and silent this long is closed. */
const ABANDONED_PIPE_MS = 1000;

export const startCliProcess = (options: CliProcessOptions): CliProcess => new CliProcess(options);

export class CliProcess {
  /** Rejects if the process cannot be started, with an error that says what to do. */
  readonly started: Promise<void>;
  /** Resolves after `onExit`, when no process of the session is left. Start the next process only after that. */
  readonly ended: Promise<CliExit>;
  readonly #options: CliProcessOptions;
  readonly #child: ChildProcessWithoutNullStreams | undefined;
  readonly #splitter: LineSplitter;
  #stdout: Readable | undefined;
  readonly #stderr = new StderrRing();
  readonly #started = Promise.withResolvers<void>();
  readonly #exited = Promise.withResolvers<CliExit>();
  readonly #read = Promise.withResolvers<void>();
  #exit: CliExit | undefined;
  #failure: CliProcessError | undefined;
  #closing: Promise<CliExit> | undefined;
  #killed = false;
  #inputEnded = false;
  #paused = false;
  #delivering = false;
  /** Lines that were read but not delivered yet, from `#next` on. */
  #lines: Line[] = [];
  #next = 0;
  #openPipes = 2;
  #chunks = 0;
  #stderrTimer: NodeJS.Timeout | undefined;

  constructor(options: CliProcessOptions) {
    this.#options = options;
    this.#splitter = new LineSplitter(options.maxLineBytes === undefined ? {} : { maxLineBytes: options.maxLineBytes });
    this.started = this.#started.promise;
    // A caller that ignores `started` learns of the failure through `onExit` and `send`.
    this.started.catch(() => {});
    this.ended = this.#end();
    const inherited = options.env[MARKER_VARIABLE] ?? process.env[MARKER_VARIABLE];
    try {
      this.#child = spawn(options.command, [...(options.prefixArgs ?? []), ...options.argv], {
        cwd: options.cwd,
        env: { ...options.env, [MARKER_VARIABLE]: markerValue(options.marker, inherited) },
        stdio: ["pipe", "pipe", "pipe"],
        // Its own process group, so that Ctrl-C in the host's terminal reaches only the host.
        detached: true,
      });
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#listen(this.#child);
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** The newest 256 KB. */
  get stderr(): string {
    return this.#stderr.text();
  }

  /** Resolves when the line is in the pipe. Lines go out whole and in the order of the calls. */
  async send(message: StdinMessage): Promise<void> {
    const line = this.mustRead(message);
    const stdin = this.#child?.stdin;
    if (stdin === undefined || this.#exit !== undefined || this.#inputEnded) throw this.#gone();
    const error = await new Promise<Error | null | undefined>((resolve) => stdin.write(line, resolve));
    if (error === null || error === undefined) return;
    // When a process dies, its pipe breaks a moment before we see its exit.
    await this.#exitsWithin(BROKEN_PIPE_MS);
    throw this.#gone(error);
  }

  /** Returns the line, or throws a `ProtocolError` if it would kill this version. */
  mustRead(message: StdinMessage): string {
    const { version } = this.#options;
    return encodeLine(message, version === undefined ? {} : { version });
  }

  reads(message: StdinMessage): boolean {
    try {
      this.mustRead(message);
      return true;
    } catch (error) {
      if (error instanceof ProtocolError) return false;
      throw error;
    }
  }

  /** Ends its input and nothing else. It ends by itself, after its turn. */
  endInput(): void {
    this.#inputEnded = true;
    this.#child?.stdin?.end();
  }

  signal(signal: "SIGINT" | "SIGTERM"): void {
    this.#signal(signal);
  }

  /** No line is delivered until `resume`. The pipe fills, and the CLI waits or buffers. Also delays `onExit`. */
  pause(): void {
    this.#paused = true;
    this.#stdout?.pause();
  }

  resume(): void {
    this.#paused = false;
    try {
      this.#deliver();
      this.#handOnStderr();
    } finally {
      // `onLine` may have paused again.
      if (!this.#isPaused()) this.#stdout?.resume();
    }
  }

  /**
   * Interrupt, end of input, SIGTERM, a grace period, SIGKILL, then the same for remaining descendants. A second call
   * joins the first, unless it wants signals at once. A paused process ends, but `onExit` still waits for `resume`.
   */
  close(options: CloseOptions = {}): Promise<CliExit> {
    if (options.bySignals === true) this.#closing = this.#descend(options);
    this.#closing ??= this.#descend(options);
    return this.#closing;
  }

  /** Kills the process and its descendants at once. */
  kill(): Promise<CliExit> {
    this.#killed = true;
    this.#signal("SIGKILL");
    return this.#exit === undefined ? this.ended : this.#killRest();
  }

  /** The process is gone, but its descendants may still be in their grace period. */
  async #killRest(): Promise<CliExit> {
    await endDescendants(this.#options.marker, { graceMs: 0 });
    return this.ended;
  }

  async #descend({
    interrupt,
    graceMs = this.#options.graceMs ?? GRACE_MS,
    bySignals,
  }: CloseOptions): Promise<CliExit> {
    if (bySignals === true) return this.#stopBySignals();
    if (interrupt !== undefined && this.#exit === undefined) {
      const answered = Promise.resolve()
        .then(interrupt)
        .catch(() => undefined);
      await this.#exitsWithin(graceMs, answered);
    }
    this.#inputEnded = true;
    this.#child?.stdin?.end();
    if (!(await this.#exitsWithin(Math.min(END_OF_INPUT_MS, graceMs)))) {
      this.#signal("SIGTERM");
      if (!(await this.#exitsWithin(graceMs))) this.#signal("SIGKILL");
    }
    return this.ended;
  }

  async #stopBySignals(): Promise<CliExit> {
    this.#inputEnded = true;
    for (const signal of ["SIGINT", "SIGTERM", "SIGKILL"] as const) {
      this.#signal(signal);
      if (await this.#exitsWithin(SIGNAL_MS)) break;
    }
    this.#child?.stdin?.end();
    return this.ended;
  }

  /** Whether the process exits before the time is over and before `sooner` settles. */
  async #exitsWithin(ms: number, sooner?: Promise<unknown>): Promise<boolean> {
    const timer = new AbortController();
    const { wait = delayed } = this.#options;
    const timeout = wait(ms, timer.signal).catch(() => undefined);
    await Promise.race([this.#exited.promise, timeout, ...(sooner === undefined ? [] : [sooner])]);
    timer.abort();
    return this.#exit !== undefined;
  }

  #signal(signal: StopSignal): void {
    const pid = this.#child?.pid;
    if (pid === undefined || this.#exit !== undefined) return;
    this.#options.onSignal?.(signal);
    this.#child?.kill(signal);
    if (signal !== "SIGKILL") return;
    try {
      process.kill(-pid, signal);
    } catch {
      // The group is gone with its leader.
    }
  }

  #listen(child: ChildProcessWithoutNullStreams): void {
    child.once("spawn", () => this.#started.resolve());
    child.on("error", (error) => {
      // Also called for signals that could not be sent. `close` notices those by itself.
      if (child.pid === undefined) this.#fail(error);
    });
    child.once("exit", (code, signal) => this.#exits({ code, signal }));
    // Too many open files: there are no pipes, and an error event follows.
    if ((child.stdin as unknown) === undefined) return;
    // The callback of the write, or the exit, reports a broken pipe to the sender.
    child.stdin.on("error", () => {});
    const stdout = readPipe(child.stdout, (bytes) => {
      this.#chunks++;
      this.#take(this.#splitter.push(bytes));
      // Node's own stream is resumed when the process ends, so pause it again.
      if (this.#paused) stdout.pause();
    });
    this.#stdout = stdout;
    child.stderr.on("data", (chunk: Buffer) => {
      this.#chunks++;
      this.#stderr.push(chunk);
      this.#handOnStderr();
    });
    for (const pipe of [stdout, child.stderr]) {
      // A broken pipe is treated like a closed one.
      pipe.on("error", () => {});
      pipe.once("close", () => this.#closed(pipe === stdout));
    }
  }

  #closed(isStdout: boolean): void {
    if (isStdout) this.#take(this.#splitter.end());
    this.#openPipes--;
    this.#finish();
  }

  #exits(exit: CliExit): void {
    this.#exit = exit;
    this.#exited.resolve(exit);
    // A descendant may hold the other end. Without this, writes would wait for it.
    this.#child?.stdin?.destroy();
    this.#finish();
  }

  #fail(error: unknown): void {
    if (this.#exit !== undefined) return;
    this.#failure = spawnFailure(error as NodeJS.ErrnoException, this.#options);
    this.#started.reject(this.#failure);
    this.#openPipes = 0;
    // In a microtask, so that the caller has this object when `onExit` is called.
    queueMicrotask(() => this.#exits({ code: null, signal: null }));
  }

  #take(lines: Line[]): void {
    if (this.#lines.length === 0) this.#lines = lines;
    else for (const line of lines) this.#lines.push(line);
    this.#deliver();
  }

  #deliver(): void {
    // `onLine` may pause and resume. The running loop continues then.
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      while (!this.#paused && this.#next < this.#lines.length) {
        const line = this.#lines[this.#next++]!;
        this.#options.onLine(decodeLine(line), line);
      }
    } finally {
      this.#delivering = false;
    }
    if (this.#next < this.#lines.length) return;
    this.#lines = [];
    this.#next = 0;
    this.#finish();
  }

  /** A method, because TypeScript does not see that a callback may have changed it. */
  #isPaused(): boolean {
    return this.#paused;
  }

  #handOnStderr(): void {
    if (this.#paused || this.#stderrTimer !== undefined) return;
    const text = this.#stderr.take();
    if (text === "") return;
    this.#stderrTimer = setTimeout(() => {
      this.#stderrTimer = undefined;
      this.#handOnStderr();
    }, STDERR_MS);
    this.#options.onStderr(text);
  }

  /** Runs when the process is gone and all its output is delivered. */
  #finish(): void {
    if (this.#exit === undefined || this.#openPipes > 0 || this.#lines.length > 0 || this.#paused) return;
    clearTimeout(this.#stderrTimer);
    const rest = this.#stderr.take(true);
    if (rest !== "") this.#options.onStderr(rest);
    this.#read.resolve();
  }

  async #end(): Promise<CliExit> {
    const told = this.#read.promise.then(() => this.#options.onExit(this.#exit!));
    const exit = await this.#exited.promise;
    if (this.#failure === undefined) {
      await endDescendants(this.#options.marker, this.#killed ? { graceMs: 0 } : {});
      await this.#giveUpPipes();
    }
    await told;
    return exit;
  }

  /** A process without our marker may still hold a pipe. We would wait as long as it lives. */
  async #giveUpPipes(): Promise<void> {
    while (this.#openPipes > 0) {
      const seen = this.#chunks;
      await this.#readWithin(ABANDONED_PIPE_MS);
      if (this.#openPipes === 0 || this.#paused || this.#chunks !== seen) continue;
      this.#stdout?.destroy();
      this.#child?.stderr.destroy();
    }
  }

  async #readWithin(ms: number): Promise<void> {
    const timer = new AbortController();
    const timeout = delay(ms, undefined, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([this.#read.promise, timeout]);
    timer.abort();
  }

  #gone(cause?: Error): CliProcessError {
    if (this.#failure !== undefined) return this.#failure;
    const options = cause === undefined ? {} : { cause };
    return this.#exit === undefined
      ? new CliProcessError("stdin-closed", "The CLI accepts no more input: its stdin is closed.", options)
      : new CliProcessError("process-ended", `The CLI has ended (${nameOf(this.#exit)}). Start it again.`, options);
  }
}

const delayed = (ms: number, signal: AbortSignal): Promise<void> => delay(ms, undefined, { signal });

const nameOf = ({ code, signal }: CliExit): string => signal ?? `exit ${String(code)}`;
