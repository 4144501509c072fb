// The files below a folder, relative to it. With git: the files that git tracks or would add. Without git: a search
// that skips folders that nobody mentions. The number is limited, and the result is cached for a moment, because each
// typed letter asks again.

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { ContainedPaths } from "./contract.ts";
import { listGitFiles } from "./git.ts";
import { openSharedGit } from "./shared-git.ts";
import type { GitSight } from "./shared-git.ts";

export interface FolderFiles {
  readonly files: readonly string[];
  /** Folders of those files, each with a trailing slash. */
  readonly folders: readonly string[];
  /** There are more files than were searched. */
  readonly incomplete: boolean;
}

const MOST_FILES = 50_000;
const KEPT_MS = 5000;
const MOST_KEPT = 16;
/** Skipped outside repositories: rarely wanted, and often huge. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ".git",
  ".hg",
  ".svn",
  ".jj",
  "node_modules",
  "__pycache__",
  ".venv",
  ".cache",
  "target",
  "dist",
  "build",
]);

/** Cached per view, because roles see different files of one folder. */
const keptFor = new WeakMap<
  ContainedPaths,
  Map<string, { readonly at: number; readonly files: Promise<FolderFiles> }>
>();

/** `folder` is a real path that the caller may see. Files that the caller may not see are left out. */
export const filesBelow = (folder: string, sight: GitSight, now: number = Date.now()): Promise<FolderFiles> => {
  const kept = keptFor.get(sight.seen) ?? new Map<string, { at: number; files: Promise<FolderFiles> }>();
  keptFor.set(sight.seen, kept);
  const known = kept.get(folder);
  if (known !== undefined && now - known.at < KEPT_MS) return known.files;
  const files = read(folder, sight);
  kept.delete(folder);
  kept.set(folder, { at: now, files });
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST_KEPT) break;
    kept.delete(oldest);
  }
  return files;
};

const read = async (folder: string, sight: GitSight): Promise<FolderFiles> => {
  const isShown = (path: string): boolean => sight.seen.shows(join(folder, path));
  const git = await openSharedGit(folder, sight);
  const listed = git && (await listGitFiles(git, folder));
  const files = (listed ?? (await walk(folder, isShown))).filter(isShown);
  const some = files.slice(0, MOST_FILES);
  return { files: some, folders: foldersOf(some), incomplete: files.length > MOST_FILES };
};

const foldersOf = (files: readonly string[]): string[] => {
  const folders = new Set<string>();
  for (const file of files) {
    for (let slash = file.lastIndexOf("/"); slash > 0; slash = file.lastIndexOf("/", slash - 1)) {
      const folder = file.slice(0, slash + 1);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return [...folders];
};

/** Level by level, so that a limit cuts the deepest files. Links are not followed. */
const walk = async (root: string, isShown: (path: string) => boolean): Promise<string[]> => {
  const files: string[] = [];
  for (let level = [""]; level.length > 0 && files.length <= MOST_FILES;) {
    const next: string[] = [];
    for (const folder of level) {
      const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
      for (const entry of entries) {
        const path = `${folder}${entry.name}`;
        if (entry.isFile()) files.push(path);
        else if (entry.isDirectory() && !LEFT_OUT.has(entry.name) && isShown(path)) next.push(`${path}/`);
      }
      if (files.length > MOST_FILES) break;
    }
    level = next;
  }
  return files;
};
