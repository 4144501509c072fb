// Positions of the entries of a long list: measured heights, a guess for the rest, and their sums. Heights belong to keys, so
// entries may be added anywhere. It does not use the DOM.

export interface ListRange {
  readonly from: number;
  /** Not included. */
  readonly to: number;
}

const FIRST_GUESS = 72;
/** This many measured entries give a better guess. */
const ENOUGH = 12;

export class ListLayout {
  #keys: readonly string[] = [];
  #indexOf = new Map<string, number>();
  readonly #sizes = new Map<string, number>();
  #measured = 0;
  #sum = 0;
  /** Set once. A new guess would move all entries that are not measured. */
  #guess = FIRST_GUESS;
  /** `#offsets[i]` is where entry i starts. Valid up to `#known`. */
  #offsets: number[] = [0];
  #known = 0;

  get count(): number {
    return this.#keys.length;
  }

  get total(): number {
    return this.offsetOf(this.#keys.length);
  }

  setKeys(keys: readonly string[]): void {
    if (keys === this.#keys) return;
    let same = 0;
    while (same < keys.length && keys[same] === this.#keys[same]) same++;
    // If entries were only added at the end, all earlier offsets stay valid.
    if (same < this.#keys.length) this.#indexOf = new Map(keys.map((key, index) => [key, index]));
    else for (let at = same; at < keys.length; at++) this.#indexOf.set(keys[at]!, at);
    this.#keys = keys;
    this.#known = Math.min(this.#known, same);
  }

  keyAt(index: number): string | undefined {
    return this.#keys[index];
  }

  indexOf(key: string): number {
    return this.#indexOf.get(key) ?? -1;
  }

  /** True if the height changed. */
  measure(key: string, size: number): boolean {
    const before = this.#sizes.get(key);
    if (before !== undefined && Math.abs(before - size) < 0.1) return false;
    this.#sizes.set(key, size);
    this.#sum += size - (before ?? 0);
    if (before === undefined && ++this.#measured === ENOUGH) {
      this.#guess = this.#sum / ENOUGH;
      this.#known = 0;
    }
    const at = this.indexOf(key);
    if (at !== -1) this.#known = Math.min(this.#known, at);
    return true;
  }

  offsetOf(index: number): number {
    const to = Math.min(Math.max(index, 0), this.#keys.length);
    for (let at = this.#known; at < to; at++) this.#offsets[at + 1] = this.#offsets[at]! + this.sizeOf(at);
    this.#known = Math.max(this.#known, to);
    return this.#offsets[to]!;
  }

  sizeOf(index: number): number {
    return this.#sizes.get(this.#keys[index]!) ?? this.#guess;
  }

  /** The entry at this offset, or the last entry below the end. */
  indexAt(offset: number): number {
    let low = 0;
    let high = this.#keys.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.offsetOf(middle) <= offset) low = middle;
      else high = middle - 1;
    }
    return Math.max(low, 0);
  }

  /** Entries that overlap the range. */
  rangeIn(top: number, bottom: number): ListRange {
    if (this.#keys.length === 0) return { from: 0, to: 0 };
    return { from: this.indexAt(Math.max(0, top)), to: this.indexAt(Math.max(0, bottom)) + 1 };
  }
}
