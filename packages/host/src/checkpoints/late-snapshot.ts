// A snapshot that its prompt did not wait for. It has the bytes from before the turn, except for files that the turn changed meanwhile.

import type { PrivateGit } from "./private-git.ts";
import type { WorkDone } from "./turn-work.ts";

export interface Late {
  readonly late?: true;
  /** Files that changed after the prompt was sent and before they were stored. */
  readonly unsure?: readonly string[];
}

/** The kernel's clock of files is a little behind. */
const BEHIND_MS = 50;
const MOST_NAMED = 200;

/** Edit tools leave a file behind whose time tells. A command may also have deleted one. */
export const lateness = async (git: PrivateGit, sentAt: number, { paths, shell }: WorkDone): Promise<Late> => {
  if (paths.size === 0 && !shell) return {};
  const unsure = changedSince(await git.text(["ls-files", "--debug", "-z"], { of: "files" }), sentAt - BEHIND_MS);
  if (unsure.length === 0) return shell ? { late: true } : {};
  return { late: true, unsure: unsure.slice(0, MOST_NAMED) };
};

const FACTS = 5;

/** Each path ends with a NUL. Five lines of facts follow, the first with the time of the last change. */
const changedSince = (listed: string, since: number): string[] => {
  const [first = "", ...parts] = listed.split("\0");
  const found: string[] = [];
  let path = first;
  for (const part of parts) {
    const [, seconds, nanos] = /^ {2}ctime: (\d+):(\d+)\n/.exec(part) ?? [];
    if (Number(seconds) * 1000 + Number(nanos) / 1e6 >= since) found.push(path);
    path = part.split("\n").slice(FACTS).join("\n");
  }
  return found;
};
