// What a snapshot does not contain, and the words for it.

import { readRegular } from "../trust/contained-file.ts";
import { lstat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";

export interface LeftOut {
  /** Files above the size limit. */
  readonly large: readonly string[];
  /** Submodules and other repositories inside of the folder. */
  readonly repositories: readonly string[];
  /** Files that cannot be read, and names that are not UTF-8. */
  readonly unreadable: readonly string[];
  /** Pipes, sockets and devices that replaced a file. */
  readonly special: readonly string[];
}

export const NOTHING_LEFT_OUT: LeftOut = { large: [], repositories: [], unreadable: [], special: [] };

/** Folders that tools fill and nobody reviews. A file that the user's repository tracks is kept wherever it is. */
const NEVER = [
  ...["node_modules/", "bower_components/", "__pycache__/", ".venv/", ".tox/", ".nox/", ".mypy_cache/"],
  ...[".pytest_cache/", ".ruff_cache/", ".gradle/", ".terraform/", ".hg/", ".svn/", ".jj/", ".DS_Store"],
];

/** Names of those folders. */
export const PASSED_FOLDERS: ReadonlySet<string> = new Set(
  NEVER.flatMap((line) => (line.endsWith("/") ? [line.slice(0, -1)] : [])),
);

const MOST_BYTES = 256 * 1024;
const MOST_LEVELS = 20;

/** The lines of the private `info/exclude`. `own` is our data folder, which may be inside of the folder. */
export const excludesFor = async (folder: string, own: string): Promise<string> => {
  const lines = [...NEVER];
  const inside = relative(folder, own);
  if (inside !== "" && !inside.startsWith("..")) lines.push(`/${escaped(inside)}/`);
  lines.push(...(await linesOf(join(folder, ".git", "info", "exclude"))));
  const above = await foldersAbove(folder);
  // Rules of a folder above count only where they name no place.
  for (const each of above) lines.push(...(await linesOf(join(each, ".gitignore"))).filter(isEverywhere));
  return `${lines.join("\n")}\n`;
};

const escaped = (path: string): string => path.replaceAll(/[\\*?[\]!# ]/g, "\\$&");

const isEverywhere = (line: string): boolean => !/\/./.test(line.replace(/^!/, ""));

const linesOf = async (path: string): Promise<string[]> => {
  const bytes = await readRegular(path, MOST_BYTES).catch(() => undefined);
  return (
    bytes
      ?.toString("utf8")
      .split("\n")
      .filter((line) => line.trim() !== "" && !line.startsWith("#") && !line.includes("\0")) ?? []
  );
};

/** The folders above that belong to the same repository, outermost first. */
const foldersAbove = async (folder: string): Promise<string[]> => {
  const above: string[] = [];
  let at = folder;
  for (let level = 0; level < MOST_LEVELS; level++) {
    if (await exists(join(at, ".git"))) return above.toReversed();
    const parent = dirname(at);
    if (parent === at) return [];
    above.push(parent);
    at = parent;
  }
  return [];
};

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );
