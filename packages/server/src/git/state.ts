// What is staged and what is not, as `git/state` shows it. Renames are shown as a deleted and a new file, because each is staged by itself.

import { createHash } from "node:crypto";
import { join, relative } from "node:path";
import type { ResultOf } from "@quarterdeck/session/bridge";
import type { ContainedPaths } from "../files/contract.ts";
import { readText } from "../files/file-contents.ts";
import { fieldsAfter } from "../files/git.ts";
import { hunksBetween } from "../files/hunks.ts";
import { changedSubmodules } from "../files/submodules.ts";
import { filtersOf } from "./paths.ts";
import { PATCH_OPTIONS, readPatch, shownLines } from "./patch.ts";
import type { FilePatch } from "./patch.ts";
import { gitText, runGit } from "./run-git.ts";
import { refuse } from "./git-refusal.ts";
import type { Tree } from "./tree.ts";

type Shown = NonNullable<ResultOf<"git/state">["tree"]>;
export type GitFile = Shown["unstaged"][number];
export type Commit = NonNullable<Shown["last"]>;

export interface Lists {
  readonly branch?: string;
  readonly head?: string;
  readonly upstream?: string;
  readonly ahead?: number;
  readonly behind?: number;
  readonly staged: GitFile[];
  readonly unstaged: GitFile[];
  /** Folders among the untracked files that are repositories of their own. */
  readonly nested: string[];
}

const STATUS = ["status", "--porcelain=v2", "-z", "--branch", "--ahead-behind", "--no-renames"] as const;

export const readLists = async (
  { git }: Pick<Tree, "git">,
  untracked: "all" | "normal" | "no" = "all",
): Promise<Lists> => {
  const asked = [...STATUS, `--untracked-files=${untracked}`, "--ignore-submodules=all"];
  const { ok, stdout, stderr } = await runGit(git, asked);
  if (!ok) throw refuse(`Git cannot read this folder. ${stderr}`);
  return listsIn(stdout.toString().split("\0"));
};

const listsIn = (words: readonly string[]): Lists => {
  const about: { branch?: string; head?: string; upstream?: string; ahead?: number; behind?: number } = {};
  const [staged, unstaged, nested]: [GitFile[], GitFile[], string[]] = [[], [], []];
  for (const word of words) {
    const [, key, value = ""] = /^# branch\.(\w+) (.*)$/s.exec(word) ?? [];
    if (key === "head" && value !== "(detached)") about.branch = value;
    else if (key === "oid" && value !== "(initial)") about.head = value;
    else if (key === "upstream") about.upstream = value;
    else if (key === "ab")
      [about.ahead = 0, about.behind = 0] = value.split(" ").map((count) => Math.abs(Number(count)));
    else if (word.startsWith("1 ")) {
      const path = fieldsAfter(word, 8);
      const [index, folder] = [statusOf(word[2]), statusOf(word[3])];
      if (index !== undefined) staged.push({ path, status: index });
      if (folder !== undefined) unstaged.push({ path, status: folder });
    } else if (word.startsWith("u ")) unstaged.push({ path: fieldsAfter(word, 10), status: "conflict" });
    else if (word.startsWith("? ")) {
      if (word.endsWith("/")) nested.push(word.slice(2));
      else unstaged.push({ path: word.slice(2), status: "untracked" });
    }
  }
  return { ...about, staged, unstaged, nested };
};

export const STATUS_LETTERS: Readonly<Record<string, GitFile["status"]>> = {
  ...{ A: "added", M: "modified", D: "deleted", T: "type" },
};
const statusOf = (letter = "."): GitFile["status"] | undefined =>
  letter === "." ? undefined : (STATUS_LETTERS[letter] ?? "modified");

const MOST_FILES = 2000;

export type TreeState = Omit<Shown, "busy" | "undos" | "worktree" | "obstacle">;

export const readState = async (tree: Tree, seen: ContainedPaths): Promise<TreeState> => {
  const { git, root } = tree;
  const [lists, staged, unstaged, stagedId, submodules] = await Promise.all([
    readLists(tree),
    countsByPath(tree, ["--cached"]),
    countsByPath(tree, []),
    stagedIdOf(tree),
    changedSubmodules(git, seen),
  ]);
  const last = lists.head === undefined ? undefined : (await readCommits(tree, ["-1", lists.head]))[0];
  const visible = (files: readonly GitFile[]): GitFile[] => files.filter(({ path }) => seen.shows(join(root, path)));
  const [index, folder] = [visible(lists.staged), visible(lists.unstaged)];
  const shown = folder.slice(0, MOST_FILES);
  const filters = await filtersOf(
    { git },
    shown.map(({ path }) => path),
  );
  const { staged: _index, unstaged: _folder, nested: _nested, ...about } = lists;
  return {
    root,
    ...about,
    staged: index.slice(0, MOST_FILES).map((file) => ({ ...file, ...staged.get(file.path) })),
    stagedId,
    unstaged: shown.map((file) => {
      const filter = filters.get(file.path);
      return { ...file, ...unstaged.get(file.path), ...(filter !== undefined && { filter }) };
    }),
    ...(submodules.length > 0 && {
      submodules: submodules.map((one) => ({ ...one, path: relative(root, one.path) })),
    }),
    truncated: index.length > MOST_FILES || folder.length > MOST_FILES,
    ...(last !== undefined && { last }),
  };
};

const SAFE_DIFF = ["--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--no-renames"] as const;

/** Changes with every staged byte. */
export const stagedIdOf = async ({ git }: Pick<Tree, "git">): Promise<string> => {
  const { stdout } = await runGit(git, ["diff", "--cached", ...SAFE_DIFF, "--raw", "--full-index", "-z"]);
  return createHash("sha256").update(stdout).digest("hex").slice(0, 32);
};

export interface Counts {
  readonly added?: number;
  readonly removed?: number;
}

export const countsByPath = async (
  { git }: Pick<Tree, "git">,
  what: readonly string[],
): Promise<ReadonlyMap<string, Counts>> => {
  const { stdout } = await runGit(git, ["diff", ...SAFE_DIFF, "--numstat", "-z", ...what, "--"]);
  return new Map(
    stdout
      .toString()
      .split("\0")
      .flatMap((line): [string, Counts][] => {
        const [added = "", removed = "", ...path] = line.split("\t");
        if (path.length === 0) return [];
        // A binary file has dashes.
        return [[path.join("\t"), added === "-" ? {} : { added: Number(added), removed: Number(removed) }]];
      }),
  );
};

export const readCommits = async ({ git }: Pick<Tree, "git">, args: readonly string[]): Promise<Commit[]> => {
  const format = "--format=%H%x00%s%x00%an%x00%at%x00";
  const text = await gitText(git, ["log", "--no-show-signature", "--no-color", "-z", format, ...args, "--"]);
  const words = text?.split("\0") ?? [];
  const commits: Commit[] = [];
  for (let at = 0; at + 4 < words.length + 1;) {
    const [id = "", subject = "", author = "", time = ""] = words.slice(at, at + 4);
    if (!/^[0-9a-f]{40,64}$/.test(id)) break;
    commits.push({ id, subject: subject.slice(0, 500), author: author.slice(0, 200), at: Number(time) * 1000 });
    // The format ends with a NUL, and so does each entry.
    at += 5;
  }
  return commits;
};

// One file.

export type GitSide = "staged" | "unstaged" | { readonly since: string };

export const readFilePatch = async (tree: Tree, path: string, side: GitSide): Promise<FilePatch> => {
  const what = side === "staged" ? ["--cached"] : side === "unstaged" ? [] : [side.since];
  const { ok, stdout, stderr } = await runGit(tree.git, ["diff", ...PATCH_OPTIONS, ...what, "--", path]);
  if (!ok) throw refuse(`Git cannot compare this file. ${stderr}`);
  const patch = readPatch(stdout);
  const heads = patch.header.filter((line) => line.startsWith("diff --")).length;
  // A folder of this name, or a conflict.
  return heads > 1 || stdout.subarray(0, 9).toString() === "diff --cc"
    ? { kind: "none", header: [], hunks: [] }
    : patch;
};

/** The id of the only hunk of a file that git does not have yet. */
export const WHOLE = "whole";
/** 20,000 changed lines, and the lines around them. */
const MOST_LINES = 40_000;
const MOST_BYTES = 2_000_000;

export const showDiff = async (
  tree: Tree,
  path: string,
  side: GitSide,
  seen: ContainedPaths,
): Promise<ResultOf<"git/diff">> => {
  const patch = await readFilePatch(tree, path, side);
  if (patch.kind === "none" && side !== "staged") {
    const lists = await readLists(tree);
    if (lists.unstaged.some((file) => file.path === path && file.status === "untracked"))
      return showNewFile(tree, path, seen);
  }
  let room = MOST_LINES;
  const hunks = patch.hunks.map(({ lines, ...hunk }) => {
    const shown = shownLines(lines).slice(0, Math.max(0, room));
    room -= lines.length;
    return { ...hunk, lines: shown };
  });
  return { path, kind: patch.kind, hunks, truncated: room < 0 };
};

const showNewFile = async ({ root }: Tree, path: string, seen: ContainedPaths): Promise<ResultOf<"git/diff">> => {
  const read = await readText(seen, join(root, path), MOST_BYTES);
  if ("unreadable" in read) return { path, kind: "binary", hunks: [], truncated: false };
  const hunks = hunksBetween("", read.text).map((hunk) => ({ ...hunk, id: WHOLE }));
  const truncated = hunks.some(({ lines }) => lines.length > MOST_LINES);
  return {
    path,
    kind: "new-file",
    hunks: hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.slice(0, MOST_LINES) })),
    truncated,
  };
};
