// Splits bytes, in any chunks, into lines. Only LF separates lines (U+2028 and a lone CR are content). It runs in linear time
// and limits the length. Lines joined by LF are the original bytes. A line is text if its bytes are UTF-8. If they are not,
// or the line is large, it stays bytes. `decodeLine` accepts both.

/** A line over the limit: its size and its start. The rest is discarded. */
export interface OversizedLine {
  readonly size: number;
  readonly head: Uint8Array;
}
export type Line = string | Uint8Array | OversizedLine;

export interface LineSplitterOptions {
  /** The longest line that is passed on whole, in bytes without the LF. */
  readonly maxLineBytes?: number;
}

export const DEFAULT_MAX_LINE_BYTES = 64 * 1024 * 1024;
const HEAD_BYTES = 4096;
/** A line of this size is passed on as bytes, because decoding it here would need twice the memory. */
const LARGE_LINE_BYTES = 1024 * 1024;
/** The highest limit. No JavaScript runtime can make a longer string. */
const LONGEST_LINE_BYTES = 2 ** 29;
const LF = 10;

const lenient = new TextDecoder("utf-8", { ignoreBOM: true });
const strict = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

/** It copies the bytes that it keeps, so the caller may reuse its buffer. */
export class LineSplitter {
  readonly #maxLineBytes: number;
  /** The parts of the current line, or only its head if it is over the limit. */
  #parts: Uint8Array[] = [];
  /** Replaces the parts of a large line: one buffer that grows in place, so the line is never in memory twice. */
  #large: ArrayBuffer | undefined;
  #size = 0;

  constructor(options: LineSplitterOptions = {}) {
    const { maxLineBytes = DEFAULT_MAX_LINE_BYTES } = options;
    if (!(maxLineBytes > 0)) throw new RangeError("maxLineBytes must be a positive number");
    this.#maxLineBytes = Math.min(maxLineBytes, LONGEST_LINE_BYTES);
  }

  push(bytes: Uint8Array): Line[] {
    if (!(bytes instanceof Uint8Array))
      throw new TypeError("LineSplitter takes bytes: do not set an encoding on the stream");
    // Most chunks are whole lines.
    const last = bytes[bytes.length - 1] === LF ? bytes.length - 1 : bytes.lastIndexOf(LF);
    if (last === -1) {
      this.#keep(bytes);
      return [];
    }
    const lines: Line[] = [];
    let from = 0;
    if (this.#size > 0) {
      const first = bytes.indexOf(LF);
      this.#keep(bytes.subarray(0, first));
      lines.push(this.#take());
      from = first + 1;
    }
    if (from <= last) appendLines(lines, bytes.subarray(from, last), this.#maxLineBytes);
    if (last + 1 < bytes.length) this.#keep(bytes.subarray(last + 1));
    return lines;
  }

  /** The last line, if the stream ended without LF. */
  end(): Line[] {
    return this.#size > 0 ? [this.#take()] : [];
  }

  #keep(part: Uint8Array): void {
    const before = this.#size;
    this.#size += part.length;
    if (this.#size > this.#maxLineBytes) {
      if (before > this.#maxLineBytes && this.#parts[0]!.length >= HEAD_BYTES) return;
      const begun = this.#large === undefined ? this.#parts : [new Uint8Array(this.#large)];
      this.#parts = [headOf([...begun, part])];
      this.#large = undefined;
    } else if (this.#size < LARGE_LINE_BYTES) {
      if (part.length > 0) this.#parts.push(new Uint8Array(part));
    } else {
      this.#grow(part, before);
    }
  }

  #grow(part: Uint8Array, before: number): void {
    // Reserves addresses, not memory.
    this.#large ??= new ArrayBuffer(0, { maxByteLength: this.#maxLineBytes });
    this.#large.resize(this.#size);
    const whole = new Uint8Array(this.#large);
    copy(this.#parts, whole);
    this.#parts = [];
    whole.set(part, before);
  }

  #take(): Line {
    const parts = this.#parts;
    const large = this.#large;
    const size = this.#size;
    this.#parts = [];
    this.#large = undefined;
    this.#size = 0;
    if (size > this.#maxLineBytes) return { size, head: parts[0]! };
    if (large !== undefined) return new Uint8Array(large, 0, size);
    return lineOf(parts.length === 1 ? parts[0]! : copy(parts, new Uint8Array(size)));
  }
}

/** Splits a run of whole lines, without its last LF. Small valid lines are decoded all at once. */
const appendLines = (lines: Line[], run: Uint8Array, maxLineBytes: number): void => {
  if (run.length < LARGE_LINE_BYTES && run.length <= maxLineBytes) {
    const text = lenient.decode(run);
    if (!text.includes("\uFFFD")) {
      // Most are one.
      if (!text.includes("\n")) lines.push(text);
      else for (const line of text.split("\n")) lines.push(line);
      return;
    }
  }
  for (let from = 0; ;) {
    const at = run.indexOf(LF, from);
    const bytes = run.subarray(from, at === -1 ? run.length : at);
    lines.push(bytes.length > maxLineBytes ? { size: bytes.length, head: headOf([bytes]) } : lineOf(bytes));
    if (at === -1) return;
    from = at + 1;
  }
};

const lineOf = (bytes: Uint8Array): Line => {
  const text = bytes.length < LARGE_LINE_BYTES ? utf8TextOf(bytes) : undefined;
  return text ?? new Uint8Array(bytes);
};

/** The text of bytes that are UTF-8. */
export const utf8TextOf = (bytes: Uint8Array): string | undefined => {
  try {
    return strict.decode(bytes);
  } catch {
    // Browsers, unlike Node, refuse bytes of a resizable buffer.
    if ((bytes.buffer as ArrayBuffer).resizable) return utf8TextOf(bytes.slice());
    // Not UTF-8: the caller keeps the bytes.
    return undefined;
  }
};

const headOf = (parts: readonly Uint8Array[]): Uint8Array => {
  const head = new Uint8Array(
    Math.min(
      HEAD_BYTES,
      parts.reduce((size, part) => size + part.length, 0),
    ),
  );
  let at = 0;
  for (const part of parts) {
    const piece = part.subarray(0, head.length - at);
    head.set(piece, at);
    at += piece.length;
    if (at === head.length) break;
  }
  return head;
};

const copy = (parts: readonly Uint8Array[], whole: Uint8Array): Uint8Array => {
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};
