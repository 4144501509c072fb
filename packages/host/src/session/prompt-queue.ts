// Prompts on their way to the CLI: durable first, then handed over in order. A CLI that keeps a queue gets them at once and is
// told what to do with them; one that keeps none gets one at a time, and the host does what the priorities say.

import { randomUUID } from "node:crypto";
import { blockTexts, userMessage } from "@quarterdeck/protocol";
import type { PromptBlock } from "@quarterdeck/protocol";
import { isOver, isRunning } from "@quarterdeck/session";
import type { Actor, Fact, PromptContent, PromptPriority, PromptRow, QueuedPrompt } from "@quarterdeck/session";
import { HostError } from "../host-error.ts";
import { StoreError } from "../store/event-store.ts";
import type { RequestOptions } from "./pending-requests.ts";
import type { FolderReading, SessionParts } from "./session-parts.ts";
import { translated } from "./translated.ts";

export interface PromptOptions {
  /** Of the caller's making: the same one again is the same prompt, and happens once. */
  readonly uuid?: string;
  readonly priority?: PromptPriority;
  readonly by?: Actor;
}
export type Content = string | readonly PromptBlock[];

export class PromptQueue {
  readonly #parts: SessionParts;
  readonly #accepting = new Map<string, Promise<unknown>>();
  #delivering: Promise<void> = Promise.resolve();
  /** Prompts are looked at one after the other, so that they keep their order. */
  #checking: Promise<void> = Promise.resolve();

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** A prompt is on its way into the log. */
  get isAccepting(): boolean {
    return this.#accepting.size > 0;
  }

  async accept(content: Content, { uuid = randomUUID(), priority, by }: PromptOptions): Promise<string> {
    if (this.#row(uuid) === undefined) {
      const { message } = translated(() => userMessage(content));
      const accepting =
        this.#accepting.get(uuid) ??
        this.#recorded({
          type: "prompt-accepted",
          uuid,
          content: message.content as PromptContent,
          ...(priority !== undefined && { priority }),
          ...(by !== undefined && { by }),
        });
      this.#accepting.set(uuid, accepting);
      try {
        await accepting;
      } finally {
        this.#accepting.delete(uuid);
      }
    }
    this.deliver();
    return uuid;
  }

  /** A prompt that would make the CLI run what nobody has trusted is refused, and nothing of it is kept. */
  async #recorded(fact: Extract<Fact, { type: "prompt-accepted" }>): Promise<void> {
    if (this.#parts.heedsFolder) {
      const checking = this.#checking.then(() => this.#parts.mustHoldFolder(readingFor(fact.content)));
      this.#checking = checking.catch(() => {});
      await checking;
    }
    await this.#parts.record(fact);
  }

  async cancel(uuid: string, by?: Actor): Promise<boolean> {
    const row = this.#row(uuid);
    if (row === undefined) throw new HostError("unknown-prompt", `Prompt ${uuid} does not exist.`, { uuid });
    const who = by === undefined ? {} : { by };
    if (row.state === "accepted" || row.state === "held") {
      await this.#parts.record({ type: "prompt-withdrawn", uuid, ...who });
      return true;
    }
    if (row.state !== "sent" && row.state !== "queued") return false;
    if (!this.#cliQueues) return false;
    const { cancelled } = await this.#parts.request({ subtype: "cancel_async_message", message_uuid: uuid });
    if (cancelled) await this.#parts.record({ type: "prompt-withdrawn", uuid, ...who });
    return cancelled;
  }

  /** `newUuid` names the prompt that takes its place, where one has to. */
  async edit(uuid: string, content: Content, by?: Actor, newUuid?: string): Promise<string> {
    const row = this.#row(uuid);
    if (row?.state === "accepted") {
      const { message } = translated(() => userMessage(content));
      const who = by === undefined ? {} : { by };
      await this.#parts.record({
        type: "prompt-edited",
        uuid,
        content: message.content as PromptContent,
        ...who,
      });
      return uuid;
    }
    // Before the old one is taken back.
    if (this.#parts.heedsFolder) await this.#parts.mustHoldFolder(readingFor(content));
    if (!(await this.cancel(uuid, by))) throw new HostError("too-late", "This prompt has already started.", { uuid });
    const priority = row?.priority as PromptPriority | undefined;
    return this.accept(content, {
      ...(newUuid !== undefined && { uuid: newUuid }),
      ...(priority !== undefined && { priority }),
      ...(by !== undefined && { by }),
    });
  }

  /** Gives what has not begun back to its authors. `interrupt` ends the turn on the way, as the CLI can. */
  async hold(interrupt: boolean, options: RequestOptions): Promise<string[]> {
    const held: string[] = [];
    const hold = async (uuid: string): Promise<void> => {
      held.push(uuid);
      await this.#parts.record({ type: "prompt-held", uuid });
    };
    for (const { uuid, state } of this.#queue) if (uuid !== undefined && state === "accepted") await hold(uuid);
    if (interrupt && this.#parts.fold.head.capabilities.includes("interrupt_cancel_queued_v1")) {
      const answer = await this.#parts.request({ subtype: "interrupt", cancel_queued: true }, options);
      for (const uuid of answer?.cancelled ?? []) await hold(uuid);
      return held;
    }
    for (const { uuid, state } of this.#cliQueues ? this.#queue : []) {
      if (uuid === undefined || state === "accepted") continue;
      if ((await this.#parts.request({ subtype: "cancel_async_message", message_uuid: uuid }, options)).cancelled)
        await hold(uuid);
    }
    if (interrupt) await this.#parts.request({ subtype: "interrupt" }, options);
    return held;
  }

  /** Hands the CLI what was accepted. */
  deliver(): void {
    this.#delivering = this.#delivering
      .then(() => this.#handOver())
      .catch((error: unknown) => {
        // A process that ends takes nothing more: what was accepted waits for the next one.
        if (!(error instanceof HostError) || error instanceof StoreError) this.#parts.onError(error);
      });
  }

  async #handOver(): Promise<void> {
    while (this.#parts.isReady) {
      const waiting = this.#queue.filter(({ state, uuid }) => state === "accepted" && uuid !== undefined);
      const next = this.#cliQueues ? waiting[0] : this.#mostUrgent(waiting);
      const row = next?.uuid === undefined ? undefined : this.#row(next.uuid);
      if (row?.uuid === undefined) return;
      if (!this.#cliQueues && this.#isBusy) {
        // What runs now is to be cut; its result brings us back here.
        if (row.priority === "now" && !this.#cutFor.has(row.uuid)) {
          this.#cutFor.add(row.uuid);
          await this.#parts.request({ subtype: "interrupt" });
        }
        return;
      }
      this.#cutFor.delete(row.uuid);
      const priority = row.priority as PromptPriority | undefined;
      const options = {
        uuid: row.uuid,
        origin: { kind: "human" },
        ...(priority !== undefined && { priority }),
      } as const;
      // A folder that has changed ends this: the prompt waits for the next process, or until the folder is trusted.
      await this.#parts.mustHoldFolder(readingFor(row.content));
      await this.#parts.beforePrompt(row.uuid);
      // Withdrawn, changed or without a process meanwhile: look again.
      if (!this.#parts.isReady || this.#row(row.uuid) !== row) continue;
      await this.#parts.send(userMessage(row.content as Content, options), row.by);
    }
  }
  /** Prompts for which a turn has been cut already. */
  readonly #cutFor = new Set<string>();

  #mostUrgent(waiting: readonly QueuedPrompt[]): QueuedPrompt | undefined {
    const rank = ({ uuid }: QueuedPrompt): number => RANKS[this.#row(uuid!)?.priority ?? "next"] ?? 1;
    return waiting.toSorted((a, b) => rank(a) - rank(b))[0];
  }

  get #queue(): readonly QueuedPrompt[] {
    return this.#parts.fold.head.queue;
  }

  /** Whether the CLI keeps a queue of its own. */
  get #cliQueues(): boolean {
    return this.#parts.fold.head.capabilities.includes("msg_lifecycle_v1");
  }

  get #isBusy(): boolean {
    const { phase, queue } = this.#parts.fold.head;
    return queue.some((entry) => entry.state !== "accepted") || isRunning(phase) || isOver(phase);
  }

  #row(uuid: string): PromptRow | undefined {
    const row = this.#parts.fold.row(`prompt/${uuid}`);
    return row?.kind === "prompt" ? row : undefined;
  }
}

const RANKS: Readonly<Record<string, number>> = { now: 0, next: 1, later: 2 };

/** The CLI takes a prompt for a command if its first text, or its last, begins with a slash. */
const readingFor = (content: unknown): FolderReading => {
  const isCommand = (text: string): boolean => text.trimStart().startsWith("/");
  return blockTexts(content).some(isCommand) ? "whole" : "quick";
};
