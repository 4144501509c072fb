// Removes a worktree, after showing what is lost. We commit uncommitted files and keep a reference to the branch's last
// commit, so an undo restores everything except ignored files.

import { createHash } from "node:crypto";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { ResultOf } from "@quarterdeck/session/bridge";
import { canonicalJson } from "@quarterdeck/session/bridge";
import type { ContainedPaths } from "../files/contract.ts";
import { openGit } from "../files/git.ts";
import { commitTree, keep } from "./commit.ts";
import { refuse, saidByGit } from "./git-refusal.ts";
import type { GitLedger, KeptUndo, Undoing } from "./ledger.ts";
import { shownPaths } from "./paths.ts";
import { gitText, runGit, withFolder, nulTerminated } from "./run-git.ts";
import { readCommits, readLists } from "./state.ts";
import { isLinked, listTrees, sessionsByTree } from "./tree.ts";
import type { GitHost, Tree } from "./tree.ts";
import { commitOf, filesIn } from "./worktrees.ts";

type Account = ResultOf<"git/planDiscard">;
const MOST_LISTED = 500;

export const accountOf = async (tree: Tree, paths: ContainedPaths): Promise<Account> => {
  if (!isLinked(tree)) throw refuse("This folder is not a worktree.", "bad-request");
  const { git, root } = tree;
  const lists = await readLists(tree);
  const { branch, head } = lists;
  const [listed, ignored, modules] = await Promise.all([
    listTrees(tree),
    runGit(git, ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"]),
    populatedModules(tree),
  ]);
  const obstacle = obstacleFor(branch, listed.find(({ path }) => path === root)?.locked ?? true, lists.nested, modules);
  const others = [
    "--not",
    ...(branch === undefined ? [] : [`--exclude=${branch}`]),
    "--branches",
    "--remotes",
    "--tags",
  ];
  const account = {
    path: root,
    ...(branch !== undefined && { branch }),
    uncommitted: shownPaths(tree, filesIn(lists), paths),
    commits: head === undefined ? [] : await readCommits(tree, ["-200", head, ...others]),
    ignored: shownPaths(tree, nulTerminated(ignored.stdout), paths).slice(0, MOST_LISTED),
    ...(obstacle !== undefined && { obstacle }),
  };
  const state = await gitText(git, ["status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames"]);
  const seen = createHash("sha256")
    .update(canonicalJson({ ...account, head, state }))
    .digest("hex")
    .slice(0, 32);
  return { ...account, uncommitted: account.uncommitted.slice(0, MOST_LISTED), seen };
};

const obstacleFor = (
  branch: string | undefined,
  isLocked: boolean,
  nested: readonly string[],
  modules: readonly string[],
): string | undefined => {
  if (branch?.startsWith("-") === true) return "The branch has a name that git takes for an option.";
  if (isLocked) return "The worktree is locked. Unlock it in a terminal: git worktree unlock.";
  if (nested.length > 0) return `${nested[0]} is a repository of its own, which cannot be kept. Move it first.`;
  if (modules.length > 0) return `${modules[0]} is a submodule, which cannot be kept. Use git in a terminal.`;
  return undefined;
};

const populatedModules = async ({ git, root }: Tree): Promise<string[]> => {
  const { stdout } = await runGit(git, ["ls-files", "-z", "--stage"]);
  const paths = nulTerminated(stdout).flatMap((entry) =>
    entry.startsWith("160000 ") ? [entry.slice(entry.indexOf("\t") + 1)] : [],
  );
  const found = await Promise.all(paths.map((path) => lstat(join(root, path, ".git")).catch(() => undefined)));
  return paths.filter((_path, at) => found[at] !== undefined);
};

export const discard = async (
  tree: Tree,
  seen: string,
  { host, ledger, paths }: { readonly host: GitHost; readonly ledger: GitLedger; readonly paths: ContainedPaths },
): Promise<Omit<Account, "seen"> & { undo: KeptUndo }> => {
  const { seen: now, obstacle, ...account } = await accountOf(tree, paths);
  if (obstacle !== undefined) throw refuse(obstacle);
  if (now !== seen)
    throw refuse("The worktree has changed since you saw what would be lost. Look at it again.", "changed");
  const { root, common } = tree;
  const trees = await listTrees(tree);
  const main = trees.find((one) => one.main && !one.missing);
  const git = main === undefined ? undefined : await openGit(main.path);
  if (git === undefined) throw refuse("The main working tree is missing.", "not-found");
  const tip = await commitOf(tree, "HEAD");
  if (tip === undefined) throw refuse("This branch has no commit yet.");
  const files = account.uncommitted.length === 0 ? undefined : await snapshot(tree, tip);
  const isOwnBranch = ledger.worktreeAt(root)?.branch === account.branch;
  const undo = ledger.addUndo(common, `Removal of the worktree ${ledger.worktreeAt(root)?.name ?? root}`, {
    kind: "discard",
    path: root,
    tip,
    ...(account.branch !== undefined && { branch: account.branch }),
    ...(files !== undefined && { files }),
  });
  try {
    await keep(tree, undo.id, files ?? tip);
    // A process that rests there would be left without a folder.
    const here =
      (
        await sessionsByTree(
          host,
          trees.map(({ path }) => path),
        )
      ).get(root) ?? [];
    for (const { id, live } of here) if (live) await host.opened(id)?.close();
    const removed = await runGit(git, ["worktree", "remove", "--force", root], { timeoutMs: 300_000 });
    if (!removed.ok) throw refuse(`Git could not remove the worktree. ${saidByGit(removed.stderr)}`);
  } catch (error) {
    ledger.removeUndo(undo.id);
    throw error;
  }
  ledger.markDiscarded(root, true);
  if (isOwnBranch && account.branch !== undefined)
    await runGit(git, ["update-ref", "-d", `refs/heads/${account.branch}`, tip]);
  return { ...account, undo };
};

const OURS = {
  ...{ GIT_AUTHOR_NAME: "Quarterdeck", GIT_AUTHOR_EMAIL: "quarterdeck@localhost" },
  ...{ GIT_COMMITTER_NAME: "Quarterdeck", GIT_COMMITTER_EMAIL: "quarterdeck@localhost" },
};

/** A commit of all files that git does not ignore, as they are on the disk. No filter runs, in or out. */
const snapshot = (tree: Tree, tip: string): Promise<string> =>
  withFolder(async (folder) => {
    const env = { GIT_INDEX_FILE: join(folder, "index") };
    const run = async (args: readonly string[]): Promise<string> => {
      const { ok, stdout, stderr } = await runGit(tree.git, args, { env, timeoutMs: 300_000 });
      if (!ok) throw refuse(`The uncommitted files could not be kept, so nothing was removed. ${saidByGit(stderr)}`);
      return stdout.toString().trim();
    };
    await run(["read-tree", tip]);
    await run(["add", "--all"]);
    return commitTree(tree, await run(["write-tree"]), [tip], "Files that were not committed\n", OURS);
  });

export const undoDiscard = async (
  tree: Tree,
  { path, branch, tip, files }: Extract<Undoing, { kind: "discard" }>,
  ledger: GitLedger,
): Promise<string> => {
  const { git } = tree;
  if ((await lstat(path).catch(() => undefined)) !== undefined)
    throw refuse(`${path} exists again, so the worktree cannot be put back there.`, "changed");
  const now = branch === undefined ? undefined : await commitOf(tree, `refs/heads/${branch}`);
  if (now !== undefined && now !== tip)
    throw refuse(`The branch ${branch} has moved since, so the worktree cannot be put back.`, "changed");
  const fresh = ["--no-track", "-b", String(branch), path, tip];
  const where = branch === undefined ? ["--detach", path, tip] : now === undefined ? fresh : [path, branch];
  const added = await runGit(git, ["worktree", "add", "--quiet", "--no-checkout", ...where]);
  if (!added.ok) throw refuse(`Git could not put the worktree back. ${saidByGit(added.stderr)}`);
  const there = await openGit(path);
  const steps = [["read-tree", "--reset", "-u", files ?? tip], ...(files === undefined ? [] : [["read-tree", tip]])];
  for (const args of steps) {
    const done = there === undefined ? undefined : await runGit(there, args, { timeoutMs: 300_000 });
    if (done?.ok !== true)
      throw refuse(`Git could not write all files of the worktree. ${saidByGit(done?.stderr ?? "")}`);
  }
  ledger.markDiscarded(path, false);
  return "The worktree is back. Ignored files are not.";
};
