// Where the review comes from: the bridge's answers as the review's own types. Nothing else in this folder names a method of the list.

import type { Client, ResultOf } from "@quarterdeck/client";
import type { Hunk } from "../../content/diff/hunks.ts";
import { shownPath } from "../../timeline/paths.ts";
import type { ChangedFile } from "./changed-file.ts";

/** What is compared: a turn or all of them, against the session's start or git's HEAD. */
export interface Scope {
  readonly base: "start" | "head";
  /** The prompt that began the turn. */
  readonly turn?: string | undefined;
}

export interface TurnChoice {
  readonly prompt: string;
  readonly words: string;
  readonly files: number;
}

export interface ChangeList {
  readonly files: readonly ChangedFile[];
  readonly turns: readonly TurnChoice[];
  /** HEAD can be compared with. */
  readonly hasGit: boolean;
  /** What the list does not contain, and why. */
  readonly notes: readonly string[];
}

export interface FileChange {
  readonly kind: "diff" | "new-file" | "deleted" | "binary" | "none";
  readonly hunks: readonly Hunk[];
  readonly truncated: boolean;
  /** Names both sides, for a revert. */
  readonly version?: string | undefined;
}

type Listed = ResultOf<"changes/list">;

export const loadList = async (
  client: Client,
  session: string,
  cwd: string | undefined,
  _scope: Scope,
): Promise<ChangeList> => {
  const { git, files } = await client.call("changes/list", { session });
  return {
    files: files.flatMap((file) => fileOf(file, cwd)),
    turns: [],
    hasGit: git !== undefined,
    notes: [],
  };
};

const fileOf = (file: Listed["files"][number], cwd: string | undefined): readonly ChangedFile[] => {
  if (file.status === "unchanged") return [];
  const status = file.status === "untracked" ? "added" : file.status;
  const { path, added, removed, bySession } = file;
  return [
    {
      ...{ path, shown: shownPath(path, cwd), status, added, removed },
      binary: added === undefined && removed === undefined && status !== "added",
      notes: bySession ? [] : ["changed outside this session"],
      stamp: `${status} ${added} ${removed}`,
    },
  ];
};

export const loadDiff = async (
  client: Client,
  session: string,
  file: ChangedFile,
  _scope: Scope,
  _whitespace: boolean,
): Promise<FileChange> => client.call("changes/diff", { session, path: file.path });

/** A file as it was or is. */
export interface FileSide {
  readonly text?: string | undefined;
  readonly size?: number | undefined;
  /** Of a picture. */
  readonly url?: string | undefined;
}

export const loadSides = async (
  client: Client,
  session: string,
  file: ChangedFile,
  _scope: Scope,
): Promise<{ readonly old: FileSide | undefined; readonly new: FileSide | undefined }> => ({
  old: undefined,
  new: await client.call("files/read", { session, path: file.path }),
});
