// Holds back other output while a person reads and answers a request, or types a line. Such output could push the request off the screen
// or imitate it, and it would run into the line. It is written afterwards, in order.

interface Piece {
  readonly text: string;
  readonly write: (text: string) => void;
}

/** A line that goes on after a typed line. No text of others begins in the first column. */
const GOES_ON = "  ";

export class HeldOutput {
  #held: Piece[] = [];
  #isAsking = false;
  /** Ends the row of the line that is typed. */
  #endRow: (() => void) | undefined;
  /** The last written line has no newline yet. */
  #isOpen = false;
  #isBroken = false;

  /** A writer that waits while the output is held. */
  through(write: (text: string) => void): (text: string) => void {
    return (text) => {
      if (text === "") return;
      if (this.#isAsking || this.#endRow !== undefined) this.#held.push({ text, write });
      else this.#write({ text, write });
    };
  }

  /** A person begins to type a line. False if it is part of a request. */
  typing(endRow: () => void): boolean {
    if (this.#isAsking) return false;
    if (this.#endRow === undefined && this.#isOpen) {
      this.#isBroken = true;
      endRow();
    }
    this.#endRow = endRow;
    return true;
  }

  /** The line was sent or removed. */
  typed(): void {
    if (this.#endRow === undefined) return;
    this.#endRow = undefined;
    this.#flush();
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    // What came before the request is shown before it.
    this.#endRow?.();
    this.typed();
    this.#isAsking = true;
    try {
      return await work();
    } finally {
      this.#isAsking = false;
      this.#flush();
    }
  }

  #flush(): void {
    const [first, ...others] = this.#held;
    this.#held = [];
    if (first === undefined) return;
    const goesOn = this.#isBroken && !first.text.startsWith("\n");
    this.#isBroken = false;
    this.#write({ ...first, text: goesOn ? GOES_ON + first.text : first.text });
    for (const piece of others) this.#write(piece);
  }

  #write({ text, write }: Piece): void {
    this.#isOpen = !text.endsWith("\n");
    write(text);
  }
}
