// The order of what an @-mention offers. The name counts most: a name that begins with the query comes before a name
// that contains it. Among equals, files that are open or were used recently come first, and hidden ones last. Pure.

import { matchPath } from "./fuzzy.ts";
import type { Match } from "./fuzzy.ts";

export interface FilesInUse {
  /** Files that a person looks at, relative to the folder. */
  readonly open: ReadonlySet<string>;
  /** Files that were used recently, newest first, relative to the folder. */
  readonly recent: readonly string[];
}

export const NO_USE: FilesInUse = { open: new Set(), recent: [] };

const OPEN = 400;
const RECENT = 300;
const HIDDEN = 250;
const LEVEL = 1000;

const nameOf = (path: string): string => path.replace(/\/$/u, "").split("/").at(-1) ?? path;

/** 5: the name. 4: its start. 3: the start of a word in it. 2: inside of it. 1: in the path. 0: letters in order. */
const levelOf = (path: string, query: string): number => {
  // A query with a folder names a place, not a name.
  const isPath = query.includes("/");
  const name = (isPath ? path : nameOf(path)).toLowerCase();
  const wanted = query.toLowerCase();
  if (name === wanted || name.replace(/\.\w+$/u, "") === wanted) return 5;
  if (name.startsWith(wanted)) return 4;
  for (let at = name.indexOf(wanted); at !== -1; at = name.indexOf(wanted, at + 1)) {
    if (/[/._\- ]/u.test(name[at - 1]!)) return 3;
  }
  if (name.includes(wanted)) return 2;
  return path.toLowerCase().includes(wanted) ? 1 : 0;
};

/** Undefined if a letter of the query is missing in the path. */
export const rankMention = (path: string, query: string, use: FilesInUse = NO_USE): Match | undefined => {
  const match = matchPath(path, query);
  if (match === undefined) return undefined;
  const level = query === "" ? 0 : levelOf(path, query);
  const age = use.recent.indexOf(path);
  const isHidden = !query.startsWith(".") && /(?:^|\/)\./u.test(path);
  const score =
    level * LEVEL +
    (use.open.has(path) ? OPEN : 0) +
    (age === -1 ? 0 : RECENT * (1 - age / use.recent.length)) -
    (isHidden ? HIDDEN : 0) +
    // Only decides between paths that are equal in everything else.
    Math.max(-100, Math.min(100, match.score / 20));
  return { score, matches: match.matches };
};
