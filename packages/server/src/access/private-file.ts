// Files of the data directory that only we may read: the secret, the devices, the running server's address. A link,
// another user's file, or a file that others can read is refused and not repaired, because others may already know its
// content.

import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, fsyncSync, lstatSync, openSync } from "node:fs";
import { chmodSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "@quarterdeck/host";
import { ServerError } from "../server-error.ts";

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const OTHERS = 0o077;

/** Creates the folder if it is missing. An existing folder becomes private, because it holds no secret yet. */
export const makePrivateFolder = (folder: string): void => {
  try {
    makeFolder(folder, PRIVATE_FOLDER);
    const { uid, mode } = statSync(folder);
    refuseForeign(folder, uid);
    if ((mode & OTHERS) !== 0) chmodSync(folder, PRIVATE_FOLDER);
  } catch (error) {
    throw explained(error, folder);
  }
};

/** Returns undefined if the file does not exist. */
export const readPrivateFile = (path: string): string | undefined => {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code === "ELOOP") throw new ServerError(`${path} is a link, which Quarterdeck never creates. Remove it.`);
    throw explained(error, path);
  }
  try {
    const { uid, mode } = fstatSync(descriptor);
    refuseForeign(path, uid);
    if ((mode & OTHERS) !== 0) {
      throw new ServerError(
        `${path} can be read by others (mode ${(mode & 0o777).toString(8)}), so they may know its contents. ` +
          "Remove it and pair your devices again, or `chmod 600` it if you are sure that nobody has read it.",
      );
    }
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
};

/** Writes all of it or nothing, even if the power fails. */
export const writePrivateFile = (path: string, text: string): void => {
  const unfinished = `${path}.${randomBytes(8).toString("hex")}`;
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
      throw new ServerError(`${path} is a link, which Quarterdeck never creates. Remove it.`);
    }
    const descriptor = openSync(unfinished, "wx", PRIVATE_FILE);
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(unfinished, path);
    syncFolder(dirname(path));
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw explained(error, path);
  }
};

const syncFolder = (folder: string): void => {
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

const refuseForeign = (path: string, uid: number): void => {
  const own = process.getuid?.() ?? uid;
  // Root may keep its data in a mounted folder that another user owns.
  if (uid !== own && own !== 0) {
    throw new ServerError(
      `${path} belongs to another user (${String(uid)}). Choose a folder of yours with --data-dir.`,
    );
  }
};

const explained = (error: unknown, path: string): unknown => {
  const { code, syscall } = error as NodeJS.ErrnoException;
  switch (code) {
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new ServerError(
        `${path} cannot be written (${code}). Give yourself the permission, or choose --data-dir.`,
      );
    case "ENOSPC":
    case "EDQUOT":
      return new ServerError(`The disk is too full for ${path}. Free some disk space, or choose --data-dir.`);
    case "EEXIST":
    case "ENOTDIR":
      return new ServerError(`${path} cannot be used: a file is where a folder is needed. Choose --data-dir.`);
    default:
      // An error of the file system is shown to the person who chose the folder. Any other error is a bug.
      return syscall === undefined
        ? error
        : new ServerError(`${path} cannot be used (${code ?? syscall}). Choose another folder with --data-dir.`);
  }
};
