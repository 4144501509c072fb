// One conversation: what its log shows, and what callers can do with it. Each part decides one thing: the process decides how the
// CLI lives, the queue when prompts go out, the answers which answer wins. The fold decides what messages mean.

import type {
  HostRequest,
  HostSubtype,
  PermissionMode,
  RequestOf,
  ResponseOf,
  UserMessage,
} from "@quarterdeck/protocol";
import { isOver, isResting, waitsForPerson } from "@quarterdeck/session";
import type {
  Actor,
  Changes,
  Draft,
  DraftGrowth,
  Event,
  Fact,
  Head,
  OpenRequest,
  Row,
  Streamed,
} from "@quarterdeck/session";
import { Answers, bypassUnavailable } from "./answers.ts";
import type { Answer, AnswerBinding, Answered, RuleWatch } from "./answers.ts";
import { controlsOver } from "./controls.ts";
import type { Controls } from "./controls.ts";
import { eventStream } from "./event-stream.ts";
import type { ExplainedCalls } from "../rules/explained-calls.ts";
import type { PolicyGate } from "../policies/policy-gate.ts";
import type { EventStore, RowPage, RowWindow, StoredChanges } from "../store/event-store.ts";
import { HostError } from "../host-error.ts";
import { checkOutput, jsonSchemaOf } from "./output-schema.ts";
import type { OutputSchema } from "./output-schema.ts";
import { chosenBy, chosenByPlan } from "../process/launch-plan.ts";
import type { Chosen } from "../process/launch-plan.ts";
import type { RequestOptions } from "./pending-requests.ts";
import { PromptQueue } from "./prompt-queue.ts";
import type { GivenPrompt, PromptOptions } from "./prompt-queue.ts";
import { Recorder } from "./recorder.ts";
import { replyTo } from "./replies.ts";
import type { Reply } from "./replies.ts";
import type { RelayedSession } from "../relay/relay.ts";
import type { SessionParts } from "./session-parts.ts";
import { SessionProcess } from "./session-process.ts";
import type { Launch, ProcessAbout } from "./session-process.ts";
import { DEFAULT_LIMITS } from "./time-limits.ts";
import type { TimeLimits } from "./time-limits.ts";

export interface SessionOptions {
  readonly id: string;
  readonly store: EventStore;
  readonly watchRules?: RuleWatch;
  /** Explains calls that the CLI allowed or denied without asking. */
  readonly explained?: ExplainedCalls;
  /** Policies that decide calls automatically. */
  readonly policies?: PolicyGate;
  /** Changed during the session. The next process gets it too. */
  readonly onChosen?: (chosen: Chosen) => Promise<void>;
  readonly limits?: TimeLimits;
  readonly onListeners?: (count: number) => void;
  /** Called after each applied fact. */
  readonly onFact?: () => void;
  /** Throws if a budget is spent. */
  readonly mustAfford?: () => void;
  /** Called before a prompt is written to the process. It never rejects. If `checked` rejects, the prompt is not written. */
  readonly beforePrompt?: (uuid: string, checked: Promise<unknown>) => Promise<void>;
  readonly onError?: (error: unknown) => void;
}

export interface InterruptOptions extends RequestOptions {
  /** If the CLI does not answer within `timeoutMs`, its process is ended, by signals if necessary. */
  readonly orEnd?: boolean;
}

export interface CloseSessionOptions {
  /** `false` lets running work end by itself, within the time of the later steps. */
  readonly interrupt?: boolean;
  /** First waits for the end of the turn and holds the queue. After `withinMs` the turn is interrupted. */
  readonly finishTurn?: boolean | { readonly withinMs: number };
  /** The time between SIGTERM and SIGKILL. */
  readonly graceMs?: number;
  /** For a CLI that does not react: SIGINT, SIGTERM, SIGKILL at once. */
  readonly bySignals?: boolean;
  /** SIGKILL at once, so that the CLI runs no hook at its end. */
  readonly kill?: boolean;
}

/** Only the host uses these. */
export interface SessionOwner {
  /** If the log ends with a running process, the host died, and the process is gone too. */
  noteLostProcess(): void;
  /** Facts about the session that only the host knows. */
  note(
    fact: Extract<
      Fact,
      { type: "memory-exceeded" | "budget-noted" | "folder-changed" | "imported" | "changes-counted" }
    >,
  ): Promise<Event>;
  /** True during work that the head does not show, such as a prompt that is being stored or a request to the CLI. */
  isAwaited(): boolean;
  /** True if its process loads the settings of its folder. */
  heedsFolder(): boolean;
  /** True if nothing untrusted in its folder would run. */
  holdsFolder(): Promise<boolean>;
  /** Delivers the prompts that waited until the folder was trusted. */
  deliver(): void;
  /** Starts the process and waits until it has answered `initialize`. */
  start(launch: Launch, about?: ProcessAbout): Promise<ResponseOf<"initialize">>;
}

let owned: (session: Session) => SessionOwner;
export const ownerOf = (session: Session): SessionOwner => owned(session);

export class Session {
  readonly id: string;
  /** Every control request of the protocol as a method. */
  readonly control: Controls;
  readonly #options: SessionOptions;
  readonly #recorder: Recorder;
  readonly #prompts: PromptQueue;
  readonly #answers: Answers;
  readonly #parts: SessionParts;
  readonly #onError: (error: unknown) => void;
  readonly #process: SessionProcess;
  readonly #limits: Required<TimeLimits>;

  static {
    owned = (session) => session.#owner();
  }

  constructor(options: SessionOptions) {
    this.id = options.id;
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#onError =
      options.onError ??
      ((error) =>
        queueMicrotask(() => {
          throw error;
        }));
    this.#recorder = new Recorder({
      store: options.store,
      session: options.id,
      onPressure: (high) => (high ? this.#process.pause() : this.#process.resume()),
      onError: this.#onError,
      ...(options.onListeners !== undefined && { onListeners: options.onListeners }),
      ...(options.onFact !== undefined && { onFact: options.onFact }),
    });
    this.#process = new SessionProcess(this.#recorder, {
      limits: this.#limits,
      onRequest: (id, request, responders) => this.#answers.offer(id, request, responders),
      onFree: () => this.#prompts.deliver(),
      ...(options.explained !== undefined && { onResults: (message) => void this.#explain(message) }),
    });
    this.#parts = this.#shared();
    this.#prompts = new PromptQueue(this.#parts);
    this.#answers = new Answers(this.#parts, options);
    this.control = controlsOver((request, how) => this.request(request, how));
  }

  // Read the session.

  get head(): Head {
    return this.#recorder.fold.head;
  }
  get rows(): readonly Row[] {
    return this.#recorder.fold.rows;
  }
  get drafts(): readonly Draft[] {
    return this.#recorder.fold.drafts;
  }
  /** For listeners: what the current event added to a draft. */
  get growth(): DraftGrowth | undefined {
    return this.#recorder.fold.growth;
  }
  /** Together with `rev`, a client's position. After a change of the epoch, a client starts over. */
  get epoch(): string {
    return this.head.epoch ?? "";
  }
  get rowCount(): number {
    return this.#recorder.fold.rowCount;
  }
  get rev(): number {
    return this.#recorder.fold.rev;
  }
  /** The number of the newest fact that listeners got. */
  get seq(): number {
    return this.#recorder.fold.seq;
  }
  get isLive(): boolean {
    return this.#process.isLive;
  }
  /** Its process is being ended. New prompts wait for the next process. */
  get isLeaving(): boolean {
    return this.isLive && this.#process.isLeaving;
  }
  /** Resolves when the process has ended and its end is in the log. */
  get ended(): Promise<void> {
    return this.#process.ended;
  }

  changes(rev: number): Changes {
    return this.#recorder.fold.changes(rev);
  }

  /** At most `limit` rows that changed after `rev`, oldest change first, and the changed head fields. */
  changesSince(rev: number, limit: number): StoredChanges {
    const changes = this.changes(rev);
    if (changes.rows.length <= limit) return { ...changes, more: false };
    const rows = changes.rows.toSorted((a, b) => a.rev - b.rev).slice(0, limit);
    const until = rows.at(-1)?.rev ?? rev;
    // Each page has all removed rows, so a client that stops after this page misses nothing up to its `rev`.
    return { ...changes, rev: until, rows: rows.toSorted((a, b) => a.order - b.order), more: true };
  }

  row(id: string): Row | undefined {
    return this.#recorder.fold.row(id);
  }

  rowsBefore(order: number, limit: number): RowPage {
    const rows = this.#recorder.fold.rowsBefore(order, limit + 1);
    return { rows: rows.slice(Math.max(0, rows.length - limit)), more: rows.length > limit };
  }

  rowsAfter(order: number, limit: number): RowPage {
    const rows = this.#recorder.fold.rowsAfter(order, limit + 1);
    return { rows: rows.slice(0, limit), more: rows.length > limit };
  }

  /** The row, and up to `limit` rows before and after it. */
  rowsAround(rowId: string, limit: number): RowWindow | undefined {
    const row = this.row(rowId);
    if (row === undefined) return undefined;
    const before = this.rowsBefore(row.order, limit);
    const after = this.rowsAfter(row.order, limit);
    return { rows: [...before.rows, row, ...after.rows], moreBefore: before.more, moreAfter: after.more };
  }

  subscribe(listener: (event: Event | Streamed) => void): () => void {
    return this.#recorder.subscribe(listener);
  }

  /** Events from now on. A slow consumer blocks nobody. It gets every fact, but may miss deltas. */
  events(signal?: AbortSignal): AsyncGenerator<Event | Streamed> {
    const { store } = this.#options;
    const source = {
      seq: () => this.#recorder.fold.seq,
      subscribe: (listener: (event: Event | Streamed) => void) => this.subscribe(listener),
      read: (after: number, limit: number) => store.read(this.id, after, limit),
    };
    return eventStream(source, signal);
  }

  // Steer the session.

  /** The prompt is durable when this resolves. It is delivered as soon as the CLI can take it. A repeated `uuid` is the same prompt. */
  async prompt(content: GivenPrompt, options: PromptOptions = {}): Promise<{ readonly uuid: string }> {
    return { uuid: await this.#prompts.accept(content, options) };
  }

  /** Cancels a prompt that has not started. False if it is too late. */
  cancelPrompt(uuid: string, by?: Actor): Promise<boolean> {
    return this.#prompts.cancel(uuid, by);
  }

  /** Changes a prompt that has not started, or sends a held prompt. If the CLI has seen it, it gets a new uuid. */
  async editPrompt(
    uuid: string,
    content: GivenPrompt,
    by?: Actor,
    newUuid?: string,
  ): Promise<{ readonly uuid: string }> {
    return { uuid: await this.#prompts.edit(uuid, content, by, newUuid) };
  }

  /** Sends a prompt and waits until its turn ends, with or without success. Without a process, it sends nothing. */
  async ask(content: GivenPrompt, options: PromptOptions & RequestOptions = {}): Promise<Reply> {
    if (!this.isLive || this.#process.isLeaving)
      throw new HostError(
        "no-process",
        "This session has no process that can answer. Call `host.resume(id)` first. (`prompt` keeps the text for the next process.)",
      );
    return this.reply(await this.#prompts.accept(content, options), options);
  }

  /** Waits for the end of the turn that answers this prompt. */
  reply(uuid: string, options: RequestOptions = {}): Promise<Reply> {
    return replyTo(this.#parts, uuid, options);
  }

  /** Asks for structured output. The session must have been started with this schema. */
  async askFor<T>(
    schema: OutputSchema<T>,
    content: GivenPrompt,
    options: PromptOptions & RequestOptions = {},
  ): Promise<T> {
    if (JSON.stringify(this.#process.output) !== JSON.stringify(jsonSchemaOf(schema))) {
      throw new HostError(
        "no-output",
        "This process was not started with this schema. Pass it as `output` at the start.",
      );
    }
    const { turn, text, output } = await this.ask(content, options);
    const failed = (why: string): HostError => new HostError("no-output", why, { turn, text, output });
    if (!turn.ok || turn.subtype !== "success") throw failed(turn.errors.join("\n") || text || turn.subtype);
    if (output === undefined) throw failed(`The model answered with text instead of structured output: ${text}`);
    const checked = checkOutput(schema, output);
    if (checked.ok) return checked.value;
    throw failed(`The output does not fit: ${checked.why}`);
  }

  /** Ends the running turn. Queued prompts then start at once. Use `stop` to hold them back. */
  async interrupt(options: InterruptOptions = {}): Promise<ResponseOf<"interrupt">> {
    return this.#orEnd(options, null, async () => {
      const asked = this.#asking();
      const answer = await this.request({ subtype: "interrupt" }, options);
      return (await this.#takeBack(asked)) ? this.request({ subtype: "interrupt" }, options) : answer;
    });
  }

  /** Ends the running turn and returns queued prompts to their authors as drafts. */
  async stop(options: InterruptOptions = {}): Promise<{ readonly held: readonly string[] }> {
    const within = { timeoutMs: this.#limits.interruptMs, ...options };
    const held = await this.#orEnd<readonly string[]>(options, [], async () => {
      const asked = this.#asking();
      const uuids = await this.#prompts.hold(true, within);
      if (await this.#takeBack(asked)) await this.request({ subtype: "interrupt" }, within);
      return uuids;
    });
    return { held };
  }

  setModel(model: string | null, options?: RequestOptions): Promise<ResponseOf<"set_model">> {
    return this.request({ subtype: "set_model", model }, options);
  }

  setPermissionMode(mode: PermissionMode, options?: RequestOptions): Promise<ResponseOf<"set_permission_mode">> {
    return this.request({ subtype: "set_permission_mode", mode }, options);
  }

  /** Max thinking tokens. Null lets the CLI decide. */
  setThinking(maxTokens: number | null, options?: RequestOptions): Promise<ResponseOf<"set_max_thinking_tokens">> {
    return this.request({ subtype: "set_max_thinking_tokens", max_thinking_tokens: maxTokens }, options);
  }

  /** Sends any control request, typed by its subtype. An answer may take as long as a tool runs, so set `timeoutMs`. */
  async request<S extends HostSubtype>(request: RequestOf<S>, options?: RequestOptions): Promise<ResponseOf<S>> {
    if (IS_CHECKED.has(request.subtype)) await this.#mustAllow(request as HostRequest);
    const answer = await this.#process.request(request, options);
    await this.#remember(request as HostRequest);
    return answer;
  }

  async #mustAllow(request: HostRequest): Promise<void> {
    if (RELOADS.has(request.subtype)) await this.#process.mustHoldFolder();
    if (request.subtype === "set_cwd") await this.#process.mustAdmit(request.path ?? "");
    if (request.subtype === "set_permission_mode") this.#mustHaveMode(request);
  }

  async #remember(request: HostRequest): Promise<void> {
    const chosen = chosenBy(request);
    if (chosen !== undefined) await this.#options.onChosen?.(chosen);
  }

  /** Checked here, because the CLI refuses it with an unclear code. */
  #mustHaveMode({ mode }: RequestOf<"set_permission_mode">): void {
    if (mode === "bypassPermissions" && this.isLive && this.head.process?.canBypass !== true) throw bypassUnavailable();
  }

  /** Answers a request of the CLI. The first answer wins. Later answers learn who answered and when. */
  async respond(requestId: string, answer: Answer, by?: Actor, binding?: AnswerBinding): Promise<Answered> {
    const open = this.head.requests.find(({ id }) => id === requestId);
    const answered = await this.#answers.respond(requestId, answer, by, binding);
    const chosen = open === undefined ? undefined : chosenByPlan(open.request, answer);
    if (chosen !== undefined) await this.#options.onChosen?.(chosen);
    return answered;
  }

  // End the process.

  /** Interrupt, end of input, SIGTERM, a delay, SIGKILL. Then it ends the processes that the CLI left. */
  async close(options: CloseSessionOptions = {}): Promise<void> {
    const { finishTurn = false, interrupt = true, graceMs, bySignals = false, kill = false } = options;
    const isFinished = this.isLive && finishTurn !== false && (await this.#finish(finishTurn));
    if (kill) await this.#process.kill();
    else if (bySignals) await this.#process.stopBySignals();
    else await this.#process.close(interrupt && !isFinished, graceMs);
    await this.#recorder.flush();
  }

  /** Whether the turn ended by itself. */
  async #finish(limit: true | { readonly withinMs: number }): Promise<boolean> {
    this.#process.leave();
    const isTurnOver = (): boolean => !this.isLive || isResting(this.head.phase) || isOver(this.head.phase);
    // An old CLI does not answer, so queued prompts go back to their authors at once.
    await this.#prompts.hold(false, { timeoutMs: 2000 }).catch(() => []);
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = limit === true ? undefined : setTimeout(resolve, limit.withinMs);
    const release = this.subscribe(() => {
      if (isTurnOver()) resolve();
    });
    if (!isTurnOver()) await promise;
    clearTimeout(timer);
    release();
    return isTurnOver();
  }

  async #explain(message: UserMessage): Promise<void> {
    try {
      const facts = await this.#options.explained?.explain(message, this.#recorder.fold, this.#process.flags);
      for (const fact of facts ?? []) await this.#parts.record(fact);
    } catch (error) {
      // The session may have been deleted meanwhile.
      if (!(error instanceof HostError)) this.#onError(error);
    }
  }

  #owner(): SessionOwner {
    return {
      noteLostProcess: () => {
        if (this.isLive || this.head.process?.running !== true) return;
        this.#process.recordDrafts(this.#recorder.lostDrafts());
        void this.#process.record({ type: "process-exited", code: null, signal: null });
      },
      note: (fact) => this.#process.record(fact),
      heedsFolder: () => this.#process.heedsFolder,
      holdsFolder: () => this.#process.holdsFolder(),
      deliver: () => this.#prompts.deliver(),
      isAwaited: () => this.#prompts.isAccepting || this.#process.isAsked || this.#process.relay !== undefined,
      start: (launch, about = {}) => {
        const { relay } = about;
        const onAsked = relay && ((): void => relay.attach(this.#relayed(relay.by)));
        return this.#process.start(launch, { ...about, ...(onAsked !== undefined && { onAsked }) });
      },
    };
  }

  #relayed(by: Actor): RelayedSession {
    return {
      send: (message) => this.#process.send(message, by),
      prompt: (message) => this.#prompts.pass(message, by),
      request: async (id, given) => {
        const asked = given as unknown as HostRequest;
        const isAgain = asked.subtype === "initialize";
        const request = isAgain ? { ...asked, ...this.#process.withOwnHooks(asked) } : asked;
        // The CLI refuses a mode in its own words.
        if (request.subtype !== "set_permission_mode") await this.#mustAllow(request);
        await this.#process.send({ type: "control_request", request_id: id, request }, by);
        await this.#remember(request);
      },
      answer: (id, response) => this.#answers.respondAs(id, response, by),
      reads: (message) => this.#process.reads(message),
      subscribe: (listener) => this.subscribe(listener),
      isResting: (hasResult) => isResting(this.head.phase) && (hasResult || this.head.queue.length === 0),
      endInput: () => this.#process.endInput(),
      signal: (signal) => this.#process.signal(signal),
      hold: (holds) => this.#process.hold("relay", holds),
    };
  }

  #shared(): SessionParts {
    const process = this.#process;
    return {
      fold: this.#recorder.fold,
      limits: this.#limits,
      get isReady() {
        return process.isReady;
      },
      get isLive() {
        return process.isLive;
      },
      // A deleted session stores nothing, so it takes no prompt.
      record: async (fact) => {
        if (this.#options.store.session(this.id) === undefined)
          throw new HostError("unknown-session", `Session ${this.id} does not exist.`, { id: this.id });
        return process.record(fact);
      },
      get heedsFolder() {
        return process.heedsFolder;
      },
      mustHoldFolder: (reading) => process.mustHoldFolder(reading),
      send: (message, by, policy) => process.send(message, by, policy),
      reads: (message) => process.reads(message),
      request: (request, options) => process.request(request, options),
      subscribe: (listener) => this.subscribe(listener),
      mustAfford: () => this.#options.mustAfford?.(),
      beforePrompt: async (uuid, checked) => this.#options.beforePrompt?.(uuid, checked),
      onError: (error) => this.#onError(error),
    };
  }

  async #orEnd<T>({ orEnd }: InterruptOptions, otherwise: T, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (orEnd !== true || !(error instanceof HostError) || error.code !== "request-timeout") throw error;
      await this.close({ interrupt: false });
      return otherwise;
    }
  }

  #asking(): readonly OpenRequest[] {
    return this.head.requests.filter(waitsForPerson);
  }

  /**
   * An interrupted CLI withdraws its requests before it answers. If it does not, it still waits for them. Then they are cancelled
   * (or denied, if this CLI cannot read a cancel), and it is interrupted again.
   */
  async #takeBack(asked: readonly OpenRequest[]): Promise<boolean> {
    const left = asked.filter(({ id }) => this.head.requests.some((open) => open.id === id));
    for (const { id, request } of left) {
      const cancel = { type: "control_cancel_request", request_id: id } as const;
      if (this.#process.reads(cancel)) await this.#process.send(cancel);
      else if (request.subtype === "can_use_tool")
        await this.respond(id, { behavior: "deny", message: "Interrupted.", interrupt: true });
    }
    return left.length > 0;
  }
}

/** Requests after which the CLI reads files of its folder again and runs what it finds (measured). */
const RELOADS: ReadonlySet<HostSubtype> = new Set<HostSubtype>([
  "apply_flag_settings",
  "update_settings",
  "mcp_reconnect",
  "mcp_toggle",
  "mcp_authenticate",
  "mcp_set_servers",
  "reload_plugins",
  "reload_skills",
  "reload_output_styles",
  "register_repo_root",
  "set_cwd",
]);
/** A request without a check is written at once. */
const IS_CHECKED: ReadonlySet<HostSubtype> = new Set<HostSubtype>([...RELOADS, "set_permission_mode"]);
