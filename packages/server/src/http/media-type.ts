// The type of a file, from its own bytes. A name and a header only say what the sender claims.

const MAGIC: readonly (readonly [string, (head: Buffer) => boolean])[] = [
  ["image/png", (head) => starts(head, "89504e470d0a1a0a")],
  ["image/jpeg", (head) => starts(head, "ffd8ff")],
  ["image/gif", (head) => starts(head, "474946383761") || starts(head, "474946383961")],
  ["image/webp", (head) => starts(head, "52494646") && ascii(head, 8, 12) === "WEBP"],
  ["image/bmp", (head) => starts(head, "424d") && head.length > 26 && head.readUInt32LE(6) === 0],
  ["image/avif", (head) => ascii(head, 4, 8) === "ftyp" && /^avi[fs]$/u.test(ascii(head, 8, 12))],
  [
    "image/heic",
    (head) => ascii(head, 4, 8) === "ftyp" && /^(?:hei[cxms]|hev[cx]|mif1|msf1)$/u.test(ascii(head, 8, 12)),
  ],
  // Some programs write a few bytes before the header.
  ["application/pdf", (head) => head.subarray(0, 1024).includes("%PDF-")],
  ["application/zip", (head) => starts(head, "504b0304") || starts(head, "504b0506")],
  ["application/gzip", (head) => starts(head, "1f8b")],
];

/** How much of the start `mediaTypeOf` needs. */
export const HEAD_BYTES = 1024;

/** `isText`: all of it is UTF-8 without a NUL. SVG and HTML count as text, so that a browser does not run them. */
export const mediaTypeOf = (head: Buffer, isText: boolean): string =>
  MAGIC.find(([, fits]) => fits(head))?.[0] ?? (isText ? "text/plain" : "application/octet-stream");

/** Reads a file in pieces and knows at the end whether it was text. */
export class TextCheck {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #isText = true;

  push(chunk: Buffer): void {
    if (!this.#isText) return;
    this.#isText = !chunk.includes(0) && this.#decodes(() => this.#decoder.decode(chunk, { stream: true }));
  }
  end(): boolean {
    return this.#isText && this.#decodes(() => this.#decoder.decode());
  }
  #decodes(decode: () => string): boolean {
    try {
      decode();
      return true;
    } catch {
      // Not UTF-8, so not text.
      return false;
    }
  }
}

const starts = (head: Buffer, hex: string): boolean => head.subarray(0, hex.length / 2).toString("hex") === hex;
const ascii = (head: Buffer, from: number, to: number): string => head.subarray(from, to).toString("latin1");
