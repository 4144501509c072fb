// The newest 256 KB of a process's stderr, and which part of it was not taken yet. The caller decides when to take it.
// Bytes that a flood pushed out before that are counted and reported, but not kept.

const CAPACITY = 256 * 1024;

export class StderrRing {
  readonly #capacity: number;
  #chunks: Buffer[] = [];
  #size = 0;
  /** Bytes at the end that were not taken yet, and bytes that were lost before they were taken. */
  #fresh = 0;
  #lost = 0;

  constructor(capacity: number = CAPACITY) {
    this.#capacity = capacity;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    this.#fresh += chunk.length;
    while (this.#size - this.#chunks[0]!.length >= this.#capacity) this.#size -= this.#chunks.shift()!.length;
    const kept = Math.min(this.#size, this.#capacity);
    if (this.#fresh > kept) {
      this.#lost += this.#fresh - kept;
      this.#fresh = kept;
    }
  }

  /** The text since the last call. Without `isEnd`, an incomplete character at the end waits for the next call. */
  take(isEnd = false): string {
    const bytes = this.#last(this.#fresh);
    const whole = isEnd ? bytes.length : bytes.length - unfinishedBytes(bytes);
    const notice = this.#lost > 0 ? `[${String(this.#lost)} bytes of stderr left out]\n` : "";
    const text = bytes.subarray(this.#lost > 0 ? brokenBytes(bytes) : 0, whole).toString("utf8");
    this.#fresh = bytes.length - whole;
    this.#lost = 0;
    return notice + text;
  }

  /** Everything that is kept. */
  text(): string {
    const bytes = this.#last(Math.min(this.#size, this.#capacity));
    return bytes.subarray(brokenBytes(bytes)).toString("utf8");
  }

  #last(bytes: number): Buffer {
    const all = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    return all.subarray(all.length - bytes);
  }
}

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;

/** At the start: the rest of a character whose start was pushed out. */
const brokenBytes = (bytes: Buffer): number => {
  let at = 0;
  while (at < 3 && at < bytes.length && isContinuation(bytes[at]!)) at++;
  return at;
};

/** At the end: the start of a character whose rest has not arrived. */
const unfinishedBytes = (bytes: Buffer): number => {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if (isContinuation(byte)) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
};
