// Limits the number of live processes, and queues the sessions that wait for a place.

import { HostError } from "../host-error.ts";

export class LiveSlots {
  readonly #max: number;
  readonly #taken = new Set<string>();
  readonly #waiting: (() => void)[] = [];
  #isClosed = false;

  constructor(max = Infinity) {
    this.#max = max;
  }

  has(id: string): boolean {
    return this.#taken.has(id);
  }

  get size(): number {
    return this.#taken.size;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** One object for each wait. A new wait is another object, also if the number of waits stays the same. */
  get waits(): readonly object[] {
    return [...this.#waiting];
  }

  /** Places are given in order. `signal` stops the wait. */
  async take(id: string, signal?: AbortSignal): Promise<void> {
    while (this.#taken.size >= this.#max && !this.#isClosed) await this.#turn(signal);
    if (this.#isClosed) throw new HostError("closed", "The host is closed.");
    this.#taken.add(id);
  }

  free(id: string): void {
    this.#taken.delete(id);
    this.#waiting.shift()?.();
  }

  close(): void {
    this.#isClosed = true;
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #turn(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        const at = this.#waiting.indexOf(wake);
        if (at !== -1) this.#waiting.splice(at, 1);
        reject(new HostError("request-aborted", "The caller stopped waiting for a place."));
      };
      const wake = (): void => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#waiting.push(wake);
      if (signal?.aborted === true) leave();
    });
  }
}
