// Files that were moved and not staged: git shows a deleted and an untracked file. A pair is found as git does it, by the share of bytes in lines
// that both have. Git itself reports files that are staged as renamed.

import { readGitBlob } from "./git.ts";
import type { Git, GitFileChange } from "./git.ts";
import type { ContainedPaths } from "./contract.ts";

export interface Rename {
  readonly from: string;
  readonly before: Buffer;
  readonly after: Buffer;
}

const MOST_FILES = 100;
const MOST_BYTES = 500_000;
const MOST_IN_ALL = 8_000_000;
const LEAST_SHARE = 0.5;

/** By the new path. */
export const unstagedRenames = async (
  git: Git,
  files: readonly Pick<GitFileChange, "path" | "status">[],
  paths: ContainedPaths,
): Promise<ReadonlyMap<string, Rename>> => {
  const found = new Map<string, Rename>();
  const named = (status: GitFileChange["status"]): string[] =>
    files.flatMap((file) => (file.status === status && paths.shows(file.path) ? [file.path] : [])).slice(0, MOST_FILES);
  const [gone, fresh] = [named("deleted"), named("untracked")];
  if (gone.length === 0 || fresh.length === 0) return found;
  let room = MOST_IN_ALL;
  const takes = (bytes: Buffer | undefined): bytes is Buffer => {
    if (bytes === undefined || bytes.length === 0 || bytes.length > MOST_BYTES || bytes.length > room) return false;
    room -= bytes.length;
    return true;
  };
  const [before, after] = [new Map<string, Buffer>(), new Map<string, Buffer>()];
  for (const path of gone) {
    const bytes = await readGitBlob(git, path);
    if (takes(bytes)) before.set(path, bytes);
  }
  for (const path of fresh) {
    const bytes = await readSmall(paths, path);
    if (takes(bytes)) after.set(path, bytes);
  }
  const pairs = [...after].flatMap(([path, bytes]) =>
    [...before].flatMap(([from, old]) => {
      const share = shareOf(old, bytes);
      return share < LEAST_SHARE ? [] : [{ path, from, share }];
    }),
  );
  const used = new Set<string>();
  for (const { path, from } of pairs.toSorted((a, b) => b.share - a.share)) {
    if (found.has(path) || used.has(from)) continue;
    used.add(from);
    found.set(path, { from, before: before.get(from)!, after: after.get(path)! });
  }
  return found;
};

const readSmall = async (paths: ContainedPaths, path: string): Promise<Buffer | undefined> => {
  const opened = await paths.open(path).catch(() => undefined);
  if (opened === undefined) return undefined;
  try {
    return opened.stats.size > MOST_BYTES ? undefined : await opened.handle.readFile();
  } finally {
    await opened.handle.close();
  }
};

/** From 0 to 1. */
const shareOf = (before: Buffer, after: Buffer): number => {
  if (before.equals(after)) return 1;
  const [small, large] = [Math.min(before.length, after.length), Math.max(before.length, after.length)];
  if (small / large < LEAST_SHARE) return 0;
  const left = new Map<string, number>();
  for (const line of linesOf(before)) left.set(line, (left.get(line) ?? 0) + 1);
  let same = 0;
  for (const line of linesOf(after)) {
    const count = left.get(line) ?? 0;
    if (count === 0) continue;
    left.set(line, count - 1);
    same += line.length;
  }
  return Math.min(same / large, 0.99);
};

const linesOf = (bytes: Buffer): string[] => bytes.toString("latin1").match(/[^\n]*\n|[^\n]+$/g) ?? [];
