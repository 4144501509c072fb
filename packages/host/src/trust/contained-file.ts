// The one way to open a path that others control. A link, a FIFO or a device in its place must not lead us elsewhere, block a
// thread or fill the memory. A path can be swapped between a check and the open. So the file is opened first, never through a
// link and never blocking, and then we ask where it is. On Linux the kernel says so (`/proc/self/fd`). Elsewhere we resolve the
// path again, and it must lead to the file that we hold.

import type { BigIntStats, Dirent, Stats } from "node:fs";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { lstat, open, readdir, readlink, realpath } from "node:fs/promises";
import { sep } from "node:path";

export interface OpenedFile {
  readonly handle: FileHandle;
  /** Where it really is. */
  readonly path: string;
  readonly stats: Stats;
}

/** Why a path was not read. `missing`: nothing is there. `folder`, `special`: it is not a regular file. */
export type FileProblem = "missing" | "outside" | "folder" | "special" | "too-large" | "unreadable";

export class FileError extends Error {
  override readonly name = "FileError";
  readonly problem: FileProblem;
  constructor(problem: FileProblem, path: string, options?: ErrorOptions) {
    super(`${path} ${WORDS[problem]}`, options);
    this.problem = problem;
  }
}
const WORDS: Readonly<Record<FileProblem, string>> = {
  missing: "does not exist.",
  outside: "is outside of the folder that may be read.",
  folder: "is a folder, not a file.",
  special: "is not a regular file.",
  "too-large": "is too large.",
  unreadable: "cannot be read.",
};

const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY;

export const isInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/**
 * Opens what a path leads to after every link. `admit` throws unless that place may be read. It is called before the open, because
 * opening can have effects of its own, and again with the place of the file that is held.
 */
export const openWhere = async (path: string, admit: (real: string) => void, flags = 0): Promise<OpenedFile> => {
  const real = await realpath(path);
  admit(real);
  const handle = await open(real, FLAGS | flags);
  try {
    const place = await realPlaceOf(handle, real);
    admit(place);
    return { handle, path: place, stats: await handle.stat() };
  } catch (error) {
    await handle.close();
    throw error;
  }
};

/** The entries of a folder that `openWhere` opened. Uses the handle where possible, because the path may lead elsewhere by now. */
export const entriesOf = async ({ handle, path }: OpenedFile, admit: (real: string) => void): Promise<Dirent[]> => {
  if (process.platform === "linux") return readdir(`/proc/self/fd/${String(handle.fd)}`, { withFileTypes: true });
  const entries = await readdir(path, { withFileTypes: true });
  admit(await realPlaceOf(handle, path));
  return entries;
};

/** Where an open handle really is. */
const realPlaceOf = async (handle: FileHandle, asked: string): Promise<string> => {
  if (process.platform === "linux") {
    const place = await readlink(`/proc/self/fd/${String(handle.fd)}`);
    // The kernel marks what has been deleted since.
    if (place.endsWith(" (deleted)")) throw new FileError("missing", asked);
    return place;
  }
  const real = await realpath(asked);
  const [held, there] = await Promise.all([handle.stat({ bigint: true }), lstat(real, { bigint: true })]);
  if (!isSame(held, there) || (await realpath(asked)) !== real) throw new FileError("outside", asked);
  return real;
};

const isSame = (a: BigIntStats, b: BigIntStats): boolean => a.dev === b.dev && a.ino === b.ino;

/** The bytes of a regular file in an admitted place. Rejects with a FileError, or with what `admit` throws. */
export const readWhere = async (path: string, admit: (real: string) => void, mostBytes: number): Promise<Buffer> => {
  try {
    const { handle, stats } = await openWhere(path, admit);
    return await readRest(path, handle, stats, mostBytes);
  } catch (error) {
    throw fileProblemOf(path, error);
  }
};

/** The bytes of a regular file that is not a link itself. The caller guarantees that the folders above it are safe. */
export const readRegular = async (path: string, mostBytes: number): Promise<Buffer> => {
  try {
    const { handle, stats } = await openRegular(path);
    return await readRest(path, handle, stats, mostBytes);
  } catch (error) {
    throw fileProblemOf(path, error);
  }
};

/** A regular file that is not a link itself; the caller closes it. */
export const openRegular = async (path: string): Promise<{ readonly handle: FileHandle; readonly stats: Stats }> => {
  try {
    const handle = await open(path, FLAGS);
    try {
      const stats = await handle.stat();
      mustBeRegular(path, stats);
      return { handle, stats };
    } catch (error) {
      await handle.close();
      throw error;
    }
  } catch (error) {
    throw fileProblemOf(path, error);
  }
};

/** Synchronous, for files that are read at startup. */
export const readRegularSync = (path: string, mostBytes: number): Buffer => {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, FLAGS);
    const stats = fstatSync(descriptor);
    mustBeRegular(path, stats);
    if (stats.size > mostBytes) throw new FileError("too-large", path);
    const bytes = Buffer.alloc(stats.size);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(descriptor, bytes, length, bytes.length - length, null);
    return bytes.subarray(0, length);
  } catch (error) {
    throw fileProblemOf(path, error);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
};

const readRest = async (path: string, handle: FileHandle, stats: Stats, mostBytes: number): Promise<Buffer> => {
  try {
    mustBeRegular(path, stats);
    const parts: Buffer[] = [];
    // A file that grows meanwhile, or a file of /proc, is longer than its size says.
    for (let length = 0; ;) {
      if (Math.max(length, stats.size) > mostBytes) throw new FileError("too-large", path);
      const room = Math.min(CHUNK, mostBytes + 1 - length, Math.max(stats.size - length, 0) + PROBE);
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(room), 0, room, null);
      if (bytesRead === 0) return Buffer.concat(parts);
      parts.push(buffer.subarray(0, bytesRead));
      length += bytesRead;
    }
  } finally {
    await handle.close();
  }
};
const CHUNK = 256 * 1024;
/** Spare room, so that one read also finds the end of the file. */
const PROBE = 512;

const mustBeRegular = (path: string, stats: Stats): void => {
  if (!stats.isFile()) throw new FileError(stats.isDirectory() ? "folder" : "special", path);
};

/** Errors of the system as a FileError; others as they are. */
export const fileProblemOf = (path: string, error: unknown): unknown => {
  const { code } = error as NodeJS.ErrnoException;
  const problem = typeof code === "string" ? PROBLEMS[code] : undefined;
  return problem === undefined ? error : new FileError(problem, path, { cause: error });
};
const PROBLEMS: Readonly<Record<string, FileProblem>> = {
  ENOENT: "missing",
  ENOTDIR: "missing",
  // Links form a circle, or a link replaced the file while we looked.
  ELOOP: "unreadable",
  EISDIR: "folder",
  // A socket, or a device without a driver.
  ENXIO: "special",
  ENODEV: "special",
  EACCES: "unreadable",
  EPERM: "unreadable",
  ENAMETOOLONG: "unreadable",
  EIO: "unreadable",
};
