// The process of a session: lines in become facts and settle what waits for them, lines out are facts first. It knows when the
// process is ready and how it ends; what is sent, and why, is others' business.

import { randomUUID } from "node:crypto";
import { isRecord, refusal } from "@quarterdeck/protocol";
import type {
  ClaudeOptions,
  CliRequest,
  Decoded,
  HostSubtype,
  JsonValue,
  Line,
  RequestOf,
  ResponseOf,
  StdinMessage,
  UserMessage,
} from "@quarterdeck/protocol";
import { textWithoutSecrets } from "@quarterdeck/session";
import type { Actor, Draft, Event, Fact, PolicyMark } from "@quarterdeck/session";
import type { CliProcess } from "../process/cli-process.ts";
import { HostError } from "../host-error.ts";
import type { JsonSchema } from "./output-schema.ts";
import { PendingRequests } from "./pending-requests.ts";
import type { RequestOptions } from "./pending-requests.ts";
import type { Recorder } from "./recorder.ts";
import type { FolderReading } from "./session-parts.ts";
import type { TimeLimits } from "./time-limits.ts";
import { afterMs, inWords } from "./time-limits.ts";
import { hostErrorOf, translated } from "./translated.ts";
import { Responders } from "./responders.ts";
import type { Hook, InProcessServer } from "./responders.ts";

export interface ProcessEvents {
  readonly onLine: (decoded: Decoded, line: Line) => void;
  readonly onStderr: (text: string) => void;
  readonly onSignal: (signal: string) => void;
  readonly onExit: (exit: { readonly code: number | null; readonly signal: string | null }) => void;
}
/** Starts the CLI for this session; made by the host, which knows where the CLI is and with which options. */
export type Launch = (events: ProcessEvents) => CliProcess;

/** What lives in this process and cannot be kept: given at each start. */
export interface InProcess {
  readonly hooks?: readonly Hook[];
  readonly servers?: readonly InProcessServer[];
  /** Beside what the host itself says in `initialize`. */
  readonly initialize?: Omit<RequestOf<"initialize">, "subtype" | "hooks" | "sdkMcpServers">;
}

/** What the log shall say of the process, and what it was told at its start. */
export interface ProcessAbout {
  readonly version?: string;
  readonly cwd?: string;
  readonly keptPermissions?: true;
  readonly leftOut?: readonly string[];
  readonly mode?: string;
  readonly canBypass?: true;
  readonly ignoredMode?: string;
  readonly debugFile?: string;
  /** It asks the policies of the host before each call. */
  readonly asksPolicies?: true;
  /** What it was started with; its rules are part of it. Not for the log. */
  readonly flags?: ClaudeOptions;
  readonly output?: JsonSchema;
  readonly inProcess?: InProcess;
  /** How long it may take to answer `initialize`, and who may give it up. */
  readonly patience?: RequestOptions;
  /** Of a process that loads the settings of its folder. */
  readonly folder?: HeededFolder;
}

/** What a process that loads its folder's settings is held to. */
export interface HeededFolder {
  /** Whether the folder is as it was trusted. */
  readonly holds: (reading?: FolderReading) => Promise<boolean>;
  /** Whether the process may move to this folder, which it is held to from then on. */
  readonly admits: (path: string) => Promise<boolean>;
}

export interface ProcessUse {
  readonly limits: Required<TimeLimits>;
  /** It asks something that the host may answer by itself. */
  readonly onRequest: (requestId: string, request: CliRequest, responders: Responders) => void;
  /** It can take prompts: it has started, or a turn has ended. */
  readonly onFree: () => void;
  /** Results of tools, and echoes of prompts. */
  readonly onResults?: (message: UserMessage) => void;
}

const INTERRUPT_MS = 2000;
const INITIALIZE_MS = 120_000;
const EARLY_STDERR = 2000;
/** They wait for a person at a login, for a tool, or for the model: two minutes are none. */
const UNHURRIED: ReadonlySet<HostSubtype> = new Set([
  "claude_oauth_wait_for_completion",
  "mcp_authenticate",
  "mcp_call",
  "side_question",
  "ultrareview_launch",
]);

export class SessionProcess {
  readonly #recorder: Recorder;
  readonly #use: ProcessUse;
  readonly #pending = new PendingRequests();
  #process: CliProcess | undefined;
  #responders = new Responders();
  #ended: Promise<void> = Promise.resolve();
  #exited: Promise<void> = Promise.resolve();
  #ready = false;
  #leaving = false;
  /** Why the last process could not be started. */
  #refusal: string | undefined;
  /** What its last turn failed of: older ones say on stdout that they cannot begin. */
  #complaint = "";
  #output: JsonSchema | undefined;
  #flags: ClaudeOptions = {};
  #folder: HeededFolder | undefined;
  /** The newest estimate of thinking tokens: logged once, with the block that it belongs to. */
  #thinking: JsonValue | undefined;

  constructor(recorder: Recorder, use: ProcessUse) {
    this.#recorder = recorder;
    this.#use = use;
  }

  get isLive(): boolean {
    return this.#process !== undefined;
  }
  /** It gets no more prompts: it is being closed. */
  get isLeaving(): boolean {
    return this.#leaving;
  }
  /** It has answered `initialize`, and is not being closed. */
  get isReady(): boolean {
    return this.#ready;
  }
  /** It has not answered all that it was asked. */
  get isAsked(): boolean {
    return this.#pending.size > 0;
  }
  get ended(): Promise<void> {
    return this.#ended;
  }
  /** The schema that it was started with. */
  get output(): JsonSchema | undefined {
    return this.#output;
  }

  /** What it was started with. */
  get flags(): ClaudeOptions {
    return this.#flags;
  }

  /** It loads settings of its folder, which must stay as they were trusted. What is said to one that leaves waits for the next. */
  get heedsFolder(): boolean {
    return this.#heeded !== undefined && !this.#leaving;
  }

  get #heeded(): HeededFolder | undefined {
    return this.#process === undefined ? undefined : this.#folder;
  }

  /** Throws if this process would run something of its folder that nobody has trusted. */
  async mustHoldFolder(reading?: FolderReading): Promise<void> {
    if (!(await this.holdsFolder(reading))) throw folderChanged();
  }

  async holdsFolder(reading?: FolderReading): Promise<boolean> {
    return (await this.#heeded?.holds(reading)) ?? true;
  }

  async mustAdmit(path: string): Promise<void> {
    if (!((await this.#heeded?.admits(path)) ?? true))
      throw new HostError(
        "folder-changed",
        `The folder ${path} is not trusted. Trust it first, or start a session there without its settings.`,
        { path },
      );
  }

  /** Starts it and waits until it has answered `initialize`. */
  async start(launch: Launch, about: ProcessAbout): Promise<ResponseOf<"initialize">> {
    if (this.#process !== undefined) throw new HostError("session-live", "This session already has a process.");
    const { output, folder, flags = {}, inProcess = {}, patience = {}, ...facts } = about;
    const process = launch({
      onLine: (decoded, line) => this.#receive(decoded, line),
      onStderr: (text) => void this.record({ type: "stderr", text }),
      onSignal: (signal) => void this.record({ type: "signal-sent", signal }),
      onExit: (exit) => this.#exit(exit),
    });
    this.#process = process;
    this.#leaving = false;
    this.#complaint = "";
    this.#output = output;
    this.#flags = flags;
    this.#folder = folder;
    this.#responders = new Responders(inProcess.servers, inProcess.hooks, about.asksPolicies);
    this.#ended = process.ended.then(() => this.#exited).then(() => this.#recorder.flush());
    await process.started.catch((error: unknown) => {
      // Before its exit is told.
      this.#refusal = error instanceof Error ? error.message : String(error);
      throw error;
    });
    this.#refusal = undefined;
    await this.record({ type: "process-started", ...(process.pid !== undefined && { pid: process.pid }), ...facts });
    const initialize: RequestOf<"initialize"> = {
      subtype: "initialize",
      supportedDialogKinds: [],
      perTaskStopAffordance: true,
      ...inProcess.initialize,
      ...this.#responders.registration,
    };
    try {
      const answer = await this.request(initialize, { timeoutMs: INITIALIZE_MS, ...patience });
      this.#ready = true;
      this.#use.onFree();
      return answer;
    } catch (error) {
      // One that was never ready is nobody's to end later.
      await this.close(false);
      const hasEnded = error instanceof HostError && (error.code === "no-process" || error.code === "process-ended");
      throw hasEnded ? this.#endedEarly(error) : error;
    }
  }

  /** Whoever started it has seen nothing of it yet: what it said last is the only reason there is. */
  #endedEarly(cause: unknown): HostError {
    const { process, stderr } = this.#recorder.fold.head;
    const { code = null, signal = null } = process ?? {};
    const said = (stderr.trim() || textWithoutSecrets(this.#complaint)).slice(-EARLY_STDERR);
    const how = signal === null ? `with code ${String(code)}` : `by ${signal}`;
    const message = `The CLI ended ${how} before it was ready${said === "" ? " and wrote nothing to stderr." : `: ${said}`}`;
    return new HostError("process-ended", message, { code, signal, stderr: said }, { cause });
  }

  /** It gets no more prompts. */
  leave(): void {
    this.#ready = false;
    this.#leaving = true;
  }

  pause(): void {
    this.#process?.pause();
  }
  resume(): void {
    this.#process?.resume();
  }

  /** Interrupt, end of input, SIGTERM, a grace, SIGKILL; then whatever it left. */
  async close(interrupts: boolean, graceMs?: number): Promise<void> {
    const process = this.#process;
    if (process !== undefined) {
      this.leave();
      await this.record({ type: "stdin-closed" });
      const interrupt = (): Promise<unknown> =>
        this.request({ subtype: "interrupt" }, { timeoutMs: graceMs ?? INTERRUPT_MS });
      await process.close({ ...(interrupts && { interrupt }), ...(graceMs !== undefined && { graceMs }) });
    }
    await this.#ended;
  }

  async request<S extends HostSubtype>(request: RequestOf<S>, options: RequestOptions = {}): Promise<ResponseOf<S>> {
    if (this.#process === undefined) throw new HostError("no-process", "This session has no process. Resume it first.");
    const within = { timeoutMs: this.#limitOf(request.subtype), ...options };
    const id = randomUUID();
    const answer = this.#pending.wait<S>(id, request.subtype, within, () => {
      const cancel = { type: "control_cancel_request", request_id: id } as const;
      if (!this.reads(cancel)) return;
      this.send(cancel).catch(() => {
        // The process is gone, and the request with it.
      });
    });
    this.send({ type: "control_request", request_id: id, request: request as never }).catch((error: unknown) => {
      const why = hostErrorOf(error);
      this.#pending.fail(
        id,
        why instanceof HostError
          ? why
          : new HostError("process-ended", `The request could not be written: ${String(error)}`),
      );
    });
    return answer;
  }

  #limitOf(subtype: HostSubtype): number {
    const { requestMs, interruptMs, silenceMs } = this.#use.limits;
    return subtype === "interrupt" ? interruptMs : UNHURRIED.has(subtype) ? silenceMs : requestMs;
  }

  /** Whether this CLI can read such a line. */
  reads(message: StdinMessage): boolean {
    return this.#process?.reads(message) === true;
  }

  /** What goes out is a fact first; a line that this CLI would die of is neither. */
  async send(message: StdinMessage, by?: Actor, policy?: PolicyMark): Promise<void> {
    const process = this.#process;
    if (process === undefined) throw new HostError("no-process", "This session has no process.");
    translated(() => process.mustRead(message));
    const cause = { ...(by !== undefined && { by }), ...(policy !== undefined && { policy }) };
    await this.record({ type: "sent", message: message as unknown as JsonValue, ...cause });
    await this.#written(process.send(message));
  }

  /** A CLI that is stuck reads nothing: the line waits in the pipe, but nobody waits for it without end. */
  #written(writing: Promise<void>): Promise<void> {
    const { requestMs } = this.#use.limits;
    return new Promise((resolve, reject) => {
      const timer = afterMs(requestMs, () => {
        const message = `The CLI has read nothing for ${inWords(requestMs)}. What was sent waits in its pipe; \`close()\` ends it.`;
        reject(new HostError("request-timeout", message));
      });
      writing.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  /** A store that fails has told so already: whoever does not wait need not hear it again. */
  record(fact: Fact): Promise<Event> {
    const recorded = this.#recorder.record(fact);
    recorded.catch(() => {});
    return recorded;
  }

  #exit({ code, signal }: { readonly code: number | null; readonly signal: string | null }): void {
    this.#process = undefined;
    this.#ready = false;
    this.#pending.endAll(`the process ended (${signal ?? code})`);
    const reason = this.#refusal;
    this.#exited = this.#recordEnd({ type: "process-exited", code, signal, ...(reason !== undefined && { reason }) });
  }

  /** What was streamed and not completed is kept with the end: somebody may have read it. */
  async #recordEnd(exit: Extract<Fact, { type: "process-exited" }>): Promise<void> {
    await this.#recorder.applied();
    this.recordDrafts(this.#recorder.fold.drafts);
    await this.record(exit).catch(() => {
      // Told through onError.
    });
  }

  /** Newer CLIs complete a text that an interrupt has cut, and say that they did; of thoughts and calls they say nothing more. */
  #recordCut(): void {
    const { head, drafts } = this.#recorder.fold;
    const completesText = head.capabilities.includes("msg_lifecycle_v1");
    this.recordDrafts(drafts.filter(({ kind }) => kind !== "text" || !completesText));
  }

  recordDrafts(left: readonly Draft[]): void {
    const drafts = left.filter(({ text }) => text !== "");
    if (drafts.length > 0) void this.record({ type: "drafts-left", drafts });
  }

  #receive(decoded: Decoded, line: Line): void {
    if (decoded.kind === "noise") {
      const { bytes, size, reason } = decoded;
      void this.record({ type: "noise", bytes: Buffer.from(bytes).toString("base64"), size, reason });
      return;
    }
    if (decoded.kind === "unknown") {
      const { value, reason } = decoded;
      const id = isRecord(value) && value["type"] === "control_request" ? value["request_id"] : undefined;
      this.record({ type: "received", message: value })
        // Without an answer the CLI would wait for ever.
        .then(() =>
          typeof id === "string" ? this.send(refusal(id, `Unsupported control request: ${reason}`)) : undefined,
        )
        .catch(() => {
          // The process is gone, or the store failed and has told so.
        });
      return;
    }
    const { message } = decoded;
    if (message.type === "stream_event") return this.#recorder.stream(message as unknown as JsonValue);
    if (message.type === "system" && message.subtype === "thinking_tokens") {
      this.#thinking = message as unknown as JsonValue;
      return;
    }
    if (this.#thinking !== undefined && message.type === "assistant") {
      void this.record({ type: "received", message: this.#thinking });
      this.#thinking = undefined;
    }
    if (message.type === "result" && message.subtype === "error_during_execution") {
      this.#complaint = message.errors.join("\n");
      this.#recordCut();
    }
    // The log holds what crossed the pipe; a rewritten older form is not that.
    const value = decoded.dialects === undefined ? (message as unknown as JsonValue) : rawOf(line);
    this.record({ type: "received", message: value }).then(
      () => {
        if (message.type === "control_response") this.#pending.settle(message);
        else if (message.type === "control_request")
          this.#use.onRequest(message.request_id, message.request as CliRequest, this.#responders);
        else if (message.type === "result") this.#use.onFree();
        else if (message.type === "user") this.#use.onResults?.(message);
      },
      () => {
        // Told through onError; the process is held back until the store works again.
      },
    );
  }
}

const folderChanged = (): HostError =>
  new HostError(
    "folder-changed",
    "The hooks, servers or settings of this folder changed since it was trusted. Review and trust the folder again, or resume the session without its settings.",
  );

const rawOf = (line: Line): JsonValue =>
  JSON.parse(
    typeof line === "string" ? line : line instanceof Uint8Array ? Buffer.from(line).toString("utf8") : "null",
  ) as JsonValue;
