// One timer for work that many sessions do at the same pace. Everything that is due runs in one callback. So its writes
// share one commit, and its code is still in the processor's caches. See
// docs/decisions/0010-one-timer-for-all-checkpoints.md.

interface Due {
  readonly run: () => void;
  readonly onError: (error: unknown) => void;
}

export class SharedTimer {
  readonly #ms: number;
  #due: Due[] = [];

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Runs once, together with everything else that is due, `ms` after the first entry was added. */
  add(run: () => void, onError: (error: unknown) => void): void {
    if (this.#due.push({ run, onError }) === 1) setTimeout(this.#runAll, this.#ms).unref();
  }

  readonly #runAll = (): void => {
    const due = this.#due;
    this.#due = [];
    for (const { run, onError } of due) {
      try {
        run();
      } catch (error) {
        // In a microtask, so that an `onError` that throws does not stop the others.
        queueMicrotask(() => onError(error));
      }
    }
  };
}
