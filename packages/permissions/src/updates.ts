// What an update does with one list of rules or folders. Every surface that keeps such a list uses it.

import type { Update } from "./types.ts";

/** The list after the update. Other entries stay as they are. Updates of another kind change nothing. */
export const changedList = <T>(type: Update["type"], before: readonly T[], given: readonly T[]): readonly T[] => {
  switch (type) {
    case "addRules":
    case "addDirectories":
      return [...new Set([...before, ...given])];
    case "replaceRules":
      return [...new Set(given)];
    case "removeRules":
    case "removeDirectories":
      return before.filter((entry) => !given.includes(entry));
    default:
      return before;
  }
};
