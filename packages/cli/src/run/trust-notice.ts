// The notice of `run` about a folder with its own hooks, servers or settings: the files, and what they would run.

import { visibleLine, visibleText } from "@quarterdeck/session";
import type { FolderInspection } from "@quarterdeck/session/bridge";

type Inspected = Pick<FolderInspection, "files" | "obstacle">;

/** For a session that starts without them. */
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
    `  ${visibleLine(path)}`,
    // Each line is indented, so text cannot look like a line of ours.
    ...runs.flatMap((run) => visibleText(run).split("\n")).map((line) => `    ${line}`),
  ]);
