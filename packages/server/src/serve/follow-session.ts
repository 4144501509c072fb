// A session of the server as a transcript on a terminal. Facts come as events, in order and once; what is being streamed comes as
// drafts, which are written as they grow and never again when the whole block arrives.

import { decodeValue, isRecord } from "@quarterdeck/protocol";
import type { Message } from "@quarterdeck/protocol";
import type { Client, SessionView } from "@quarterdeck/client";
import type { Draft, Event } from "@quarterdeck/session";
import type { Transcript } from "../transcript.ts";

export interface FollowOptions {
  readonly client: Client;
  readonly view: SessionView;
  /** The last event that is not wanted. */
  readonly after: number;
  readonly onEvent: (event: Event) => void;
  /** Nothing where events are wanted and no text. */
  readonly transcript?: Transcript;
}

export class FollowedSession {
  readonly #options: FollowOptions;
  #after: number;
  #reading: Promise<void> = Promise.resolve();
  #isWanted = false;
  readonly #unsubscribe: () => void;
  /** The block that is being written, and how much of it has been. */
  #streaming: { readonly id: string; readonly messageId: string; length: number } | undefined;
  #messageId: string | undefined;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#after = options.after;
    this.#unsubscribe = options.view.subscribe(() => this.#look());
    this.#look();
  }

  /** Resolves when everything that is known now has been told. */
  async caughtUp(): Promise<void> {
    this.#look();
    await this.#reading;
  }

  stop(): void {
    this.#unsubscribe();
  }

  #look(): void {
    if (this.#options.transcript !== undefined) this.#stream();
    // One reading at a time; whatever happens during it is one more.
    if (this.#isWanted) return;
    this.#isWanted = true;
    this.#reading = this.#reading.then(() => {
      this.#isWanted = false;
      return this.#read();
    });
  }

  async #read(): Promise<void> {
    const { client, view, onEvent } = this.#options;
    if (view.snapshot.status !== "ready") return;
    for (;;) {
      const { events, lastSeq } = await client.call("session/events", { session: view.id, after: this.#after });
      for (const event of events) {
        this.#after = event.seq;
        this.#show(event);
        onEvent(event);
      }
      if (events.length === 0 || this.#after >= lastSeq) return;
    }
  }

  #show(event: Event): void {
    const { transcript } = this.#options;
    if (transcript === undefined) return;
    if (event.type === "received") {
      const decoded = decodeValue(event.message);
      if (decoded.kind === "message") transcript.message(decoded.message);
      else transcript.note("(a line that this version does not know)", "yellow");
    } else if (event.type === "prompt-accepted") transcript.prompt(textOf(event.content));
    else if (event.type === "stderr") transcript.note(event.text, "yellow");
    else if (event.type === "process-exited") transcript.note("The process has ended.");
  }

  #stream(): void {
    const { view, transcript } = this.#options;
    const { drafts, rows } = view.snapshot;
    const { length: shown = 0, id } = this.#streaming ?? {};
    if (id !== undefined && !drafts.some((draft) => draft.id === id)) {
      // The row has what came since the last piece.
      const row = rows.findLast((one) => one.id === id);
      if (row?.kind === "text" || row?.kind === "thinking") this.#push(row.kind, row.text.slice(shown));
      this.#streaming = undefined;
      transcript?.message(streamEvent({ type: "content_block_stop", index: 0 }));
    }
    const draft = drafts.find((one) => this.#streaming === undefined || one.id === this.#streaming.id);
    if (draft === undefined || draft.kind === "tool") return;
    if (this.#streaming === undefined) this.#begin(draft);
    const streaming = this.#streaming!;
    this.#push(draft.kind, draft.text.slice(streaming.length));
    streaming.length = draft.text.length;
  }

  #begin(draft: Draft): void {
    const { transcript } = this.#options;
    if (draft.messageId !== this.#messageId) {
      transcript?.message(streamEvent({ type: "message_start", message: {} }));
    }
    this.#messageId = draft.messageId;
    this.#streaming = { id: draft.id, messageId: draft.messageId, length: 0 };
    transcript?.message(
      streamEvent({ type: "content_block_start", index: 0, content_block: { type: draft.kind, text: "" } }),
    );
  }

  #push(kind: "text" | "thinking", text: string): void {
    if (text === "") return;
    const delta = kind === "text" ? { type: "text_delta", text } : { type: "thinking_delta", thinking: text };
    this.#options.transcript?.message(streamEvent({ type: "content_block_delta", index: 0, delta }));
  }
}

/** As the CLI would have said it; the transcript knows no other way to write a text that grows. */
const streamEvent = (event: object): Message => ({ type: "stream_event", event }) as unknown as Message;

const textOf = (content: Extract<Event, { type: "prompt-accepted" }>["content"]): string =>
  typeof content === "string" ? content : content.map(blockText).join(" ");

const blockText = (block: unknown): string => {
  const { text, type } = isRecord(block) ? block : {};
  return typeof text === "string" ? text : typeof type === "string" ? `[${type}]` : "";
};
