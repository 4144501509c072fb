// What changed: what git says of the session's folder, beside what the session's own tools have done.

import { realpath } from "node:fs/promises";
import type { Head } from "@quarterdeck/session";
import type { ResultOf } from "@quarterdeck/session/bridge";
import { listGitFiles, openGit, readGitPatch, readGitState } from "./git.ts";
import { hunksBetween, hunksOfPatch } from "./hunks.ts";
import type { Hunk } from "./hunks.ts";
import { readText } from "./file-contents.ts";
import type { ContainedPaths } from "../seams.ts";

type ChangeList = ResultOf<"changes/list">;
type Diff = ResultOf<"changes/diff">;

const MOST_FILES = 2000;
const MOST_LINES = 20_000;
const MOST_BYTES = 2_000_000;

export const listChanges = async (cwd: string, files: Head["files"]): Promise<ChangeList> => {
  const folder = await realpath(cwd).catch(() => undefined);
  const git = folder === undefined ? undefined : await openGit(folder);
  const state = git && (await readGitState(git));
  const byPath = new Map<string, ChangeList["files"][number]>();
  for (const { path, status, added, removed } of state?.files ?? []) {
    const counts = { ...(added !== undefined && { added }), ...(removed !== undefined && { removed }) };
    byPath.set(path, { path, status, ...counts, bySession: false, inGit: true });
  }
  for (const { path, created, added, removed } of Object.values(files)) {
    const known = byPath.get(path);
    if (known !== undefined) byPath.set(path, { ...known, bySession: true });
    // What the session did and git does not see: outside of the repository, ignored, or put back as it was.
    else {
      const isInTree = git !== undefined && path.startsWith(`${git.root}/`);
      const status = isInTree && !created ? "unchanged" : created ? "added" : "modified";
      byPath.set(path, { path, status, added, removed, bySession: true, inGit: false });
    }
  }
  const about = git === undefined ? {} : { git: { root: git.root, ...branchOf(state) } };
  const listed = [...byPath.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return { ...about, files: listed.slice(0, MOST_FILES) };
};

const branchOf = (state: { branch?: string; head?: string } | undefined): { branch?: string; head?: string } => ({
  ...(state?.branch !== undefined && { branch: state.branch }),
  ...(state?.head !== undefined && { head: state.head }),
});

export interface DiffOptions {
  readonly cwd: string;
  /** A real path that the caller may see; of a file that is gone, the path that it had. */
  readonly path: string;
  readonly paths: ContainedPaths;
  /** As the session's own tools told it, oldest first. */
  readonly bySession: readonly Hunk[];
}

/** Against git's last commit where git knows the file, else as the session made it. */
export const diffOf = async ({ cwd, path, paths, bySession }: DiffOptions): Promise<Diff> => {
  const folder = await realpath(cwd).catch(() => undefined);
  const git = folder === undefined ? undefined : await openGit(folder);
  if (git !== undefined && path.startsWith(`${git.root}/`)) {
    const patch = await readGitPatch(git, path);
    if (patch !== undefined && patch !== "") return ofPatch(path, patch);
    const untracked = await listGitFiles(git, git.root);
    const isKnown = patch !== undefined && untracked?.includes(path.slice(git.root.length + 1)) === true;
    const isTracked = isKnown && (await git.run(["ls-files", "--error-unmatch", "--", path])).ok;
    if (isTracked) return { path, kind: "none", hunks: [], truncated: false };
    if (isKnown) return ofNewFile(path, paths);
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
