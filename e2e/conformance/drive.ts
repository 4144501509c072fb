// Runs one process of a case: spawns it, plays the host script, answers requests of the CLI, and records every line in
// both directions. It judges only the host script; `check` judges the recording.
import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { LineSplitter, decodeLine } from "@quarterdeck/protocol";
import type { Line } from "@quarterdeck/protocol";
import type { Answer, HostStep, McpTool } from "./host-script.ts";
import { filled, matches } from "./match.ts";
import type { Pattern } from "./match.ts";

export interface Spawn {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly uid?: number;
}

export type Message = Readonly<Record<string, unknown>>;

export interface RecordedLine {
  readonly t: number;
  readonly dir: "in" | "out";
  /** Missing for a line that is not a JSON object. */
  readonly msg?: Message;
  readonly raw?: string;
  /** How the codec decoded a line of stdout. */
  readonly kind?: "message" | "unknown" | "noise";
  /** Why it is not a message. */
  readonly reason?: string;
}

export interface Recording {
  readonly lines: readonly RecordedLine[];
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
  /** Faults of the host script: a wait that failed, an unexpected request or response. */
  readonly faults: readonly string[];
}

/** Time limits, long enough for a busy machine. */
export interface Patience {
  readonly waitMs: number;
  readonly exitMs: number;
}
const PATIENT: Patience = { waitMs: 180_000, exitMs: 120_000 };

export const drive = async (
  how: Spawn,
  host: readonly HostStep[],
  answers: readonly Answer[] = [],
  patience: Patience = PATIENT,
): Promise<Recording> => {
  const run = new Run(how, answers, patience);
  for (const step of host) {
    if (run.faults.length > 0) break;
    await run.perform(step);
  }
  return run.finish();
};

class Run {
  readonly faults: string[] = [];
  readonly #lines: RecordedLine[] = [];
  readonly #began = performance.now();
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #cwd: string;
  readonly #answers: readonly Answer[];
  readonly #patience: Patience;
  readonly #splitter = new LineSplitter();
  readonly #exited: Promise<void>;
  #alive = true;
  #exitCode: number | null = null;
  #signal: NodeJS.Signals | null = null;
  #stderr = "";
  #cursor = 0;
  #requests = 0;
  #task: string | undefined;
  #wake: () => void = () => undefined;

  constructor(how: Spawn, answers: readonly Answer[], patience: Patience) {
    this.#cwd = how.cwd;
    this.#answers = answers;
    this.#patience = patience;
    this.#child = spawn(how.command, how.args, {
      cwd: how.cwd,
      env: how.env,
      stdio: ["pipe", "pipe", "pipe"],
      ...(how.uid !== undefined && { uid: how.uid, gid: how.uid }),
    });
    this.#child.stdout.on("data", (chunk: Buffer) => {
      for (const line of this.#splitter.push(chunk)) this.#received(line);
    });
    this.#child.stdout.on("end", () => {
      for (const line of this.#splitter.end()) this.#received(line);
    });
    this.#child.stderr.on("data", (chunk: Buffer) => {
      this.#stderr += chunk.toString("utf8");
    });
    // A process that ends while we write is not a fault. Its exit code is checked.
    this.#child.stdin.on("error", () => undefined);
    this.#exited = new Promise((resolve) => {
      const ended = (): void => {
        this.#alive = false;
        this.#wake();
        resolve();
      };
      this.#child.on("error", (error) => {
        this.faults.push(`cannot start: ${error.message}`);
        ended();
      });
      this.#child.on("close", (code, signal) => {
        this.#exitCode = code;
        this.#signal = signal;
        ended();
      });
    });
  }

  /** `{{task}}` in a step is the id of the last task. */
  async perform(wanted: HostStep): Promise<void> {
    const step = filled(wanted, this.#task === undefined ? {} : { task: this.#task }) as HostStep;
    switch (step.do) {
      case "prompt":
        this.#send({
          type: "user",
          message: { role: "user", content: step.content },
          parent_tool_use_id: null,
          session_id: "",
          ...step.fields,
        });
        return;
      case "see":
        await this.#waitFor(step.all);
        return;
      case "request":
        await this.#request(step.request, step.response, step.wait);
        return;
      case "write":
        this.#send(step.message);
        return;
      case "raw":
        this.#record({ dir: "in", raw: step.line });
        this.#child.stdin.write(`${step.line}\n`);
        return;
      case "file":
        writeFileSync(join(this.#cwd, step.name), "");
        return;
      case "eof":
        this.#end();
        return;
      case "signal":
        this.#record({ dir: "in", msg: { type: "__signal", signal: step.signal } });
        this.#child.kill(step.signal);
        return;
      case "exit":
        if (!(await this.#exitsWithin(this.#patience.exitMs))) this.faults.push("the process does not end by itself");
    }
  }

  /** Ends stdin if the script has not, waits for the exit, and kills a process that does not end. */
  async finish(): Promise<Recording> {
    this.#end();
    if (!(await this.#exitsWithin(this.faults.length > 0 ? 3000 : this.#patience.exitMs))) {
      this.faults.push("the process does not end after EOF");
      this.#child.kill("SIGKILL");
      await this.#exited;
    }
    return {
      lines: this.#lines,
      exitCode: this.#exitCode,
      signal: this.#signal,
      stderr: this.#stderr,
      faults: this.faults,
    };
  }

  #end(): void {
    if (this.#child.stdin.writableEnded) return;
    this.#record({ dir: "in", msg: { type: "__eof" } });
    this.#child.stdin.end();
  }

  #send(message: Message): void {
    this.#record({ dir: "in", msg: message });
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #record(line: Omit<RecordedLine, "t">): void {
    this.#lines.push({ t: Math.round(performance.now() - this.#began), ...line });
  }

  #received(line: Line): void {
    const decoded = decodeLine(line);
    const text = typeof line === "string" ? line : "";
    const msg = objectIn(text);
    this.#record({
      dir: "out",
      kind: decoded.kind,
      ...(decoded.kind !== "message" && { reason: decoded.reason }),
      ...(msg === undefined ? { raw: text } : { msg }),
    });
    if (typeof msg?.task_id === "string") this.#task = msg.task_id;
    if (msg?.type === "control_request") this.#answer(msg);
    this.#wake();
  }

  async #request(request: Message, wanted: Pattern, wait: boolean): Promise<void> {
    const id = `host-${String(++this.#requests)}`;
    this.#send({ type: "control_request", request_id: id, request });
    if (!wait) return;
    const found = await this.#firstMatch({ type: "control_response", response: { request_id: id } }, 0);
    const response = found === undefined ? undefined : this.#lines[found]?.msg?.response;
    if (found === undefined) this.faults.push(`no response to ${String(request.subtype)}`);
    else if (!matches(wanted, response)) {
      this.faults.push(`${String(request.subtype)} was answered ${JSON.stringify(response).slice(0, 400)}`);
    }
  }

  /** All patterns are searched from the same position. The next wait starts after the last match. */
  async #waitFor(all: readonly Pattern[]): Promise<void> {
    let last = this.#cursor;
    for (const pattern of all) {
      const found = await this.#firstMatch(pattern, this.#cursor);
      if (found === undefined) {
        this.faults.push(`never saw ${JSON.stringify(pattern)}`);
        return;
      }
      last = Math.max(last, found + 1);
    }
    this.#cursor = last;
  }

  async #firstMatch(pattern: Pattern, from: number): Promise<number | undefined> {
    const deadline = performance.now() + this.#patience.waitMs;
    for (let at = from; ;) {
      for (; at < this.#lines.length; at++) {
        const line = this.#lines[at];
        if (line?.dir === "out" && matches(pattern, line.msg)) return at;
      }
      const left = deadline - performance.now();
      if (!this.#alive || left <= 0) return undefined;
      await this.#moreWithin(left);
    }
  }

  #moreWithin(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #exitsWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
    await Promise.race([this.#exited, late]);
    clearTimeout(timer);
    return !this.#alive;
  }

  #answer(message: Message): void {
    const request = message.request as Message;
    const id = String(message.request_id);
    switch (request.subtype) {
      case "can_use_tool":
        this.#answerTool(id, request);
        return;
      case "hook_callback": {
        const answer = this.#answers.find(
          (one) =>
            one.to === "hook" &&
            one.callback === request.callback_id &&
            (one.input === undefined || matches(one.input, request.input)),
        );
        if (answer?.to === "hook") this.#respond(id, answer.output);
        else this.#unexpected(id, `hook_callback ${String(request.callback_id)}`);
        return;
      }
      case "mcp_message": {
        const answer = this.#answers.find((one) => one.to === "mcp" && one.server === request.server_name);
        if (answer?.to === "mcp") {
          this.#respond(id, { mcp_response: mcpReply(request.message as Message, answer.server, answer.tools) });
        } else this.#unexpected(id, `mcp_message for ${String(request.server_name)}`);
        return;
      }
      default:
        this.#unexpected(id, String(request.subtype));
    }
  }

  #answerTool(id: string, request: Message): void {
    const answer = this.#answers.find(
      (one) =>
        one.to === "tool" &&
        one.tool === request.tool_name &&
        (one.input === undefined || matches(one.input, request.input)),
    );
    if (answer?.to !== "tool") {
      this.#unexpected(id, `can_use_tool for ${String(request.tool_name)}`);
      return;
    }
    const { reply } = answer;
    if ("silent" in reply) return;
    if ("error" in reply) {
      this.#send({ type: "control_response", response: { subtype: "error", request_id: id, error: reply.error } });
    } else if ("response" in reply) this.#respond(id, reply.response);
    else {
      const input = request.input as Message;
      this.#respond(id, { behavior: "allow", updatedInput: { ...input, ...reply.allow }, ...reply.also });
    }
  }

  #unexpected(id: string, what: string): void {
    this.faults.push(`nothing answers ${what}`);
    const error = `nothing in this case answers ${what}`;
    this.#send({ type: "control_response", response: { subtype: "error", request_id: id, error } });
  }

  #respond(id: string, response: Message): void {
    this.#send({ type: "control_response", response: { subtype: "success", request_id: id, response } });
  }
}

/** A small MCP server in the host, whose tools answer a fixed text. */
const mcpReply = (message: Message, server: string, tools: readonly McpTool[]): Message => {
  const reply = (result: Message): Message => ({ jsonrpc: "2.0", id: message.id ?? 0, result });
  const params = message.params as Message | undefined;
  switch (message.method) {
    case "initialize":
      return reply({
        protocolVersion: params?.protocolVersion ?? "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: server, version: "1.0.0" },
      });
    case "tools/list":
      return reply({
        tools: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
      });
    case "tools/call": {
      const tool = tools.find((one) => one.name === params?.name);
      return tool === undefined
        ? { jsonrpc: "2.0", id: message.id ?? 0, error: { code: -32602, message: "no such tool" } }
        : reply({ content: [{ type: "text", text: tool.text }] });
    }
    default:
      return reply({});
  }
};

const objectIn = (text: string): Message | undefined => {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Message) : undefined;
  } catch {
    // Noise on stdout is recorded, and `check` judges it.
    return undefined;
  }
};
