// One writer per folder. The lock is a kernel lock on a file that SQLite locks and nobody writes. A killed process
// leaves no lock, and a reused pid does not matter. A file next to it says who holds the lock, for the error message.
// Nothing else in this process may open the lock file: closing it would drop the lock.

import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../event-store.ts";
import { doing, failureOf } from "./failure.ts";
import { makePrivateFile, PRIVATE_FILE } from "./folder.ts";

export interface Lock {
  /** Set if the last owner did not close the store: the time when it opened it. */
  readonly crashedOwnerSince: number | undefined;
  release(): void;
}

export const LOCK_FILE = "lock";
export const OWNER_FILE = "owner.json";

export const takeLock = (folder: string): Lock => {
  const path = join(folder, LOCK_FILE);
  const owner = join(folder, OWNER_FILE);
  doing(`${path} cannot be made`, () => makePrivateFile(path));
  const database = doing(`${path} cannot be opened`, () => new DatabaseSync(path));
  try {
    database.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    const failure = failureOf(error, `${folder} cannot be locked`);
    if (!(failure instanceof StoreError) || failure.code !== "locked") throw failure;
    throw new StoreError("locked", `${folder} is in use by ${describeOwner(owner)}.`, { cause: error });
  }
  const crashedOwnerSince = statSync(owner, { throwIfNoEntry: false })?.mtimeMs;
  const startedAt = new Date(Date.now() - process.uptime() * 1000).toISOString();
  doing(`${owner} cannot be written`, () =>
    writeFileSync(owner, JSON.stringify({ pid: process.pid, startedAt }), { mode: PRIVATE_FILE }),
  );
  return {
    crashedOwnerSince,
    release() {
      rmSync(owner, { force: true });
      database.close();
    },
  };
};

const describeOwner = (path: string): string => {
  try {
    const { pid, startedAt } = JSON.parse(readFileSync(path, "utf8")) as { pid?: unknown; startedAt?: unknown };
    if (typeof pid === "number") return `process ${pid}, started ${String(startedAt)}`;
  } catch {
    // The label is missing or incomplete. The lock itself still holds.
  }
  return "another process";
};
