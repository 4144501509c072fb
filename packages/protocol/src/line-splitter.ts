// Bytes in any chunks -> lines. Splits on LF alone (U+2028 and a lone CR are content), in linear time, with a bound.
// A line keeps everything between two LFs, so that the lines joined by LF are the bytes that came. It is text where
// its bytes are UTF-8; where they are not, and where it is large, it stays bytes: `decodeLine` takes either.

/** A line over the cap: its size and its beginning; the rest is gone. */
export interface OversizedLine {
  readonly size: number;
  readonly head: Uint8Array;
}
export type Line = string | Uint8Array | OversizedLine;

export interface LineSplitterOptions {
  /** Longest line that is handed on whole, in bytes without the LF. */
  readonly maxLineBytes?: number;
}

export const DEFAULT_MAX_LINE_BYTES = 64 * 1024 * 1024;
const HEAD_BYTES = 4096;
/** From here on a line is handed on as bytes: decoding it here would hold it twice. */
const LARGE_LINE_BYTES = 1024 * 1024;
/** No cap is higher: no JavaScript runtime makes a longer text of a line. */
const LONGEST_LINE_BYTES = 2 ** 29;
const LF = 10;

const lenient = new TextDecoder("utf-8", { ignoreBOM: true });
const strict = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

/** What it needs of the bytes that are pushed it copies: whoever reads into one buffer may use it again. */
export class LineSplitter {
  readonly #maxLineBytes: number;
  /** The line that has begun: its parts, or, once it is over the cap, its head alone. */
  #parts: Uint8Array[] = [];
  /** Instead of the parts, once the line is large: one buffer that grows in place, so that it is never held twice. */
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

  /** The last line, where the stream ended without LF. */
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
  const text = bytes.length < LARGE_LINE_BYTES ? textOf(bytes) : undefined;
  return text ?? new Uint8Array(bytes);
};

/** The text of bytes that are UTF-8. */
export const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    return strict.decode(bytes);
  } catch {
    // Browsers, unlike Node, refuse bytes that could still grow.
    if ((bytes.buffer as ArrayBuffer).resizable) return textOf(bytes.slice());
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
