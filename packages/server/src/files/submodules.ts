// Submodules that are at another commit than the last commit of their repository says. Git reads one reference of the submodule for that and runs
// nothing in it. Subjects of commits come from the submodule itself, if the caller may see all of it.

import { join } from "node:path";
import type { ContainedPaths } from "./contract.ts";
import type { Git } from "./git.ts";
import { openSharedGit } from "./shared-git.ts";
import type { GitSight } from "./shared-git.ts";

export interface ChangedSubmodule {
  /** Absolute. */
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
}

const MOST = 100;
const ID = "[0-9a-f]{40,64}";

export const changedSubmodules = async (git: Git, seen: ContainedPaths): Promise<ChangedSubmodule[]> => {
  const how = ["--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "--no-renames"];
  const { ok, stdout } = await git.run(["diff", ...how, "--raw", "-z", "--abbrev=40", "HEAD", "--"]);
  if (!ok) return [];
  const words = stdout.split("\0");
  const paths: string[] = [];
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [oldMode = "", newMode = ""] = words[at]!.slice(1).split(" ");
    const path = words[at + 1]!;
    if ((oldMode === "160000" || newMode === "160000") && seen.shows(join(git.root, path))) paths.push(path);
  }
  return Promise.all(
    paths.slice(0, MOST).map(async (path) => {
      const patch = await git.run(["diff", ...how, "--submodule=short", "HEAD", "--", join(git.root, path)]);
      const idAfter = (sign: string): string | undefined =>
        new RegExp(`^\\${sign}Subproject commit (${ID})$`, "m").exec(patch.stdout)?.[1];
      const [before, after] = [idAfter("-"), idAfter("+")];
      return {
        path: join(git.root, path),
        ...(before !== undefined && { before }),
        ...(after !== undefined && { after }),
      };
    }),
  );
};

const MOST_COMMITS = 50;

/** Commits that came, newest first, as `1a2b3c4 Subject`. Nothing if they are not there or not shared. */
export const submoduleCommits = async (
  { path, before, after }: ChangedSubmodule,
  sight: GitSight,
): Promise<readonly string[]> => {
  if (after === undefined) return [];
  const git = await openSharedGit(path, sight);
  if (git === undefined || git.root !== path) return [];
  const range = before === undefined ? after : `${before}..${after}`;
  const how = ["--no-show-signature", "--no-color", "-z", `-${MOST_COMMITS}`, "--format=%h %s"];
  const { ok, stdout } = await git.run(["log", ...how, range, "--"]);
  return ok ? stdout.split("\0").filter((line) => line !== "") : [];
};
