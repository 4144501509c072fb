// When feeds send. Changes are sent together at the end of the event loop's turn. Streamed text is sent at the end of
// the callback that read it. A failure affects only its own feed.

/**
 * Its `then` is a microtask. `queueMicrotask` would also create an async resource per call:
 * docs/decisions/0007-what-a-delta-allocates.md.
 */
const SETTLED = Promise.resolve();

export class Ticker {
  readonly #onError: (error: unknown) => void;
  #due: (() => void)[] = [];

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  soon(run: () => void): void {
    if (this.#due.push(run) === 1) setImmediate(() => this.now());
  }

  /** Runs at the end of this callback. `run` must not throw: see `safely`. */
  afterCallback(run: () => void): void {
    void SETTLED.then(run);
  }

  now(): void {
    const due = this.#due;
    this.#due = [];
    for (const run of due) this.safely(run);
  }

  safely(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#onError(error);
    }
  }
}
