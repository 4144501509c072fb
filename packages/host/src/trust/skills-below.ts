// Skills in subfolders. The CLI loads `sub/.claude/skills` when the model reads, writes or edits a file in `sub`. Then
// a slash command runs their shell and hooks without asking. Measured on 2.1.38 and 2.1.325. Commands, agents and
// settings there are not loaded.

import { stat } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { cleanPath } from "./clean-path.ts";
import { isInside } from "./contained-file.ts";
import { findBelow, MOST_FOLDERS } from "./find-below.ts";

const OWN_TREES = /^\.claude\/(?:commands|skills|agents|output-styles|workflows|routines)\//;
const SKILLS = /\/\.claude\/skills(?:\/|$)/i;
const WORKTREE = /\/\.claude\/worktrees\/[^/]+(?=\/)/;

export const isSkillBelow = (path: string, folder: string): boolean => {
  const inside = relative(folder, path);
  return path !== folder && isInside(path, folder) && SKILLS.test(inside) && !OWN_TREES.test(inside);
};

/** For a file in a worktree that the CLI made: the same file in the main working tree. */
export const twinOf = (path: string): string | undefined =>
  WORKTREE.test(path) ? path.replace(WORKTREE, "") : undefined;

/** Subfolders that may have skills. Undefined if there are too many folders to search. */
export const skillFoldersBelow = async (folder: string): Promise<string[] | undefined> => {
  const places = new Set<string>();
  const options = { path: cleanPath(process.env["PATH"]) };
  let count = 0;
  const found = await findBelow(
    [folder, "-iname", ".claude", "-print0", "-o", "-type", "d", "-print0"],
    options,
    (path) => {
      if (basename(path).toLowerCase() === ".claude") places.add(dirname(path));
      return ++count <= MOST_FOLDERS;
    },
  );
  if (found !== 0 && found !== 1) return undefined;
  // The CLI also loads skills of a folder that it reaches through a link.
  const links: string[] = [];
  const linked = await findBelow(
    [folder, "-type", "l", "-print0"],
    options,
    (path) => links.push(path) <= MOST_FOLDERS,
  );
  if (linked !== 0 && linked !== 1) return undefined;
  const withSkills = await Promise.all(links.map(hasSkills));
  for (const [at, link] of links.entries()) if (withSkills[at] === true) places.add(link);
  places.delete(folder);
  return [...places].toSorted();
};

const hasSkills = (folder: string): Promise<boolean> =>
  stat(join(folder, ".claude", "skills")).then(
    () => true,
    () => false,
  );
