// Where the review comes from: the bridge's answers as the review's own types. Nothing else in this folder names a method that reads.

import type { Client, ParamsOf, ResultOf } from "@quarterdeck/client";
import type { Hunk } from "../../content/diff/hunks.ts";
import { shownPath } from "../../timeline/paths.ts";
import type { ChangedFile } from "./changed-file.ts";
import { reviewText, type Comment } from "./comments.ts";
import { WORDS } from "./words.ts";

/** What is compared: a turn or all of them, against the session's start or git's HEAD. */
export interface ChangeScope {
  readonly base: "start" | "head";
  /** The prompt that began the turn. */
  readonly turn?: string | undefined;
}

export interface TurnChoice {
  readonly prompt: string;
  readonly at: number;
  readonly files: number;
}

export interface ChangeList {
  readonly files: readonly ChangedFile[];
  readonly turns: readonly TurnChoice[];
  /** What the list does not contain, and why. */
  readonly notes: readonly { readonly text: string; readonly paths: readonly string[] }[];
  /** Nothing is recorded: only HEAD can be compared with. */
  readonly isOff: boolean;
}

export type FileChange = Omit<ResultOf<"changes/diff">, "hunks" | "path"> & {
  readonly hunks: readonly Hunk[];
  /** The first lines. The others are on their way. */
  readonly isBeginning?: boolean | undefined;
};

type Against = Pick<ParamsOf<"changes/list">, "against" | "turn">;

export const againstOf = ({ base, turn }: ChangeScope): Against => ({
  against: turn === undefined ? base : "start",
  ...(turn !== undefined && { turn }),
});

export const loadList = async (
  client: Client,
  session: string,
  cwd: string | undefined,
  scope: ChangeScope,
): Promise<ChangeList> => {
  const found = await client.call("changes/list", { session, ...againstOf(scope) });
  const isOff = found.notes.some(({ kind }) => kind === "off");
  const notes = found.notes.map(({ text, paths = [] }) => ({ text, paths }));
  if (scope.base === "head" && scope.turn === undefined && found.git === undefined)
    notes.push({ text: WORDS.noGit, paths: [] });
  if (found.truncated) notes.push({ text: WORDS.tooMany, paths: [] });
  return {
    files: found.files.flatMap((file) => fileOf(file, cwd, isOff)),
    turns: found.turns.flatMap(({ prompts: [prompt], at, totals }) =>
      prompt === undefined ? [] : [{ prompt, at, files: totals.files }],
    ),
    notes,
    isOff,
  };
};

type Listed = ResultOf<"changes/list">["files"][number];

const fileOf = (file: Listed, cwd: string | undefined, isOff: boolean): readonly ChangedFile[] => {
  if (file.status === "unchanged") return [];
  const status = file.status === "untracked" ? "added" : file.status;
  const { path, from, added, removed, binary = false, version } = file;
  return [
    {
      ...{ path, shown: shownPath(path, cwd), status, added, removed, binary },
      ...(from !== undefined && { from: shownPath(from, cwd) }),
      submodule: file.submodule,
      generated: file.generated,
      notes: [...(file.submodule === true ? [WORDS.notes.submodule] : []), ...notesOf(file, isOff)],
      stamp: version ?? `${status} ${added} ${removed}`,
    },
  ];
};

const notesOf = ({ by, bySession }: Listed, isOff: boolean): readonly string[] => {
  const isOutside = by.includes("outside");
  if (isOutside) return [by.length > 1 ? WORDS.notes.alsoOutside : WORDS.notes.outside];
  if (by.length === 0) return bySession || isOff ? [] : [WORDS.notes.outside];
  return by.includes("shell") ? [by.includes("tool") ? WORDS.notes.alsoCommand : WORDS.notes.command] : [];
};

export interface DiffWish {
  readonly client: Client;
  readonly session: string;
  readonly file: ChangedFile;
  readonly scope: ChangeScope;
  readonly whitespace: boolean;
}

export const loadDiff = (wish: DiffWish): Promise<FileChange> => wish.client.call("changes/diff", diffParams(wish));

/** More than the window shows. */
const BEGINNING = 200;

export const loadBeginning = async (wish: DiffWish): Promise<FileChange> => {
  const found = await wish.client.call("changes/diff", { ...diffParams(wish), maxLines: BEGINNING });
  return { ...found, isBeginning: found.truncated };
};

const diffParams = ({ session, file, scope, whitespace }: DiffWish): ParamsOf<"changes/diff"> => ({
  ...{ session, path: file.path, ...againstOf(scope) },
  ...(!whitespace && { whitespace: "ignore" as const }),
});

/** A file as it was or is. */
export interface FileSide {
  readonly text?: string | undefined;
  readonly size: number;
  /** Address of a picture. */
  readonly url?: string | undefined;
}

export interface FileSides {
  readonly old: FileSide | undefined;
  readonly new: FileSide | undefined;
}

const MOST_BYTES = 4_000_000;

const loadSide = async (
  client: Client,
  session: string,
  path: string,
  scope: ChangeScope,
  side: "before" | "after",
): Promise<FileSide | undefined> => {
  const found = await client.call("changes/content", {
    session,
    path,
    side,
    maxBytes: MOST_BYTES,
    ...againstOf(scope),
  });
  return found.exists ? found : undefined;
};

export const loadSides = async (
  client: Client,
  session: string,
  file: ChangedFile,
  scope: ChangeScope,
): Promise<FileSides> => {
  const side = (which: "before" | "after") => loadSide(client, session, file.path, scope, which);
  return {
    old: file.status === "added" ? undefined : await side("before"),
    new: file.status === "deleted" ? undefined : await side("after"),
  };
};

export interface PatchWish {
  readonly client: Client;
  readonly session: string;
  readonly scope: ChangeScope;
  /** Without: all files. */
  readonly paths?: readonly string[] | undefined;
}

const loadPatch = ({ client, session, scope, paths }: PatchWish): Promise<ResultOf<"changes/patch">> =>
  client.call("changes/patch", { session, ...againstOf(scope), ...(paths !== undefined && { paths: [...paths] }) });

/** To the clipboard. A patch that is too long for it is downloaded. */
export const copyPatch = async (wish: PatchWish): Promise<"copied" | "downloaded"> => {
  const { patch, url } = await loadPatch(wish);
  if (patch === undefined) {
    download(url);
    return "downloaded";
  }
  await navigator.clipboard.writeText(patch);
  return "copied";
};

export const downloadPatch = async (wish: PatchWish): Promise<void> => download((await loadPatch(wish)).url);

/** Comments and patch in one file, for a review elsewhere. */
export const downloadReview = async (wish: PatchWish, comments: readonly Comment[]): Promise<void> => {
  const { patch, url } = await loadPatch(wish);
  const text = reviewText(comments, patch ?? (await (await fetch(url)).text()));
  const made = URL.createObjectURL(new Blob([text], { type: "text/markdown" }));
  download(made, "review.md");
  setTimeout(() => URL.revokeObjectURL(made), 60_000);
};

const download = (url: string, name = "changes.patch"): void =>
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
