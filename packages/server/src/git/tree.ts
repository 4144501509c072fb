// One working tree that a device sees: where it is, and whether it may be changed now. Every change asks
// `openTreeToChange`, which refuses a git directory with links in it, an unfinished merge, and a folder in which a session works.

import { readdir, realpath, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Host } from "@quarterdeck/host";
import { isRunning } from "@quarterdeck/session";
import { isInside } from "../files/contained-path.ts";
import type { ContainedPaths, Sight } from "../files/contract.ts";
import type { Git } from "../files/git.ts";
import { openSharedGit } from "../files/shared-git.ts";
import { refuse } from "./git-refusal.ts";
import { runGit, nulTerminated } from "./run-git.ts";

export interface Tree {
  readonly git: Git;
  /** Real paths. */
  readonly root: string;
  readonly own: string;
  readonly common: string;
  /** The folder that was asked for. */
  readonly folder: string;
}

/** Which sessions there are, and where they work. */
export type GitHost = Pick<Host, "overviews" | "opened">;

export interface TreeSight {
  readonly roots: ContainedPaths;
  readonly sight: Sight;
}

/** `folder` is a real path that the caller may see. */
export const openTree = async (folder: string, { roots, sight }: TreeSight): Promise<Tree | undefined> => {
  const git = await openSharedGit(folder, { roots, seen: sight.paths });
  if (git === undefined) return undefined;
  const [own, common] = await Promise.all([realpath(git.gitDir), realpath(git.commonDir)]);
  return { git, root: git.root, own, common, folder };
};

export const mustOpenTree = async (folder: string, sight: TreeSight): Promise<Tree> => {
  const tree = await openTree(folder, sight);
  if (tree === undefined) throw refuse("This folder has no git repository that Quarterdeck can use.", "not-found");
  return tree;
};

export const openTreeToChange = async (folder: string, sight: TreeSight, host: GitHost): Promise<Tree> => {
  const tree = await mustOpenTree(folder, sight);
  if (!sight.sight.paths.contains(tree.root))
    throw refuse("This device sees only a part of this repository.", "outside-roots");
  await mustBeFree(tree, host);
  const obstacle = await obstacleOf(tree);
  if (obstacle !== undefined) throw refuse(obstacle);
  return tree;
};

/** Why git must not write here, in words. */
export const obstacleOf = async (tree: Tree): Promise<string | undefined> =>
  (await unfinished(tree)) ??
  ((await hasLinks(tree))
    ? "The git directory has links in it, which could make git write elsewhere. Use git in a terminal."
    : undefined);

const UNFINISHED: readonly (readonly [string, string])[] = [
  ["MERGE_HEAD", "A merge"],
  ["CHERRY_PICK_HEAD", "A cherry-pick"],
  ["REVERT_HEAD", "A revert"],
  ["rebase-merge", "A rebase"],
  ["rebase-apply", "A rebase"],
  ["BISECT_LOG", "A bisection"],
];

const unfinished = async ({ own }: Tree): Promise<string | undefined> => {
  for (const [name, what] of UNFINISHED)
    if ((await stat(join(own, name)).catch(() => undefined)) !== undefined)
      return `${what} is not finished here. Finish or abort it in a terminal.`;
  return undefined;
};

/** Where git writes. Reading was checked by `openSharedGit`; a log that is a link would let git write anywhere. */
const WRITTEN = ["logs", "refs", "info", "worktrees", "objects"];
const MOST_ENTRIES = 100_000;

const hasLinks = async ({ own, common }: Tree): Promise<boolean> => {
  let left = MOST_ENTRIES;
  const look = async (folder: string, depth: number): Promise<boolean> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (entry.isSymbolicLink() || left-- <= 0) return true;
      if (entry.isDirectory() && depth > 0 && (await look(join(folder, entry.name), depth - 1))) return true;
    }
    return false;
  };
  for (const folder of new Set([own, common])) {
    if (await look(folder, 0)) return true;
    for (const name of WRITTEN) if (await look(join(folder, name), name === "objects" ? 0 : 20)) return true;
  }
  return false;
};

// Who works here.

export interface SessionName {
  readonly id: string;
  readonly title?: string;
}

interface SessionPlace extends SessionName {
  readonly cwd: string;
  readonly live: boolean;
  readonly archived: boolean;
  readonly isWorking: boolean;
}

const sessionPlaces = async (host: GitHost): Promise<SessionPlace[]> =>
  Promise.all(
    host.overviews().map(async ({ id, title, cwd, live, archived, phase, runningTasks }) => {
      const at = (live ? host.opened(id)?.head.cwd : undefined) ?? cwd;
      return {
        id,
        ...(title !== undefined && { title }),
        cwd: await realpath(at).catch(() => at),
        live,
        archived,
        isWorking: live && (isRunning(phase) || runningTasks > 0),
      };
    }),
  );

/** Sessions by working tree. A worktree may be inside the main one, so the deepest counts. */
export const sessionsByTree = async (
  host: GitHost,
  trees: readonly string[],
): Promise<ReadonlyMap<string, SessionPlace[]>> => {
  const places = await sessionPlaces(host);
  const found = new Map<string, SessionPlace[]>(trees.map((tree) => [tree, []]));
  for (const place of places) {
    const inside = trees.filter((tree) => isInside(place.cwd, tree)).toSorted((a, b) => b.length - a.length)[0];
    if (inside !== undefined) found.get(inside)!.push(place);
  }
  return found;
};

export const busyIn = async (tree: Tree, host: GitHost): Promise<SessionName[]> => {
  const trees = (await listTrees(tree)).map(({ path }) => path);
  const here = (await sessionsByTree(host, [...new Set([tree.root, ...trees])])).get(tree.root) ?? [];
  return here
    .filter(({ isWorking }) => isWorking)
    .map(({ id, title }) => ({ id, ...(title !== undefined && { title }) }));
};

export const mustBeFree = async (tree: Tree, host: GitHost): Promise<void> => {
  const busy = await busyIn(tree, host);
  if (busy.length === 0) return;
  const names = busy.map(({ id, title }) => `“${title ?? id.slice(0, 8)}”`).join(", ");
  throw refuse(`A session works in this folder: ${names}. Wait until it rests, or stop it.`, "folder-in-use", {
    sessions: busy,
  });
};

// The working trees of the repository.

export interface ListedTree {
  /** Real, or as git has it if it is missing. */
  readonly path: string;
  readonly main: boolean;
  readonly head?: string;
  readonly branch?: string;
  readonly locked: boolean;
  readonly missing: boolean;
  readonly bare: boolean;
}

export const listTrees = async ({ git }: Tree): Promise<ListedTree[]> => {
  const { ok, stdout } = await runGit(git, ["worktree", "list", "--porcelain", "-z"]);
  if (!ok) return [];
  const blocks = stdout
    .toString()
    .split("\0\0")
    .filter((block) => block !== "");
  return Promise.all(
    blocks.map(async (block, at) => {
      const fields = new Map(
        nulTerminated(block).map((line): [string, string] => {
          const end = line.indexOf(" ");
          return end === -1 ? [line, ""] : [line.slice(0, end), line.slice(end + 1)];
        }),
      );
      const named = fields.get("worktree") ?? "";
      const real = await realpath(named).catch(() => undefined);
      const [head, branch] = [fields.get("HEAD"), fields.get("branch")];
      return {
        path: real ?? named,
        main: at === 0,
        ...(head !== undefined && !/^0+$/.test(head) && { head }),
        ...(branch?.startsWith("refs/heads/") === true && { branch: branch.slice("refs/heads/".length) }),
        locked: fields.has("locked"),
        missing: real === undefined,
        bare: fields.has("bare"),
      };
    }),
  );
};

export const isLinked = ({ own, common }: Tree): boolean => own !== common && basename(join(own, "..")) === "worktrees";
