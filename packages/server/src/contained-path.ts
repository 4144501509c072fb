// Files that a client may see: inside of the roots, after every link was followed, and never our own data directory. How a file is
// opened so that nobody can swap it for another is the host's `contained-file.ts`.

import { constants, realpathSync } from "node:fs";
import { realpath as realpathOf } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import { entriesOf, FileError, isInside, openWhere } from "@quarterdeck/host";
import type { OpenedFile } from "@quarterdeck/host";
import type { ContainedPaths, PathErrorCode } from "./seams.ts";

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
  /** Absolute. One that is not there is refused. */
  readonly roots: readonly string[];
  /** Folders and files inside of the roots that nobody may see. They need not exist yet. */
  readonly hidden: readonly string[];
}

/** What lies in every home and is nobody's business: keys, and the logins of other programs. */
export const HIDDEN_IN_HOME = [
  ...[".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker/config.json", ".netrc", ".npmrc", ".pypirc"],
  ...[".git-credentials", ".password-store", ".claude/.credentials.json", ".config/gcloud", ".config/gh"],
] as const;

const LONGEST = 4096;

export const containedPaths = (options: ContainedPathsOptions): ContainedPaths => {
  const roots = [...new Set(options.roots.map((root) => realpathSync.native(root)))];
  const spelled = [...roots, ...options.roots];
  /** Looked up each time: what was not there may have come, and what was a folder may be a link now. */
  const hiddenNow = (): readonly string[] => options.hidden.map(realOrSame);
  const isHidden = (real: string, hidden = hiddenNow()): boolean => hidden.some((path) => isInside(real, path));

  /** Throws unless this real path may be seen. */
  const admit = (real: string): string => {
    if (!roots.some((root) => isInside(real, root)) || isHidden(real)) throw outside();
    return real;
  };

  const realpath = async (path: string): Promise<string> => {
    try {
      return await realpathOf(path);
    } catch (error) {
      // Whether something exists outside is nobody's business either.
      throw spelled.some((root) => isInside(resolve(path), root)) ? failureOf(error) : outside();
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
    roots,
    async resolve(path) {
      return admit(await realpath(checked(path)));
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
        const hidden = hiddenNow();
        return { path: folder.path, entries: entries.filter(({ name }) => !isHidden(join(folder.path, name), hidden)) };
      } catch (error) {
        throw failureOf(error);
      } finally {
        await folder.handle.close();
      }
    },
  };
};

const outside = (): PathError => new PathError("outside-roots", "This path is outside of the folders that are shared.");

const checked = (path: string): string => {
  if (!isAbsolute(path) || path.includes("\0") || Buffer.byteLength(path) > LONGEST) {
    throw new PathError("bad-request", "A path is absolute, has no NUL and is not longer than 4096 bytes.");
  }
  return path;
};

/** For what may not exist: its own spelling is then all there is to compare with. */
const realOrSame = (path: string): string => {
  try {
    return realpathSync.native(path);
  } catch {
    // Not there, so nothing can be read from it either.
    return path;
  }
};

const failureOf = (error: unknown): unknown => {
  if (error instanceof FileError)
    return error.problem === "missing" ? new PathError("not-found", "There is no such file.") : outside();
  switch ((error as NodeJS.ErrnoException).code) {
    case "ENOENT":
    case "ENOTDIR":
    case "ENXIO":
      return new PathError("not-found", "There is no such file.");
    // Swapped for a link while we looked.
    case "ELOOP":
      return outside();
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
