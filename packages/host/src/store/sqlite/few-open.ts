// Connections by volume, opened when they are needed. Only the latest few stay open: each holds files and memory.

const MOST_OPEN = 16;

export class FewOpen<T extends { close(): void }> {
  readonly #open: (volume: number) => T;
  /** Most recently used last. */
  readonly #held = new Map<number, T>();

  constructor(open: (volume: number) => T) {
    this.#open = open;
  }

  get(volume: number): T {
    const held = this.#held.get(volume) ?? this.#open(volume);
    this.#held.delete(volume);
    this.#held.set(volume, held);
    const [oldest] = this.#held.keys();
    if (this.#held.size > MOST_OPEN && oldest !== undefined) this.close(oldest);
    return held;
  }

  close(volume: number): void {
    this.#held.get(volume)?.close();
    this.#held.delete(volume);
  }

  closeAll(): void {
    for (const volume of [...this.#held.keys()]) this.close(volume);
  }
}
