// Where a path leads, for every check and policy of this machine.

import { readlinkSync, realpathSync } from "node:fs";
import { followingLinks } from "@quarterdeck/permissions";

const unlessThere = (look: (path: string) => string) => (path: string) => {
  try {
    return look(path);
  } catch {
    // Nothing is there, or nobody may look.
    return undefined;
  }
};

/** The path after every link, also after a broken link. Undefined if nothing is there. */
export const realPath = followingLinks({
  realpath: unlessThere((path) => realpathSync(path)),
  readlink: unlessThere((path) => readlinkSync(path)),
});
