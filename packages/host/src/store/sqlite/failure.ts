// Turns errors of SQLite and the file system into a StoreError. Any other error is a bug and stays unchanged.

import { StoreError } from "../event-store.ts";
import type { StoreErrorCode } from "../../host-error.ts";

/** SQLite's primary result codes (https://sqlite.org/rescode.html). */
const BY_RESULT: Readonly<Record<number, StoreErrorCode>> = {
  3: "no-permission", // PERM
  5: "locked", // BUSY
  6: "locked", // LOCKED
  8: "no-permission", // READONLY
  10: "io", // IOERR
  11: "corrupt", // CORRUPT
  13: "disk-full", // FULL
  14: "no-permission", // CANTOPEN
  23: "no-permission", // AUTH
  26: "corrupt", // NOTADB
};

const BY_ERRNO: Readonly<Record<string, StoreErrorCode>> = {
  ENOSPC: "disk-full",
  EDQUOT: "disk-full",
  EACCES: "no-permission",
  EPERM: "no-permission",
  EROFS: "no-permission",
  EIO: "io",
  EFBIG: "io",
  EMFILE: "io",
  ENFILE: "io",
  ENOTDIR: "io",
  ENOENT: "io",
  EEXIST: "io",
  ELOOP: "io",
  ENAMETOOLONG: "io",
};

export const failureOf = (error: unknown, what: string): unknown => {
  if (!(error instanceof Error) || error instanceof StoreError) return error;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  const known =
    typeof errcode === "number" ? BY_RESULT[errcode & 0xff] : typeof code === "string" ? BY_ERRNO[code] : undefined;
  return known === undefined ? error : new StoreError(known, `${what}: ${error.message}`, { cause: error });
};

/** Runs `work`. If it fails, the error says what failed. */
export const doing = <T>(what: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw failureOf(error, what);
  }
};
