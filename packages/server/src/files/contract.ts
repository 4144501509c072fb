// The one way in which the rest of the server reaches files.

import type { Dirent, Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";

export type PathErrorCode = "outside-roots" | "not-found" | "bad-request";

/** What one device may see of the disk. */
export interface Sight {
  /** Of the roots; for roles below admin, the folders of sessions and of trusted projects. */
  readonly paths: ContainedPaths;
  /** Of one path that a session's own row or open request names. */
  readonly named: ContainedPaths;
}

/** Real paths inside of the roots, never what is hidden. Refusals are errors with a `PathErrorCode` in `code`. */
export interface ContainedPaths {
  /** Real paths of the folders that are seen. They may have been deleted. */
  readonly roots: readonly string[];
  /** Whether this absolute path is never shown, by its place or its name. The path is compared as it is spelled. */
  isHidden(path: string): boolean;
  /** Whether this real path lies inside of the folders, hidden or not. */
  contains(path: string): boolean;
  /** Whether this real path may be named in a list. Links are not followed. To read the file, use `open`. */
  shows(path: string): boolean;
  /** As `resolve`. A file that does not exist is located where it would be, after the links of its folders. */
  locate(path: string): Promise<{ readonly path: string; readonly exists: boolean }>;
  /** The real path, if it is inside. Checked now. To read it, use `open` or `list`, which check the open file. */
  resolve(path: string): Promise<string>;
  /** A regular file, opened for reading and checked once it is open. The caller closes the handle. */
  open(path: string): Promise<{ readonly handle: FileHandle; readonly path: string; readonly stats: Stats }>;
  list(path: string): Promise<{ readonly path: string; readonly entries: readonly Dirent[] }>;
}
