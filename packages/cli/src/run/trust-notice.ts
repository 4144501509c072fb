// What `run` says about a folder with hooks, servers or settings of its own: which files they are in, and what those would run.

import { visibleText } from "@quarterdeck/session";
import type { FolderInspection } from "@quarterdeck/session/bridge";

type Inspected = Pick<FolderInspection, "files" | "obstacle">;

/** Before a session starts without them. */
export const leftOutNotice = ({ files, obstacle }: Inspected): string =>
  [
    "This folder is not trusted. These files are ignored:",
    ...fileLines(files),
    obstacle === undefined ? "Use --trust to allow them, now and later." : visibleText(obstacle),
    "",
  ].join("\n");

/** When `--trust` lets them run. */
export const trustedNotice = ({ files }: Inspected): string =>
  ["This folder is now trusted, with these files:", ...fileLines(files), ""].join("\n");

const fileLines = (files: Inspected["files"]): string[] =>
  files.flatMap(({ path, runs }) => [
    `  ${visibleText(path).replaceAll("\n", "‹U+000A›")}`,
    // Each line is indented, so that no text can pass for a line of ours.
    ...runs.flatMap((run) => visibleText(run).split("\n")).map((line) => `    ${line}`),
  ]);
