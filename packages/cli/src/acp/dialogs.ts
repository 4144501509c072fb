// The open requests of a session as dialogs of the editor. The first answer counts, wherever it is given: an answer elsewhere
// withdraws the dialog, and a late answer changes nothing. A dialog that the editor drops stays open for other devices.

import { methods, RequestError } from "@agentclientprotocol/sdk/unstable";
import type {
  AgentContext,
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionRequest,
} from "@agentclientprotocol/sdk/unstable";
import { BridgeError, hashOf } from "@quarterdeck/client";
import type { Client, OpenRequest, ParamsOf } from "@quarterdeck/client";
import { fetchPreview } from "../remote/bridge-answer.ts";
import type { Abilities } from "./abilities.ts";
import { askedForm, formAnswer, questionAnswers, questionsOf, questionSteps } from "./questions.ts";
import { dialogOfKinds, permissionDialog } from "./permission-dialog.ts";
import type { DialogChoice } from "./permission-dialog.ts";

type BridgeAnswer = ParamsOf<"session/respond">["answer"];

export interface DialogsOptions {
  readonly client: Client;
  readonly session: string;
  readonly editor: AgentContext;
  readonly abilities: Abilities;
  readonly folders: readonly string[];
  /** Words of ours, if the person must act elsewhere. */
  readonly tell: (id: string, words: string) => void;
}

export class Dialogs {
  readonly #options: DialogsOptions;
  readonly #asked = new Map<string, AbortController>();
  /** Requests that the editor dropped without an answer. */
  readonly #dropped = new Set<string>();

  constructor(options: DialogsOptions) {
    this.#options = options;
  }

  /** Asks what is new, and withdraws what is no longer open. */
  look(requests: readonly OpenRequest[], mayAsk: (request: OpenRequest) => boolean): void {
    for (const [id, asking] of this.#asked) {
      if (requests.some((request) => request.id === id)) continue;
      this.#asked.delete(id);
      asking.abort();
    }
    for (const request of requests) {
      if (this.#asked.has(request.id) || !mayAsk(request)) continue;
      const asking = new AbortController();
      this.#asked.set(request.id, asking);
      void this.#ask(request, asking.signal);
    }
  }

  /** Forgets the dialogs that the editor dropped, or all of them, so that `look` asks them again. */
  again(which: "dropped" | "all"): void {
    for (const [id, asking] of this.#asked) {
      if (which === "dropped" && !this.#dropped.has(id)) continue;
      this.#asked.delete(id);
      asking.abort();
    }
    this.#dropped.clear();
  }

  /** Takes every dialog back. The requests stay open. */
  close(): void {
    for (const asking of this.#asked.values()) asking.abort();
    this.#asked.clear();
  }

  async #ask(open: OpenRequest, signal: AbortSignal): Promise<void> {
    const { client, session, tell } = this.#options;
    try {
      const answer = await this.#answerTo(open, signal);
      if (signal.aborted) return;
      if (answer === undefined) {
        this.#dropped.add(open.id);
        return;
      }
      await client.command("session/respond", {
        session,
        requestId: open.id,
        incarnation: open.incarnation,
        inputHash: await hashOf(open.request),
        answer,
      });
    } catch (error) {
      if (signal.aborted) return;
      // Another device was faster, or the request was withdrawn: the session says so.
      if (error instanceof BridgeError && LATE.has(error.code)) return;
      if (error instanceof BridgeError) return tell(open.id, `The answer was not taken: ${error.message}`);
      // The editor has no such dialog, or it is gone. The request stays open.
      if (error instanceof RequestError)
        return tell(open.id, "A request waits for an answer. This editor could not show it. Answer it on the page.");
    }
  }

  /** Undefined if the editor gave no answer. */
  async #answerTo(open: OpenRequest, signal: AbortSignal): Promise<BridgeAnswer | undefined> {
    const { abilities } = this.#options;
    const { request } = open;
    const questions = questionsOf(request);
    if (questions !== undefined) {
      if (!abilities.forms) return this.#answerInSteps(open, questions, signal);
      const form = askedForm(questions);
      const answer = await this.#elicit({ ...form, ...this.#scope(request) }, signal);
      if (answer.action === "decline") return { kind: "deny", message: "The user declined to answer." };
      return answer.action === "accept" ? questionAnswers(questions, contentIn(answer)) : undefined;
    }
    if (request.subtype === "elicitation") {
      const form = formAnswer(request, abilities);
      if (form !== undefined) {
        const answer = await this.#elicit({ ...form, ...this.#scope(request) }, signal);
        if (answer.action === "decline") return { kind: "elicitation", action: "decline" };
        if (answer.action !== "accept") return undefined;
        return { kind: "elicitation", action: "accept", content: contentIn(answer) };
      }
    }
    const preview = await fetchPreview(this.#options.client, this.#options.session, open);
    const named = permissionDialog(open, preview, this.#options.folders, this.#options.client.info?.device.role);
    const { dialog, choices } = abilities.onlyKinds ? dialogOfKinds(named) : named;
    return this.#choose(dialog, choices, signal);
  }

  /** One dialog for each question, or several for one with several choices. */
  async #answerInSteps(
    open: OpenRequest,
    questions: NonNullable<ReturnType<typeof questionsOf>>,
    signal: AbortSignal,
  ): Promise<BridgeAnswer | undefined> {
    const steps = questionSteps(open, questions, this.#options.abilities);
    for (let step = steps.next(); ;) {
      if (step.done === true) return step.value;
      const { dialog, choices } = step.value;
      const chosen = await this.#choose(dialog, choices, signal);
      if (chosen === undefined) return undefined;
      step = steps.next(chosen);
    }
  }

  async #choose<T>(
    dialog: Omit<RequestPermissionRequest, "sessionId">,
    choices: readonly DialogChoice<T>[],
    signal: AbortSignal,
  ): Promise<T | undefined> {
    if (signal.aborted) return undefined;
    const { editor, session } = this.#options;
    const params: RequestPermissionRequest = {
      ...dialog,
      sessionId: session,
      options: choices.map(({ id, name, kind }) => ({ optionId: id, name, kind })),
    };
    const { outcome } = await editor.request(methods.client.session.requestPermission, params, {
      cancellationSignal: signal,
      stopWaitingOnCancel: true,
    });
    // `cancelled`: the editor took the dialog away, for example because it quits. Nobody decided.
    if (outcome.outcome !== "selected") return undefined;
    return choices.find(({ id }) => id === outcome.optionId)?.answer;
  }

  #elicit(form: CreateElicitationRequest, signal: AbortSignal): Promise<CreateElicitationResponse> {
    return this.#options.editor.request(methods.client.elicitation.create, form, {
      cancellationSignal: signal,
      stopWaitingOnCancel: true,
    });
  }

  #scope(request: OpenRequest["request"]): { sessionId: string; toolCallId?: string } {
    return {
      sessionId: this.#options.session,
      ...(request.subtype === "can_use_tool" && { toolCallId: request.tool_use_id }),
    };
  }
}

/** Refusals of an answer that came too late. */
const LATE: ReadonlySet<string> = new Set([
  "already-answered",
  "not-open",
  "changed",
  "not-live",
  "process-ended",
  "closed",
]);

const contentIn = (answer: CreateElicitationResponse): Readonly<Record<string, unknown>> => {
  const { content } = answer as { content?: unknown };
  return typeof content === "object" && content !== null ? (content as Record<string, unknown>) : {};
};
