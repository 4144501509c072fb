// Bodies that are too large for a row, as files named by their SHA-256. Each session has one folder, which is deleted
// with the session, so no reference count is needed. A blob is durable before a row names it.

import { createHash } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { PRIVATE_FILE, syncFolder } from "./folder.ts";

export const BLOBS_FOLDER = "blobs";

export interface WrittenBlob {
  readonly hash: string;
  readonly bytes: number;
  /** If the file already existed, a failed commit of its row must not delete it. */
  readonly isNew: boolean;
}

export class Blobs {
  readonly #root: string;

  constructor(folder: string) {
    this.#root = join(folder, BLOBS_FOLDER);
  }

  write(space: string, body: string): WrittenBlob {
    const content = Buffer.from(body, "utf8");
    const hash = hashOf(content);
    const path = this.pathOf(space, hash);
    if (statSync(path, { throwIfNoEntry: false })?.size === content.length) {
      return { hash, bytes: content.length, isNew: false };
    }
    const folder = join(this.#root, space);
    if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) syncFolder(this.#root);
    const unfinished = `${path}.new`;
    try {
      writeDurably(unfinished, content);
      renameSync(unfinished, path);
    } catch (error) {
      rmSync(unfinished, { force: true });
      throw error;
    }
    syncFolder(folder);
    return { hash, bytes: content.length, isNew: true };
  }

  /** Returns undefined if the content does not match the name. */
  read(space: string, hash: string): string | undefined {
    let content: Buffer;
    try {
      content = readFileSync(this.pathOf(space, hash));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
    return hashOf(content) === hash ? content.toString("utf8") : undefined;
  }

  sizeOf(space: string, hash: string): number {
    return statSync(this.pathOf(space, hash), { throwIfNoEntry: false })?.size ?? 0;
  }

  remove(space: string, hash: string): void {
    rmSync(this.pathOf(space, hash), { force: true });
  }

  removeSpace(space: string): void {
    rmSync(join(this.#root, space), { recursive: true, force: true });
  }

  /** Deletes what a crash left: files written after `since` that no row names. */
  sweep(since: number, isNeeded: (space: string, hash: string) => boolean): void {
    for (const space of entriesOf(this.#root)) {
      for (const name of entriesOf(join(this.#root, space))) {
        if (statSync(this.pathOf(space, name)).mtimeMs >= since && !isNeeded(space, name)) this.remove(space, name);
      }
      if (entriesOf(join(this.#root, space)).length === 0) this.removeSpace(space);
    }
  }

  pathOf(space: string, hash: string): string {
    return join(this.#root, space, hash);
  }
}

const hashOf = (content: Buffer): string => createHash("sha256").update(content).digest("hex");

const writeDurably = (path: string, content: Buffer): void => {
  const handle = openSync(path, "w", PRIVATE_FILE);
  try {
    for (let at = 0; at < content.length;) at += writeSync(handle, content, at);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
};

const entriesOf = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
};
