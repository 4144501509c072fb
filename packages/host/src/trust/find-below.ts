// Searches below a folder with `find`. It reads folders several times faster than Node does, and leaves Node's file threads
// free for other work.

import { spawn } from "node:child_process";
import { HostError } from "../host-error.ts";

/** The search stops after this many paths. */
export const MOST_FOLDERS = 50_000;

/** A busy machine takes several seconds for that many. */
const TIMEOUT_MS = 30_000;

export interface FindOptions {
  /** The PATH to find `find` on. */
  readonly path: string;
  readonly timeoutMs?: number;
}

/**
 * Calls `onPath` for each path that `find` prints with `-print0`, until it returns false. Resolves with the exit code, null if
 * `onPath` stopped the search, or undefined if there is no `find`. Rejects if the search takes too long.
 */
export const findBelow = (
  args: readonly string[],
  { path, timeoutMs = TIMEOUT_MS }: FindOptions,
  onPath: (path: string) => boolean,
): Promise<number | null | undefined> =>
  new Promise((resolves, rejects) => {
    const child = spawn("find", args, {
      cwd: "/",
      env: { PATH: path, LC_ALL: "C" },
      stdio: ["ignore", "pipe", "ignore"],
    });
    let isLate = false;
    let isStopped = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill("SIGKILL");
    }, timeoutMs);
    let rest = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const paths = (rest + text).split("\0");
      rest = paths.pop()!;
      if (isStopped || paths.every(onPath)) return;
      isStopped = true;
      child.kill("SIGKILL");
    });
    child.on("error", () => {
      clearTimeout(timer);
      resolves(undefined);
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      if (isLate) rejects(folderBusy(args[0] ?? ""));
      // `find` may end before the signal reaches it. The search was stopped all the same.
      else resolves(isStopped ? null : code);
    });
  });

const folderBusy = (folder: string): HostError =>
  new HostError(
    "folder-busy",
    `The search of ${folder} took too long. Try again, or start without the folder's settings.`,
    { folder },
  );

export const isFolderBusy = (error: unknown): boolean => error instanceof HostError && error.code === "folder-busy";
