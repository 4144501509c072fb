// Makes a folder and the folders above it. Node's `recursive` option never returns if the file system answers ENOENT although the
// parent exists, as /proc does. It tries to make the parent again and again.

import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Throws the error of the file system. An existing folder is left as it is. */
export const makeFolder = (path: string, mode: number): void => {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" && isFolder(path)) return;
    const parent = dirname(path);
    if (code !== "ENOENT" || parent === path || isFolder(parent)) throw error;
    makeFolder(parent, mode);
    mkdirSync(path, { mode });
  }
};

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
