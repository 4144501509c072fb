// Makes a folder and the folders above it. Node's own `recursive` never returns where a file system answers ENOENT for a folder
// whose parent is there, as /proc does: it makes the parent again and again.

import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Throws what the file system says; a folder that is there stays as it is. */
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
