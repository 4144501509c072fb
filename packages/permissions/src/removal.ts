// Removals that would take a system, a home or a whole project away. They ask in every mode, since 2.1.200.

import type { Folders } from "./folders.ts";
import { absolute, folderOf, isInside, withoutTilde } from "./paths.ts";
import { isKnown } from "./shell-words.ts";

/** `/`, `/usr`, HOME and what lies directly below `/`. */
const isCritical = (path: string, home: string): boolean => path === "/" || path === home || folderOf(path) === "/";

/** Undefined: nothing dangerous. */
export const dangerousRemoval = (
  argv: readonly string[],
  folders: Folders,
  hasCd: boolean,
): { readonly words: string; readonly path: string } | undefined => {
  const name = argv[0]?.slice(argv[0].lastIndexOf("/") + 1);
  if (name !== "rm" && name !== "rmdir") return undefined;
  let isOpen = false;
  for (const word of argv.slice(1)) {
    if (!isOpen && word === "--") {
      isOpen = true;
      continue;
    }
    if (!isOpen && word.startsWith("-") && word !== "-") continue;
    isOpen = true;
    const path = absolute(folders.cwd, withoutTilde(word, folders.home));
    const bare = path.replace(/(?:\/\*+)+$/u, "") || "/";
    const danger = (words: string) => ({ words, path: word });
    if (!isKnown(word)) {
      if (/^[^/]*\uE0FF[^/]*(?:\/[^/]*)?$/u.test(word) && word.includes("/"))
        return danger("What it removes depends on a variable.");
      continue;
    }
    const isGlob = bare !== path;
    if (isGlob && hasCd && !word.startsWith("/"))
      return danger("It changes the folder before it removes files by a pattern.");
    if (isGlob && (word.startsWith("~") || /(?:^|\/)\.\.(?:\/|$)/u.test(word)))
      return danger("It removes files by a pattern outside.");
    if (isGlob && /[*?[]/u.test(bare)) return danger("It removes files by a pattern of several levels.");
    if (isCritical(bare, folders.home)) return danger("It would remove a folder that the system needs.");
    const mine = isGlob ? folders.working : [folders.cwd];
    if (mine.some((folder) => isInside(folder, bare)))
      return danger("It would remove the project itself or a folder above it.");
  }
  return undefined;
};
