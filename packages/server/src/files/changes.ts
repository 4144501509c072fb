// What changed: what git says of the session's folder, beside what the session's own tools have done.

import type { Head } from "@quarterdeck/session";
import type { ResultOf } from "@quarterdeck/session/bridge";
import { knowsGitFile, readGitPatch, readGitState } from "./git.ts";
import { hunksBetween, hunksOfPatch } from "./hunks.ts";
import type { Hunk } from "./hunks.ts";
import { readText } from "./file-contents.ts";
import { openSharedGit } from "./shared-git.ts";
import type { ContainedPaths, Sight } from "./contract.ts";

type ChangeList = ResultOf<"changes/list">;
type Diff = ResultOf<"changes/diff">;

const MOST_FILES = 2000;
const MOST_LINES = 20_000;
const MOST_BYTES = 2_000_000;
/** Lines of more untracked files are not counted. */
const MOST_COUNTED = 300;

export interface ChangesOptions {
  /** A real path that the caller may see. */
  readonly cwd: string;
  /** What the server shares at all. */
  readonly roots: ContainedPaths;
  readonly sight: Sight;
}

export const listChanges = async ({ cwd, roots, sight }: ChangesOptions, files: Head["files"]): Promise<ChangeList> => {
  const git = await openSharedGit(cwd, { roots, seen: sight.paths });
  const state = git && (await readGitState(git));
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
  const listed = [...byPath.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const shown = await Promise.all(
    listed.slice(0, MOST_FILES).map(async (file, at) => ({
      ...file,
      ...(file.status === "untracked" && at < MOST_COUNTED && (await linesOfNew(sight.paths, file.path))),
      ...(isGenerated(file.path) && { generated: true }),
    })),
  );
  return {
    against: "head",
    ...about,
    files: shown,
    totals: countsOf(shown),
    turns: [],
    notes: [],
    truncated: listed.length > MOST_FILES,
  };
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

export const countsOf = (
  files: readonly { readonly added?: number | undefined; readonly removed?: number | undefined }[],
): ChangeList["totals"] => ({
  files: files.length,
  added: files.reduce((sum, { added = 0 }) => sum + added, 0),
  removed: files.reduce((sum, { removed = 0 }) => sum + removed, 0),
});

const NAMES =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|go\.sum|poetry\.lock|uv\.lock|Pipfile\.lock|composer\.lock|Gemfile\.lock|flake\.lock)$|\.(?:min\.(?:js|css)|map|pb\.go|g\.dart|designer\.cs)$|_pb2(?:_grpc)?\.pyi?$|\.generated\.[^/]+$/;

/** Whether a tool writes this file, as far as its name tells. */
export const isGenerated = (path: string): boolean => NAMES.test(path);

const branchOf = (state: { branch?: string; head?: string } | undefined): { branch?: string; head?: string } => ({
  ...(state?.branch !== undefined && { branch: state.branch }),
  ...(state?.head !== undefined && { head: state.head }),
});

export interface DiffOptions extends ChangesOptions {
  /** A real path that the caller may see; of a file that is gone, the path that it had. */
  readonly path: string;
  /** Through which the path is read. */
  readonly paths: ContainedPaths;
  /** As the session's own tools told it, oldest first. */
  readonly bySession: readonly Hunk[];
  readonly whitespace?: "show" | "ignore" | undefined;
}

/** Against git's last commit where git knows the file, else as the session made it. */
export const diffOf = async ({ cwd, path, paths, roots, sight, bySession, whitespace }: DiffOptions): Promise<Diff> => {
  const git = await openSharedGit(cwd, { roots, seen: sight.paths });
  if (git !== undefined && path.startsWith(`${git.root}/`)) {
    const patch = await readGitPatch(git, path, whitespace === "ignore" ? ["--ignore-all-space"] : []);
    if (patch !== undefined && patch !== "") return ofPatch(path, patch);
    const known = patch === undefined ? undefined : await knowsGitFile(git, path);
    if (known === "tracked") return { path, kind: "none", hunks: [], truncated: false };
    if (known === "untracked") return ofNewFile(path, paths);
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

const ofNewFile = async (path: string, paths: ContainedPaths): Promise<Diff> => {
  const read = await readText(paths, path, MOST_BYTES);
  if ("unreadable" in read) return { path, kind: "binary", hunks: [], truncated: false };
  const [hunk] = hunksBetween("", read.text);
  const truncated = (hunk?.lines.length ?? 0) > MOST_LINES;
  const hunks = hunk === undefined ? [] : [{ ...hunk, lines: hunk.lines.slice(0, MOST_LINES) }];
  return { path, kind: "new-file", hunks, truncated };
};
