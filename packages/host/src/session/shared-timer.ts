// One timer for work that many sessions do at the same pace: all that is due runs in one callback. So its writes share one commit,
// and its code is still in the processor's caches. docs/decisions/0010-one-timer-for-all-checkpoints.md.

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

  /** Runs once, with everything else that is due, `ms` after the first of it was added. */
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
        // Later: whatever `onError` does, the others have their turn.
        queueMicrotask(() => onError(error));
      }
    }
  };
}
