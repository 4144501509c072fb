// Requests of a session that is open at a terminal or in a script. Each is asked once, in order. A request that another
// client answers meanwhile is withdrawn.

import { BridgeError } from "@quarterdeck/client";
import type { Client, SessionView } from "@quarterdeck/client";
import { waitsForPerson } from "@quarterdeck/session";
import type { OpenRequest } from "@quarterdeck/session";
import { askPerson, nobodysAnswer } from "../terminal/ask-person.ts";
import type { HeldOutput } from "../terminal/held-output.ts";
import type { Keyboard } from "../terminal/printer.ts";
import { fetchPreview, respond } from "./bridge-answer.ts";

/** `refuse`: nobody is here, and others are not awaited. `leave`: others answer. */
export type Answering =
  | {
      readonly kind: "ask";
      readonly keyboard: Keyboard;
      /** All other output of the command. */
      readonly output: HeldOutput;
      /** Resolves when everything before the request has been written. */
      readonly caughtUp: () => Promise<void>;
    }
  | { readonly kind: "refuse" }
  | { readonly kind: "leave" };

export class Questions {
  readonly #client: Client;
  readonly #view: SessionView;
  readonly #answering: Answering;
  readonly #asked = new Map<string, AbortController>();
  readonly #unsubscribe: () => void;
  #last: Promise<void> = Promise.resolve();
  #isOver = false;
  /** A request was denied because nobody was here. */
  refused = false;

  constructor(client: Client, view: SessionView, answering: Answering) {
    this.#client = client;
    this.#view = view;
    this.#answering = answering;
    this.#unsubscribe = view.subscribe(() => this.#look());
    this.#look();
  }

  stop(): void {
    this.#isOver = true;
    this.#unsubscribe();
    for (const asking of this.#asked.values()) asking.abort();
  }

  #look(): void {
    if (this.#answering.kind === "leave") return;
    const { requests } = this.#view.snapshot.head;
    for (const [id, asking] of this.#asked) if (!requests.some((request) => request.id === id)) asking.abort();
    for (const request of requests) {
      if (!waitsForPerson(request) || this.#asked.has(request.id)) continue;
      const asking = new AbortController();
      this.#asked.set(request.id, asking);
      this.#last = this.#last.then(() => this.#answer(request, asking.signal));
    }
  }

  async #answer(request: OpenRequest, signal: AbortSignal): Promise<void> {
    const answering = this.#answering;
    if (answering.kind === "leave" || signal.aborted || this.#isOver) return;
    try {
      const answer =
        answering.kind === "ask" ? await this.#askHere(answering, request, signal) : nobodysAnswer(request);
      await respond(this.#client, this.#view.id, request, answer);
      if (answering.kind === "refuse" && answer.kind === "deny") this.refused = true;
    } catch (error) {
      // Another client answered it, or it was withdrawn. The session reports that.
      if (!(error instanceof BridgeError) && !signal.aborted) throw error;
    }
  }

  async #askHere(
    { keyboard, output, caughtUp }: Extract<Answering, { kind: "ask" }>,
    request: OpenRequest,
    signal: AbortSignal,
  ) {
    const preview = await fetchPreview(this.#client, this.#view.id, request);
    await caughtUp();
    signal.throwIfAborted();
    return output.during(() => askPerson(request, { keyboard, preview, signal }));
  }
}
