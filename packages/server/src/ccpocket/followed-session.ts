// Sends one session to an app: new facts in order, drafts as they grow, and the status. It reads the log through the bridge
// like any client, so the app sees what other clients see.

import type { Client, SessionSnapshot, SessionView } from "@quarterdeck/client";
import { promptParts } from "@quarterdeck/session";
import type { Event, Row } from "@quarterdeck/session";
import type { ImageRef } from "./pocket-images.ts";
import { isAnswerable, pocketIdOf, pocketStatusOf, Translator } from "./translate.ts";
import type { PocketMessage, PocketStatus } from "./translate.ts";

const PAGE = 500;
/** Apps stop to queue at this number. Our queue has no limit. */
const MOST_QUEUED = 100;

export interface FollowedOptions {
  readonly client: Client;
  readonly id: string;
  readonly tell: (message: PocketMessage, seq?: number) => void;
  readonly onError: (error: unknown) => void;
  readonly keepImage: (base64: string) => ImageRef | undefined;
  /** Whether the app wants to know what waits. */
  readonly wantsQueue: () => boolean;
}

interface QueuedItem {
  readonly itemId: string;
  readonly text: string;
  readonly createdAt: string;
}

export interface SeqMessage {
  readonly seq: number;
  readonly message: PocketMessage;
}
interface Told {
  readonly messages: readonly SeqMessage[];
  readonly lastSeq: number;
}

export class FollowedSession {
  readonly #options: FollowedOptions;
  readonly #view: SessionView;
  readonly #translator: Translator;
  /** The place of each CLI message in the log. Apps name places by uuid. */
  readonly #seqs = new Map<string, number>();
  readonly #written = new Map<string, number>();
  /** The app's own names of its prompts, where they differ from ours. */
  readonly #names = new Map<string, string>();
  #snapshot: SessionSnapshot | undefined;
  #status: PocketStatus | undefined;
  #toldSeq: number | undefined;
  #toldQueue = "[]";
  #reading: Promise<void> = Promise.resolve();
  readonly #known = Promise.withResolvers<void>();
  readonly #stop: () => void;

  constructor(options: FollowedOptions) {
    this.#options = options;
    this.#translator = new Translator({ keepImage: options.keepImage });
    this.#view = options.client.session(options.id);
    this.#stop = this.#view.subscribe(() => this.#lookSafely());
    this.#lookSafely();
  }

  /** Until then, its head and its status are those of an empty session. */
  get known(): Promise<void> {
    return this.#known.promise;
  }
  get head() {
    return this.#view.snapshot.head;
  }
  get view(): SessionView {
    return this.#view;
  }
  get status(): PocketStatus {
    return pocketStatusOf(this.head.phase);
  }

  /** The row of a CLI message or a prompt, however old it is. */
  async rowOf(uuid: string): Promise<string | undefined> {
    if (!this.#seqs.has(uuid)) await this.history(0);
    const seq = this.#seqs.get(uuid);
    const isIt = (row: Row): boolean => row.id === `prompt/${uuid}` || (seq !== undefined && row.seqs.includes(seq));
    for (let before: number | undefined; ;) {
      const { rows, moreBefore } = await this.#options.client.call("session/rows", {
        session: this.#options.id,
        limit: PAGE,
        ...(before !== undefined && { before }),
      });
      const found = rows.find(isIt);
      if (found !== undefined || !moreBefore || rows.length === 0) return found?.id;
      before = rows[0]!.order;
    }
  }

  /** Everything after a fact, translated, and the number of the last fact. */
  history(after: number): Promise<Told> {
    const { keepImage } = this.#options;
    return this.#since(after, after === 0 ? new Translator({ keepImage }) : this.#translator.copy());
  }

  async #since(after: number, translator: Translator): Promise<Told> {
    const messages: SeqMessage[] = [];
    for (let from = after; ;) {
      const { events, lastSeq } = await this.#options.client.call("session/events", {
        session: this.#options.id,
        after: from,
        limit: PAGE,
      });
      for (const event of events) messages.push(...this.#translated(event, translator));
      from = events.at(-1)?.seq ?? lastSeq;
      if (from >= lastSeq) return { messages, lastSeq };
    }
  }

  /** Prompts of other devices that the author of the next prompt had not seen. */
  async promptsSince(seq: number, own: string): Promise<boolean> {
    for (let after = seq; ;) {
      const { events, lastSeq } = await this.#options.client.call("session/events", {
        session: this.#options.id,
        after,
        limit: PAGE,
      });
      if (events.some((event) => event.type === "prompt-accepted" && event.uuid !== own)) return true;
      after = events.at(-1)?.seq ?? lastSeq;
      if (after >= lastSeq) return false;
    }
  }

  /** This app knows the prompt by its own name for it. The log may use another name. */
  isCalled(uuid: string, clientMessageId: string): void {
    if (uuid !== clientMessageId) this.#names.set(uuid, clientMessageId);
  }

  close(): void {
    this.#stop();
    this.#view.close();
  }

  #translated(event: Event, translator: Translator): SeqMessage[] {
    const { seq } = event;
    const uuid = event.type === "received" ? (event.message as { readonly uuid?: unknown } | null)?.uuid : undefined;
    if (typeof uuid === "string") this.#seqs.set(uuid, seq);
    const name = event.type === "prompt-accepted" ? this.#names.get(event.uuid) : undefined;
    return translator
      .messagesOf(event)
      .map((message) => ({ seq, message: name === undefined ? message : { ...message, clientMessageId: name } }));
  }

  /** Nothing catches what a listener of the client throws, so this must not throw. */
  #lookSafely(): void {
    try {
      this.#look();
    } catch (error) {
      this.#options.onError(error);
    }
  }

  #look(): void {
    const before = this.#snapshot;
    const now = this.#view.snapshot;
    this.#snapshot = now;
    if (now.status !== "loading") this.#known.resolve();
    if (now.status !== "ready") return;
    if (before?.head !== now.head || before.rows !== now.rows)
      this.#reading = this.#reading.then(() => this.#read()).catch(this.#options.onError);
    this.#tellDrafts(now);
  }

  async #read(): Promise<void> {
    const { tell } = this.#options;
    if (this.#toldSeq === undefined) {
      const { asked, lastSeq } = await this.#asked();
      this.#toldSeq = lastSeq;
      for (const message of asked) tell(message);
    } else {
      const { messages, lastSeq } = await this.#since(this.#toldSeq, this.#translator);
      this.#toldSeq = lastSeq;
      for (const { seq, message } of messages) tell(message, seq);
    }
    this.tellQueue();
    const { status } = this;
    if (status === this.#status) return;
    this.#status = status;
    tell({ type: "status", status });
  }

  /**
   * The requests that are open at the end of the log. Telling starts there; an app asks for older facts as history. The view may be behind
   * the log, so the rest of the log is read too.
   */
  async #asked(): Promise<{ readonly asked: Iterable<PocketMessage>; readonly lastSeq: number }> {
    const { head, rows } = this.#view.snapshot;
    const open = head.requests.filter(isAnswerable);
    const asked = new Map<unknown, PocketMessage>(
      open.map((request) => [pocketIdOf(request), this.#translator.isAsked(request)]),
    );
    for (const row of rows) if (row.kind === "tool") this.#translator.knows(row.toolUseId, row.name);
    const seen = [...open.map(({ seq }) => seq), ...rows.flatMap(({ seqs }) => seqs)];
    const after = seen.reduce((last, seq) => Math.max(last, seq), 0);
    const { messages, lastSeq } = await this.#since(after, this.#translator);
    // An app that has read the history meanwhile may show a request that is closed now, so it is told that, too.
    for (const { message } of messages)
      if (message.type === "permission_request" || message.type === "permission_resolved")
        asked.set(message["toolUseId"], message);
    return { asked: asked.values(), lastSeq };
  }

  /** Prompts that wait, if that has changed since the app was last told. */
  tellQueue(): void {
    const { id, tell, wantsQueue } = this.#options;
    if (!wantsQueue() || this.#view.snapshot.status !== "ready") return;
    const { head, rows } = this.#view.snapshot;
    const items = head.queue.flatMap(({ rowId, uuid }): QueuedItem[] => {
      const row = rows.find((one) => one.id === rowId);
      if (row?.kind !== "prompt" || uuid === undefined) return [];
      return [{ itemId: uuid, text: promptParts(row.content).join("\n"), createdAt: new Date(row.at).toISOString() }];
    });
    const told = JSON.stringify(items);
    if (told === this.#toldQueue) return;
    this.#toldQueue = told;
    tell({ type: "conversation_queue", sessionId: id, limit: MOST_QUEUED, items });
  }

  #tellDrafts({ drafts }: SessionSnapshot): void {
    for (const { id, kind, text } of drafts) {
      if (kind === "tool") continue;
      const from = this.#written.get(id) ?? 0;
      this.#written.set(id, text.length);
      if (text.length > from)
        this.#options.tell({ type: kind === "text" ? "stream_delta" : "thinking_delta", text: text.slice(from) });
    }
    for (const id of this.#written.keys()) if (!drafts.some((draft) => draft.id === id)) this.#written.delete(id);
  }
}
