// One caller that talks to the CLI of a session as if it had started it: raw lines in, raw lines out, and the exit. The caller
// sees the lines that its flags ask for, answers its own hooks and tools, and competes with other devices for permissions.
// Nothing that it writes is trusted. If it goes, the session stays: `gone-answers.ts` says what its hooks and tools get then.

import { decodeLine, isRecord, LineSplitter } from "@quarterdeck/protocol";
import type {
  CliRequest,
  ControlResponse,
  Decoded,
  JsonValue,
  Line,
  StdinMessage,
  UserMessage,
} from "@quarterdeck/protocol";
import type { Actor, Event, Streamed } from "@quarterdeck/session";
import { HostError } from "../host-error.ts";
import { FOR_PEOPLE, POLICY_HOOK, Responders } from "../session/responders.ts";
import { goneAnswer, goneText } from "./gone-answers.ts";
import { firstRequestIn, isEcho, isRequest, lineText, NOISE, usesOurHook } from "./relay-lines.ts";
import type { FirstRequest } from "./relay-lines.ts";
import type { RelayedCall } from "./relayed-call.ts";

export interface RelayExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** The caller's end of the pipes. */
export interface RelayEnd {
  /** Whole lines, with their ends. */
  readonly onOutput: (text: string) => void;
  readonly onStderr: (text: string) => void;
  /** Called once, after the last output. */
  readonly onExit: (exit: RelayExit) => void;
}

/** What the session offers to its relay. */
export interface RelayedSession {
  /** Stores the line as a fact of the caller, then writes it. Throws if it would end the CLI. */
  send(message: StdinMessage): Promise<void>;
  /** Checks and sends a prompt. */
  prompt(message: UserMessage): Promise<void>;
  /** Checks a request, sends it, and remembers what it chose for the next process. */
  request(requestId: string, request: JsonValue): Promise<void>;
  /** False if another device was faster. */
  answer(requestId: string, response: ControlResponse["response"]): Promise<boolean>;
  reads(message: StdinMessage): boolean;
  subscribe(listener: (event: Event | Streamed) => void): () => void;
  /** True if the CLI has no turn. Without a result, it must also have taken every prompt. */
  isResting(hasResult: boolean): boolean;
  endInput(): Promise<void>;
  signal(signal: "SIGINT" | "SIGTERM"): void;
  /** Stops reading from the CLI until it is called with false. */
  hold(holds: boolean): void;
}

interface Queued {
  readonly text: string;
  isReady: boolean;
}

interface Asked {
  readonly give: (response: ControlResponse["response"]) => void;
  readonly leave: () => void;
}

const MOST_LINE_BYTES = 64 * 1024 * 1024;
/** Characters on their way to the caller before the CLI has to wait, as it would for a full pipe. */
const WINDOW = 4 * 1024 * 1024;
const MOST_ASKED = 1000;
const TAKEN = `The id "${POLICY_HOOK}" of a hook is taken. Use another one.`;

export class Relay extends Responders {
  readonly call: RelayedCall;
  /** The caller, in the log. */
  readonly by: Actor;
  readonly #end: RelayEnd;
  readonly #splitter = new LineSplitter({ maxLineBytes: MOST_LINE_BYTES });
  readonly #first = Promise.withResolvers<FirstRequest | undefined>();
  readonly #attached = Promise.withResolvers<RelayedSession>();
  #session: RelayedSession | undefined;
  #stopListening: () => void = () => {};
  /** Lines to the caller, in the order of the CLI. Each waits until it is stored. */
  readonly #queue: Queued[] = [];
  /** Requests of the caller that the CLI has not answered. */
  readonly #asking = new Set<string>();
  /** Requests of the CLI that the caller knows. */
  readonly #shown = new Set<string>();
  /** Hooks and tools that wait for the caller. */
  readonly #asked = new Map<string, Asked>();
  /** Lines of the caller are handled one after the other. */
  #handling: Promise<void> = Promise.resolve();
  #unread = 0;
  #isHeld = false;
  #hasFirst = false;
  #isGone = false;
  #isEnded = false;
  #wantsEnd = false;
  #hasPrompted = false;
  /** The CLI has ended a turn since the last prompt of the caller. */
  #hasResult = false;
  #exit: RelayExit | undefined;

  constructor(call: RelayedCall, by: Actor, end: RelayEnd) {
    super();
    this.call = call;
    this.by = by;
    this.#end = end;
  }

  /** The caller is there and wants lines. */
  get isAttached(): boolean {
    return !this.#isGone && this.#exit === undefined;
  }

  /** Its `initialize`. Undefined if it begins with another line, or with the end of its input. */
  get first(): Promise<FirstRequest | undefined> {
    return this.#first.promise;
  }

  // The caller's side.

  /** A piece of its input. Resolves when the whole lines in it are handled. */
  write(bytes: Uint8Array): Promise<void> {
    if (this.#isEnded || !this.isAttached) return Promise.resolve();
    for (const line of this.#splitter.push(bytes)) this.#take(line);
    return this.#handling;
  }

  /** The end of its input: the CLI ends after the turn, as after the end of a pipe. */
  endInput(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    for (const line of this.#splitter.end()) this.#take(line);
    this.#begin(undefined);
    this.#handling = this.#handling.then(() => {
      this.#wantsEnd = true;
      this.#endIfResting();
    });
  }

  signal(signal: "SIGINT" | "SIGTERM"): void {
    this.#begin(undefined);
    void this.#attached.promise.then((session) => session.signal(signal));
  }

  /** How much of the output the caller's reader has taken. */
  acknowledge(characters: number): void {
    this.#unread = Math.max(0, this.#unread - Math.max(0, characters));
    this.#holdIfFull();
  }

  /** The caller is gone. The session stays. */
  leave(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#unread = 0;
    this.#queue.length = 0;
    this.#begin(undefined);
    this.#holdIfFull();
    this.#stopListening();
    for (const { leave } of this.#asked.values()) leave();
    this.#asked.clear();
    // Nobody has begun anything.
    if (!this.#hasPrompted && this.#exit === undefined)
      void this.#attached.promise.then((session) => session.endInput().catch(() => {}));
  }

  /** The session could not start, or the caller broke a rule. It learns why, and the session stays as it is. */
  fail(why: string): void {
    if (!this.isAttached) return;
    this.#flush(true);
    this.#end.onStderr(`quarterdeck: ${why}\n`);
    this.#exit = { code: 1, signal: null };
    this.#end.onExit(this.#exit);
    this.leave();
  }

  // The session's side.

  attach(session: RelayedSession): void {
    this.#session = session;
    this.#stopListening = session.subscribe((event) => this.#notice(event));
    this.#attached.resolve(session);
    if (this.#isGone) this.#stopListening();
  }

  /** A line of the CLI, after `stored` settled. Deltas are not stored. */
  pass(line: Line, decoded: Decoded, stored?: Promise<unknown>): void {
    if (!this.isAttached || !this.#isFor(decoded)) return;
    if (stored === undefined && this.#queue.length === 0) {
      this.#send(lineText(line));
      return;
    }
    const queued: Queued = { text: lineText(line), isReady: stored === undefined };
    this.#queue.push(queued);
    const ready = (): void => {
      queued.isReady = true;
      this.#flush();
    };
    // The log reports its failure itself.
    stored?.then(ready, ready);
  }

  /** The host has answered this request of the CLI by itself, so the caller never sees it. */
  override hide(requestId: string): void {
    this.#shown.delete(requestId);
    const at = this.#queue.findIndex(({ text }) => isRequest(text, requestId));
    if (at !== -1) this.#queue.splice(at, 1);
  }

  passStderr(text: string): void {
    if (this.isAttached) this.#end.onStderr(text);
  }

  exited(exit: RelayExit): void {
    if (!this.isAttached) return;
    this.#flush(true);
    this.#exit = exit;
    this.#begin(undefined);
    this.#stopListening();
    this.#end.onExit(exit);
  }

  override answer(request: CliRequest, signal: AbortSignal, requestId: string): Promise<JsonValue> | undefined {
    if (FOR_PEOPLE.has(request.subtype)) return undefined;
    if (!this.isAttached) return this.#answerGone(request);
    const { promise, resolve, reject } = Promise.withResolvers<JsonValue>();
    const give = (response: ControlResponse["response"]): void => {
      if (response.subtype === "success") resolve((response.response ?? {}) as JsonValue);
      else reject(new Error(response.error));
    };
    const leave = (): void => {
      const answer = this.#answerGone(request);
      if (answer === undefined) reject(new Error(goneText(request)));
      else answer.then(resolve, reject);
    };
    this.#asked.set(requestId, { give, leave });
    signal.addEventListener("abort", () => this.#asked.delete(requestId), { once: true });
    return promise;
  }

  // oxlint-disable-next-line typescript/class-methods-use-this -- the same for every relay
  #answerGone(request: CliRequest): Promise<JsonValue> | undefined {
    if (request.subtype !== "hook_callback" && request.subtype !== "mcp_message") return undefined;
    const answer = goneAnswer(request);
    return answer === undefined ? Promise.reject(new Error(goneText(request))) : Promise.resolve(answer);
  }

  // Lines to the caller.

  #isFor(decoded: Decoded): boolean {
    if (decoded.kind === "noise") return true;
    const message = (decoded.kind === "message" ? decoded.message : decoded.value) as Readonly<Record<string, unknown>>;
    if (!isRecord(message)) return true;
    switch (message["type"]) {
      case "stream_event":
        return this.call.wantsPartial;
      case "result":
        this.#hasResult = true;
        return true;
      case "system":
        // The CLI reports its requests to the model only together with deltas.
        return this.call.wantsPartial || message["subtype"] !== "status" || message["status"] !== "requesting";
      case "user":
        return this.call.wantsReplay || !isEcho(message);
      case "control_response": {
        const { request_id: id } = (message["response"] ?? {}) as { readonly request_id?: string };
        return id !== undefined && this.#asking.delete(id);
      }
      case "control_request":
        this.#shown.add(String(message["request_id"]));
        return true;
      case "control_cancel_request":
        return this.#shown.delete(String(message["request_id"]));
      default:
        return true;
    }
  }

  #flush(all = false): void {
    const waits = all ? -1 : this.#queue.findIndex(({ isReady }) => !isReady);
    const ready = this.#queue.splice(0, waits === -1 ? this.#queue.length : waits);
    if (ready.length > 0) this.#send(ready.map(({ text }) => text).join(""));
    this.#endIfResting();
  }

  #send(text: string): void {
    this.#unread += text.length;
    this.#end.onOutput(text);
    this.#holdIfFull();
  }

  #holdIfFull(): void {
    const isFull = this.isAttached && this.#unread > WINDOW;
    if (isFull === this.#isHeld) return;
    this.#isHeld = isFull;
    this.#session?.hold(isFull);
  }

  /** Another device has answered what the caller was asked too. */
  #notice(event: Event | Streamed): void {
    if (event.type === "sent") {
      const { type, response } = event.message as {
        readonly type?: string;
        readonly response?: { request_id?: string };
      };
      const id = type === "control_response" ? response?.request_id : undefined;
      if (id !== undefined && this.#shown.delete(id) && this.isAttached)
        this.#send(`${JSON.stringify({ type: "control_cancel_request", request_id: id })}\n`);
    }
    if (event.type !== "streamed") this.#endIfResting();
  }

  #endIfResting(): void {
    const session = this.#session;
    if (!this.#wantsEnd || session === undefined || this.#asking.size > 0) return;
    if (this.#hasPrompted && !session.isResting(this.#hasResult)) return;
    this.#wantsEnd = false;
    session.endInput().catch(() => {
      // The process is gone, and the caller learns that from its exit.
    });
  }

  // Lines of the caller.

  #begin(first: FirstRequest | undefined): void {
    this.#hasFirst = true;
    this.#first.resolve(first);
  }

  #take(line: Line): void {
    const text = typeof line === "string" ? line : line instanceof Uint8Array ? Buffer.from(line).toString("utf8") : "";
    if (typeof line === "string" && line.trim() === "") return;
    const decoded = decodeLine(line, "host");
    if (decoded.kind === "noise") {
      const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text;
      this.#handling = this.#handling.then(() =>
        this.fail(`A line of the input is ${NOISE[decoded.reason] ?? "not JSON"}: ${JSON.stringify(shown)}`),
      );
      return;
    }
    const value = (decoded.kind === "message" ? decoded.message : decoded.value) as unknown as StdinMessage;
    const isFirst = !this.#hasFirst;
    if (isFirst) {
      const first = firstRequestIn(value);
      // Before the CLI answers: its answer is for the caller.
      if (first !== undefined && usesOurHook(first.request)) {
        this.fail(TAKEN);
        return;
      }
      if (first !== undefined) this.#asking.add(first.id);
      this.#begin(first);
      if (first !== undefined) return;
    }
    this.#handling = this.#handling
      .then(async () => this.#handle(value, await this.#attached.promise))
      .catch((error: unknown) => this.#refuse(value, error));
  }

  async #handle(message: StdinMessage, session: RelayedSession): Promise<void> {
    if (!this.isAttached) return;
    switch (message.type) {
      case "user":
        this.#hasPrompted = true;
        this.#hasResult = false;
        return session.prompt(message);
      case "control_request": {
        const { request_id: id, request } = message;
        if (this.#asking.size >= MOST_ASKED) throw new HostError("request-failed", "Too many open requests.");
        const again = firstRequestIn(message);
        if (again !== undefined && usesOurHook(again.request)) throw new HostError("invalid-options", TAKEN);
        this.#asking.add(id);
        return session.request(id, request as unknown as JsonValue);
      }
      case "control_response":
        return this.#respond(message.response, session);
      case "control_cancel_request":
        if (this.#asking.has(message.request_id) && session.reads(message)) await session.send(message);
        return;
      default:
        return session.send(message);
    }
  }

  async #respond(response: ControlResponse["response"], session: RelayedSession): Promise<void> {
    const { request_id: id } = response;
    const asked = this.#asked.get(id);
    // Before it is sent, so that the caller's own answer is not taken for another device's.
    if (!this.#shown.delete(id)) return;
    this.#asked.delete(id);
    if (asked !== undefined) asked.give(response);
    else await session.answer(id, response);
  }

  /** A request is refused with an answer, everything else in words. */
  #refuse(given: unknown, error: unknown): void {
    if (!this.isAttached) return;
    const why = error instanceof Error ? error.message : String(error);
    const { type, request_id: id } = (given ?? {}) as { readonly type?: unknown; readonly request_id?: unknown };
    if (type === "control_request" && typeof id === "string") {
      this.#asking.delete(id);
      const response = { subtype: "error", request_id: id, error: why };
      this.#send(`${JSON.stringify({ type: "control_response", response })}\n`);
    } else this.fail(why);
  }
}
