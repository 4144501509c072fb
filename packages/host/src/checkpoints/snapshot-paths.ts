// Paths of a snapshot: which are looked at again, and what was left out before. Pure.

import { dirname } from "node:path";
import type { LeftOut } from "./left-out.ts";

/** More changed paths than this are not worth a list: all files are looked at. */
const MOST_LISTED = 200;
const MOST_LISTED_BYTES = 50_000;

/** `a/b` and `a` of `a/b/c`. */
export const parentFoldersOf = (path: string): string[] => {
  const folders: string[] = [];
  for (let at = dirname(path); at !== "."; at = dirname(at)) folders.push(at);
  return folders;
};

/** A change of it may change what is ignored, or is a repository of its own. */
export const IGNORES = /(?:^|\/)\.git(?:ignore)?$/;

/** The paths as arguments of git, or nothing where a look at some paths is not enough: what is ignored may be another now. */
export const listed = (told: ReadonlySet<string>, { repositories }: LeftOut): string[] | undefined => {
  const paths = [...told];
  const isPlain = (path: string): boolean =>
    !IGNORES.test(path) && !path.includes("\uFFFD") && !repositories.some((one) => isBelow(path, one));
  const bytes = paths.reduce((sum, path) => sum + Buffer.byteLength(path), 0);
  return paths.length <= MOST_LISTED && bytes <= MOST_LISTED_BYTES && paths.every(isPlain) ? paths : undefined;
};

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** What was left out before, except below paths that were looked at again. */
export const together = (before: LeftOut, now: LeftOut, paths: readonly string[]): LeftOut => {
  const both = (kind: keyof LeftOut): string[] => [
    ...new Set([...before[kind].filter((one) => !paths.some((path) => isBelow(one, path))), ...now[kind]]),
  ];
  return {
    large: both("large"),
    repositories: both("repositories"),
    unreadable: both("unreadable"),
    special: both("special"),
  };
};

export interface ChangedPath {
  readonly path: string;
  readonly isGone: boolean;
}

export const changedIn = (words: readonly string[]): ChangedPath[] => {
  const changed: ChangedPath[] = [];
  for (let at = 0; at + 1 < words.length; at += 2)
    changed.push({ path: words[at + 1]!, isGone: words[at]!.startsWith("D") });
  return changed;
};
