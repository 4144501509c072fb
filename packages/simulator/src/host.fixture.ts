// A host for tests. It starts the simulator as a real child in its own folder and gives the configured answers. It
// waits for messages, never for time.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { isRecord, recordAt, textAt } from "./json.ts";
import type { Json } from "./json.ts";
import type { Block, Scenario, Step } from "./scenario.ts";
import { programWords } from "@quarterdeck/test-kit/programs";

export type Answer = (request: Json) => Json | undefined;

export interface HostOptions {
  readonly scripts?: Readonly<Record<string, readonly Step[]>>;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments instead of the stream flags. */
  readonly bareArgs?: readonly string[];
  /** Answers to `can_use_tool`. By default everything is allowed. Undefined leaves the request open. */
  readonly permit?: Answer;
  readonly hook?: Answer;
  readonly mcp?: Answer;
  readonly folder?: Folder;
}

export interface Folder {
  readonly cwd: string;
  readonly home: string;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

// Tests run in parallel, so leftovers are removed when all tests of a file are done.
const leftovers: (() => void)[] = [];
afterAll(() => {
  for (const clear of leftovers.reverse()) clear();
});

export const newFolder = (): Folder => {
  const root = mkdtempSync(join(tmpdir(), "quarterdeck-sim-"));
  leftovers.push(() => {
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  });
  const cwd = mkdtempSync(join(root, "work-"));
  return { cwd, home: mkdtempSync(join(root, "home-")) };
};

export const text = (...contents: readonly string[]): Step => ({ say: contents.map((content) => ({ text: content })) });
export const use = (tool: string, input: Readonly<Record<string, unknown>> = {}): Block => ({ tool, input });
export const call = (tool: string, input: Readonly<Record<string, unknown>> = {}): Step => ({
  say: [use(tool, input)],
});
export const bash = (command: string, extra: Readonly<Record<string, unknown>> = {}): Step =>
  call("Bash", { command, description: command, ...extra });
/** A shell command that ends after `open`. */
export const UNTIL_OPEN = "until [ -e open ]; do sleep 0.05; done";
export const slowly = (content: string): Step => ({ say: [{ text: content }], pace: { deltaMs: 25, deltaChars: 4 } });
/** An answer that no test waits for: it is interrupted, however slow the machine is. */
export const endlessly = (): Step => slowly("a story without an end ".repeat(2000));

const STREAM = ["--output-format", "stream-json", "--input-format", "stream-json", "--verbose"];
export const ASKING = ["--permission-prompt-tool", "stdio"];
export const PARTIAL = ["--include-partial-messages"];

export class Host {
  readonly messages: Json[] = [];
  /** Lines that were not JSON. */
  readonly noise: string[] = [];
  readonly cwd: string;
  readonly home: string;
  readonly exited: Promise<Exit>;
  stderr = "";
  readonly #child;
  readonly #options: HostOptions;
  #taken = 0;
  #wake: () => void = () => {};
  #ended = false;
  #requests = 0;

  constructor(options: HostOptions = {}) {
    this.#options = options;
    const { cwd, home } = options.folder ?? newFolder();
    this.cwd = cwd;
    this.home = home;
    const scenario: Scenario = {
      name: "test",
      scripts: Object.entries(options.scripts ?? {}).map(([when, steps]) => ({ when, steps })),
    };
    const file = join(home, "scenario.json");
    writeFileSync(file, JSON.stringify(scenario));
    const args = options.bareArgs ?? [...STREAM, ...(options.args ?? ASKING)];
    this.#child = spawn(process.execPath, [...programWords("quarterdeck-sim"), ...args], {
      cwd,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        TMPDIR: home,
        ANTHROPIC_API_KEY: "fake",
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(tmpdir(), "node-compile-cache"),
        ...(options.scripts === undefined ? {} : { QUARTERDECK_SCENARIO: file }),
        ...options.env,
      },
      stdio: ["pipe", "pipe", "pipe"],
    });
    // The simulator may exit before we have written everything.
    this.#child.stdin.on("error", () => {});
    this.#child.stderr.setEncoding("utf8").on("data", (chunk: string) => (this.stderr += chunk));
    let rest = "";
    this.#child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#receive(line);
      this.#wake();
    });
    this.exited = new Promise((resolve) => {
      this.#child.once("close", (code, signal) => {
        if (rest !== "") this.noise.push(rest);
        this.#ended = true;
        this.#wake();
        resolve({ code, signal });
      });
    });
    leftovers.push(() => {
      this.#child.kill("SIGKILL");
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  #receive(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.noise.push(line);
      return;
    }
    if (!isRecord(message)) return;
    this.messages.push(message);
    if (message.type !== "control_request") return;
    const request = recordAt(message, "request");
    const { permit = allow, hook = () => ({}), mcp = () => ({}) } = this.#options;
    const answers: Readonly<Record<string, Answer>> = { can_use_tool: permit, hook_callback: hook, mcp_message: mcp };
    const response = answers[String(request.subtype)]?.(request);
    if (response !== undefined) this.answer(message, response);
  }

  answer(request: Json, response: Json): void {
    this.send({ type: "control_response", response: { subtype: "success", request_id: request.request_id, response } });
  }

  send(message: Json): void {
    this.write(`${JSON.stringify(message)}\n`);
  }

  write(line: string): void {
    this.#child.stdin.write(line);
  }

  prompt(content: string | readonly Json[], extra: Json = {}): void {
    this.send({ type: "user", message: { role: "user", content }, ...extra });
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends the command `UNTIL_OPEN`. */
  open(): void {
    writeFileSync(join(this.cwd, "open"), "");
  }

  endInput(): void {
    this.#child.stdin.end();
  }

  /** Ends stdin and waits for the exit. */
  end(): Promise<Exit> {
    this.endInput();
    return this.exited;
  }

  /** The next message that matches, among those not yet returned. */
  async next(fits: (message: Json) => boolean): Promise<Json> {
    for (;;) {
      while (this.#taken < this.messages.length) {
        const message = this.messages[this.#taken++]!;
        if (fits(message)) return message;
      }
      if (this.#ended) throw new Error(`The simulator ended before that came. stderr: ${this.stderr}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  result(): Promise<Json> {
    return this.next(({ type }) => type === "result");
  }

  /** A prompt and its result. */
  turn(content: string, extra: Json = {}): Promise<Json> {
    this.prompt(content, extra);
    return this.result();
  }

  /** The first request of this kind to the host, however long ago it came. */
  async asked(subtype: string): Promise<Json> {
    const fits = (message: Json): boolean => recordAt(message, "request").subtype === subtype;
    return this.messages.find(fits) ?? (await this.next(fits));
  }

  /** Sends a control request and returns the inside of its answer. Throws an error as text. */
  async request(request: Json): Promise<Json> {
    const id = `host_${String(++this.#requests)}`;
    this.send({ type: "control_request", request_id: id, request });
    const answered = await this.next((message) => recordAt(message, "response").request_id === id);
    const response = recordAt(answered, "response");
    if (response.subtype === "error") throw new Error(textAt(response, "error"));
    return recordAt(response, "response");
  }

  /** The sequence of messages, as short words. */
  words(except: readonly string[] = []): readonly string[] {
    return this.messages.map(wordOf).filter((word) => !except.includes(word));
  }

  toolResult(id: string): Json {
    const message = this.messages.find((it) => textAt(blockOf(it), "tool_use_id") === id);
    if (message === undefined) throw new Error(`No result for ${id}`);
    return message;
  }
}

export const allow: Answer = ({ input }) => ({ behavior: "allow", updatedInput: input });

/** The only content block of a message. */
export const blockOf = (message: Json): Json => {
  const { content } = recordAt(message, "message");
  return Array.isArray(content) && isRecord(content[0]) ? content[0] : {};
};

export const contentOf = (message: Json): unknown => blockOf(message).content;

const wordOf = (message: Json): string => {
  const subtype = String(message.subtype);
  switch (message.type) {
    case "system":
      if (subtype !== "status") return subtype;
      return message.permissionMode === undefined
        ? `status ${String(message.status)}`
        : `mode ${textAt(message, "permissionMode") ?? ""}`;
    case "assistant":
      return `assistant ${String(blockOf(message).type)}${message.aborted === true ? " aborted" : ""}`;
    case "user":
      if (message.isReplay === true) return "replay";
      return message.isSynthetic === true ? "synthetic" : `user ${String(blockOf(message).type)}`;
    case "stream_event":
      return `~${String(recordAt(message, "event").type)}`;
    case "control_request":
      return `ask ${String(recordAt(message, "request").subtype)}`;
    case "control_response":
      return "answer";
    case "command_lifecycle":
      return `command ${String(message.state)}`;
    case "result":
      return `result ${subtype}`;
    default:
      return String(message.type);
  }
};
