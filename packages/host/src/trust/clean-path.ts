// The PATH for every program that we start by its name.

import { delimiter, isAbsolute } from "node:path";

export const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

/** A relative or empty entry means the folder that the program starts in. If others control that folder, their `./git` would run. */
export const cleanPath = (path: string | undefined): string => {
  const kept = (path ?? "").split(delimiter).filter((entry) => isAbsolute(entry));
  return kept.length === 0 ? DEFAULT_PATH : kept.join(delimiter);
};
