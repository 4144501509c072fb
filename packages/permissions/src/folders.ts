// The folders of a session and whether a path lies in them.

import { absolute, isInside, landingOf, withoutTilde } from "./paths.ts";
import type { Realpath } from "./paths.ts";
import type { VersionFacts } from "./versions.ts";

export interface Folders {
  readonly cwd: string;
  readonly home: string;
  /** cwd and the added folders, absolute. */
  readonly working: readonly string[];
}

export const foldersOf = (cwd: string, home: string, added: readonly string[], facts: VersionFacts): Folders => {
  const at = absolute("/", cwd);
  const own = absolute("/", home);
  const working = new Set([at]);
  for (const folder of added) {
    // Two slashes are another root for some systems, and the newest CLI does not take them for one.
    if (facts.exactDirectories && folder.startsWith("//")) continue;
    working.add(absolute(at, withoutTilde(folder, own)));
  }
  return { cwd: at, home: own, working: [...working] };
};

/** Whether all spellings of a path lie in a working folder, or in what the folder leads to. */
export const isInWorkingFolder = (
  spellings: readonly string[],
  { working, cwd }: Folders,
  realpath: Realpath | undefined,
  facts: VersionFacts,
): boolean => {
  if (realpath === undefined) return spellings.every((path) => working.some((root) => isInside(path, root)));
  const roots = working.flatMap((folder) => {
    const landing = facts.addedFolderLinks || folder === cwd ? landingOf(folder, realpath) : folder;
    return landing === folder ? [folder] : [folder, landing];
  });
  return spellings.every((path) => roots.some((root) => isInside(path, root)));
};
