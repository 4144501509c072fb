// One conversation while it lives: its recorder, its one process, its open requests and its queue. It builds messages and
// decides when they go out; what they mean is the fold's business, how bytes move is the process's.

import { randomUUID } from "node:crypto";
import { refusal, userMessage } from "@quarterdeck/protocol";
import type {
  CliRequest,
  ControlResponse,
  Decoded,
  HostSubtype,
  JsonValue,
  Line,
  PermissionUpdate,
  PromptBlock,
  RequestOf,
  ResponseOf,
  StdinMessage,
} from "@quarterdeck/protocol";
import type {
  Actor,
  Changes,
  Draft,
  DraftGrowth,
  Event,
  Fact,
  Head,
  PromptContent,
  PromptRow,
  Row,
  Streamed,
} from "@quarterdeck/session";
import type { CliProcess } from "./cli-process.ts";
import { eventStream } from "./event-stream.ts";
import type { EventStore } from "./event-store.ts";
import { HostError } from "./host-error.ts";
import { PendingRequests } from "./pending-requests.ts";
import type { RequestOptions } from "./pending-requests.ts";
import { Recorder } from "./recorder.ts";
import { Responders } from "./responders.ts";
import type { Hook, InProcessServer } from "./responders.ts";

export interface ProcessEvents {
  readonly onLine: (decoded: Decoded, line: Line) => void;
  readonly onStderr: (text: string) => void;
  readonly onExit: (exit: { readonly code: number | null; readonly signal: string | null }) => void;
}
/** Starts the CLI for this session; made by the host, which knows where the CLI is and with which options. */
export type Launch = (events: ProcessEvents) => CliProcess;

export interface SessionOptions {
  readonly id: string;
  readonly store: EventStore;
  readonly hooks?: readonly Hook[];
  readonly servers?: readonly InProcessServer[];
  /** Beside what the host itself says in `initialize`. */
  readonly initialize?: Omit<RequestOf<"initialize">, "subtype" | "hooks" | "sdkMcpServers">;
  readonly onError?: (error: unknown) => void;
}

export interface PromptOptions {
  readonly uuid?: string;
  readonly priority?: "now" | "next" | "later";
  readonly by?: Actor;
}

/** What a person may answer; `respond` builds the line. */
export type Answer =
  | {
      readonly behavior: "allow";
      readonly updatedInput?: Readonly<Record<string, unknown>>;
      readonly updatedPermissions?: readonly PermissionUpdate[];
    }
  | { readonly behavior: "deny"; readonly message: string; readonly interrupt?: boolean }
  | ResponseOf<"elicitation">
  | ResponseOf<"request_user_dialog">;

export class Session {
  readonly id: string;
  readonly #options: SessionOptions;
  readonly #recorder: Recorder;
  readonly #pending = new PendingRequests();
  readonly #responders: Responders;
  readonly #onError: (error: unknown) => void;
  readonly #answering = new Set<string>();
  #process: CliProcess | undefined;
  #ended: Promise<void> = Promise.resolve();
  #ready = false;
  #delivering: Promise<void> = Promise.resolve();
  /** The newest estimate of thinking tokens: logged once, with the block that it belongs to. */
  #thinking: JsonValue | undefined;

  constructor(options: SessionOptions) {
    this.id = options.id;
    this.#options = options;
    this.#onError =
      options.onError ??
      ((error) =>
        queueMicrotask(() => {
          throw error;
        }));
    this.#responders = new Responders(options.servers, options.hooks);
    this.#recorder = new Recorder({
      store: options.store,
      session: options.id,
      onPressure: (high) => (high ? this.#process?.pause() : this.#process?.resume()),
      onError: this.#onError,
    });
  }

  get head(): Head {
    return this.#recorder.fold.head;
  }
  get rows(): readonly Row[] {
    return this.#recorder.fold.rows;
  }
  get drafts(): readonly Draft[] {
    return this.#recorder.fold.drafts;
  }
  /** For listeners: what the event at hand added to a draft. */
  get growth(): DraftGrowth | undefined {
    return this.#recorder.fold.growth;
  }
  get rev(): number {
    return this.#recorder.fold.rev;
  }
  get isLive(): boolean {
    return this.#process !== undefined;
  }
  /** Resolves when the process has ended and its end is in the log. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  changes(rev: number): Changes {
    return this.#recorder.fold.changes(rev);
  }

  row(id: string): Row | undefined {
    return this.#recorder.fold.row(id);
  }

  subscribe(listener: (event: Event | Streamed) => void): () => void {
    return this.#recorder.subscribe(listener);
  }

  /** Events from now on. A slow consumer holds nobody up: it gets every fact, and deltas as far as it keeps up. */
  events(signal?: AbortSignal): AsyncGenerator<Event | Streamed> {
    const { store } = this.#options;
    const source = {
      seq: () => this.#recorder.fold.seq,
      subscribe: (listener: (event: Event | Streamed) => void) => this.subscribe(listener),
      read: (after: number, limit: number) => store.read(this.id, after, limit),
    };
    return eventStream(source, signal);
  }

  /** A log that ends with a running process is that of a host that died: the process is gone with it. */
  noteLostProcess(): void {
    if (this.#process === undefined && this.head.process?.running === true) {
      void this.#record({ type: "process-exited", code: null, signal: null });
    }
  }

  /** Starts the process and waits until it has answered `initialize`. */
  async start(
    launch: Launch,
    about: { readonly version?: string; readonly cwd?: string } = {},
  ): Promise<ResponseOf<"initialize">> {
    if (this.#process !== undefined) throw new HostError("session-live", "This session has a process already.");
    const process = launch({
      onLine: (decoded, line) => this.#receive(decoded, line),
      onStderr: (text) => void this.#record({ type: "stderr", text }),
      onExit: (exit) => this.#exit(exit),
    });
    this.#process = process;
    this.#ended = process.ended.then(() => this.#recorder.flush());
    await process.started;
    await this.#record({
      type: "process-started",
      ...(process.pid !== undefined && { pid: process.pid }),
      ...about,
    });
    const answer = await this.request({
      subtype: "initialize",
      supportedDialogKinds: [],
      perTaskStopAffordance: true,
      ...this.#options.initialize,
      ...this.#responders.registration,
    });
    this.#ready = true;
    this.#deliver();
    return answer;
  }

  /** Durable when it resolves; delivered as soon as the CLI can take it. */
  async prompt(
    content: string | readonly PromptBlock[],
    options: PromptOptions = {},
  ): Promise<{ readonly uuid: string }> {
    const uuid = options.uuid ?? randomUUID();
    const known = this.#promptRow(uuid);
    if (known === undefined) {
      const { message } = userMessage(content);
      this.#priorities.set(uuid, options.priority);
      const by = options.by === undefined ? {} : { by: options.by };
      await this.#record({ type: "prompt-accepted", uuid, content: message.content as PromptContent, ...by });
    }
    this.#deliver();
    return { uuid };
  }
  readonly #priorities = new Map<string, PromptOptions["priority"]>();

  /** Takes a prompt back that has not begun. False where it is too late. */
  async cancelPrompt(uuid: string, by?: Actor): Promise<boolean> {
    const row = this.#promptRow(uuid);
    if (row === undefined) throw new HostError("unknown-prompt", `There is no prompt ${uuid}.`, { uuid });
    const who = by === undefined ? {} : { by };
    if (row.state === "accepted" || row.state === "held") {
      await this.#record({ type: "prompt-withdrawn", uuid, ...who });
      return true;
    }
    if (row.state !== "sent" && row.state !== "queued") return false;
    const { cancelled } = await this.request({ subtype: "cancel_async_message", message_uuid: uuid });
    if (cancelled) await this.#record({ type: "prompt-withdrawn", uuid, ...who });
    return cancelled;
  }

  /** Changes a prompt that has not begun. One that the CLI holds is taken back and sent anew, under a new uuid. */
  async editPrompt(
    uuid: string,
    content: string | readonly PromptBlock[],
    by?: Actor,
  ): Promise<{ readonly uuid: string }> {
    const row = this.#promptRow(uuid);
    if (row?.state === "accepted") {
      const { message } = userMessage(content);
      await this.#record({
        type: "prompt-edited",
        uuid,
        content: message.content as PromptContent,
        ...(by !== undefined && { by }),
      });
      return { uuid };
    }
    if (!(await this.cancelPrompt(uuid, by))) {
      throw new HostError("too-late", "This prompt has begun already.", { uuid });
    }
    return this.prompt(content, by === undefined ? {} : { by });
  }

  /** Ends the running turn. What waits in the queue stays, and begins at once: `stop` holds it back. */
  interrupt(options: RequestOptions = {}): Promise<ResponseOf<"interrupt">> {
    return this.request({ subtype: "interrupt" }, options);
  }

  /** Ends the running turn and returns what was queued as drafts to their authors. */
  async stop(options: RequestOptions = {}): Promise<{ readonly held: readonly string[] }> {
    const held: string[] = [];
    const hold = async (uuid: string): Promise<void> => {
      held.push(uuid);
      await this.#record({ type: "prompt-held", uuid });
    };
    for (const { uuid, state } of this.head.queue) if (uuid !== undefined && state === "accepted") await hold(uuid);
    if (this.head.capabilities.includes("interrupt_cancel_queued_v1")) {
      const answer = await this.request({ subtype: "interrupt", cancel_queued: true }, options);
      for (const uuid of answer?.cancelled ?? []) await hold(uuid);
    } else {
      for (const { uuid, state } of this.head.queue) {
        if (uuid === undefined || state === "accepted" || !this.#cliQueues) continue;
        if ((await this.request({ subtype: "cancel_async_message", message_uuid: uuid }, options)).cancelled)
          await hold(uuid);
      }
      await this.interrupt(options);
    }
    return { held };
  }

  /** Any control request of the protocol, typed by its subtype. */
  async request<S extends HostSubtype>(request: RequestOf<S>, options: RequestOptions = {}): Promise<ResponseOf<S>> {
    if (this.#process === undefined) throw new HostError("no-process", "This session has no process: resume it first.");
    const id = randomUUID();
    const answer = this.#pending.wait<S>(id, request.subtype, options, () => {
      this.#send({ type: "control_cancel_request", request_id: id }).catch(() => {
        // The process is gone, and the request with it.
      });
    });
    this.#send({ type: "control_request", request_id: id, request: request as never }).catch((error: unknown) =>
      this.#pending.fail(id, new HostError("process-ended", `The request could not be written: ${String(error)}`)),
    );
    return answer;
  }

  /** Answers a request of the CLI's. The first answer wins. */
  async respond(requestId: string, answer: Answer, by?: Actor): Promise<void> {
    const open = this.head.requests.find((request) => request.id === requestId);
    if (open === undefined || this.#answering.has(requestId)) {
      throw new HostError(
        this.#answering.has(requestId) ? "already-answered" : "not-open",
        "This request is not open: it was answered, withdrawn, or ended with its process.",
        { requestId },
      );
    }
    const response: ControlResponse["response"] =
      "behavior" in answer && answer.behavior === "allow" && open.request.subtype === "can_use_tool"
        ? // Older CLIs refuse an allow that does not repeat the input.
          success(requestId, { ...answer, updatedInput: answer.updatedInput ?? open.request.input })
        : success(requestId, answer);
    await this.#answer(requestId, { type: "control_response", response }, by);
  }

  /** Interrupt, end of input, SIGTERM, a grace, SIGKILL; then whatever it left. */
  async close(options: { readonly interrupt?: boolean; readonly graceMs?: number } = {}): Promise<void> {
    const process = this.#process;
    if (process !== undefined) {
      await this.#record({ type: "stdin-closed" });
      const graceMs = options.graceMs === undefined ? {} : { graceMs: options.graceMs };
      const interrupt =
        options.interrupt === false ? {} : { interrupt: () => this.interrupt({ timeoutMs: options.graceMs ?? 2000 }) };
      await process.close({ ...interrupt, ...graceMs });
    }
    await this.#ended;
    await this.#recorder.flush();
  }

  /** Whether the CLI keeps a queue of its own; where it does not, the host hands it one prompt at a time. */
  get #cliQueues(): boolean {
    return this.head.capabilities.includes("msg_lifecycle_v1");
  }

  #promptRow(uuid: string): PromptRow | undefined {
    const row = this.#recorder.fold.row(`prompt/${uuid}`);
    return row?.kind === "prompt" ? row : undefined;
  }

  #exit({ code, signal }: { readonly code: number | null; readonly signal: string | null }): void {
    this.#process = undefined;
    this.#ready = false;
    this.#pending.endAll(`the process ended (${signal ?? code})`);
    void this.#record({ type: "process-exited", code, signal });
  }

  #receive(decoded: Decoded, line: Line): void {
    if (decoded.kind === "noise") {
      const { bytes, size, reason } = decoded;
      void this.#record({ type: "noise", bytes: Buffer.from(bytes).toString("base64"), size, reason });
      return;
    }
    if (decoded.kind === "unknown") {
      void this.#record({ type: "received", message: decoded.value });
      return;
    }
    const { message } = decoded;
    if (message.type === "stream_event") return this.#recorder.stream(message as unknown as JsonValue);
    if (message.type === "system" && message.subtype === "thinking_tokens") {
      this.#thinking = message as unknown as JsonValue;
      return;
    }
    if (this.#thinking !== undefined && message.type === "assistant") {
      void this.#record({ type: "received", message: this.#thinking });
      this.#thinking = undefined;
    }
    // The log holds what crossed the pipe; a rewritten older form is not that.
    const value = decoded.dialects === undefined ? (message as unknown as JsonValue) : rawOf(line);
    this.#record({ type: "received", message: value }).then(
      () => {
        if (message.type === "control_response") this.#pending.settle(message);
        else if (message.type === "control_request")
          this.#autoAnswer(message.request_id, message.request as CliRequest);
        else if (message.type === "result") this.#deliver();
      },
      () => {
        // Told through onError; the process is held back until the store works again.
      },
    );
  }

  #autoAnswer(requestId: string, request: CliRequest): void {
    const abort = new AbortController();
    const answer = this.#responders.answer(request, abort.signal);
    if (answer === undefined) return;
    const release = this.subscribe((event) => {
      if (isCancelOf(event, requestId) || event.type === "process-exited") abort.abort();
    });
    answer
      .then(
        (response) =>
          this.#answer(requestId, {
            type: "control_response",
            response: success(requestId, response as Record<string, unknown>),
          }),
        (error: unknown) =>
          this.#answer(requestId, refusal(requestId, error instanceof Error ? error.message : String(error))),
      )
      .catch(this.#onError)
      .finally(release);
  }

  async #answer(requestId: string, message: ControlResponse, by?: Actor): Promise<void> {
    this.#answering.add(requestId);
    try {
      await this.#send(message, by);
    } finally {
      this.#answering.delete(requestId);
    }
  }

  /** What goes out is a fact first. */
  async #send(message: StdinMessage, by?: Actor): Promise<void> {
    const process = this.#process;
    if (process === undefined) throw new HostError("no-process", "This session has no process.");
    await this.#record({ type: "sent", message: message as unknown as JsonValue, ...(by !== undefined && { by }) });
    await process.send(message);
  }

  /** Hands the CLI what was accepted, in order. */
  #deliver(): void {
    this.#delivering = this.#delivering
      .then(async () => {
        for (const entry of this.head.queue) {
          if (!this.#ready || entry.state !== "accepted" || entry.uuid === undefined) continue;
          if (!this.#cliQueues && this.#isBusy) return;
          const row = this.#promptRow(entry.uuid);
          if (row === undefined) continue;
          const priority = this.#priorities.get(entry.uuid);
          this.#priorities.delete(entry.uuid);
          const content = row.content as string | readonly PromptBlock[];
          const options = {
            uuid: entry.uuid,
            origin: { kind: "human" },
            ...(priority !== undefined && { priority }),
          } as const;
          await this.#send(userMessage(content, options), row.by);
        }
      })
      .catch(this.#onError);
  }

  get #isBusy(): boolean {
    const { phase, queue } = this.head;
    return queue.some((entry) => entry.state !== "accepted") || !["ready", "idle", "error", "starting"].includes(phase);
  }

  /** A store that fails has told so already: whoever does not wait need not hear it again. */
  #record(fact: Fact): Promise<Event> {
    const recorded = this.#recorder.record(fact);
    recorded.catch(() => {});
    return recorded;
  }
}

const success = (requestId: string, response: Record<string, unknown>): ControlResponse["response"] => ({
  subtype: "success",
  request_id: requestId,
  response,
});

const rawOf = (line: Line): JsonValue =>
  JSON.parse(
    typeof line === "string" ? line : line instanceof Uint8Array ? Buffer.from(line).toString("utf8") : "null",
  ) as JsonValue;

const isCancelOf = (event: Event | Streamed, requestId: string): boolean => {
  if (event.type !== "received") return false;
  const message = event.message as { type?: unknown; request_id?: unknown };
  return message.type === "control_cancel_request" && message.request_id === requestId;
};
