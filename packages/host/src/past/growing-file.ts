// A text file that another program appends to. Each read returns the complete lines that were added since the last
// read. If the file is shorter than before, or its end has changed, it was rewritten and is read from its start.

import type { FileHandle } from "node:fs/promises";
import { FileError, openRegular } from "../trust/contained-file.ts";

const CHUNK = 1 << 20;
const LF = 10;
/** Limit for one read. A longer text would not fit into a string. */
export const MOST_TRANSCRIPT_BYTES = 256 * 1024 * 1024;
/** The last bytes that are compared to recognize the file. */
const KNOWN = 64;

export class GrowingFile {
  readonly #path: string;
  /** End of the last line that was returned. */
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

  /** Reads up to the last line feed. A line that is still being written waits for its end. */
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
