// Git for what clients see. A repository is used only if the caller may see all of it: its top level, its git
// directory, its common directory, and every source of its objects. A file in the folder can point each of these at
// another repository. If one of them is elsewhere, the server treats the folder as if it had no git.

import { constants } from "node:fs";
import type { Dirent } from "node:fs";
import { open, readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { isInside } from "./contained-path.ts";
import type { ContainedPaths } from "./contract.ts";
import { openGit } from "./git.ts";
import type { Git } from "./git.ts";

export interface GitSight {
  /** What the server shares with any device. */
  readonly roots: ContainedPaths;
  /** What the caller sees. The caller's session may be in a folder of a repository. */
  readonly seen: ContainedPaths;
}

/** `folder` is a real path that the caller may see. */
export const openSharedGit = async (folder: string, sight: GitSight): Promise<Git | undefined> => {
  const git = await openGit(folder);
  // If we cannot read a file, git may still be able to. So an error counts as not shared.
  const isShared = git !== undefined && (await isAllShared(git, folder, sight).catch(() => false));
  return isShared ? git : undefined;
};

const isAllShared = async (git: Git, folder: string, { roots, seen }: GitSight): Promise<boolean> => {
  const [root, own, common] = await Promise.all(
    [git.root, git.gitDir, git.commonDir].map((path) => realpath(path).catch(() => undefined)),
  );
  if (root === undefined || own === undefined || common === undefined) return false;
  if (root !== git.root || !isInside(folder, root)) return false;
  if (![root, own, common].every((path) => roots.shows(path))) return false;
  if (!(await belongsTo(git, own, common))) return false;
  const mayRead = (path: string): boolean =>
    isInside(path, own) || isInside(path, common) || (roots.shows(path) && seen.contains(path));
  return (await areOwnFiles([own, common], mayRead)) && areShared(join(common, "objects"), mayRead);
};

/** A folder can name any git directory. Only the git directory itself can say that it belongs to the folder. */
const belongsTo = async (git: Git, own: string, common: string): Promise<boolean> => {
  const { root } = git;
  if (own === join(root, ".git")) return common === own;
  // A worktree: its git directory names the file that leads to it.
  const back = await readShort(join(own, "gitdir"));
  if (back !== undefined) {
    const isListed = dirname(own) === join(common, "worktrees");
    const named = resolve(own, back.replace(/\n$/, ""));
    return isListed && basename(named) === ".git" && (await realpath(dirname(named)).catch(() => undefined)) === root;
  }
  // A submodule: the settings in its git directory name the folder.
  const { ok, stdout } = await git.run(["config", "--get", "core.worktree"]);
  const tree = resolve(own, stdout.replace(/\n$/, ""));
  return ok && common === own && (await realpath(tree).catch(() => undefined)) === root;
};

/** Links in git directories may lead to another repository's index, references and objects. */
const areOwnFiles = async (folders: readonly string[], mayRead: (path: string) => boolean): Promise<boolean> => {
  const places = new Set(
    folders.flatMap((folder) => [folder, join(folder, "objects"), join(folder, "objects", "pack")]),
  );
  for (const place of places) {
    const entries: Dirent[] = await readdir(place, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (!entry.isSymbolicLink()) continue;
      const target = await realpath(join(place, entry.name)).catch(() => undefined);
      if (target !== undefined && !mayRead(target)) return false;
    }
  }
  return true;
};

/** Git itself follows alternates of alternates this far. */
const MOST_LEVELS = 5;

const areShared = async (objects: string, mayRead: (path: string) => boolean, level = 0): Promise<boolean> => {
  const real = await realpath(objects).catch(() => undefined);
  // A missing folder gives no objects.
  if (real === undefined) return true;
  if (!mayRead(real) || level > MOST_LEVELS) return false;
  const text = await readShort(join(real, "info", "alternates"));
  for (const line of text?.split("\n") ?? []) {
    if (line === "" || line.startsWith("#")) continue;
    // Git unquotes such a line; a plain path never needs that.
    if (line.startsWith('"')) return false;
    if (!(await areShared(resolve(real, line), mayRead, level + 1))) return false;
  }
  return true;
};

const MOST_BYTES = 65_536;

/** Undefined if the file does not exist. Throws for a link, a pipe or a long file, where git might read more than we do. */
const readShort = async (path: string): Promise<string | undefined> => {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  const handle = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
  try {
    const stats = await handle?.stat();
    if (stats !== undefined && (!stats.isFile() || stats.size > MOST_BYTES))
      throw new Error(`${path} is not a short file.`);
    return await handle?.readFile("utf8");
  } finally {
    await handle?.close();
  }
};
