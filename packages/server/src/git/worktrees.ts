// Worktrees of sessions: the list, a new one, and the comparison with its base. Quarterdeck puts them where Claude Code does:
// `.claude/worktrees/<name>` of the main working tree, which git then ignores.

import { appendFile, lstat, mkdir, readFile, realpath } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import type { ResultOf } from "@quarterdeck/session/bridge";
import { isInside } from "../files/contained-path.ts";
import { openGit } from "../files/git.ts";
import type { ContainedPaths } from "../files/contract.ts";
import { refuse, saidByGit } from "./git-refusal.ts";
import type { GitLedger, MadeWorktree } from "./ledger.ts";
import { filtersOf, mustNeedNoFilter } from "./paths.ts";
import { gitText, runGit, nulTerminated } from "./run-git.ts";
import { countsByPath, readCommits, readLists, STATUS_LETTERS } from "./state.ts";
import { isLinked, listTrees, sessionsByTree } from "./tree.ts";
import type { GitHost, ListedTree, Tree } from "./tree.ts";

type Listed = ResultOf<"git/worktrees">;

const MOST_WORKTREES = 60;

export const listWorktrees = async (
  tree: Tree,
  { host, ledger, seen }: { readonly host: GitHost; readonly ledger: GitLedger; readonly seen: ContainedPaths },
): Promise<Listed> => {
  const all = (await listTrees(tree)).filter(({ bare }) => !bare);
  const sessions = await sessionsByTree(
    host,
    all.map(({ path }) => path),
  );
  const main = all.find((one) => one.main);
  const shown = all.filter(({ path, main: isMain }) => isMain || seen.shows(path)).slice(0, MOST_WORKTREES);
  const worktrees: Listed["worktrees"] = [];
  // One after the other: each reads every file of its folder.
  for (const one of shown)
    worktrees.push(await describe(tree, one, { main, ledger, sessions: sessions.get(one.path) ?? [] }));
  const branches = await branchesOf(tree);
  const proposal = proposalFor(tree, all, branches);
  return { worktrees, branches: branches.slice(0, 200), ...(proposal !== undefined && { proposal }) };
};

const describe = async (
  tree: Tree,
  { path, main: isMain, branch, head, locked, missing }: ListedTree,
  about: {
    readonly main: ListedTree | undefined;
    readonly ledger: GitLedger;
    readonly sessions: readonly { id: string; title?: string; live: boolean; archived: boolean }[];
  },
): Promise<Listed["worktrees"][number]> => {
  const made = isMain ? undefined : about.ledger.worktreeAt(path);
  const base = isMain ? undefined : (made?.base ?? about.main?.branch);
  const counted = base === undefined || head === undefined ? undefined : await aheadBehind(tree, base, head);
  const git = missing || locked ? undefined : await openGit(path);
  const lists = git?.root === path ? await readLists({ git }).catch(() => undefined) : undefined;
  return {
    path,
    name: basename(path),
    main: isMain,
    ...(branch !== undefined && { branch }),
    ...(base !== undefined && { base }),
    ...counted,
    uncommitted: lists === undefined ? 0 : filesIn(lists).length,
    ...(made !== undefined && { madeAt: made.at }),
    missing,
    locked,
    sessions: about.sessions.map(({ id, title, live, archived }) => ({
      id,
      ...(title !== undefined && { title }),
      live,
      archived,
    })),
    forgotten: made !== undefined && about.sessions.every(({ archived }) => archived),
  };
};

/** Every file that is not as the last commit has it. */
export const filesIn = ({ staged, unstaged }: Awaited<ReturnType<typeof readLists>>): string[] =>
  [...new Set([...staged, ...unstaged].map(({ path }) => path))].toSorted();

const branchesOf = async ({ git }: Tree): Promise<string[]> => {
  const format = "--format=%(refname)";
  const text = await gitText(git, ["for-each-ref", "--sort=-committerdate", "--count=1000", format, "refs/heads"]);
  return (text ?? "")
    .split("\n")
    .flatMap((ref) => (ref.startsWith("refs/heads/") ? [ref.slice("refs/heads/".length)] : []));
};

/** Short words that are easy to tell apart. */
const NAMES = [
  "anchor",
  "beacon",
  "cutter",
  "drift",
  "ensign",
  "fathom",
  "galley",
  "harbor",
  "islet",
  "jetty",
  "keel",
  "lagoon",
];

const proposalFor = ({ root }: Tree, all: readonly ListedTree[], branches: readonly string[]): Listed["proposal"] => {
  const here = all.find(({ path }) => path === root);
  const base = here?.branch ?? here?.head;
  if (base === undefined) return undefined;
  const taken = new Set([...branches, ...all.map(({ path }) => basename(path))]);
  for (let round = 1; ; round++) {
    const name = NAMES.map((word) => (round === 1 ? word : `${word}-${round}`)).find((word) => !taken.has(word));
    if (name !== undefined) return { name, base };
  }
};

// A new one.

export const addWorktree = async (
  tree: Tree,
  wish: { readonly name: string; readonly base?: string | undefined },
  { ledger, seen }: { readonly ledger: GitLedger; readonly seen: ContainedPaths },
): Promise<MadeWorktree> => {
  const { git } = tree;
  const { name } = wish;
  const all = await listTrees(tree);
  const main = all.find((one) => one.main);
  if (main === undefined || main.bare || main.missing) throw refuse("This repository has no main working tree.");
  if (!seen.contains(main.path)) throw refuse("This device does not see the whole repository.", "outside-roots");
  const here = all.find(({ path }) => path === tree.root);
  const base = wish.base ?? here?.branch ?? here?.head;
  const baseCommit = base === undefined ? undefined : await commitOf(tree, base);
  if (base === undefined || baseCommit === undefined)
    throw refuse(`The base “${base ?? "HEAD"}” is not a branch or a commit.`, "not-found");
  const path = join(main.path, ".claude", "worktrees", name);
  const known = ledger.worktreeAt(path);
  // Asked again after the folder was trusted: nothing has happened in it yet.
  if (known?.path === path && known.isDiscarded === undefined && all.some((one) => one.path === path)) {
    if (known.base === base && (await commitOf(tree, `refs/heads/${known.branch}`)) === known.baseCommit) return known;
  }
  if (/\.lock$|\.$|\.\./.test(name)) throw refuse("Git does not allow this name for a branch.", "bad-request");
  if ((await commitOf(tree, `refs/heads/${name}`)) !== undefined)
    throw refuse(`A branch “${name}” exists already. Choose another name.`, "bad-request");
  if ((await lstat(path).catch(() => undefined)) !== undefined)
    throw refuse(`${path} exists already. Choose another name.`, "bad-request");
  await mkdir(dirname(path), { recursive: true });
  if ((await realpath(dirname(path))) !== dirname(path)) throw refuse(".claude/worktrees is a link. Remove it first.");
  await ignore(tree, main.path);
  // Without its files: the settings of the new worktree are read before git writes any.
  const added = await runGit(git, [
    "worktree",
    "add",
    "--quiet",
    "--no-checkout",
    "--no-track",
    "-b",
    name,
    path,
    baseCommit,
  ]);
  if (!added.ok) throw refuse(`Git could not make the worktree. ${saidByGit(added.stderr)}`);
  try {
    await fill(path);
  } catch (error) {
    await runGit(git, ["worktree", "remove", "--force", path]);
    await runGit(git, ["update-ref", "-d", `refs/heads/${name}`, baseCommit]);
    throw error;
  }
  const made = { path, name, branch: name, base, baseCommit, repository: main.path, at: Date.now() };
  ledger.addWorktree(made);
  return made;
};

/** The session starts in the same subfolder, if the commit has it. */
export const folderIn = async ({ path }: MadeWorktree, { root, folder }: Tree): Promise<string> => {
  const same = join(path, relative(root, folder));
  const real = await realpath(same).catch(() => undefined);
  return real !== undefined && isInside(real, path) ? real : path;
};

export const commitOf = ({ git }: Pick<Tree, "git">, revision: string): Promise<string | undefined> =>
  gitText(git, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`]);

const EXCLUDED = "/.claude/worktrees/";

const ignore = async ({ common, git }: Tree, main: string): Promise<void> => {
  if ((await runGit(git, ["-C", main, "check-ignore", "--quiet", "--no-index", ".claude/worktrees/x"])).ok) return;
  const file = join(common, "info", "exclude");
  const before = await readFile(file, "utf8").catch(() => "");
  await mkdir(dirname(file), { recursive: true });
  await appendFile(file, `${before === "" || before.endsWith("\n") ? "" : "\n"}${EXCLUDED}\n`);
};

/** Writes the files of HEAD into an empty worktree. */
const fill = async (path: string): Promise<void> => {
  const git = await openGit(path);
  if (git?.root !== path) throw refuse("Git could not open the new worktree.");
  const read = await runGit(git, ["read-tree", "HEAD"]);
  const listed = await runGit(git, ["ls-files", "-z"]);
  if (!read.ok || !listed.ok) throw refuse(`Git could not read the commit. ${saidByGit(read.stderr)}`);
  mustNeedNoFilter(await filtersOf({ git }, nulTerminated(listed.stdout), { cached: true }));
  const written = await runGit(git, ["reset", "--hard", "--quiet"], { timeoutMs: 300_000 });
  if (!written.ok) throw refuse(`Git could not write the files. ${saidByGit(written.stderr)}`);
};

// The comparison with its base.

const aheadBehind = async (
  { git }: Pick<Tree, "git">,
  base: string,
  head: string,
): Promise<{ ahead: number; behind: number } | undefined> => {
  const from = await commitOf({ git }, base);
  if (from === undefined) return undefined;
  const counted = await gitText(git, ["rev-list", "--left-right", "--count", `${from}...${head}`, "--"]);
  const [behind, ahead] = (counted ?? "").split("\t").map(Number);
  return ahead === undefined || behind === undefined ? undefined : { ahead, behind };
};

/** What the worktree is compared with. */
export const baseOf = async (tree: Tree, ledger: GitLedger, wanted?: string): Promise<string> => {
  if (wanted !== undefined) return wanted;
  const made = isLinked(tree) ? ledger.worktreeAt(tree.root) : undefined;
  if (made !== undefined) return (await commitOf(tree, made.base)) === undefined ? made.baseCommit : made.base;
  const main = (await listTrees(tree)).find((one) => one.main);
  const base = isLinked(tree) ? (main?.branch ?? main?.head) : undefined;
  if (base === undefined) throw refuse("This folder is not a worktree. Name a branch to compare with.", "bad-request");
  return base;
};

/** Where the branch left its base. */
export const forkPoint = async (tree: Tree, base: string): Promise<string> => {
  const commit = await commitOf(tree, base);
  if (commit === undefined) throw refuse(`The base “${base}” is not a branch or a commit.`, "not-found");
  return (await gitText(tree.git, ["merge-base", commit, "HEAD"])) ?? commit;
};

const MOST_COMMITS = 200;
const MOST_FILES = 2000;

export const compareWithBase = async (
  tree: Tree,
  base: string,
  seen: ContainedPaths,
): Promise<ResultOf<"git/compare">> => {
  const since = await forkPoint(tree, base);
  const lists = await readLists(tree);
  if (lists.head === undefined) throw refuse("This branch has no commit yet.");
  const [counts, names, commits, counted] = await Promise.all([
    countsByPath(tree, [since]),
    runGit(tree.git, ["diff", ...NAMES_ONLY, since, "--"]),
    readCommits(tree, [`-${MOST_COMMITS}`, `${since}..${lists.head}`]),
    aheadBehind(tree, base, lists.head),
  ]);
  const untracked = lists.unstaged.filter(({ status }) => status === "untracked");
  const words = nulTerminated(names.stdout);
  const files = new Map<string, ResultOf<"git/compare">["files"][number]>(untracked.map((file) => [file.path, file]));
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [letter = "", path = ""] = words.slice(at, at + 2);
    files.set(path, { path, status: STATUS_LETTERS[letter] ?? "modified", ...counts.get(path) });
  }
  const shown = [...files.values()]
    .filter(({ path }) => seen.shows(join(tree.root, path)))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return {
    base,
    ...(lists.branch !== undefined && { branch: lists.branch }),
    ahead: counted?.ahead ?? 0,
    behind: counted?.behind ?? 0,
    commits,
    files: shown.slice(0, MOST_FILES),
    truncated: shown.length > MOST_FILES,
  };
};

const NAMES_ONLY = ["--name-status", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];
