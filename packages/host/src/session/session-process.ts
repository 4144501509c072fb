// The process of a session. Incoming lines become facts and resolve pending requests. Outgoing lines are stored as facts before
// they are written. It knows when the process is ready and how it ends. Other modules decide what is sent.

import { randomUUID } from "node:crypto";
import { isRecord, refusal } from "@quarterdeck/protocol";
import type {
  ClaudeOptions,
  CliRequest,
  Decoded,
  HookMatcher,
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
import { afterMs, durationWords } from "./time-limits.ts";
import { hostErrorOf, translated } from "./translated.ts";
import { LeftResponders } from "../relay/left-responders.ts";
import type { LeftBehind } from "../relay/left-responders.ts";
import type { Relay } from "../relay/relay.ts";
import { Responders } from "./responders.ts";
import type { Hook, InProcessServer } from "./responders.ts";

export interface ProcessEvents {
  readonly onLine: (decoded: Decoded, line: Line) => void;
  readonly onStderr: (text: string) => void;
  readonly onSignal: (signal: string) => void;
  readonly onExit: (exit: { readonly code: number | null; readonly signal: string | null }) => void;
}
/** Starts the CLI for this session. The host creates it, because the host knows the CLI and its options. */
export type Launch = (events: ProcessEvents) => CliProcess;

/** Functions and other values that cannot be stored. Callers pass them at each start. */
export interface InProcess {
  readonly hooks?: readonly Hook[];
  readonly servers?: readonly InProcessServer[];
  /** The environment of the program that drove the CLI. It is kept in memory only. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Hooks and tools of a program that drove the session and is gone. */
  readonly left?: LeftBehind;
  /** Added to the host's own `initialize` request. */
  readonly initialize?: Omit<RequestOf<"initialize">, "subtype" | "hooks" | "sdkMcpServers">;
}

/** What the log records about the process, and what it got at its start. */
export interface ProcessAbout {
  readonly version?: string;
  readonly cwd?: string;
  readonly keptPermissions?: true;
  readonly leftOut?: readonly string[];
  readonly mode?: string;
  readonly canBypass?: true;
  readonly ignoredMode?: string;
  readonly debugFile?: string;
  /** True if it asks the host's policies before each call. */
  readonly asksPolicies?: true;
  /** The settings at its start, with its rules. Not stored in the log. */
  readonly flags?: ClaudeOptions;
  readonly output?: JsonSchema;
  readonly inProcess?: InProcess;
  /** A program that drives the CLI itself. Its `initialize` is the process's. */
  readonly relay?: Relay;
  /** Called when `initialize` is on its way. What is sent later comes after it. */
  readonly onAsked?: () => void;
  /** The time limit for `initialize`, and a signal that aborts it. */
  readonly patience?: RequestOptions;
  /** Set if the process loads the settings of its folder. */
  readonly folder?: HeededFolder;
}

/** The trust checks for a process that loads its folder's settings. */
export interface HeededFolder {
  /** True if the folder has not changed since it was trusted. */
  readonly holds: (reading?: FolderReading) => Promise<boolean>;
  /** True if the process may move to this folder. From then on, the checks apply to the new folder. */
  readonly admits: (path: string) => Promise<boolean>;
}

export interface ProcessUse {
  readonly limits: Required<TimeLimits>;
  /** A request that the host may answer automatically. */
  readonly onRequest: (requestId: string, request: CliRequest, responders: Responders) => void;
  /** It can take prompts, because it has started or a turn has ended. */
  readonly onFree: () => void;
  /** Results of tools, and echoes of prompts. */
  readonly onResults?: (message: UserMessage) => void;
}

const INTERRUPT_MS = 2000;
const INITIALIZE_MS = 120_000;
const EARLY_STDERR = 2000;
/** These wait for a login, a tool or the model, so two minutes are too short. */
const UNHURRIED: ReadonlySet<HostSubtype> = new Set([
  "claude_oauth_wait_for_completion",
  "mcp_authenticate",
  "mcp_call",
  "side_question",
  "ultrareview_launch",
]);

type Initialize = Partial<RequestOf<"initialize">>;

export class SessionProcess {
  readonly #recorder: Recorder;
  readonly #use: ProcessUse;
  readonly #pending = new PendingRequests();
  #process: CliProcess | undefined;
  #responders = new Responders();
  #relay: Relay | undefined;
  #own: Initialize = {};
  readonly #holds = new Set<string>();
  #ended: Promise<void> = Promise.resolve();
  #exited: Promise<void> = Promise.resolve();
  #ready = false;
  #leaving = false;
  /** Why the last process could not be started. */
  #refusal: string | undefined;
  /** The error of its last turn. Older CLIs report on stdout that they cannot start. */
  #complaint = "";
  #output: JsonSchema | undefined;
  #flags: ClaudeOptions = {};
  #folder: HeededFolder | undefined;
  /** The newest estimate of thinking tokens. It is logged once, with its block. */
  #thinking: JsonValue | undefined;

  constructor(recorder: Recorder, use: ProcessUse) {
    this.#recorder = recorder;
    this.#use = use;
  }

  get isLive(): boolean {
    return this.#process !== undefined;
  }
  /** It is being closed and gets no more prompts. */
  get isLeaving(): boolean {
    return this.#leaving;
  }
  /** It has answered `initialize` and is not being closed. */
  get isReady(): boolean {
    return this.#ready;
  }
  /** True while it has unanswered requests from us. */
  get isAsked(): boolean {
    return this.#pending.size > 0;
  }
  get ended(): Promise<void> {
    return this.#ended;
  }
  /** The output schema at its start. */
  get output(): JsonSchema | undefined {
    return this.#output;
  }

  /** The settings at its start. */
  get flags(): ClaudeOptions {
    return this.#flags;
  }

  /** It loads the settings of its folder, which must stay as trusted. While it is being closed, prompts wait for the next process. */
  get heedsFolder(): boolean {
    return this.#heeded !== undefined && !this.#leaving;
  }

  get #heeded(): HeededFolder | undefined {
    return this.#process === undefined ? undefined : this.#folder;
  }

  /** Throws if this process would run something untrusted from its folder. */
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
    const { output, folder, relay, onAsked, flags = {}, inProcess = {}, patience = {}, ...facts } = about;
    this.#relay = relay;
    this.#holds.clear();
    const process = launch({
      onLine: (decoded, line) => this.#receive(decoded, line),
      onStderr: (text) => {
        relay?.passStderr(text);
        void this.record({ type: "stderr", text });
      },
      onSignal: (signal) => void this.record({ type: "signal-sent", signal }),
      onExit: (exit) => this.#exit(exit),
    });
    this.#process = process;
    this.#leaving = false;
    this.#complaint = "";
    this.#output = output;
    this.#flags = flags;
    this.#folder = folder;
    const { left, servers, hooks } = inProcess;
    const own =
      left === undefined || relay !== undefined
        ? new Responders(servers, hooks, about.asksPolicies)
        : new LeftResponders(left, about.asksPolicies);
    this.#responders = relay ?? own;
    this.#ended = process.ended.then(() => this.#exited).then(() => this.#recorder.flush());
    await process.started.catch((error: unknown) => {
      // Before listeners learn about the exit.
      this.#refusal = error instanceof Error ? error.message : String(error);
      throw error;
    });
    this.#refusal = undefined;
    await this.record({ type: "process-started", ...(process.pid !== undefined && { pid: process.pid }), ...facts });
    const host = { supportedDialogKinds: [], perTaskStopAffordance: true };
    const more = { ...inProcess.initialize, ...own.registration };
    try {
      // A caller may take as long as it wants to. The process may end before.
      const first = await Promise.race([relay?.first, process.ended.then(() => undefined)]);
      this.#own = own.registration;
      const asked = relay === undefined ? { ...host, ...more } : { ...more, ...this.withOwnHooks(first?.request) };
      const initialize = { ...asked, subtype: "initialize" } as const;
      const answering = this.request(initialize, { timeoutMs: INITIALIZE_MS, ...patience }, first?.id);
      onAsked?.();
      const answer = await answering;
      this.#ready = true;
      this.#use.onFree();
      return answer;
    } catch (error) {
      // A process that never became ready must be ended here. Nothing else ends it.
      await this.close(false);
      const hasEnded = error instanceof HostError && (error.code === "no-process" || error.code === "process-ended");
      throw hasEnded ? this.#endedEarly(error) : error;
    }
  }

  /** The caller has seen nothing of this process yet, so its last output is the only reason to report. */
  #endedEarly(cause: unknown): HostError {
    const { process, stderr } = this.#recorder.fold.head;
    const { code = null, signal = null } = process ?? {};
    const said = (stderr.trim() || textWithoutSecrets(this.#complaint)).slice(-EARLY_STDERR);
    const how = signal === null ? `with code ${String(code)}` : `by ${signal}`;
    const message = `The CLI ended ${how} before it was ready${said === "" ? " and wrote nothing to stderr." : `: ${said}`}`;
    return new HostError("process-ended", message, { code, signal, stderr: said }, { cause });
  }

  /** A caller's `initialize`, with the hooks of the host. */
  withOwnHooks(theirs: Initialize = {}): Initialize {
    const { hooks: ours } = this.#own;
    if (ours === undefined || ours === null) return theirs;
    const all = new Map<string, HookMatcher[]>(Object.entries(theirs.hooks ?? {}));
    for (const [event, matchers] of Object.entries(ours)) all.set(event, [...(all.get(event) ?? []), ...matchers]);
    return { ...theirs, hooks: Object.fromEntries(all) };
  }

  /** It gets no more prompts. */
  leave(): void {
    this.#ready = false;
    this.#leaving = true;
  }

  pause(): void {
    this.hold("store", true);
  }
  resume(): void {
    this.hold("store", false);
  }

  /** Reads nothing from the CLI as long as anybody holds it. */
  hold(holder: string, holds: boolean): void {
    if (holds) this.#holds.add(holder);
    else this.#holds.delete(holder);
    if (this.#holds.size > 0) this.#process?.pause();
    else this.#process?.resume();
  }

  /** The program that drives the CLI, if it is still there. */
  get relay(): Relay | undefined {
    return this.#process === undefined || this.#relay?.isAttached !== true ? undefined : this.#relay;
  }

  signal(signal: "SIGINT" | "SIGTERM"): void {
    void this.record({ type: "signal-sent", signal });
    this.#process?.signal(signal);
  }

  /** It ends after its turn. */
  async endInput(): Promise<void> {
    this.leave();
    await this.record({ type: "stdin-closed" });
    this.#process?.endInput();
  }

  /** SIGINT, SIGTERM, SIGKILL, for a CLI that does not react. */
  async stopBySignals(): Promise<void> {
    this.leave();
    await this.#process?.close({ bySignals: true });
    await this.#ended;
  }

  /** SIGKILL at once, so that the CLI runs no hook at its end. Then it ends the processes that the CLI left. */
  async kill(): Promise<void> {
    const process = this.#process;
    if (process !== undefined) {
      this.leave();
      await Promise.all([this.record({ type: "stdin-closed" }), process.kill()]);
    }
    await this.#ended;
  }

  /** Interrupt, end of input, SIGTERM, a delay, SIGKILL. Then it ends the processes that the CLI left. */
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

  /** `id`: a caller's own, which its answer must have too. */
  async request<S extends HostSubtype>(
    request: RequestOf<S>,
    options: RequestOptions = {},
    id: string = randomUUID(),
  ): Promise<ResponseOf<S>> {
    if (this.#process === undefined) throw new HostError("no-process", "This session has no process. Resume it first.");
    const within = { timeoutMs: this.#limitOf(request.subtype), ...options };
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

  /** True if this CLI can read such a line. */
  reads(message: StdinMessage): boolean {
    return this.#process?.reads(message) === true;
  }

  /** Stores the line as a fact, then writes it. A line that would crash this CLI is neither stored nor written. */
  async send(message: StdinMessage, by?: Actor, policy?: PolicyMark): Promise<void> {
    const process = this.#process;
    if (process === undefined) throw new HostError("no-process", "This session has no process.");
    translated(() => process.mustRead(message));
    const cause = { ...(by !== undefined && { by }), ...(policy !== undefined && { policy }) };
    await this.record({ type: "sent", message: message as unknown as JsonValue, ...cause });
    await this.#written(process.send(message));
  }

  /** A stuck CLI reads nothing. The line stays in the pipe, and the caller stops waiting after a limit. */
  #written(writing: Promise<void>): Promise<void> {
    const { requestMs } = this.#use.limits;
    return new Promise((resolve, reject) => {
      const timer = afterMs(requestMs, () => {
        const message = `The CLI has read nothing for ${durationWords(requestMs)}. What was sent waits in its pipe; \`close()\` ends it.`;
        reject(new HostError("request-timeout", message));
      });
      writing.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  /** The store has reported its failure already, so callers that do not wait need no second report. */
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
    const relay = this.#relay;
    void this.#exited.then(() => relay?.exited({ code, signal }));
  }

  /** Unfinished drafts are stored with the exit, because a person may have read them. */
  async #recordEnd(exit: Extract<Fact, { type: "process-exited" }>): Promise<void> {
    await this.#recorder.applied();
    this.recordDrafts(this.#recorder.fold.drafts);
    await this.record(exit).catch(() => {
      // Reported through onError.
    });
  }

  /** After an interrupt, newer CLIs complete a cut text and mark it. They send nothing more about thinking and tool calls. */
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
      const noted = this.record({ type: "noise", bytes: Buffer.from(bytes).toString("base64"), size, reason });
      this.#relay?.pass(line, decoded, noted);
      return;
    }
    if (decoded.kind === "unknown") {
      const { value, reason } = decoded;
      const id = isRecord(value) && value["type"] === "control_request" ? value["request_id"] : undefined;
      const noted = this.record({ type: "received", message: value });
      const { relay } = this;
      relay?.pass(line, decoded, noted);
      noted
        // Without an answer the CLI would wait for ever. A caller answers itself what it was asked.
        .then(() =>
          typeof id === "string" && relay === undefined
            ? this.send(refusal(id, `Unsupported control request: ${reason}`))
            : undefined,
        )
        .catch(() => {
          // The process is gone, or the store failed and has told so.
        });
      return;
    }
    const { message } = decoded;
    if (message.type === "stream_event") {
      this.#recorder.stream(message as unknown as JsonValue);
      this.#relay?.pass(line, decoded);
      return;
    }
    if (message.type === "system" && message.subtype === "thinking_tokens") {
      this.#relay?.pass(line, decoded);
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
    // The log holds the line as it came through the pipe, not the form that we converted it to.
    const value = decoded.dialects === undefined ? (message as unknown as JsonValue) : rawOf(line);
    const noted = this.record({ type: "received", message: value });
    noted.then(
      () => {
        if (message.type === "control_response") this.#pending.settle(message);
        else if (message.type === "control_request")
          this.#use.onRequest(message.request_id, message.request as CliRequest, this.#responders);
        else if (message.type === "result") this.#use.onFree();
        else if (message.type === "user") this.#use.onResults?.(message);
      },
      () => {
        // Reported through onError. The process gets nothing until the store works again.
      },
    );
    // After the line above, which may answer the request.
    this.#relay?.pass(line, decoded, isAboutProcess(message) ? undefined : noted);
  }
}

/** These tell how the process is. They do not belong to the conversation, and the next process sends its own. */
const isAboutProcess = (message: Extract<Decoded, { kind: "message" }>["message"]): boolean =>
  message.type === "system" && (message.subtype === "init" || message.subtype === "status");

const folderChanged = (): HostError =>
  new HostError(
    "folder-changed",
    "The hooks, servers or settings of this folder changed since it was trusted. Review and trust the folder again, or resume the session without its settings.",
  );

const rawOf = (line: Line): JsonValue =>
  JSON.parse(
    typeof line === "string" ? line : line instanceof Uint8Array ? Buffer.from(line).toString("utf8") : "null",
  ) as JsonValue;
