// One writer per folder. The kernel holds the lock for us, on a file that SQLite locks and that nobody ever writes, so a
// killed process leaves none behind and a reused pid means nothing. Beside it stands who holds it, for the refusal's text.
// Nothing in this process may open the lock file by other means: closing it would drop the lock.

import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../event-store.ts";
import { doing, failureOf } from "./failure.ts";
import { makePrivateFile, PRIVATE_FILE } from "./folder.ts";

export interface Lock {
  /** Where the last owner did not end by closing the store: when it had opened it. */
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
    // Not written yet, or being written: the lock counts, not its label.
  }
  return "another process";
};
