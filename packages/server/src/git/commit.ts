// Commits and their undo, with git's own plumbing: no hook, no editor and no signature program is part of it.

import { refuse, saidByGit } from "./git-refusal.ts";
import type { GitLedger, KeptUndo, Undoing } from "./ledger.ts";
import { gitText, runGit } from "./run-git.ts";
import { stagedIdOf } from "./state.ts";
import type { Tree } from "./tree.ts";

/** Name and address, as settings have them. Git uses them as text. */
export const identityOf = async ({ git }: Pick<Tree, "git">): Promise<Readonly<Record<string, string>>> => {
  const [name, email] = await Promise.all(
    ["user.name", "user.email"].map((key) => gitText(git, ["config", "--get", key])),
  );
  const [cleanName, cleanEmail] = [name, email].map((text) => text?.replaceAll(/[\p{Cc}<>]/gu, "").trim());
  if (!cleanName || !cleanEmail)
    throw refuse("Git does not know your name. Set it in a terminal: git config --global user.name and user.email.");
  return {
    ...{ GIT_AUTHOR_NAME: cleanName, GIT_AUTHOR_EMAIL: cleanEmail },
    ...{ GIT_COMMITTER_NAME: cleanName, GIT_COMMITTER_EMAIL: cleanEmail },
  };
};

/** Keeps a commit that no branch has any more. */
export const keep = async ({ git }: Pick<Tree, "git">, name: string, commit: string): Promise<void> => {
  const { ok, stderr } = await runGit(git, ["update-ref", `refs/quarterdeck/kept/${name}`, commit]);
  if (!ok) throw refuse(`Git could not keep the commit, so nothing was changed. ${saidByGit(stderr)}`);
};

export const commitTree = async (
  { git }: Pick<Tree, "git">,
  tree: string,
  parents: readonly string[],
  message: string,
  identity: Readonly<Record<string, string>>,
): Promise<string> => {
  const args = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent])];
  const { ok, stdout, stderr } = await runGit(git, args, { input: message, env: identity });
  if (!ok) throw refuse(`Git could not make the commit. ${saidByGit(stderr)}`);
  return stdout.toString().trim();
};

/** The branch, or HEAD itself where none is checked out. */
const headRef = async ({ git }: Tree): Promise<string> =>
  (await gitText(git, ["symbolic-ref", "--quiet", "HEAD"])) ?? "HEAD";

const isRef = (ref: string): boolean => ref === "HEAD" || /^refs\/heads\/[^-]/.test(ref);

export const moveRef = async (
  { git }: Pick<Tree, "git">,
  {
    ref,
    from,
    to,
    why,
  }: { readonly ref: string; readonly from: string | undefined; readonly to: string | undefined; readonly why: string },
): Promise<string | undefined> => {
  if (!isRef(ref)) return "This is not a branch.";
  if (ref === "HEAD" && to === undefined) return "No branch is checked out.";
  const old = from ?? "0".repeat(to?.length ?? 40);
  const what = to === undefined ? ["-d", ref, old] : [ref, to, old];
  const { ok, stderr } = await runGit(git, ["update-ref", "--no-deref", "-m", `quarterdeck: ${why}`, ...what]);
  return ok ? undefined : saidByGit(stderr);
};

export const commit = async (
  tree: Tree,
  { message, stagedId }: { readonly message: string; readonly stagedId: string },
  ledger: GitLedger,
): Promise<{ commit: string; undo: KeptUndo }> => {
  const { git } = tree;
  const text = message.replaceAll("\r\n", "\n").replaceAll("\0", "").trim();
  if (text === "") throw refuse("The message is empty.", "bad-request");
  if ((await stagedIdOf(tree)) !== stagedId)
    throw refuse("What is staged has changed since you saw it. Look at it again.", "changed");
  const identity = await identityOf(tree);
  const ref = await headRef(tree);
  const parent = await gitText(git, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  const made = await runGit(git, ["write-tree"]);
  if (!made.ok) throw refuse(`Git could not write what is staged. ${saidByGit(made.stderr)}`);
  const content = made.stdout.toString().trim();
  const before = parent === undefined ? undefined : await gitText(git, ["rev-parse", `${parent}^{tree}`]);
  const nothing = await gitText(git, ["hash-object", "-t", "tree", "--stdin"], { input: "" });
  if (content === (before ?? nothing)) throw refuse("Nothing is staged.", "bad-request");
  const id = await commitTree(tree, content, parent === undefined ? [] : [parent], `${text}\n`, identity);
  const subject = text.split("\n")[0]!.slice(0, 72);
  const failed = await moveRef(tree, { ref, from: parent, to: id, why: `commit: ${subject}` });
  if (failed !== undefined) throw refuse(`The branch moved meanwhile, so nothing was committed. ${failed}`, "changed");
  const undoing = {
    kind: "commit",
    root: tree.root,
    ref,
    to: id,
    ...(parent !== undefined && { from: parent }),
  } as const;
  return { commit: id, undo: ledger.addUndo(tree.common, `Commit “${subject}”`, undoing) };
};

/** The branch goes back by one commit. The files and what is staged stay, so the changes are staged again. */
export const undoCommit = async (
  tree: Tree,
  id: string,
  { root, ref, from, to }: Extract<Undoing, { kind: "commit" }>,
): Promise<string> => {
  const { git } = tree;
  if (tree.root !== root) throw refuse(`This commit was made in ${root}. Undo it there.`);
  const now = await gitText(git, ["rev-parse", "--verify", "--quiet", "HEAD"]);
  if (now !== to || (await headRef(tree)) !== ref)
    throw refuse("This commit is no longer the last one of the branch, so it cannot be undone here.", "changed");
  const pushed = await gitText(git, ["for-each-ref", "--contains", to, "--count=1", "refs/remotes"]);
  if (pushed !== "") throw refuse("This commit was pushed, so it cannot be undone here.");
  await keep(tree, id, to);
  const failed = await moveRef(tree, { ref, from: to, to: from, why: "undo commit" });
  if (failed !== undefined) throw refuse(`Git did not move the branch. ${failed}`, "changed");
  return "The commit is undone. Its changes are staged again.";
};
