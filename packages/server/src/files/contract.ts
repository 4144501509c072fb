// The only way for the rest of the server to reach files.

import type { Dirent, Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";

export type PathErrorCode = "outside-roots" | "not-found" | "bad-request";

/** What one device may see of the disk. */
export interface Sight {
  /** The roots. For roles below admin, the folders of sessions and of trusted projects. */
  readonly paths: ContainedPaths;
  /** For a single path that a row or an open request of a session names. */
  readonly named: ContainedPaths;
}

/** Real paths inside the roots, without hidden ones. A refusal is an error with a `PathErrorCode` in `code`. */
export interface ContainedPaths {
  /** Real paths of the visible folders. They may have been deleted. */
  readonly roots: readonly string[];
  /** Whether this absolute path is never shown, by its place or its name. The path is compared as it is spelled. */
  isHidden(path: string): boolean;
  /** Whether this real path is inside the folders, hidden or not. */
  contains(path: string): boolean;
  /** Whether this real path may be named in a list. Links are not followed. To read the file, use `open`. */
  shows(path: string): boolean;
  /** Like `resolve`. A missing file is located where it would be, after the links of its folders. */
  locate(path: string): Promise<{ readonly path: string; readonly exists: boolean }>;
  /** The real path, if it is inside. Checked now. To read it, use `open` or `list`, which check the open file. */
  resolve(path: string): Promise<string>;
  /** A regular file, opened for reading and checked once it is open. The caller closes the handle. */
  open(path: string): Promise<{ readonly handle: FileHandle; readonly path: string; readonly stats: Stats }>;
  list(path: string): Promise<{ readonly path: string; readonly entries: readonly Dirent[] }>;
}
