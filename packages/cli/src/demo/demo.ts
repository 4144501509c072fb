// `quarterdeck demo`: plays the simulator's tour on a terminal. It is a small host. It starts the simulator in a
// scratch folder, folds its output, and sends the prompts of the tour one after another. It answers every request after
// it was shown. It leaves no process and no folder, however it ends.

import { spawn } from "node:child_process";
import type { ChildProcessByStdio } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { cleanPath } from "@quarterdeck/host/find-claude";
import { controlRequest, decodeLine, encodeLine, LineSplitter, userMessage } from "@quarterdeck/protocol";
import type { JsonValue, Line, StdinMessage } from "@quarterdeck/protocol";
import { createFold, isRunning } from "@quarterdeck/session";
import type { Event, Fact, OpenRequest, Streamed } from "@quarterdeck/session";
import { DEMO_MCP, DEMO_PROMPTS, simulatorPath } from "@quarterdeck/simulator";
import type { DemoPrompt } from "@quarterdeck/simulator";
import { DEMO_HOOKS, demoAnswer } from "./demo-answers.ts";
import type { Paint } from "../terminal/terminal.ts";
import { UserError } from "../user-error.ts";
import { Printout } from "../terminal/printout.ts";

export interface DemoOptions {
  readonly write: (text: string) => void;
  readonly paint: Paint;
  readonly width: number;
  /** 2 means twice as fast. */
  readonly speed: number;
  /** Pause before a request is answered and before the next chapter, so that a person can read. */
  readonly pauses: boolean;
  readonly signal: AbortSignal;
}

const FLAGS = [
  ...["-p", "--output-format", "stream-json", "--input-format", "stream-json", "--verbose"],
  ...["--include-partial-messages", "--permission-prompt-tool", "stdio"],
];
const ABOUT =
  "A session with the simulator, a stand-in for Claude Code: no model, no key, no network. " +
  "Files and commands are real, in a temporary folder. Requests are answered automatically.";
const CLOSING =
  "The costs are not real. `quarterdeck probe` shows the messages of a real claude, `quarterdeck record` records " +
  "its stdin and stdout.";
const READING_MS = 1200;
/** How long to wait for a turn that the CLI should start by itself. It may have been joined with another. */
const OWN_TURN_MS = 2000;
const MOST_STOPPING_MS = 2000;

export const demo = async (options: DemoOptions): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), "quarterdeck-demo-"));
  try {
    const [home, cwd] = [join(folder, "home"), join(folder, "harbour")];
    await Promise.all([mkdir(home), mkdir(cwd)]);
    const tour = new Tour(options, home, cwd);
    try {
      await tour.play(DEMO_PROMPTS);
    } finally {
      await tour.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
};

class Tour {
  readonly #options: DemoOptions;
  readonly #printout: Printout;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #exited: Promise<unknown>;
  #hasExited = false;
  #stderr = "";
  #changed = Promise.withResolvers<void>();

  readonly #fold = createFold();
  readonly #asked = new Set<string>();
  #isTurnRunning = false;
  #hasSpoken = false;
  #endedTasks = 0;
  /** When a background task reported. The CLI then starts a turn by itself. */
  #reportedAt = Number.NEGATIVE_INFINITY;
  /** Writes the heading of a queued prompt when its turn starts. */
  #queued: (() => void) | undefined;
  #answering: Promise<void> = Promise.resolve();

  constructor(options: DemoOptions, home: string, cwd: string) {
    this.#options = options;
    this.#printout = new Printout({
      ...options,
      showsAnswers: false,
      // Each prompt is shown under its chapter.
      hidesPrompt: ({ origin }) => origin === undefined,
    });
    this.#child = spawn(process.execPath, ["--conditions=source", simulatorPath, ...FLAGS], {
      cwd,
      env: {
        PATH: `${dirname(process.execPath)}${delimiter}${cleanPath(process.env["PATH"])}`,
        HOME: home,
        TMPDIR: dirname(cwd),
        LANG: "C.UTF-8",
        QUARTERDECK_SIM_PACE: String(1 / options.speed),
      },
      stdio: ["pipe", "pipe", "pipe"],
      // Own process group, because we handle Ctrl-C.
      detached: true,
    });
    this.#exited = once(this.#child, "close").finally(() => {
      this.#hasExited = true;
      this.#wake();
    });
    // The code that waits for the exit notices it.
    this.#exited.catch(() => undefined);
    this.#child.stdin.on("error", () => undefined);
    this.#child.stderr.on("data", (chunk: Buffer) => (this.#stderr += chunk.toString("utf8")));
    const splitter = new LineSplitter();
    this.#child.stdout.on("data", (chunk: Buffer) => {
      for (const line of splitter.push(chunk)) this.#receive(line);
      this.#wake();
    });
    options.signal.addEventListener("abort", () => this.#wake(), { once: true });
  }

  async play(prompts: readonly DemoPrompt[]): Promise<void> {
    this.#printout.title("Quarterdeck", ABOUT);
    this.#send(
      controlRequest("initialize", {
        subtype: "initialize",
        hooks: DEMO_HOOKS,
        sdkMcpServers: [DEMO_MCP.server],
      }),
    );
    for (const [at, prompt] of prompts.entries()) {
      const heading = (): void => {
        this.#printout.chapter(at + 1, prompts.length, prompt.shows);
        if (prompt.whileRunning === true) this.#printout.note("sent while the answer above was being written:");
        this.#printout.prompt(prompt.text);
      };
      if (prompt.whileRunning === true) {
        await this.#until(() => this.#hasSpoken);
        this.#queued = heading;
      } else {
        await this.#untilQuiet();
        if (at > 0) await this.#pause();
        heading();
      }
      this.#prompt(prompt.text);
    }
    await this.#untilQuiet();
    this.#printout.title("End of the tour.", CLOSING);
    this.#child.stdin.end();
    await this.#exited;
  }

  async stop(): Promise<void> {
    this.#printout.end();
    const { pid } = this.#child;
    if (pid === undefined || this.#hasExited) return;
    // It ends its own children.
    this.#child.kill("SIGTERM");
    const late = setTimeout(() => process.kill(-pid, "SIGKILL"), MOST_STOPPING_MS);
    await this.#exited;
    clearTimeout(late);
  }

  #send(message: StdinMessage): void {
    this.#record({ type: "sent", message: message as unknown as JsonValue });
    this.#child.stdin.write(encodeLine(message));
  }

  #prompt(text: string): void {
    this.#hasSpoken = false;
    this.#send(userMessage(text, { uuid: randomUUID(), origin: { kind: "human" } }));
  }

  #receive(line: Line): void {
    const decoded = decodeLine(line);
    if (decoded.kind === "noise")
      return this.#record({ type: "noise", bytes: "", size: decoded.size, reason: decoded.reason });
    const message = (decoded.kind === "message" ? decoded.message : decoded.value) as JsonValue;
    const isStreamed = decoded.kind === "message" && decoded.message.type === "stream_event";
    if (isStreamed) this.#apply({ type: "streamed", at: Date.now(), message });
    else this.#record({ type: "received", message });
  }

  #record(fact: Fact): void {
    this.#apply({ seq: this.#fold.seq + 1, at: Date.now(), ...fact });
  }

  #apply(event: Event | Streamed): void {
    const fold = this.#fold;
    const { rev } = fold;
    fold.apply(event);
    const { head, drafts, growth } = fold;
    const { rows } = fold.changes(rev);
    this.#printout.show({ rows, head, drafts });
    if (growth !== undefined && growth.text !== "") this.#hasSpoken = true;
    const ended = head.tasks.filter(({ endedAt }) => endedAt !== undefined).length;
    if (ended > this.#endedTasks) this.#reportedAt = performance.now();
    this.#endedTasks = ended;
    const wasRunning = this.#isTurnRunning;
    this.#isTurnRunning = isRunning(head.phase);
    if (this.#isTurnRunning && !wasRunning) this.#reportedAt = Number.NEGATIVE_INFINITY;
    if (rows.some(({ kind }) => kind === "turn")) {
      this.#queued?.();
      this.#queued = undefined;
    }
    for (const request of head.requests) {
      if (this.#asked.has(request.id)) continue;
      this.#asked.add(request.id);
      this.#answering = this.#answering.then(() => this.#answer(request));
    }
  }

  async #answer({ id, request }: OpenRequest): Promise<void> {
    const { message, shown } = demoAnswer(id, request);
    if (shown !== undefined) {
      await this.#pause();
      this.#printout.answer(shown);
    }
    if (!this.#hasExited) this.#send(message);
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** Throws if the condition can no longer become true: the person stopped it, or the simulator is gone. */
  async #until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) {
      this.#options.signal.throwIfAborted();
      if (this.#hasExited) throw new UserError(`The simulator ended during the tour. ${this.#stderr}`.trim());
      const sinceReport = performance.now() - this.#reportedAt;
      const isDue = sinceReport < OWN_TURN_MS && !this.#isTurnRunning;
      await (isDue ? Promise.race([this.#changed.promise, sleep(OWN_TURN_MS - sinceReport)]) : this.#changed.promise);
    }
  }

  /** Every prompt has its result, nothing runs in the background, and no more turn is expected. */
  #untilQuiet(): Promise<void> {
    return this.#until(
      () =>
        this.#fold.head.queue.length === 0 &&
        !this.#isTurnRunning &&
        this.#fold.head.tasks.every(({ background, endedAt }) => !background || endedAt !== undefined) &&
        performance.now() - this.#reportedAt >= OWN_TURN_MS,
    );
  }

  async #pause(): Promise<void> {
    const { pauses, speed, signal } = this.#options;
    // The code that waits next notices the abort.
    if (pauses) await sleep(READING_MS / speed, undefined, { signal }).catch(() => undefined);
  }
}
