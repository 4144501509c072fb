// The queue of one receiver: one delivery at a time, in order, and failures wait longer each time. A newer message with
// the same tag replaces a waiting message, so a request that was answered meanwhile is never shown late.

import type { Delivery } from "./outbound.ts";

export interface LaneMessage {
  readonly tag: string;
  /** After this time the message says nothing new. */
  readonly until: number;
  readonly isWithdrawal: boolean;
  readonly send: () => Promise<Delivery>;
}

export interface LaneEvents {
  /** The receiver does not exist any more. Absent: an answer of this kind is a failure like others. */
  readonly gone?: () => void;
  readonly problem: (problem: string | undefined) => void;
}

const WAITS_MS = [1000, 5000, 30_000, 120_000, 600_000] as const;
const MOST_WAITING = 50;
const MOST_SHOWN = 500;

export class Lane {
  readonly #events: LaneEvents;
  #waiting: LaneMessage[] = [];
  /** Tags that the receiver has seen, and that were not withdrawn. */
  readonly #shown = new Set<string>();
  #isBusy = false;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(events: LaneEvents) {
    this.#events = events;
  }

  put(message: LaneMessage): void {
    const { tag, isWithdrawal } = message;
    this.#waiting = this.#waiting.filter((one) => one.tag !== tag);
    // It was never delivered, so there is nothing to take back. A delivery under way may still arrive: then it is taken back.
    if (isWithdrawal && !this.#shown.has(tag)) return;
    this.#waiting = [...this.#waiting, message].slice(-MOST_WAITING);
    if (this.#timer === undefined) void this.#run();
  }

  /** The receiver has it from an earlier run, or from another server. So it can be withdrawn. */
  assumeShown(tag: string): void {
    this.#remember(tag);
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting = [];
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (next.until < Date.now()) continue;
      // Counted before the answer: the receiver may have it already when a withdrawal comes.
      if (!next.isWithdrawal) this.#remember(next.tag);
      const delivery = await next
        .send()
        .catch((): Delivery => ({ status: 0, problem: "The message could not be made." }));
      if (this.#isClosed) return;
      if (!this.#took(next, delivery)) break;
    }
    this.#isBusy = false;
  }

  #remember(tag: string): void {
    this.#shown.delete(tag);
    this.#shown.add(tag);
    if (this.#shown.size > MOST_SHOWN) this.#shown.delete(this.#shown.values().next().value!);
  }

  /** Whether the next message may follow at once. */
  #took(message: LaneMessage, { status, retryAfterMs, problem }: Delivery): boolean {
    const { tag } = message;
    if (status >= 200 && status < 300) {
      this.#failures = 0;
      if (message.isWithdrawal) this.#shown.delete(tag);
      this.#events.problem(undefined);
      return true;
    }
    if ((status === 404 || status === 410) && this.#events.gone !== undefined) {
      this.close();
      this.#events.gone();
      return false;
    }
    this.#events.problem(problem ?? `The other server answered ${status}.`);
    const isTemporary = status === 0 || status === 408 || status === 429 || status >= 500;
    // Sent again, it would be refused again.
    if (!isTemporary) return true;
    if (!this.#waiting.some((one) => one.tag === tag)) this.#waiting.unshift(message);
    const wait = retryAfterMs ?? WAITS_MS[Math.min(this.#failures, WAITS_MS.length - 1)]!;
    this.#failures += 1;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#run();
    }, wait).unref();
    return false;
  }
}
