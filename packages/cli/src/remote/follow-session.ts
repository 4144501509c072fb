// A session of the server as a transcript on a terminal. Facts come as events, in order and once; what is being streamed comes as
// drafts, which are written as they grow. Both go by one road: what a snapshot shows is written after the facts that
// it is made of, so that nothing overtakes; a block is told apart by its message and its place in it, so that nothing is
// written twice or left out, however much of it was seen while it grew.

import { decodeValue, isRecord } from "@quarterdeck/protocol";
import type { AssistantMessage, Message } from "@quarterdeck/protocol";
import { BridgeError } from "@quarterdeck/client";
import type { Client, SessionSnapshot, SessionView } from "@quarterdeck/client";
import { promptParts } from "@quarterdeck/session";
import type { Draft, Event } from "@quarterdeck/session";
import { jsonText } from "../terminal/terminal.ts";
import type { Transcript } from "../terminal/transcript.ts";

export interface FollowOptions {
  readonly client: Pick<Client, "call">;
  readonly view: Pick<SessionView, "id" | "snapshot" | "subscribe">;
  /** The last event that is not wanted. */
  readonly after: number;
  /** Not written, though it is told. */
  readonly hides?: (event: Event) => boolean;
  /** After the event was written. */
  readonly onEvent?: (event: Event) => void;
  /** What is streamed, in the CLI's words though not in its pieces. */
  readonly onStreamed?: (message: Message) => void;
  /** Nothing where events are wanted and no text. */
  readonly transcript?: Transcript;
}

/** The block that is being written, and how much of it has been. */
interface Streaming {
  readonly messageId: string;
  readonly index: number;
  readonly kind: "text" | "thinking";
  length: number;
}

export class FollowedSession {
  readonly #options: FollowOptions;
  #after: number;
  #seen: SessionSnapshot | undefined;
  #following: Promise<void> | undefined;
  #isOver = false;
  readonly #unsubscribe: () => void;
  #streaming: Streaming | undefined;
  /** How many blocks of a message have come complete. */
  readonly #blocks = new Map<string, number>();

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#after = options.after;
    this.#unsubscribe = options.view.subscribe(() => this.#changed());
    this.#changed();
  }

  /** Resolves when everything that is known now has been told. */
  async caughtUp(): Promise<void> {
    this.#seen = undefined;
    await this.#look();
  }

  stop(): void {
    this.#isOver = true;
    this.#unsubscribe();
  }

  #changed(): void {
    this.#look().catch((error: unknown) => {
      // The connection is over for good: whoever waits for something of it is told there.
      if (!(error instanceof BridgeError)) throw error;
    });
  }

  /** One at a time; whatever comes meanwhile is looked at before it ends. */
  #look(): Promise<void> {
    return (this.#following ??= this.#follow());
  }

  async #follow(): Promise<void> {
    const { view } = this.#options;
    // Those who call in this turn are one.
    await Promise.resolve();
    try {
      while (!this.#isOver && this.#seen !== view.snapshot) {
        const { snapshot } = view;
        this.#seen = snapshot;
        if (snapshot.status !== "ready") continue;
        await this.#read();
        this.#write(snapshot.drafts);
      }
    } finally {
      this.#following = undefined;
    }
  }

  async #read(): Promise<void> {
    const { client, view, onEvent } = this.#options;
    for (let isMore = true; isMore && !this.#isOver;) {
      const { events, lastSeq } = await client.call("session/events", { session: view.id, after: this.#after });
      for (const event of events) {
        this.#after = event.seq;
        this.#show(event);
        onEvent?.(event);
      }
      isMore = events.length > 0 && this.#after < lastSeq;
    }
  }

  #show(event: Event): void {
    const { transcript } = this.#options;
    if (this.#options.hides?.(event) === true) return;
    switch (event.type) {
      case "received": {
        const decoded = decodeValue(event.message);
        if (decoded.kind !== "message") transcript?.note("(a line that this version does not know)", "yellow");
        else if (decoded.message.type === "assistant") this.#assistant(decoded.message);
        else transcript?.message(decoded.message);
        return;
      }
      case "sent":
        if (transcript !== undefined) showAnswer(event, transcript);
        return;
      case "drafts-left":
        return this.#writeLeft(event.drafts);
      case "prompt-accepted":
        return transcript?.prompt(promptParts(event.content).join("\n"));
      case "stderr":
        return transcript?.note(event.text, "yellow");
      case "process-exited":
        this.#end();
        return transcript?.note(
          event.code === 0
            ? "The process has ended."
            : `The process has ended (${event.signal ?? String(event.code)}).`,
        );
    }
  }

  #assistant(message: AssistantMessage): void {
    const { transcript } = this.#options;
    if (typeof message.parent_tool_use_id === "string") return transcript?.message(message);
    const { id = "", content } = message.message;
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    const first = this.#blocks.get(id) ?? 0;
    this.#blocks.set(id, first + blocks.length);
    const streaming = this.#streaming;
    const block = streaming?.messageId === id ? blocks[streaming.index - first] : undefined;
    if (streaming === undefined || block?.type !== streaming.kind) {
      this.#end();
      // Nothing of this was streamed, whatever was before.
      transcript?.message(streamEvent({ type: "message_start", message: {} }));
    } else {
      // It has what came since the last piece.
      this.#push(streaming, blockText(block));
      this.#end();
    }
    transcript?.message(message);
  }

  #write(drafts: readonly Draft[]): void {
    const streaming = this.#streaming;
    const isOf = (one: Draft): boolean => one.messageId === streaming?.messageId && one.index === streaming.index;
    if (streaming !== undefined && !drafts.some(isOf)) this.#end();
    for (const { kind, messageId, index, text } of drafts) {
      if (kind === "tool" || index < (this.#blocks.get(messageId) ?? 0)) continue;
      if (this.#streaming === undefined) {
        this.#streaming = { messageId, index, kind, length: 0 };
        this.#stream({ type: "message_start", message: { id: messageId } });
        this.#stream({ type: "content_block_start", index, content_block: { type: kind } });
      }
      if (this.#streaming.messageId === messageId && this.#streaming.index === index) this.#push(this.#streaming, text);
    }
  }

  /** What was cut, to its last word; a snapshot from before the cut may still have it. */
  #writeLeft(drafts: readonly Draft[]): void {
    for (const draft of drafts) {
      this.#write([draft]);
      this.#end();
      if (draft.kind !== "tool") this.#blocks.set(draft.messageId, draft.index + 1);
    }
  }

  #push(streaming: Streaming, whole: string): void {
    const text = whole.slice(streaming.length);
    if (text === "") return;
    streaming.length = whole.length;
    const delta = streaming.kind === "text" ? { type: "text_delta", text } : { type: "thinking_delta", thinking: text };
    this.#stream({ type: "content_block_delta", index: streaming.index, delta });
  }

  #end(): void {
    if (this.#streaming === undefined) return;
    const { index } = this.#streaming;
    this.#streaming = undefined;
    this.#stream({ type: "content_block_stop", index });
  }

  #stream(event: object): void {
    const message = streamEvent(event);
    this.#options.transcript?.message(message);
    this.#options.onStreamed?.(message);
  }
}

/** One JSON object a line: facts, and what is streamed between them. */
export const inJson = (write: (text: string) => void): Pick<FollowOptions, "onEvent" | "onStreamed"> => ({
  onEvent: (event) => write(`${jsonText(event)}\n`),
  onStreamed: (message) => write(`${jsonText({ type: "streamed", at: Date.now(), message })}\n`),
});

/** As the CLI would have said it; the transcript knows no other way to write a text that grows. */
const streamEvent = (event: object): Message => ({ type: "stream_event", event }) as unknown as Message;

const blockText = (block: object): string => {
  const { text, thinking } = block as { text?: unknown; thinking?: unknown };
  const words = text ?? thinking;
  return typeof words === "string" ? words : "";
};

/** What anybody answered, and who. */
const showAnswer = ({ message, by }: Extract<Event, { type: "sent" }>, transcript: Transcript): void => {
  const { type, response } = message as { type?: unknown; response?: { response?: unknown } };
  if (type !== "control_response" || !isRecord(response?.response)) return;
  const { behavior, action, message: reason } = response.response;
  const word = behavior ?? action;
  if (typeof word !== "string") return;
  const why = behavior === "deny" && typeof reason === "string" ? `: ${reason}` : "";
  const who = by === undefined ? "" : ` (${by.name ?? by.id})`;
  transcript.answer(`${word}${why}${who}`);
};
