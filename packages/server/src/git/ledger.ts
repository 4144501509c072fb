// What Quarterdeck did with git and remembers: the worktrees that it made, and what can be undone. A private file, because an undo
// moves branches. Commits that an undo needs are kept by references below `refs/quarterdeck/`, which nothing removes.

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { readPrivateFile, writePrivateFile } from "../access/private-file.ts";
import { isInside } from "../files/contained-path.ts";

export interface MadeWorktree {
  readonly path: string;
  readonly name: string;
  readonly branch: string;
  /** The branch or the commit that it started from. */
  readonly base: string;
  readonly baseCommit: string;
  /** The main working tree. */
  readonly repository: string;
  readonly at: number;
  readonly isDiscarded?: true;
}

export type Undoing =
  | {
      readonly kind: "commit";
      readonly root: string;
      readonly ref: string;
      readonly from?: string;
      readonly to: string;
    }
  | { readonly kind: "merge"; readonly ref: string; readonly from: string; readonly to: string }
  | {
      readonly kind: "discard";
      readonly path: string;
      readonly branch?: string;
      readonly tip: string;
      /** A commit with the files that were not committed. */
      readonly files?: string;
    };

export interface KeptUndo {
  readonly id: string;
  readonly at: number;
  readonly words: string;
  /** The common git directory. */
  readonly common: string;
  readonly undoing: Undoing;
}

interface Kept {
  readonly worktrees: readonly MadeWorktree[];
  readonly undos: readonly KeptUndo[];
}

const MOST_UNDOS = 500;

export class GitLedger {
  readonly #file: string;
  #kept: Kept;

  constructor(dataDir: string) {
    this.#file = join(dataDir, GIT_LEDGER_FILE);
    const text = readPrivateFile(this.#file);
    this.#kept = { worktrees: [], undos: [], ...(text === undefined ? {} : (JSON.parse(text) as Partial<Kept>)) };
  }

  #save(kept: Kept): void {
    this.#kept = kept;
    writePrivateFile(this.#file, JSON.stringify(kept));
  }

  /** The worktree that this folder is in. */
  worktreeAt(folder: string): MadeWorktree | undefined {
    return this.#kept.worktrees.find(({ path }) => isInside(folder, path));
  }

  addWorktree(made: MadeWorktree): void {
    const others = this.#kept.worktrees.filter(({ path }) => path !== made.path);
    this.#save({ ...this.#kept, worktrees: [...others, made] });
  }

  removeWorktree(path: string): void {
    this.#save({ ...this.#kept, worktrees: this.#kept.worktrees.filter((made) => made.path !== path) });
  }

  markDiscarded(path: string, isDiscarded: boolean): void {
    const worktrees = this.#kept.worktrees.map((made): MadeWorktree => {
      const { isDiscarded: _before, ...same } = made;
      if (made.path !== path) return made;
      return isDiscarded ? { ...same, isDiscarded } : same;
    });
    this.#save({ ...this.#kept, worktrees });
  }

  addUndo(common: string, words: string, undoing: Undoing): KeptUndo {
    const undo = { id: randomUUID(), at: Date.now(), words, common, undoing };
    this.#save({ ...this.#kept, undos: [undo, ...this.#kept.undos].slice(0, MOST_UNDOS) });
    return undo;
  }

  undosOf(common: string): readonly KeptUndo[] {
    return this.#kept.undos.filter((undo) => undo.common === common);
  }

  removeUndo(id: string): void {
    this.#save({ ...this.#kept, undos: this.#kept.undos.filter((undo) => undo.id !== id) });
  }
}

export const GIT_LEDGER_FILE = "git-work.json";
