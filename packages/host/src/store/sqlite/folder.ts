// The folder of a store and who may look into it: 0700, files 0600, no links, ours.

import { chmodSync, closeSync, fsyncSync, lstatSync, openSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { StoreError } from "../event-store.ts";
import { makeFolder } from "../../process/make-folder.ts";
import { doing } from "./failure.ts";

export const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const OTHERS = 0o077;

export const makePrivateFolder = (folder: string): void => {
  doing(`The folder ${folder} cannot be used`, () => {
    makeFolder(folder, PRIVATE_FOLDER);
    const { uid, mode } = statSync(folder);
    const own = process.getuid?.() ?? uid;
    // Root may keep its data in a mounted folder of somebody else's.
    if (uid !== own && own !== 0) throw new StoreError("no-permission", `The folder ${folder} belongs to user ${uid}.`);
    if ((mode & OTHERS) !== 0) chmodSync(folder, PRIVATE_FOLDER);
  });
};

/** What a store makes in its folder, where others may keep theirs too. */
const OURS = /^(sessions-\d+\.db.*|blobs|lock.*|owner\.json)$/;

/** Closes what others could read; a planted link is refused, because writing would go wherever it points. */
export const closeToOthers = (folder: string): void => {
  closeAll(
    folder,
    readdirSync(folder).filter((name) => OURS.test(name)),
  );
};

const closeAll = (folder: string, names: readonly string[]): void => {
  doing(`The files of ${folder} cannot be made private`, () => {
    for (const name of names) {
      const path = join(folder, name);
      const entry = lstatSync(path);
      if (entry.isSymbolicLink())
        throw new StoreError("no-permission", `${path} is a link, which a store never creates.`);
      if ((entry.mode & OTHERS) !== 0) chmodSync(path, entry.isDirectory() ? PRIVATE_FOLDER : PRIVATE_FILE);
      if (entry.isDirectory()) closeAll(path, readdirSync(path));
    }
  });
};

/**
 * Made by us and not by SQLite, which would leave the mode to the umask; its companions take over this file's mode. A file
 * that is there is not opened: closing it again would drop the locks that SQLite holds on it in this process.
 */
export const makePrivateFile = (path: string): void => {
  try {
    closeSync(openSync(path, "wx", PRIVATE_FILE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
};

/** A new name is durable when its folder is. */
export const syncFolder = (folder: string): void => {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
};

/** Bytes of all files below. */
export const sizeOfFolder = (folder: string): number => {
  let total = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    // A file may go while we look.
    total += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return total;
};
