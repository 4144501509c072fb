// A text file that another program appends to: each reading gives the whole lines that have come since the last one. One that is
// shorter than it was, or whose end is no longer what it was, has been written anew and is read from its start.

import type { FileHandle } from "node:fs/promises";
import { FileError, openRegular } from "../trust/contained-file.ts";

const CHUNK = 1 << 20;
const LF = 10;
/** At once. A longer text than this would not fit into a string either. */
export const MOST_TRANSCRIPT_BYTES = 256 * 1024 * 1024;
/** So many of the last bytes are compared, to know the file again. */
const KNOWN = 64;

export class GrowingFile {
  readonly #path: string;
  /** Behind the last line that was given. */
  #offset = 0;
  #inode = 0;
  #end: Buffer = Buffer.alloc(0);

  constructor(path: string) {
    this.#path = path;
  }

  async read(): Promise<string> {
    const { handle: file, stats } = await openRegular(this.#path);
    try {
      const { ino, size } = stats;
      if (!(await this.#isKnown(file, ino, size))) {
        this.#offset = 0;
        this.#end = Buffer.alloc(0);
      }
      this.#inode = ino;
      return await this.#rest(file);
    } finally {
      await file.close();
    }
  }

  async #isKnown(file: FileHandle, inode: number, size: number): Promise<boolean> {
    if (inode !== this.#inode || size < this.#offset) return false;
    return this.#end.equals(await bytesOf(file, this.#offset - this.#end.length, this.#end.length));
  }

  /** Up to the last line feed: a line that is still being written waits for its end. */
  async #rest(file: FileHandle): Promise<string> {
    const parts: Buffer[] = [];
    for (let at = this.#offset; ;) {
      const chunk = await bytesOf(file, at, CHUNK);
      if (chunk.length === 0) break;
      parts.push(chunk);
      at += chunk.length;
      if (at - this.#offset > MOST_TRANSCRIPT_BYTES) throw new FileError("too-large", this.#path);
    }
    const all = Buffer.concat(parts);
    const whole = all.subarray(0, all.lastIndexOf(LF) + 1);
    if (whole.length === 0) return "";
    this.#offset += whole.length;
    this.#end = Buffer.from(Buffer.concat([this.#end, whole]).subarray(-KNOWN));
    return whole.toString("utf8");
  }
}

const bytesOf = async (file: FileHandle, at: number, length: number): Promise<Buffer> => {
  if (length === 0) return Buffer.alloc(0);
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
};
