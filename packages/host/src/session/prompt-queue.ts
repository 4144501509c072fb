// Prompts on their way to the CLI: first durable, then sent in order. A CLI with a queue gets them at once, with their
// priorities. A CLI without one gets one at a time, and the host applies the priorities.

import { randomUUID } from "node:crypto";
import { blockTexts, userMessage } from "@quarterdeck/protocol";
import type { PromptBlock, UserMessage } from "@quarterdeck/protocol";
import { isOver, isRunning } from "@quarterdeck/session";
import type { Actor, Fact, PromptContent, PromptPriority, PromptRow, QueuedPrompt } from "@quarterdeck/session";
import { HostError } from "../host-error.ts";
import { StoreError } from "../store/event-store.ts";
import type { RequestOptions } from "./pending-requests.ts";
import type { FolderReading, SessionParts } from "./session-parts.ts";
import { translated } from "./translated.ts";

export interface PromptOptions {
  /** A UUID that the caller made. A second prompt with the same UUID is the same prompt and runs once. */
  readonly uuid?: string;
  readonly priority?: PromptPriority;
  readonly by?: Actor;
}
export type GivenPrompt = string | readonly PromptBlock[];

export class PromptQueue {
  readonly #parts: SessionParts;
  readonly #accepting = new Map<string, Promise<unknown>>();
  #delivering: Promise<void> = Promise.resolve();
  /** Prompts are checked one after the other, so that they keep their order. */
  #checking: Promise<void> = Promise.resolve();

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** A prompt is being written to the log. */
  get isAccepting(): boolean {
    return this.#accepting.size > 0;
  }

  async accept(content: GivenPrompt, { uuid = randomUUID(), priority, by }: PromptOptions): Promise<string> {
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

  /** A prompt that no budget pays for, or that would make the CLI run what nobody has trusted, is refused and not stored. */
  async #recorded(fact: Extract<Fact, { type: "prompt-accepted" }>): Promise<void> {
    this.#parts.mustAfford();
    if (this.#parts.heedsFolder) {
      const checking = this.#checking.then(() => this.#parts.mustHoldFolder(readingFor(fact.content)));
      this.#checking = checking.catch(() => {});
      await checking;
    }
    await this.#parts.record(fact);
  }

  /** A prompt of a program that drives the CLI: checked like the others, and sent as it is. */
  async pass(message: UserMessage, by: Actor): Promise<void> {
    this.#parts.mustAfford();
    await this.#mustBeReady(message.uuid ?? randomUUID(), message.message.content);
    await this.#parts.send(message, by);
  }

  /** The folder is as it was trusted, and its snapshot is taken. Both look at files, so they do it at the same time. */
  async #mustBeReady(uuid: string, content: unknown): Promise<void> {
    const holding = this.#parts.mustHoldFolder(readingFor(content));
    await Promise.all([holding, this.#parts.beforePrompt(uuid, holding)]);
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

  /** `newUuid` is the UUID of a replacement, if the prompt has to be replaced. */
  async edit(uuid: string, content: GivenPrompt, by?: Actor, newUuid?: string): Promise<string> {
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
    // Check before the old prompt is withdrawn.
    this.#parts.mustAfford();
    if (this.#parts.heedsFolder) await this.#parts.mustHoldFolder(readingFor(content));
    if (!(await this.cancel(uuid, by))) throw new HostError("too-late", "This prompt has already started.", { uuid });
    const priority = row?.priority as PromptPriority | undefined;
    return this.accept(content, {
      ...(newUuid !== undefined && { uuid: newUuid }),
      ...(priority !== undefined && { priority }),
      ...(by !== undefined && { by }),
    });
  }

  /**
   * Returns prompts that have not started to their authors. With `interrupt`, also ends the turn, in one request if the
   * CLI can.
   */
  async hold(interrupt: boolean, options: RequestOptions): Promise<string[]> {
    const held = new Set<string>();
    const hold = async (uuid: string): Promise<void> => {
      // The CLI may name a prompt that was just handed over, or name it twice.
      if (held.has(uuid)) return;
      held.add(uuid);
      await this.#parts.record({ type: "prompt-held", uuid });
    };
    for (const { uuid, state } of this.#queue) if (uuid !== undefined && state === "accepted") await hold(uuid);
    if (interrupt && this.#parts.fold.head.capabilities.includes("interrupt_cancel_queued_v1")) {
      const answer = await this.#parts.request({ subtype: "interrupt", cancel_queued: true }, options);
      for (const uuid of answer?.cancelled ?? []) await hold(uuid);
      return [...held];
    }
    for (const { uuid, state } of this.#cliQueues ? this.#queue : []) {
      if (uuid === undefined || state === "accepted") continue;
      if ((await this.#parts.request({ subtype: "cancel_async_message", message_uuid: uuid }, options)).cancelled)
        await hold(uuid);
    }
    if (interrupt) await this.#parts.request({ subtype: "interrupt" }, options);
    return [...held];
  }

  /** Sends accepted prompts to the CLI. */
  deliver(): void {
    this.#delivering = this.#delivering
      .then(() => this.#handOver())
      .catch((error: unknown) => {
        // A closing process accepts nothing more. Accepted prompts wait for the next one.
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
        // Interrupt the running turn. Its result calls this function again.
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
      // If a budget is spent, this throws, and the prompt waits until it is raised.
      this.#parts.mustAfford();
      // If the folder has changed, this throws: the prompt waits for the next process, or until the folder is trusted.
      await this.#mustBeReady(row.uuid, row.content);
      // Withdrawn, changed or without a process meanwhile: look again.
      if (!this.#parts.isReady || this.#row(row.uuid) !== row) continue;
      await this.#parts.send(userMessage(row.content as GivenPrompt, options), row.by);
    }
  }
  /** Prompts for which a turn was already interrupted. */
  readonly #cutFor = new Set<string>();

  #mostUrgent(waiting: readonly QueuedPrompt[]): QueuedPrompt | undefined {
    const rank = ({ uuid }: QueuedPrompt): number => RANKS[this.#row(uuid!)?.priority ?? "next"] ?? 1;
    return waiting.toSorted((a, b) => rank(a) - rank(b))[0];
  }

  get #queue(): readonly QueuedPrompt[] {
    return this.#parts.fold.head.queue;
  }

  /** Whether the CLI has its own queue. */
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

/** The CLI treats a prompt as a command if its first or last text starts with a slash. */
const readingFor = (content: unknown): FolderReading => {
  const isCommand = (text: string): boolean => text.trimStart().startsWith("/");
  return blockTexts(content).some(isCommand) ? "whole" : "quick";
};
