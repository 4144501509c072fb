// Writes files back. Others control the folder, so every step starts from an open folder. A link on the way is never
// followed. A file that differs from the snapshot is left alone. A file is replaced whole or not at all.

import { createHash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import type { Stats } from "node:fs";
import { lstat, mkdir, open, readlink, rename, rmdir, symlink, unlink } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import type { RestoredEntry } from "./journal.ts";
import type { TreeEntry } from "./tree-diff.ts";

export interface Left {
  readonly path: string;
  readonly reason: string;
}

export interface Restored {
  readonly done: readonly RestoredEntry[];
  readonly left: readonly Left[];
}

export type ReadBytes = (oids: readonly string[]) => Promise<ReadonlyMap<string, Buffer>>;

const LINK = "120000";
const AT_ONCE = 100;

/** Removes first, so that a file can take the place of a folder; then writes. */
export const restoreFiles = async (
  folder: string,
  entries: readonly RestoredEntry[],
  read: ReadBytes,
): Promise<Restored> => {
  const done: RestoredEntry[] = [];
  const left: Left[] = [];
  const attempt = async (entry: RestoredEntry, bytes: Buffer | undefined): Promise<void> => {
    try {
      await restoreOne(folder, entry, bytes);
      done.push(entry);
    } catch (error) {
      left.push({ path: entry.path, reason: reasonOf(error) });
    }
  };
  const depth = ({ path }: RestoredEntry): number => path.split("/").length;
  const removed = entries.filter(({ to }) => to === undefined).toSorted((a, b) => depth(b) - depth(a));
  for (const entry of removed) await attempt(entry, undefined);
  const written = entries.filter(({ to }) => to !== undefined);
  for (let at = 0; at < written.length; at += AT_ONCE) {
    const some = written.slice(at, at + AT_ONCE);
    const blobs = await read(some.flatMap(({ to }) => (to === undefined ? [] : [to.oid])));
    for (const entry of some) await attempt(entry, blobs.get(entry.to!.oid));
  }
  return { done, left };
};

class InTheWay extends Error {
  override readonly name = "InTheWay";
}

const reasonOf = (error: unknown): string => {
  if (error instanceof InTheWay) return error.message;
  switch ((error as NodeJS.ErrnoException).code) {
    case "EACCES":
    case "EPERM":
      return "This file or its folder cannot be written. Check its permissions.";
    case "EROFS":
      return "This file is on a read-only disk.";
    case "ENOSPC":
    case "EDQUOT":
      return "The disk is full.";
    case "ELOOP":
    case "ENOTDIR":
      return "A link or a file is where its folder was.";
    default:
      return error instanceof Error ? error.message : String(error);
  }
};

const restoreOne = async (folder: string, entry: RestoredEntry, bytes: Buffer | undefined): Promise<void> => {
  const { path, from, to } = entry;
  const names = path.split("/");
  if (names.some((name) => name === "" || name === "." || name === ".." || name.toLowerCase() === ".git"))
    throw new InTheWay("This path cannot be restored.");
  const name = names.at(-1)!;
  await within(folder, names.slice(0, -1), to !== undefined, async (base) => {
    const place = join(base, name);
    const stats = await statsOf(place);
    await mustBe(place, stats, from);
    if (to === undefined) {
      if (stats !== undefined) await unlink(place);
      return;
    }
    if (bytes === undefined) throw new InTheWay("Its earlier contents are missing.");
    // Only an empty folder goes.
    if (stats?.isDirectory() === true) await rmdir(place).catch(() => Promise.reject(new InTheWay(FOLDER)));
    const fresh = join(base, `.quarterdeck-${randomUUID()}`);
    try {
      if (to.mode === LINK) await symlink(bytes, fresh);
      else await writeFresh(fresh, bytes, to, stats?.isFile() === true ? stats.mode & 0o777 : undefined);
      // Somebody may have written meanwhile.
      await mustBe(place, await statsOf(place), stats?.isDirectory() === true ? undefined : from);
      await rename(fresh, place);
    } catch (error) {
      await unlink(fresh).catch(() => {});
      throw error;
    }
  });
  if (to === undefined) await removeEmpty(folder, names.slice(0, -1));
};

const FOLDER = "A folder with other files is in its place.";

const writeFresh = async (
  path: string,
  bytes: Buffer,
  { mode }: TreeEntry,
  known: number | undefined,
): Promise<void> => {
  const isProgram = mode === "100755";
  const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, isProgram ? 0o777 : 0o666);
  try {
    await handle.writeFile(bytes);
    if (known !== undefined) await handle.chmod(isProgram ? known | ((known & 0o444) >> 2) : known & ~0o111);
  } finally {
    await handle.close();
  }
};

const statsOf = (place: string): Promise<Stats | undefined> =>
  lstat(place).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });

/** Throws unless the place has what the snapshot had. */
const mustBe = async (place: string, stats: Stats | undefined, from: TreeEntry | undefined): Promise<void> => {
  const changed = new InTheWay("It has changed since the snapshot.");
  if (from === undefined) {
    if (stats === undefined || stats.isDirectory()) return;
    throw stats.isFile() || stats.isSymbolicLink() ? changed : new InTheWay(SPECIAL);
  }
  if (stats === undefined) throw changed;
  if (stats.isSymbolicLink()) {
    if (from.mode !== LINK || oidOf(await readlink(place, "buffer")) !== from.oid) throw changed;
    return;
  }
  if (!stats.isFile()) throw stats.isDirectory() ? new InTheWay(FOLDER) : new InTheWay(SPECIAL);
  if (from.mode === LINK) throw changed;
  const handle = await open(place, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    if (!(await handle.stat()).isFile() || oidOf(await handle.readFile()) !== from.oid) throw changed;
  } finally {
    await handle.close();
  }
};

const SPECIAL = "A pipe, a socket or a device is in its place.";

/** The name that git gives to these bytes. */
const oidOf = (bytes: Buffer): string =>
  createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");

const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Runs the work with a path that means the folder itself, whatever happens to its name. On Linux this is the open folder. Elsewhere it is the
 * path, which was checked for links just before.
 */
const within = async <T>(
  folder: string,
  names: readonly string[],
  makes: boolean,
  work: (base: string) => Promise<T>,
): Promise<T> => {
  let held = await open(folder, FOLDER_FLAGS);
  let path = folder;
  try {
    for (const name of names) {
      const next = join(baseOf(held, path), name);
      let inner: FileHandle;
      try {
        inner = await open(next, FOLDER_FLAGS);
      } catch (error) {
        if (!makes || (error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
        await mkdir(next);
        inner = await open(next, FOLDER_FLAGS);
      }
      await held.close();
      held = inner;
      path = join(path, name);
    }
    return await work(baseOf(held, path));
  } catch (error) {
    // Nothing to remove where its folder is gone, too.
    if (!makes && (error as NodeJS.ErrnoException).code === "ENOENT")
      throw new InTheWay("It has changed since the snapshot.");
    throw error;
  } finally {
    await held.close();
  }
};

const baseOf = (held: FileHandle, path: string): string =>
  process.platform === "linux" ? `/proc/self/fd/${held.fd}` : path;

/** Git knows no empty folders, so none stays where its last file was removed. */
const removeEmpty = async (folder: string, names: readonly string[]): Promise<void> => {
  for (let length = names.length; length > 0; length--) {
    try {
      await within(folder, names.slice(0, length - 1), false, (base) => rmdir(join(base, names[length - 1]!)));
    } catch {
      // It has other files, or is not ours to remove.
      return;
    }
  }
};
