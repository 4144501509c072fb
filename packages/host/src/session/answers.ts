// Answers to what the CLI asks. The first answer of a person wins. The host answers hooks and in-process tools itself. A
// person's answer may be bound to what that person saw. Such an answer is refused if the process or the input has changed.

import { createHash } from "node:crypto";
import { isRecord, isResponseOf, refusal } from "@quarterdeck/protocol";
import type { CliRequest, ControlResponse, PermissionUpdate, RequestOf, ResponseOf } from "@quarterdeck/protocol";
import { canonicalJson } from "@quarterdeck/session/bridge";
import type { Actor, Event, Head, OpenRequest, PolicyMark, RequestFate, Streamed } from "@quarterdeck/session";
import { HostError } from "../host-error.ts";
import type { PolicyGate } from "../policies/policy-gate.ts";
import { answeredInput } from "./question-answers.ts";
import { FOR_PEOPLE, isPolicyHook } from "./responders.ts";
import type { Responders } from "./responders.ts";
import type { SessionParts } from "./session-parts.ts";

/** What a person may answer; `respond` builds the line. */
export type Answer =
  | {
      readonly behavior: "allow";
      readonly updatedInput?: Readonly<Record<string, unknown>>;
      readonly updatedPermissions?: readonly PermissionUpdate[];
    }
  /** With `interrupt` the turn ends there: deny and stop. */
  | { readonly behavior: "deny"; readonly message: string; readonly interrupt?: boolean }
  | ResponseOf<"elicitation">
  | ResponseOf<"request_user_dialog">;

/** What the answer is to; a mismatch is refused with `changed`, and nothing reaches the CLI. */
export interface AnswerBinding {
  readonly incarnation?: number;
  /** `requestHash` of what was shown. */
  readonly inputHash?: string;
}

export interface Answered {
  readonly at: number;
  readonly by?: Actor;
}

/** SHA-256 in hex of the canonical JSON of a request. */
export const requestHash = (request: CliRequest): string =>
  createHash("sha256").update(canonicalJson(request)).digest("hex");

/**
 * Told before rules go to the CLI that it will write into the folder's settings; what it returns is called when they are
 * written.
 */
export type RuleWatch = (updates: readonly PermissionUpdate[]) => Promise<() => Promise<void>>;

export interface AnswerAids {
  readonly watchRules?: RuleWatch;
  readonly policies?: PolicyGate;
}

export class Answers {
  readonly #parts: SessionParts;
  readonly #watchRules: RuleWatch | undefined;
  readonly #policies: PolicyGate | undefined;
  /** Answers under way, by request. */
  readonly #answering = new Map<string, Answered>();

  constructor(parts: SessionParts, { watchRules, policies }: AnswerAids = {}) {
    this.#parts = parts;
    this.#watchRules = watchRules;
    this.#policies = policies;
  }

  respond(requestId: string, answer: Answer, by?: Actor, binding: AnswerBinding = {}): Promise<Answered> {
    const fits = (open: OpenRequest): Answer => withAnswers(open, answer);
    return this.#respond(requestId, fits, { ...(by !== undefined && { by }) }, binding);
  }

  async #respond(
    requestId: string,
    given: (open: OpenRequest) => Answer,
    { by, policy }: { readonly by?: Actor; readonly policy?: PolicyMark },
    binding: AnswerBinding = {},
  ): Promise<Answered> {
    const open = this.#openRequest(requestId, binding);
    const answer = given(open);
    const response = responseOf(open, answer);
    mustNotBypass(answer, this.#parts.fold.head);
    const answered = { at: Date.now(), ...(by !== undefined && { by }) };
    this.#answering.set(requestId, answered);
    try {
      const updates = "behavior" in answer && answer.behavior === "allow" ? (answer.updatedPermissions ?? []) : [];
      const intoFolder = updates.filter(({ destination }) => FOLDER.has(destination));
      // Both make the CLI read the folder again.
      if (isSkill(open, answer)) await this.#parts.mustHoldFolder("whole");
      else if (intoFolder.length > 0) await this.#parts.mustHoldFolder();
      const written = intoFolder.length === 0 ? undefined : await this.#watchRules?.(intoFolder);
      await this.#parts.send({ type: "control_response", response }, by, policy);
      if (written !== undefined) this.#whenRan(open, written);
      const closed = this.#parts.fold.head.closedRequests.find(({ id }) => id === requestId);
      return closed === undefined ? answered : { ...answered, at: closed.at };
    } finally {
      this.#answering.delete(requestId);
    }
  }

  /**
   * The answer of a program that was asked too. False if another device was faster. An answer of another form is an error for
   * the CLI, as it would be without us.
   */
  async respondAs(requestId: string, response: ControlResponse["response"], by: Actor): Promise<boolean> {
    if (this.#answering.has(requestId) || !this.#isOpen(requestId)) return false;
    if (response.subtype === "error") {
      await this.#give(requestId, response, undefined, by);
      return true;
    }
    try {
      await this.#respond(requestId, () => (response.response ?? {}) as Answer, { by });
    } catch (error) {
      if (!(error instanceof HostError) || !this.#isOpen(requestId)) throw error;
      await this.#give(requestId, refusal(requestId, error.message).response, undefined, by);
    }
    return true;
  }

  #isOpen(requestId: string): boolean {
    return this.#parts.fold.head.requests.some(({ id }) => id === requestId);
  }

  /** Answers by itself where it can. */
  offer(requestId: string, request: CliRequest, responders: Responders): void {
    if (request.subtype === "can_use_tool") return this.#offerPolicies(requestId, request, responders);
    if (isPolicyHook(request)) {
      responders.hide(requestId);
      const { output, policy } = this.#policies?.beforeTool(request) ?? { output: {} };
      this.#give(requestId, success(requestId, output), policy).catch((error: unknown) => this.#parts.onError(error));
      return;
    }
    const abort = new AbortController();
    const answer = responders.answer(request, abort.signal, requestId);
    if (answer === undefined) {
      if (!FOR_PEOPLE.has(request.subtype)) this.#refuse(requestId, request.subtype);
      return;
    }
    const release = this.#parts.subscribe((event) => {
      if (isCancelOf(event, requestId) || event.type === "process-exited") abort.abort();
    });
    answer
      .then(
        (response) => this.#give(requestId, success(requestId, response as Record<string, unknown>)),
        (error: unknown) =>
          this.#give(requestId, refusal(requestId, error instanceof Error ? error.message : String(error)).response),
      )
      .catch((error: unknown) => this.#parts.onError(error))
      .finally(release);
  }

  /** A request that nobody here can answer. Without an answer the CLI would wait forever. */
  #refuse(requestId: string, subtype: string): void {
    if (!this.#parts.isLive) return;
    this.#parts
      .send(refusal(requestId, `Unsupported control request subtype: ${subtype}`))
      .catch((error: unknown) => this.#parts.onError(error));
  }

  /** Only a policy answers a request to a person. Whatever fails leaves it to a person. */
  #offerPolicies(requestId: string, request: RequestOf<"can_use_tool">, responders: Responders): void {
    try {
      const automatic = this.#policies?.answer(request);
      if (automatic === undefined) return;
      responders.hide(requestId);
      const { answer, policy } = automatic;
      this.#respond(requestId, () => answer, { policy }).catch((error: unknown) => {
        // A person was faster, or the CLI took its request back.
        if (this.#isOpen(requestId)) this.#parts.onError(error);
      });
    } catch (error) {
      this.#parts.onError(error);
    }
  }

  /** Nothing may be sent to a process that has withdrawn its question or has ended. It would not understand the answer. */
  async #give(
    requestId: string,
    response: ControlResponse["response"],
    policy?: PolicyMark,
    by?: Actor,
  ): Promise<void> {
    if (this.#isOpen(requestId) && this.#parts.isLive)
      await this.#parts.send({ type: "control_response", response }, by, policy);
  }

  #openRequest(requestId: string, { incarnation, inputHash }: AnswerBinding): OpenRequest {
    const { requests, closedRequests } = this.#parts.fold.head;
    const first = this.#answering.get(requestId);
    if (first !== undefined) throw alreadyAnswered(requestId, first);
    const open = requests.find(({ id }) => id === requestId);
    if (open === undefined) {
      const closed = closedRequests.find(({ id }) => id === requestId) ?? this.#longClosed(requestId);
      if (closed === undefined)
        throw new HostError("unknown-request", `Request ${requestId} never existed in this session.`, {
          requestId,
        });
      if (closed.fate === "answered") throw alreadyAnswered(requestId, closed);
      const how = closed.fate === "cancelled" ? "was withdrawn" : "was closed with its process";
      const details = { requestId, fate: closed.fate, at: closed.at };
      throw new HostError("not-open", `This request is closed: it ${how}, at ${timeOf(closed.at)}.`, details);
    }
    if (
      (incarnation !== undefined && incarnation !== open.incarnation) ||
      (inputHash !== undefined && inputHash !== requestHash(open.request))
    ) {
      throw new HostError("changed", "The request changed since it was shown. Look at it again.", {
        requestId,
      });
    }
    return open;
  }

  /** The head remembers the newest; of older ones their rows say it. */
  #longClosed(requestId: string): (Answered & { readonly fate: RequestFate }) | undefined {
    for (let before = Infinity; ;) {
      const page = this.#parts.fold.rowsBefore(before, 500);
      for (const row of page) {
        if (row.kind === "request" && row.requestId === requestId)
          return { fate: row.fate, at: row.closedAt ?? row.at, ...(row.by !== undefined && { by: row.by }) };
        if (row.kind !== "tool" || row.requestId !== requestId) continue;
        const { decision, endedAt, at } = row;
        if (decision?.at === undefined) return { fate: "ended", at: endedAt ?? at };
        return { fate: "answered", at: decision.at, ...(decision.by !== undefined && { by: decision.by }) };
      }
      if (page.length === 0) return undefined;
      before = page[0]!.order;
    }
  }

  /** The CLI writes its settings before it runs the tool: its result comes after. */
  #whenRan(open: OpenRequest, then: () => Promise<void>): void {
    const isOver = (): boolean => {
      const row = open.rowId === undefined ? undefined : this.#parts.fold.row(open.rowId);
      return !this.#parts.isLive || row?.kind !== "tool" || row.result !== undefined || row.endedAt !== undefined;
    };
    const release = this.#parts.subscribe(() => {
      if (!isOver()) return;
      release();
      then().catch((error: unknown) => this.#parts.onError(error));
    });
  }
}

/** A skill may have appeared since, and its text runs programs that nobody is asked about. */
const isSkill = ({ request }: OpenRequest, answer: Answer): boolean =>
  request.subtype === "can_use_tool" &&
  request.tool_name === "Skill" &&
  "behavior" in answer &&
  answer.behavior === "allow";

/** The CLI would ignore it, and the person would think that it asks nobody any more. */
const mustNotBypass = (answer: Answer, { process }: Head): void => {
  const updates = "updatedPermissions" in answer ? (answer.updatedPermissions ?? []) : [];
  const isBypass = updates.some((update) => update.type === "setMode" && update.mode === "bypassPermissions");
  if (isBypass && process?.canBypass !== true) throw bypassUnavailable();
};

export const bypassUnavailable = (): HostError =>
  new HostError(
    "bypass-unavailable",
    "This process cannot switch to the mode bypassPermissions, because nobody allowed that when it started. Stop it, and resume the session with bypass allowed (an admin can), or start a new session with that mode.",
    { mode: "bypassPermissions" },
  );

const FOLDER: ReadonlySet<string> = new Set(["projectSettings", "localSettings"]);

const timeOf = (at: number): string => new Date(at).toISOString();

const alreadyAnswered = (requestId: string, { at, by }: Answered): HostError => {
  const who =
    by === undefined ? "This request was answered already" : `${by.name ?? by.id} has answered this request already`;
  const details = { requestId, at, ...(by !== undefined && { by }) };
  return new HostError("already-answered", `${who}, at ${timeOf(at)}.`, details);
};

const responseOf = ({ id, request }: OpenRequest, answer: Answer): ControlResponse["response"] => {
  const given =
    request.subtype === "can_use_tool" && "behavior" in answer && answer.behavior === "allow"
      ? // Older CLIs refuse an allow that does not repeat the input.
        { ...answer, updatedInput: answer.updatedInput ?? request.input }
      : answer;
  if (!isResponseOf(request.subtype, given)) {
    throw new HostError("invalid-answer", misfit(request.subtype, given), { requestId: id });
  }
  return success(id, given);
};

/** An answer to questions, in the form that every CLI takes. */
const withAnswers = ({ kind, request }: OpenRequest, answer: Answer): Answer => {
  if (kind !== "question" || request.subtype !== "can_use_tool") return answer;
  if (!("behavior" in answer) || answer.behavior !== "allow" || !isRecord(answer.updatedInput)) return answer;
  return { ...answer, updatedInput: answeredInput(request, answer.updatedInput) };
};

const SHAPES: Readonly<Record<string, string>> = {
  can_use_tool: 'It needs `behavior`: "allow", or "deny" with a `message`.',
  elicitation: 'It needs `action`: "accept" with `content`, "decline" or "cancel".',
};

/** What is missing, for programs that are not checked by the compiler. */
const misfit = (subtype: string, answer: unknown): string => {
  const fields: Readonly<Record<string, unknown>> = isRecord(answer) ? answer : {};
  if (subtype === "can_use_tool" && fields["behavior"] === "deny" && typeof fields["message"] !== "string")
    return "A deny needs a `message`: the model reads it as the reason.";
  if (subtype === "can_use_tool" && fields["behavior"] === "allow")
    return "This allow does not fit: `updatedInput` is an object, and `updatedPermissions` a list as the CLI suggests it.";
  return `This answer does not fit ${subtype}. ${SHAPES[subtype] ?? ""}`.trim();
};

const success = (requestId: string, response: Record<string, unknown>): ControlResponse["response"] => ({
  subtype: "success",
  request_id: requestId,
  response,
});

const isCancelOf = (event: Event | Streamed, requestId: string): boolean => {
  if (event.type !== "received") return false;
  const message = event.message as { type?: unknown; request_id?: unknown };
  return message.type === "control_cancel_request" && message.request_id === requestId;
};
