// The folder of a store and its permissions: owned by us, mode 0700, files 0600, no links.

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
    // Root may keep its data in a mounted folder that another user owns.
    if (uid !== own && own !== 0) throw new StoreError("no-permission", `The folder ${folder} belongs to user ${uid}.`);
    if ((mode & OTHERS) !== 0) chmodSync(folder, PRIVATE_FOLDER);
  });
};

/** Names that a store creates in its folder. Other programs may keep files there too. */
const OURS = /^(sessions-\d+\.db.*|blobs|lock.*|owner\.json)$/;

/** Makes our files private. A planted link is refused, because a write would follow it. */
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
 * We create the file, because SQLite would take its mode from the umask. SQLite gives this mode to the companion files.
 * An existing file is not opened: closing it would drop the locks that SQLite holds on it in this process.
 */
export const makePrivateFile = (path: string): void => {
  try {
    closeSync(openSync(path, "wx", PRIVATE_FILE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
};

/** A new name is durable after its folder is synced. */
export const syncFolder = (folder: string): void => {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
};

/** Size of all files in the folder, in bytes. */
export const sizeOfFolder = (folder: string): number => {
  let total = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    // A file may disappear meanwhile.
    total += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return total;
};
