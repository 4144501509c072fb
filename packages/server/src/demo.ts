// `quarterdeck demo`: plays the simulator's tour as a transcript. A small host of its own: it starts the simulator in a
// scratch folder, sends the prompts of the tour one after another, and answers every request by itself once it has been
// shown. Whatever ends it, no process and no folder is left.

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
import type { Message, StdinMessage } from "@quarterdeck/protocol";
import { DEMO_MCP, DEMO_PROMPTS, simulatorPath } from "@quarterdeck/simulator";
import type { DemoPrompt } from "@quarterdeck/simulator";
import { DEMO_HOOKS, demoAnswer } from "./demo-answers.ts";
import type { Paint } from "./terminal.ts";
import { Transcript } from "./transcript.ts";
import { UserError } from "./user-error.ts";

export interface DemoOptions {
  readonly write: (text: string) => void;
  readonly paint: Paint;
  readonly width: number;
  /** 2 is twice as fast. */
  readonly speed: number;
  /** Leaves a moment to read before a request is answered and before the next chapter. */
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
/** How long a turn that the CLI should begin by itself is waited for: it may have been folded into another. */
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
  readonly #transcript: Transcript;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #exited: Promise<unknown>;
  #hasExited = false;
  #stderr = "";
  #changed = Promise.withResolvers<void>();

  /** Prompts without a result, by uuid. */
  readonly #open = new Set<string>();
  #isTurnRunning = false;
  #hasSpoken = false;
  #backgroundTasks = 0;
  /** When a background task reported: the CLI begins a turn of its own about it. */
  #reportedAt = Number.NEGATIVE_INFINITY;
  /** The heading of a prompt that waits in the queue, to be written when its turn comes. */
  #queued: (() => void) | undefined;
  #answering: Promise<void> = Promise.resolve();

  constructor(options: DemoOptions, home: string, cwd: string) {
    this.#options = options;
    this.#transcript = new Transcript(options);
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
      // Ctrl-C is ours to handle.
      detached: true,
    });
    this.#exited = once(this.#child, "close").finally(() => {
      this.#hasExited = true;
      this.#wake();
    });
    // Its end is noticed where it is waited for.
    this.#exited.catch(() => undefined);
    this.#child.stdin.on("error", () => undefined);
    this.#child.stderr.on("data", (chunk: Buffer) => (this.#stderr += chunk.toString("utf8")));
    const splitter = new LineSplitter();
    this.#child.stdout.on("data", (chunk: Buffer) => {
      for (const line of splitter.push(chunk)) {
        const decoded = decodeLine(line);
        if (decoded.kind === "message") this.#receive(decoded.message);
        else this.#transcript.note("(a line that this version does not know)", "yellow");
      }
      this.#wake();
    });
    options.signal.addEventListener("abort", () => this.#wake(), { once: true });
  }

  async play(prompts: readonly DemoPrompt[]): Promise<void> {
    this.#transcript.title("Quarterdeck", ABOUT);
    this.#send(
      controlRequest("initialize", {
        subtype: "initialize",
        hooks: DEMO_HOOKS,
        sdkMcpServers: [DEMO_MCP.server],
      }),
    );
    for (const [at, prompt] of prompts.entries()) {
      const heading = (): void => {
        this.#transcript.chapter(at + 1, prompts.length, prompt.shows);
        if (prompt.whileRunning === true) this.#transcript.note("sent while the answer above was being written:");
        this.#transcript.prompt(prompt.text);
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
    this.#transcript.title("End of the tour.", CLOSING);
    this.#child.stdin.end();
    await this.#exited;
  }

  async stop(): Promise<void> {
    this.#transcript.end();
    const { pid } = this.#child;
    if (pid === undefined || this.#hasExited) return;
    // It takes its own children with it.
    this.#child.kill("SIGTERM");
    const late = setTimeout(() => process.kill(-pid, "SIGKILL"), MOST_STOPPING_MS);
    await this.#exited;
    clearTimeout(late);
  }

  #send(message: StdinMessage): void {
    this.#child.stdin.write(encodeLine(message));
  }

  #prompt(text: string): void {
    const uuid = randomUUID();
    this.#open.add(uuid);
    this.#hasSpoken = false;
    this.#send(userMessage(text, { uuid, origin: { kind: "human" } }));
  }

  #receive(message: Message): void {
    this.#transcript.message(message);
    switch (message.type) {
      case "stream_event":
        this.#hasSpoken ||= message.event.type === "content_block_delta";
        return;
      case "result":
        this.#isTurnRunning = false;
        this.#settle(message.user_message_uuids ?? [message.user_message_uuid]);
        this.#queued?.();
        this.#queued = undefined;
        return;
      case "command_lifecycle":
        if (message.state !== "queued" && message.state !== "started") this.#settle([message.command_uuid]);
        return;
      case "control_request": {
        const { request_id: id, request } = message;
        this.#answering = this.#answering.then(() => this.#answer(id, request));
        return;
      }
      case "system":
        if (message.subtype === "init") {
          this.#isTurnRunning = true;
          this.#reportedAt = Number.NEGATIVE_INFINITY;
        } else if (message.subtype === "background_tasks_changed") this.#backgroundTasks = message.tasks.length;
        else if (message.subtype === "task_notification") this.#reportedAt = performance.now();
    }
  }

  #settle(uuids: readonly (string | undefined)[]): void {
    for (const uuid of uuids) if (uuid !== undefined) this.#open.delete(uuid);
  }

  async #answer(id: string, request: Parameters<typeof demoAnswer>[1]): Promise<void> {
    const { message, shown } = demoAnswer(id, request);
    if (shown !== undefined) {
      await this.#pause();
      this.#transcript.answer(shown);
    }
    if (!this.#hasExited) this.#send(message);
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** Throws where it can no longer become true: the person broke off, or the simulator is gone. */
  async #until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) {
      this.#options.signal.throwIfAborted();
      if (this.#hasExited) throw new UserError(`The simulator ended during the tour. ${this.#stderr}`.trim());
      const sinceReport = performance.now() - this.#reportedAt;
      const isDue = sinceReport < OWN_TURN_MS && !this.#isTurnRunning;
      await (isDue ? Promise.race([this.#changed.promise, sleep(OWN_TURN_MS - sinceReport)]) : this.#changed.promise);
    }
  }

  /** Every prompt has its result, nothing runs in the background, and no turn about it is to come. */
  #untilQuiet(): Promise<void> {
    return this.#until(
      () =>
        this.#open.size === 0 &&
        !this.#isTurnRunning &&
        this.#backgroundTasks === 0 &&
        performance.now() - this.#reportedAt >= OWN_TURN_MS,
    );
  }

  async #pause(): Promise<void> {
    const { pauses, speed, signal } = this.#options;
    // Whoever waits for what comes next notices the end of it.
    if (pauses) await sleep(READING_MS / speed, undefined, { signal }).catch(() => undefined);
  }
}
