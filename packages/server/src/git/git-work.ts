// What the bridge offers of git, for one device and one folder. Changes of one repository run one after the other.

import type { ParamsOf, ResultOf } from "@quarterdeck/session/bridge";
import { commit, undoCommit } from "./commit.ts";
import { compareWithBase, addWorktree, baseOf, folderIn, forkPoint, listWorktrees } from "./worktrees.ts";
import { accountOf, discard, undoDiscard } from "./discard.ts";
import { refuse } from "./git-refusal.ts";
import { GitLedger } from "./ledger.ts";
import type { KeptUndo, MadeWorktree } from "./ledger.ts";
import { merge, planMerge, undoMerge } from "./merge.ts";
import { relativePath } from "./paths.ts";
import { createPullRequest, repositoryAt } from "./pull-request.ts";
import { ownEnvironment, push, readRemote } from "./push.ts";
import { stage, unstage } from "./stage.ts";
import { readLists, readState, showDiff } from "./state.ts";
import { busyIn, isLinked, listTrees, mustOpenTree, obstacleOf, openTree, openTreeToChange } from "./tree.ts";
import type { GitHost, Tree, TreeSight } from "./tree.ts";

const MOST_UNDOS_SHOWN = 5;

export class GitWork {
  readonly #host: GitHost;
  readonly #ledger: GitLedger;
  /** The last change of each repository. */
  readonly #changes = new Map<string, Promise<unknown>>();

  constructor(host: GitHost, dataDir: string) {
    this.#host = host;
    this.#ledger = new GitLedger(dataDir);
  }

  /** The worktree of ours that the folder is in, for lists. */
  worktreeAt(folder: string): MadeWorktree | undefined {
    return this.#ledger.worktreeAt(folder);
  }

  async state(folder: string, sight: TreeSight): Promise<ResultOf<"git/state">> {
    const tree = await openTree(folder, sight);
    if (tree === undefined) return {};
    const [state, busy, obstacle, trees] = await Promise.all([
      readState(tree, sight.sight.paths),
      busyIn(tree, this.#host),
      obstacleOf(tree),
      listTrees(tree),
    ]);
    const made = this.#ledger.worktreeAt(tree.root);
    const main = trees.find((one) => one.main)?.path;
    const base = made?.base ?? trees.find((one) => one.main)?.branch;
    const worktree =
      !isLinked(tree) || main === undefined
        ? undefined
        : {
            name: made?.name ?? tree.root.slice(tree.root.lastIndexOf("/") + 1),
            main,
            ...(base !== undefined && { base }),
          };
    return {
      tree: {
        ...state,
        busy,
        ...(obstacle !== undefined && { obstacle }),
        ...(worktree !== undefined && { worktree }),
        undos: this.#undosOf(tree).map(shownUndo),
      },
    };
  }

  /** A commit can be undone in its own working tree only. */
  #undosOf({ common, root }: Tree): readonly KeptUndo[] {
    return this.#ledger
      .undosOf(common)
      .filter(({ undoing }) => undoing.kind !== "commit" || undoing.root === root)
      .slice(0, MOST_UNDOS_SHOWN);
  }

  async brief(folders: readonly string[], sight: TreeSight): Promise<ResultOf<"git/brief">["folders"]> {
    const found: ResultOf<"git/brief">["folders"] = [];
    // One after the other, so that a long list does not slow down a turn.
    for (const cwd of new Set(folders)) {
      const real = await sight.sight.paths.resolve(cwd).catch(() => undefined);
      const tree = real === undefined ? undefined : await openTree(real, sight);
      const lists = tree === undefined ? undefined : await readLists(tree, "normal").catch(() => undefined);
      if (lists === undefined) continue;
      const { branch, ahead, behind, staged, unstaged, nested } = lists;
      found.push({
        cwd,
        ...(branch !== undefined && { branch }),
        ...(ahead !== undefined && { ahead }),
        ...(behind !== undefined && { behind }),
        dirty: staged.length + unstaged.length + nested.length > 0,
      });
    }
    return found;
  }

  async diff(folder: string, { path, side }: ParamsOf<"git/diff">, sight: TreeSight): Promise<ResultOf<"git/diff">> {
    const tree = await mustOpenTree(folder, sight);
    const inside = relativePath(tree, path, sight.sight.paths);
    const since = side === "base" ? { since: await forkPoint(tree, await baseOf(tree, this.#ledger)) } : side;
    return showDiff(tree, inside, since, sight.sight.paths);
  }

  stage(folder: string, { files }: ParamsOf<"git/stage">, sight: TreeSight): Promise<Record<string, never>> {
    return this.#change(folder, sight, async (tree) => {
      await stage(tree, files, sight.sight.paths);
      return {};
    });
  }

  unstage(folder: string, { files }: ParamsOf<"git/unstage">, sight: TreeSight): Promise<Record<string, never>> {
    return this.#change(folder, sight, async (tree) => {
      await unstage(tree, files, sight.sight.paths);
      return {};
    });
  }

  commit(folder: string, params: ParamsOf<"git/commit">, sight: TreeSight): Promise<ResultOf<"git/commit">> {
    return this.#change(folder, sight, async (tree) => {
      const { commit: id, undo } = await commit(tree, params, this.#ledger);
      return { commit: id, undo: shownUndo(undo) };
    });
  }

  undo(folder: string, id: string, sight: TreeSight): Promise<ResultOf<"git/undo">> {
    return this.#change(folder, sight, async (tree) => {
      const kept = this.#ledger.undosOf(tree.common).find((one) => one.id === id);
      if (kept === undefined) throw refuse("This cannot be undone any more.", "not-found");
      const words = await this.#undoOne(tree, kept, sight);
      this.#ledger.removeUndo(id);
      return { words };
    });
  }

  #undoOne(tree: Tree, { id, undoing }: KeptUndo, sight: TreeSight): Promise<string> {
    switch (undoing.kind) {
      case "commit":
        return undoCommit(tree, id, undoing);
      case "merge":
        return undoMerge(tree, id, undoing, { host: this.#host, ledger: this.#ledger, sight });
      case "discard":
        return undoDiscard(tree, undoing, this.#ledger);
    }
  }

  async remote(folder: string, sight: TreeSight): Promise<ResultOf<"git/remote">> {
    return readRemote(await mustOpenTree(folder, sight));
  }

  async push(folder: string, params: ParamsOf<"git/push">, sight: TreeSight): Promise<ResultOf<"git/push">> {
    const tree = await mustOpenTree(folder, sight);
    const obstacle = await obstacleOf(tree);
    if (obstacle !== undefined) throw refuse(obstacle);
    return this.#after(tree, () => push(tree, params));
  }

  async pullRequest(
    folder: string,
    { title, body, base, draft = false }: ParamsOf<"git/pullRequest">,
    sight: TreeSight,
  ): Promise<ResultOf<"git/pullRequest">> {
    const { url, branch, pullRequest } = await this.remote(folder, sight);
    if (url === undefined || branch === undefined) throw refuse("There is no remote that a pull request could go to.");
    if (pullRequest === undefined) throw refuse("gh is not installed. See cli.github.com.");
    if (pullRequest.obstacle !== undefined) throw refuse(pullRequest.obstacle);
    const repository = repositoryAt(url)!;
    return { url: await createPullRequest({ repository, branch, base, title, body, draft }, ownEnvironment()) };
  }

  async worktrees(folder: string, sight: TreeSight): Promise<ResultOf<"git/worktrees">> {
    const tree = await openTree(folder, sight);
    if (tree === undefined) return { worktrees: [], branches: [] };
    return listWorktrees(tree, { host: this.#host, ledger: this.#ledger, seen: sight.sight.paths });
  }

  async compare(folder: string, base: string | undefined, sight: TreeSight): Promise<ResultOf<"git/compare">> {
    const tree = await mustOpenTree(folder, sight);
    return compareWithBase(tree, await baseOf(tree, this.#ledger, base), sight.sight.paths);
  }

  /** Makes a worktree for a session. Returns the folder that the session starts in. */
  async addWorktree(
    folder: string,
    wish: { readonly name: string; readonly base?: string | undefined },
    sight: TreeSight,
  ): Promise<string> {
    const tree = await mustOpenTree(folder, sight);
    const obstacle = await obstacleOf(tree);
    if (obstacle !== undefined) throw refuse(obstacle);
    return this.#after(tree, async () => {
      const made = await addWorktree(tree, wish, { ledger: this.#ledger, seen: sight.sight.paths });
      return folderIn(made, tree);
    });
  }

  /** Also says what would stop the merge. */
  async planMerge(folder: string, sight: TreeSight): Promise<ResultOf<"git/planMerge">> {
    const tree = await mustOpenTree(folder, sight);
    const { account } = await planMerge(tree, { ledger: this.#ledger, sight });
    if (account.outcome === "nothing") return account;
    try {
      for (const each of [tree.root, account.place])
        if (each !== undefined) await openTreeToChange(each, sight, this.#host);
      return account;
    } catch (error) {
      return { ...account, obstacle: error instanceof Error ? error.message : String(error) };
    }
  }

  merge(folder: string, sight: TreeSight): Promise<ResultOf<"git/merge">> {
    return this.#change(folder, sight, async (tree) => {
      const { undo, ...account } = await merge(tree, { host: this.#host, ledger: this.#ledger, sight });
      return { ...account, ...(undo !== undefined && { undo: shownUndo(undo) }) };
    });
  }

  async planDiscard(folder: string, sight: TreeSight): Promise<ResultOf<"git/planDiscard">> {
    const tree = await mustOpenTree(folder, sight);
    const account = await accountOf(tree, sight.sight.paths);
    const [first] = await busyIn(tree, this.#host);
    if (first === undefined || account.obstacle !== undefined) return account;
    return { ...account, obstacle: `A session works in this folder: “${first.title ?? first.id}”.` };
  }

  discard(folder: string, seen: string, sight: TreeSight): Promise<ResultOf<"git/discard">> {
    return this.#change(folder, sight, async (tree) => {
      const about = { host: this.#host, ledger: this.#ledger, paths: sight.sight.paths };
      const { undo, ...account } = await discard(tree, seen, about);
      return { ...account, undo: shownUndo(undo) };
    });
  }

  async #change<T>(folder: string, sight: TreeSight, change: (tree: Tree) => Promise<T>): Promise<T> {
    const tree = await mustOpenTree(folder, sight);
    // Asked again when it is its turn: what was done before may have changed everything.
    return this.#after(tree, async () => change(await openTreeToChange(folder, sight, this.#host)));
  }

  #after<T>({ common }: Tree, work: () => Promise<T>): Promise<T> {
    const before = this.#changes.get(common) ?? Promise.resolve();
    const mine = before.then(work, work);
    const settled = mine.then(
      () => undefined,
      () => undefined,
    );
    this.#changes.set(common, settled);
    void settled.then(() => {
      if (this.#changes.get(common) === settled) this.#changes.delete(common);
    });
    return mine;
  }
}

const shownUndo = ({ id, words, at }: Pick<KeptUndo, "id" | "words" | "at">) => ({ id, words, at });
