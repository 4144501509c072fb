// Stages and unstages, by file or by hunk. Whole files go through `update-index`, which takes exact paths. Hunks are taken from a new
// diff: only a hunk that is still as the person saw it is applied.

import type { ParamsOf } from "@quarterdeck/session/bridge";
import type { ContainedPaths } from "../files/contract.ts";
import { refuse, saidByGit } from "./git-refusal.ts";
import { filtersOf, mustNeedNoFilter, relativePath } from "./paths.ts";
import { patchWith } from "./patch.ts";
import { runGit } from "./run-git.ts";
import type { Ran } from "./run-git.ts";
import { readFilePatch, readLists, WHOLE } from "./state.ts";
import type { Tree } from "./tree.ts";

type Part = ParamsOf<"git/stage">["files"][number];

const CHANGED = "changed since it was shown. Look at it again.";

export const stage = async (tree: Tree, files: readonly Part[], seen: ContainedPaths): Promise<void> => {
  const { unstaged } = await readLists(tree);
  const parts = partsOf(tree, files, seen);
  for (const { path } of parts) {
    const found = unstaged.find((file) => file.path === path);
    if (found === undefined) throw refuse(`${path} ${CHANGED}`, "changed");
    if (found.status === "conflict")
      throw refuse(`${path} has a conflict. Resolve it, and use git in a terminal to mark it as resolved.`);
  }
  mustNeedNoFilter(
    await filtersOf(
      tree,
      parts.map(({ path }) => path),
    ),
  );
  const whole = parts.filter(({ hunks }) => hunks === undefined || hunks.includes(WHOLE));
  const some = parts.filter(({ hunks }) => hunks !== undefined && !hunks.includes(WHOLE));
  const patches = await selected(tree, some, "unstaged");
  mustHaveWorked(await runGit(tree.git, APPLY, { input: patches }), patches.length > 0);
  mustHaveWorked(
    await runGit(tree.git, ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"], {
      input: whole.map(({ path }) => `${path}\0`).join(""),
    }),
  );
};

export const unstage = async (tree: Tree, files: readonly Part[], seen: ContainedPaths): Promise<void> => {
  const { staged, head } = await readLists(tree);
  const parts = partsOf(tree, files, seen);
  const stranger = parts.find(({ path }) => !staged.some((file) => file.path === path));
  if (stranger !== undefined) throw refuse(`${stranger.path} ${CHANGED}`, "changed");
  const some = parts.filter(({ hunks }) => hunks !== undefined);
  const patches = await selected(tree, some, "staged");
  mustHaveWorked(await runGit(tree.git, [...APPLY, "--reverse"], { input: patches }), patches.length > 0);
  const whole = parts.filter(({ hunks }) => hunks === undefined).map(({ path }) => path);
  if (whole.length > 0)
    mustHaveWorked(
      await runGit(tree.git, ["update-index", "-z", "--index-info"], {
        input: await entriesAt(tree, head, whole),
      }),
    );
};

/** Entries of a commit, as `update-index --index-info` reads them. A path that the commit lacks is removed from the index. */
const entriesAt = async ({ git }: Tree, head: string | undefined, paths: readonly string[]): Promise<Buffer> => {
  const found =
    head === undefined ? undefined : await runGit(git, ["ls-tree", "-z", "--full-tree", head, "--", ...paths]);
  if (found?.ok === false) throw refuse(`Git cannot read the last commit. ${saidByGit(found.stderr)}`);
  const zero = "0".repeat(head?.length ?? 40);
  const gone = paths.map((path) => `0 ${zero}\t${path}\0`).join("");
  return Buffer.concat([Buffer.from(gone), found?.stdout ?? Buffer.alloc(0)]);
};

const APPLY = ["apply", "--cached", "--whitespace=nowarn", "-"] as const;

const partsOf = (tree: Tree, files: readonly Part[], seen: ContainedPaths): Part[] => {
  const parts = files.map((file) => ({ ...file, path: relativePath(tree, file.path, seen) }));
  if (new Set(parts.map(({ path }) => path)).size !== parts.length)
    throw refuse("A file is named twice.", "bad-request");
  return parts;
};

const selected = async (tree: Tree, parts: readonly Part[], side: "staged" | "unstaged"): Promise<Buffer> => {
  const patches: Buffer[] = [];
  for (const { path, hunks: wanted = [] } of parts) {
    const patch = await readFilePatch(tree, path, side);
    const hunks = patch.hunks.filter(({ id }) => wanted.includes(id));
    if (hunks.length !== new Set(wanted).size || hunks.length === 0) throw refuse(`${path} ${CHANGED}`, "changed");
    patches.push(patchWith(patch, hunks, side === "staged"));
  }
  return Buffer.concat(patches);
};

const mustHaveWorked = ({ ok, stderr }: Ran, isNeeded = true): void => {
  if (!ok && isNeeded) throw refuse(`Git did not change what is staged. ${saidByGit(stderr)}`);
};
