// Merges a worktree into its base and back. The merge is computed without a working tree. If the base is checked out somewhere, its files
// change too: git refuses to write over a file that has changes.

import { join } from "node:path";
import type { ResultOf } from "@quarterdeck/session/bridge";
import { commitTree, identityOf, keep, moveRef } from "./commit.ts";
import { refuse, saidByGit } from "./git-refusal.ts";
import type { GitLedger, Undoing } from "./ledger.ts";
import { filtersOf, mustNeedNoFilter, shownPaths } from "./paths.ts";
import { gitText, runGit, withFolder, nulTerminated } from "./run-git.ts";
import { readCommits, readLists } from "./state.ts";
import { isLinked, listTrees, openTreeToChange } from "./tree.ts";
import type { GitHost, Tree, TreeSight } from "./tree.ts";
import { baseOf, commitOf, filesIn } from "./worktrees.ts";

type Account = ResultOf<"git/merge">;

interface Plan {
  readonly account: Account;
  readonly ref: string;
  readonly from: string;
  readonly tip: string;
  /** The merged content, if it differs from the tip. */
  readonly tree?: string;
}

export interface Around {
  readonly host: GitHost;
  readonly ledger: GitLedger;
  readonly sight: TreeSight;
}

export const planMerge = async (tree: Tree, { ledger, sight }: Pick<Around, "ledger" | "sight">): Promise<Plan> => {
  if (!isLinked(tree)) throw refuse("This folder is not a worktree.", "bad-request");
  const { git } = tree;
  const into = await baseOf(tree, ledger);
  const ref = `refs/heads/${into}`;
  const [from, tip] = await Promise.all([commitOf(tree, ref), commitOf(tree, "HEAD")]);
  if (from === undefined || tip === undefined)
    throw refuse(`The base “${into}” is not a branch, so nothing can be merged into it.`);
  const place = (await listTrees(tree)).find(({ branch, missing }) => branch === into && !missing)?.path;
  if (place === tree.root) throw refuse("The worktree has its base checked out. There is nothing to merge.");
  const about = {
    into,
    ...(place !== undefined && { place }),
    commits: await readCommits(tree, ["-200", `${from}..${tip}`]),
    conflicts: [],
    uncommitted: shownPaths(tree, filesIn(await readLists(tree)), sight.sight.paths),
  };
  const plan = { ref, from, tip };
  const isAncestor = async (a: string, b: string): Promise<boolean> =>
    (await runGit(git, ["merge-base", "--is-ancestor", a, b])).ok;
  if (await isAncestor(tip, from)) return { ...plan, account: { ...about, outcome: "nothing", files: 0 } };
  if (await isAncestor(from, tip))
    return { ...plan, account: { ...about, outcome: "fast-forward", files: (await changed(tree, from, tip)).length } };
  const merged = await runGit(git, ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", from, tip]);
  const [content = "", ...conflicts] = nulTerminated(merged.stdout);
  if (!/^[0-9a-f]{40,64}$/.test(content) || (merged.code !== 0 && merged.code !== 1))
    throw refuse(`Git could not merge; version 2.38 or newer is needed. ${saidByGit(merged.stderr)}`);
  if (merged.code === 1)
    return {
      ...plan,
      account: { ...about, outcome: "conflict", files: 0, conflicts: shownPaths(tree, conflicts, sight.sight.paths) },
    };
  const files = (await changed(tree, from, content)).length;
  return { ...plan, tree: content, account: { ...about, outcome: "merge", files } };
};

const changed = async ({ git }: Tree, from: string, to: string): Promise<string[]> => {
  const { ok, stdout } = await runGit(git, ["diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to]);
  if (!ok) throw refuse("Git could not compare the branches.");
  return nulTerminated(stdout);
};

export const merge = async (tree: Tree, around: Around): Promise<Account> => {
  const { account, ref, from, tip, tree: content } = await planMerge(tree, around);
  const { outcome, into, place } = account;
  if (outcome === "nothing") return account;
  if (outcome === "conflict")
    throw refuse(
      `The branches changed the same lines of ${account.conflicts.length} files. Ask the session to merge ${into} into its branch first.`,
      "changed",
      { conflicts: account.conflicts.slice(0, 100) },
    );
  const branch = await gitText(tree.git, ["symbolic-ref", "--quiet", "--short", "HEAD"]);
  const words = `Merge branch '${branch ?? tip.slice(0, 10)}' into ${into}`;
  const to =
    content === undefined ? tip : await commitTree(tree, content, [from, tip], `${words}\n`, await identityOf(tree));
  await moveBranch(tree, { ref, from, to, why: words, ...(place !== undefined && { place }) }, around);
  const undoing = { kind: "merge", ref, from, to } as const;
  const undo = around.ledger.addUndo(tree.common, `Merge of ${branch ?? tip.slice(0, 10)} into ${into}`, undoing);
  return { ...account, undo };
};

interface Move {
  readonly ref: string;
  readonly from: string;
  readonly to: string;
  readonly why: string;
  readonly place?: string;
}

/** Moves a branch, and the files of the working tree that has it checked out. */
const moveBranch = async (tree: Tree, { ref, from, to, why, place }: Move, around: Around): Promise<void> => {
  const there = place === undefined ? undefined : await openTreeToChange(place, around.sight, around.host);
  if (there !== undefined) {
    if ((await gitText(there.git, ["symbolic-ref", "--quiet", "HEAD"])) !== ref || there.common !== tree.common)
      throw refuse(`${there.root} has another branch checked out now.`, "changed");
    await mustBePlain(there, from, to);
    const { ok, stderr } = await runGit(there.git, ["read-tree", "-m", "-u", from, to], { timeoutMs: 300_000 });
    if (!ok)
      throw refuse(
        `Files in ${there.root} have changes that would be lost, so nothing was changed. ${saidByGit(stderr)}`,
      );
  }
  const failed = await moveRef(tree, { ref, from, to, why });
  if (failed === undefined) return;
  if (there !== undefined) await runGit(there.git, ["read-tree", "-m", "-u", to, from]);
  throw refuse(`The branch moved meanwhile, so nothing was changed. ${failed}`, "changed");
};

/** Files that change must not need a filter, by the attributes before and after. */
const mustBePlain = async (there: Tree, from: string, to: string): Promise<void> => {
  const paths = await changed(there, from, to);
  await withFolder(async (folder) => {
    for (const [at, commit] of [from, to].entries()) {
      const index = join(folder, String(at));
      const read = await runGit(there.git, ["read-tree", commit], { env: { GIT_INDEX_FILE: index } });
      if (!read.ok) throw refuse(`Git could not read the commit. ${saidByGit(read.stderr)}`);
      mustNeedNoFilter(await filtersOf(there, paths, { cached: true, index }));
    }
  });
};

export const undoMerge = async (
  tree: Tree,
  id: string,
  { ref, from, to }: Extract<Undoing, { kind: "merge" }>,
  around: Around,
): Promise<string> => {
  if ((await commitOf(tree, ref)) !== to)
    throw refuse("The branch has moved since the merge, so it cannot be undone here.", "changed");
  const trees = await listTrees(tree);
  // It may be checked out elsewhere by now.
  const place = trees.find(({ branch, missing }) => `refs/heads/${branch}` === ref && !missing)?.path;
  const pushed = await gitText(tree.git, ["for-each-ref", "--contains", to, "--count=1", "refs/remotes"]);
  if (pushed !== "") throw refuse("The merge was pushed, so it cannot be undone here.");
  await keep(tree, id, to);
  await moveBranch(tree, { ref, from: to, to: from, why: "undo merge", ...(place !== undefined && { place }) }, around);
  return `The merge is undone. ${ref.slice("refs/heads/".length)} is where it was before.`;
};
