// Holds back other output while a person reads and answers a request. Such output could push the request off the screen or imitate
// it. It is written afterwards, in order.

export class HeldOutput {
  #held: (() => void)[] | undefined;

  /** A writer that waits while the output is held. */
  through(write: (text: string) => void): (text: string) => void {
    return (text) => {
      if (this.#held === undefined) write(text);
      else this.#held.push(() => write(text));
    };
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#held = [];
    try {
      return await work();
    } finally {
      const held = this.#held;
      this.#held = undefined;
      for (const write of held) write();
    }
  }
}
