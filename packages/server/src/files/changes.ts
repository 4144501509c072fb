// What changed: git's changes in the session's folder, together with those of the session's own tools.

import { lstat } from "node:fs/promises";
import { relative } from "node:path";
import type { Head } from "@quarterdeck/session";
import type { ResultOf } from "@quarterdeck/session/bridge";
import { knowsGitFile, readGitBlob, readGitPatch, readGitState } from "./git.ts";
import type { Git } from "./git.ts";
import { hunksBetween, hunksOfPatch } from "./hunks.ts";
import type { Hunk } from "./hunks.ts";
import { readText } from "./file-contents.ts";
import { unstagedRenames } from "./renames.ts";
import { openSharedGit } from "./shared-git.ts";
import { changedSubmodules, submoduleCommits } from "./submodules.ts";
import type { ContainedPaths, Sight } from "./contract.ts";

type ChangeList = ResultOf<"changes/list">;
type Diff = ResultOf<"changes/diff">;

const MOST_FILES = 2000;
/** 20,000 changed lines, and the lines around them. */
const MOST_LINES = 40_000;
const MOST_BYTES = 2_000_000;
/** Lines of more untracked files are not counted. */
const MOST_COUNTED = 300;

export interface ChangesOptions {
  /** A real path that the caller may see. */
  readonly cwd: string;
  /** What the server shares with any device. */
  readonly roots: ContainedPaths;
  readonly sight: Sight;
}

/** Who changed a path, by its absolute path. Undefined if nobody knows. */
export type OriginsByPath = ReadonlyMap<string, ReadonlySet<ChangeList["files"][number]["by"][number]>> | undefined;

export const listChanges = async (
  { cwd, roots, sight }: ChangesOptions,
  files: Head["files"],
  origins?: OriginsByPath,
): Promise<ChangeList> => {
  const git = await openSharedGit(cwd, { roots, seen: sight.paths });
  const [state, submodules] =
    git === undefined ? [undefined, []] : await Promise.all([readGitState(git), changedSubmodules(git, sight.paths)]);
  const renames = git && state && (await unstagedRenames(git, state.files, sight.paths));
  const byPath = new Map<string, ChangeList["files"][number]>();
  for (const { path, status, added, removed, from, binary } of state?.files ?? []) {
    if (!sight.paths.shows(path)) continue;
    const counts = { ...(added !== undefined && { added }), ...(removed !== undefined && { removed }) };
    const about = {
      ...(binary === true && { binary }),
      ...(from !== undefined && sight.paths.shows(from) && { from }),
    };
    byPath.set(path, { path, status, ...counts, ...about, by: [], bySession: false, inGit: true });
  }
  for (const { path } of submodules)
    byPath.set(path, { path, status: "modified", submodule: true, by: [], bySession: false, inGit: true });
  for (const [path, { from, before, after }] of renames ?? []) {
    const isBinary = [before, after].some((bytes) => bytes.includes(0));
    const counts = isBinary ? { binary: true } : linesChanged(before.toString("utf8"), after.toString("utf8"));
    byPath.delete(from);
    byPath.set(path, { path, from, status: "renamed", ...counts, by: [], bySession: false, inGit: true });
  }
  for (const { path, created, added, removed } of Object.values(files)) {
    if (sight.named.isHidden(path)) continue;
    const known = byPath.get(path);
    if (known !== undefined) byPath.set(path, { ...known, by: ["tool"], bySession: true });
    // What the session did and git does not see: outside of the repository, ignored, or put back as it was.
    else {
      const isInTree = git !== undefined && path.startsWith(`${git.root}/`);
      const status = isInTree && !created ? "unchanged" : created ? "added" : "modified";
      byPath.set(path, { path, status, added, removed, by: ["tool"], bySession: true, inGit: false });
    }
  }
  const about = git === undefined ? {} : { git: { root: git.root, ...branchOf(state) } };
  const listed = [...byPath.values()]
    .map((file) => withOrigins(file, origins))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const shown = await Promise.all(
    listed.slice(0, MOST_FILES).map(async (file, at) => ({
      ...file,
      ...(file.status === "untracked" && at < MOST_COUNTED && (await linesOfNew(sight.paths, file.path))),
      ...(isGenerated(relative(cwd, file.path)) && { generated: true }),
    })),
  );
  return {
    against: "head",
    ...about,
    files: shown,
    totals: sumOfCounts(shown),
    turns: [],
    notes: [],
    truncated: listed.length > MOST_FILES,
  };
};

/** Snapshots know more than the session's tools: commands, and other people. */
const withOrigins = (file: ChangeList["files"][number], origins: OriginsByPath): ChangeList["files"][number] => {
  const found = [file.path, ...(file.from === undefined ? [] : [file.from])].flatMap((path) => [
    ...(origins?.get(path) ?? []),
  ]);
  if (found.length === 0) return file;
  const by = [...new Set([...file.by, ...found])];
  return { ...file, by, bySession: by.some((origin) => origin !== "outside") };
};

const linesChanged = (before: string, after: string): { added: number; removed: number } => {
  const lines = hunksBetween(before, after).flatMap((hunk) => hunk.lines);
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
  return { added: count("+"), removed: count("-") };
};

/** Git counts no lines of files that it does not track. */
const linesOfNew = async (
  paths: ContainedPaths,
  path: string,
): Promise<{ added?: number; removed?: number; binary?: boolean }> => {
  const read = await readText(paths, path, MOST_BYTES).catch(() => undefined);
  if (read === undefined) return {};
  if ("unreadable" in read) return { binary: true };
  return { added: read.text === "" ? 0 : read.text.replace(/\n$/, "").split("\n").length, removed: 0 };
};

export const sumOfCounts = (
  files: readonly { readonly added?: number | undefined; readonly removed?: number | undefined }[],
): ChangeList["totals"] => ({
  files: files.length,
  added: files.reduce((sum, { added = 0 }) => sum + added, 0),
  removed: files.reduce((sum, { removed = 0 }) => sum + removed, 0),
});

const NAMES =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|go\.sum|poetry\.lock|uv\.lock|Pipfile\.lock|composer\.lock|Gemfile\.lock|flake\.lock)$|\.(?:min\.(?:js|css)|map|snap|pb\.go|g\.dart|designer\.cs)$|_pb2(?:_grpc)?\.pyi?$|\.generated\.[^/]+$/;
const FOLDERS = /(?:^|\/)(?:dist|vendor|__snapshots__|generated)\//;

/** Whether a program writes this file, judged by its path below the folder of the review. Nobody reads all of such a file. */
export const isGenerated = (path: string): boolean => NAMES.test(path) || FOLDERS.test(path);

const branchOf = (state: { branch?: string; head?: string } | undefined): { branch?: string; head?: string } => ({
  ...(state?.branch !== undefined && { branch: state.branch }),
  ...(state?.head !== undefined && { head: state.head }),
});

export interface DiffOptions extends ChangesOptions {
  /** A real path that the caller may see. For a deleted file, its former path. */
  readonly path: string;
  /** The paths that the file is read through. */
  readonly paths: ContainedPaths;
  /** As reported by the session's own tools, oldest first. */
  readonly bySession: readonly Hunk[];
  readonly whitespace?: "show" | "ignore" | undefined;
}

/** Against git's last commit where git knows the file, else as the session made it. */
export const diffOf = async ({ cwd, path, paths, roots, sight, bySession, whitespace }: DiffOptions): Promise<Diff> => {
  const git = await openSharedGit(cwd, { roots, seen: sight.paths });
  if (git !== undefined && path.startsWith(`${git.root}/`)) {
    if (await isFolder(path)) {
      const submodule = (await changedSubmodules(git, sight.paths)).find((one) => one.path === path);
      if (submodule === undefined) return { path, kind: "none", hunks: [], truncated: false };
      return ofSubmodule(path, submodule, await submoduleCommits(submodule, { roots, seen: sight.paths }));
    }
    const patch = await readGitPatch(git, path, whitespace === "ignore" ? ["--ignore-all-space"] : []);
    if (patch !== undefined && patch !== "") {
      const diff = ofPatch(path, patch);
      return (diff.kind === "new-file" ? await ofMoved(git, path, sight.paths) : undefined) ?? diff;
    }
    const known = patch === undefined ? undefined : await knowsGitFile(git, path);
    if (known === "tracked") return { path, kind: "none", hunks: [], truncated: false };
    if (known === "untracked") return (await ofMoved(git, path, sight.paths)) ?? ofNewFile(path, paths);
  }
  if (bySession.length > 0) return { path, kind: "diff", hunks: [...bySession], truncated: false };
  return { path, kind: "none", hunks: [], truncated: false };
};

const ofPatch = (path: string, patch: string): Diff => {
  if (/^Binary files .* differ$/m.test(patch.slice(0, 10_000)))
    return { path, kind: "binary", hunks: [], truncated: false };
  const { hunks, truncated } = hunksOfPatch(patch, MOST_LINES);
  const head = patch.slice(0, patch.indexOf("\n@@") + 1);
  const kind = /^deleted file mode/m.test(head) ? "deleted" : /^new file mode/m.test(head) ? "new-file" : "diff";
  return { path, kind, hunks, truncated };
};

const isFolder = (path: string): Promise<boolean> =>
  lstat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );

export const ofSubmodule = (path: string, { before, after }: Pair, commits: readonly string[]): Diff => {
  const lines = [
    ...(before === undefined ? [] : [`-Submodule at ${before}`]),
    ...(after === undefined ? [] : [`+Submodule at ${after}`]),
    ...commits.map((commit) => `+  ${commit}`),
  ];
  const [oldLines, newLines] = [before === undefined ? 0 : 1, lines.length - (before === undefined ? 0 : 1)];
  const hunk = { oldStart: oldLines, oldLines, newStart: Math.min(1, newLines), newLines, lines };
  return { path, kind: "diff", hunks: lines.length === 0 ? [] : [hunk], truncated: false };
};
interface Pair {
  readonly before?: string;
  readonly after?: string;
}

/** What a renamed file was called, against the last commit. */
export const oldNameOf = async (git: Git, path: string, paths: ContainedPaths): Promise<string | undefined> => {
  const { files } = await readGitState(git);
  const staged = files.find((file) => file.path === path)?.from;
  if (staged !== undefined) return paths.shows(staged) ? staged : undefined;
  return (await unstagedRenames(git, files, paths)).get(path)?.from;
};

const ofMoved = async (git: Git, path: string, paths: ContainedPaths): Promise<Diff | undefined> => {
  const from = await oldNameOf(git, path, paths);
  const before = from === undefined ? undefined : await readGitBlob(git, from);
  if (from === undefined || before === undefined || before.length > MOST_BYTES) return undefined;
  const read = await readText(paths, path, MOST_BYTES).catch(() => undefined);
  if (read === undefined) return undefined;
  if ("unreadable" in read || before.includes(0)) return { path, from, kind: "binary", hunks: [], truncated: false };
  const hunks = hunksBetween(before.toString("utf8"), read.text);
  const truncated = hunks.reduce((sum, { lines }) => sum + lines.length, 0) > MOST_LINES;
  return { path, from, kind: "diff", hunks: truncated ? [] : hunks, truncated };
};

const ofNewFile = async (path: string, paths: ContainedPaths): Promise<Diff> => {
  const read = await readText(paths, path, MOST_BYTES);
  if ("unreadable" in read) return { path, kind: "binary", hunks: [], truncated: false };
  const [hunk] = hunksBetween("", read.text);
  const truncated = (hunk?.lines.length ?? 0) > MOST_LINES;
  const hunks = hunk === undefined ? [] : [{ ...hunk, lines: hunk.lines.slice(0, MOST_LINES) }];
  return { path, kind: "new-file", hunks, truncated };
};
