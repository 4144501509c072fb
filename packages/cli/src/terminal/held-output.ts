// While a person reads a request and answers it, nothing else is written: text that comes meanwhile could push the request
// away, or imitate it. What was held is written afterwards, in its order.

export class HeldOutput {
  #held: (() => void)[] | undefined;

  /** The same writer, which waits while the output is held. */
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
