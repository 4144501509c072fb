// Files that a client may see: inside the roots, after every link was followed, and never a hidden path
// (files/hidden-paths.ts). The host's `contained-file.ts` opens a file so that nobody can swap it for another.

import { constants, realpathSync } from "node:fs";
import { realpath as realpathOf } from "node:fs/promises";
import { isAbsolute, join, sep } from "node:path";
import { entriesOf, FileError, isInside, openWhere } from "@quarterdeck/host";
import type { OpenedFile } from "@quarterdeck/host";
import { normalized } from "./hidden-paths.ts";
import type { IsHidden } from "./hidden-paths.ts";
import type { ContainedPaths, PathErrorCode } from "./contract.ts";

export { isInside };

export class PathError extends Error {
  override readonly name = "PathError";
  readonly code: PathErrorCode;
  constructor(code: PathErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export interface ContainedPathsOptions {
  /** Absolute paths. A missing root is refused. */
  readonly roots: readonly string[];
  /** Files and folders that are never shown, wherever they are. */
  readonly isHidden: IsHidden;
  /** Only these folders of the roots, as real paths. Called each time, because projects come and go. */
  readonly within?: () => readonly string[];
}

const LONGEST = 4096;

export const containedPaths = ({ roots: given, isHidden, within }: ContainedPathsOptions): ContainedPaths => {
  const roots = [...new Set(given.map((root) => realpathSync.native(root)))];
  const isInRoots = (path: string): boolean => roots.some((root) => isInside(path, root));
  const known = new Set(roots);
  let now: ReadonlySet<string> | undefined;
  /** Read once for all files of a list, which are checked in a row without a pause. */
  const folders = (): ReadonlySet<string> => {
    if (within === undefined) return known;
    if (now === undefined) {
      now = new Set(within().filter(isInRoots));
      queueMicrotask(() => (now = undefined));
    }
    return now;
  };
  const contains = (path: string): boolean => {
    const those = folders();
    for (let end = path.length; end > 0; end = path.lastIndexOf(sep, end - 1))
      if (those.has(path.slice(0, end))) return true;
    return those.has(sep);
  };
  const outside = within === undefined ? outsideOfRoots : notOpened;

  /** Throws unless the client may see this real path. */
  const admit = (real: string): string => {
    if (!contains(real) || isHidden(real)) throw outside();
    return real;
  };

  const checked = (path: string): string => {
    if (!isAbsolute(path) || path.includes("\0") || Buffer.byteLength(path) > LONGEST) {
      throw new PathError("bad-request", "A path must be absolute, without NUL, and at most 4096 bytes long.");
    }
    // Also checks the path as spelled: a link with a hidden name may lead to a visible file.
    if (isHidden(path)) throw outside();
    return path;
  };

  const realpath = async (path: string): Promise<string> => {
    try {
      return await realpathOf(path);
    } catch (error) {
      // The error does not reveal whether something exists elsewhere.
      admit(await nearestReal(path));
      throw failureOf(error);
    }
  };

  const opened = async (path: string, flags: number): Promise<OpenedFile> => {
    try {
      return await openWhere(await realpath(checked(path)), admit, flags);
    } catch (error) {
      throw failureOf(error);
    }
  };

  return {
    get roots() {
      return [...folders()].filter((folder) => !isHidden(folder));
    },
    isHidden,
    contains: (path) => contains(normalized(path)),
    shows: (path) => isAbsolute(path) && contains(normalized(path)) && !isHidden(path),
    async resolve(path) {
      return admit(await realpath(checked(path)));
    },
    async locate(path) {
      const spelled = checked(path);
      try {
        return { path: admit(await realpath(spelled)), exists: true };
      } catch (error) {
        if (!(error instanceof PathError) || error.code !== "not-found") throw error;
        return { path: admit(await nearestReal(spelled)), exists: false };
      }
    },
    async open(path) {
      const file = await opened(path, 0);
      if (file.stats.isFile()) return file;
      await file.handle.close();
      throw new PathError("bad-request", "This is not a regular file.");
    },
    async list(path) {
      const folder = await opened(path, constants.O_DIRECTORY);
      try {
        const entries = await entriesOf(folder, admit);
        return { path: folder.path, entries: entries.filter(({ name }) => !isHidden(join(folder.path, name))) };
      } catch (error) {
        throw failureOf(error);
      } finally {
        await folder.handle.close();
      }
    },
  };
};

const outsideOfRoots = (): PathError =>
  new PathError("outside-roots", "This path is outside of the folders that the server shares.");
const notOpened = (): PathError =>
  new PathError(
    "outside-roots",
    "This device sees only folders that have a session or are trusted. Ask an admin to start a session there.",
  );

/** Where a missing path would be: follows the links of the existing part, and keeps the rest as spelled. */
const nearestReal = async (path: string): Promise<string> => {
  const names = normalized(path).split(sep);
  let real = `${names[0]!}${sep}`;
  for (const [at, name] of names.entries()) {
    if (at === 0) continue;
    try {
      real = await realpathOf(join(real, name));
    } catch {
      // Missing, or not readable for us. The folder above decides.
      return join(real, ...names.slice(at));
    }
  }
  return real;
};

const failureOf = (error: unknown): unknown => {
  if (error instanceof FileError)
    return error.problem === "missing" ? new PathError("not-found", "The file does not exist.") : outsideOfRoots();
  switch ((error as NodeJS.ErrnoException).code) {
    case "ENOENT":
    case "ENOTDIR":
    case "ENXIO":
      return new PathError("not-found", "The file does not exist.");
    // The path was replaced by a link meanwhile.
    case "ELOOP":
      return outsideOfRoots();
    case "EACCES":
    case "EPERM":
      return new PathError("not-found", "This file cannot be read.");
    case "ENAMETOOLONG":
    case "EISDIR":
      return new PathError("bad-request", "This path cannot be used.");
    default:
      return error;
  }
};
