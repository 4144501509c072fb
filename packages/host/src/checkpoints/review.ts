// The review of a session: what it changed, in total or in one turn, and how to revert it. It compares trees of the journal with
// each other, or one tree with the folder as it is now.

import { join } from "node:path";
import { HostError } from "../host-error.ts";
import { totalsOf } from "./checkpoints.ts";
import type { Checkpoints, Reviewable } from "./checkpoints.ts";
import type { FolderSnapshots, Snapshot } from "./folder-snapshots.ts";
import type { HunkPlace } from "./hunk-place.ts";
import { originsSince, turnsOf } from "./journal.ts";
import type { ChangeOrigin, Origins, Totals, TreeLine, Turn } from "./journal.ts";
import type { LeftOut } from "./left-out.ts";
import { SnapshotError } from "./private-git.ts";
import { decodedHunk, isBinaryPatch, rawHunks } from "./raw-patch.ts";
import { foundIn, headsAfter, headsBefore, lastHeads, movedBetween } from "./repository-heads.ts";
import type { MovedRepository } from "./repository-heads.ts";
import { blobSize, changesBetween, entriesAt, filePatch, readBlob, wholePatch } from "./tree-diff.ts";
import type { TreeChange } from "./tree-diff.ts";

/** A prompt's turn, or the whole session. */
export interface ReviewScope {
  readonly turn?: string;
}

export interface ReviewedFile extends TreeChange {
  readonly by: readonly ChangeOrigin[];
}

export interface ReviewedTurn {
  readonly prompts: readonly string[];
  readonly at: number;
  readonly endedAt?: number;
  readonly totals: Totals;
}

export interface Review {
  /** The real path that the files' paths are relative to. */
  readonly folder: string;
  readonly files: readonly ReviewedFile[];
  /** Repositories inside of the folder that are at another commit. */
  readonly moved: readonly (MovedRepository & { readonly by: readonly ChangeOrigin[] })[];
  readonly turns: readonly ReviewedTurn[];
  /** Counts only files that the session changed itself. */
  readonly totals: Totals;
  readonly leftOut: LeftOut | undefined;
  /** Why snapshots do not work now. */
  readonly problem: string | undefined;
  /** The turn began before its snapshot was taken. */
  readonly late: boolean;
  /** Files that changed before the snapshot had them. */
  readonly unsure: readonly string[];
}

export interface FileDiff {
  readonly kind: "diff" | "new-file" | "deleted" | "binary" | "none";
  readonly from?: string;
  readonly hunks: readonly (HunkPlace & { readonly lines: readonly string[] })[];
  readonly truncated: boolean;
  /** Names both sides. */
  readonly version: string;
}

export interface Sides {
  readonly folder: FolderSnapshots;
  readonly lines: readonly TreeLine[];
  readonly before: string;
  readonly after: string;
  /** The folder as it is now, where the scope reaches until now. */
  readonly now?: Snapshot;
  /** Repositories inside of the folder that are at another commit. */
  readonly moved: readonly MovedRepository[];
  readonly origins: ReadonlyMap<string, ReadonlySet<ChangeOrigin>>;
  readonly late: boolean;
  readonly unsure: readonly string[];
  readonly problem?: string;
}

/** 20,000 changed lines, and the lines around them. */
const MOST_LINES = 40_000;
const MOST_PATCH_BYTES = 64 * 1024 * 1024;

export class Reviews {
  readonly #checkpoints: Checkpoints;

  constructor(checkpoints: Checkpoints) {
    this.#checkpoints = checkpoints;
  }

  /** Nothing where the session has no snapshots. */
  async changes(session: Reviewable, scope: ReviewScope = {}): Promise<Review | undefined> {
    await this.#checkpoints.settled(session.id);
    const journal = this.#checkpoints.journalOf(session.id);
    const problem = journal.problem?.text;
    if (journal.trees.length === 0) {
      if (problem === undefined) return undefined;
      const nothing = {
        files: [],
        moved: [],
        turns: [],
        totals: totalsOf([]),
        leftOut: undefined,
        late: false,
        unsure: [],
      };
      return { ...nothing, folder: this.#checkpoints.cwdOf(session), problem };
    }
    await this.#checkpoints.settled(session.id);
    const sides = await this.sides(session, scope);
    const changes = await changesBetween(sides.folder.git, sides.before, sides.after);
    const files = changes.map((change) => ({ ...change, by: originsFor(sides, change) }));
    const own = files.filter(({ by }) => by.some((origin) => origin !== "outside"));
    return {
      folder: sides.folder.folder,
      files,
      moved: sides.moved.map((one) => ({ ...one, by: [...(sides.origins.get(one.path) ?? [])] })),
      turns: turnsOf(sides.lines).map(shownTurn),
      totals: totalsOf(own),
      leftOut: sides.now?.leftOut,
      problem: sides.problem ?? problem,
      late: sides.late,
      unsure: sides.unsure,
    };
  }

  /** Who changed a file since the session's start, by its absolute path. Nothing where the session has no snapshots. */
  async origins(session: Reviewable): Promise<ReadonlyMap<string, ReadonlySet<ChangeOrigin>> | undefined> {
    await this.#checkpoints.settled(session.id);
    if (this.#checkpoints.journalOf(session.id).trees.length === 0) return undefined;
    const { folder, origins } = await this.sides(session, {});
    return new Map([...origins].map(([path, by]) => [join(folder.folder, path), by]));
  }

  /** Both commits of a repository inside the folder. Undefined if it is not a repository, or at the same commit. */
  async moved(session: Reviewable, path: string, scope: ReviewScope): Promise<MovedRepository | undefined> {
    await this.#checkpoints.settled(session.id);
    return (await this.sides(session, scope)).moved.find((one) => one.path === path);
  }

  /** When the turns were. Nothing where the session has no snapshots. */
  turns(session: Reviewable): readonly ReviewedTurn[] {
    return turnsOf(this.#checkpoints.journalOf(session.id).trees).map(shownTurn);
  }

  async diff(
    session: Reviewable,
    path: string,
    options: ReviewScope & { readonly whitespace?: "ignore" },
  ): Promise<FileDiff> {
    await this.#checkpoints.settled(session.id);
    const sides = await this.sides(session, options);
    const { folder } = sides;
    const change = await this.changeAt(sides, path);
    const version = changeVersionOf(change);
    const from = change?.from === undefined ? {} : { from: change.from };
    const none = { ...from, hunks: [], truncated: false, version };
    if (change === undefined) return { ...none, kind: "none" };
    const { whitespace } = options;
    const how = { mostBytes: MOST_PATCH_BYTES, ...(whitespace !== undefined && { whitespace }) };
    const patch = await filePatch(folder.git, change.before?.oid, change.after?.oid, how);
    if (isBinaryPatch(patch)) return { ...none, kind: "binary" };
    const { hunks, truncated } = rawHunks(patch, MOST_LINES);
    const kind = change.before === undefined ? "new-file" : change.after === undefined ? "deleted" : "diff";
    return { ...from, kind, hunks: hunks.map(decodedHunk), truncated, version };
  }

  /** The bytes of one side. Nothing if the file is not there. */
  async content(
    session: Reviewable,
    path: string,
    { side, mostBytes, ...scope }: ReviewScope & { readonly side: "before" | "after"; readonly mostBytes: number },
  ): Promise<{ readonly size: number; readonly bytes: Buffer | undefined } | undefined> {
    await this.#checkpoints.settled(session.id);
    const sides = await this.sides(session, scope);
    const change = await this.changeAt(sides, path);
    const { git } = sides.folder;
    const entry =
      change === undefined ? (await entriesAt(git, sides.after, [path])).get(path) : (change[side] ?? undefined);
    if (entry === undefined) return undefined;
    const size = await blobSize(git, entry.oid);
    return { size, bytes: size > mostBytes ? undefined : await readBlob(git, entry.oid, mostBytes) };
  }

  /** As `git apply` takes it in the folder. */
  async patch(
    session: Reviewable,
    {
      isWanted,
      mostBytes,
      ...scope
    }: ReviewScope & { readonly mostBytes: number; readonly isWanted: (folder: string, path: string) => boolean },
  ): Promise<{ readonly patch: Buffer; readonly files: number }> {
    await this.#checkpoints.settled(session.id);
    const sides = await this.sides(session, scope);
    const { folder, git } = sides.folder;
    const changes = await changesBetween(git, sides.before, sides.after, { renames: false, namesOnly: true });
    const paths = changes.map(({ path }) => path).filter((path) => isWanted(folder, path));
    return { patch: await wholePatch(git, sides.before, sides.after, paths, mostBytes), files: paths.length };
  }

  /** The folder that the snapshots are of. */
  folderOf(session: Reviewable): string | undefined {
    return this.#checkpoints.journalOf(session.id).trees.at(-1)?.folder;
  }

  /** Takes a snapshot now, if the session has any. The next one is quicker if nothing changes. */
  async warmed(session: Reviewable): Promise<void> {
    const folder = this.folderOf(session);
    if (folder !== undefined) await this.#checkpoints.at(folder).take();
  }

  /** Some of the ignored files and folders, which snapshots leave out. */
  async ignored(session: Reviewable): Promise<readonly string[]> {
    const folder = this.folderOf(session);
    return folder === undefined ? [] : this.#checkpoints.at(folder).ignored();
  }

  /** The caller has waited for snapshots that were under way, unless it holds the folder itself. */
  async sides(session: Reviewable, { turn: prompt }: ReviewScope, known?: Snapshot): Promise<Sides> {
    const lines = this.linesOf(session);
    const folder = this.#checkpoints.at(lines.at(-1)!.folder);
    const turns = turnsOf(lines);
    const turn = prompt === undefined ? undefined : turns.findLast((each) => hasPrompt(each, prompt));
    if (prompt !== undefined && turn === undefined) throw noSnapshot(prompt);
    if (turn?.after !== undefined) {
      const origins = originsSince(lines.slice(0, turn.to), turn.from);
      const moved = movedBetween(headsBefore(lines, turn), headsAfter(lines, turn));
      return {
        folder,
        lines,
        before: turn.before,
        after: turn.after,
        moved,
        origins,
        late: turn.late,
        unsure: turn.unsure,
      };
    }
    const before = turn?.before ?? turns[0]?.before ?? lines[0]!.tree;
    const start = turn ?? turns[0];
    const heads = start === undefined ? lastHeads(lines.slice(0, 1)) : headsBefore(lines, start);
    const about = { folder, lines, before, late: start?.late === true, unsure: start?.unsure ?? [] };
    try {
      const now = known ?? (await folder.take());
      const found = await foundIn(folder, now);
      const since = await this.#checkpoints.originsSinceLast(session, folder, found, "now");
      const origins = originsSince([...lines, lineNow(lines, now, since)], turn?.from ?? 0);
      return { ...about, after: now.tree, now, moved: movedBetween(heads, found.heads), origins };
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error;
      // The folder is gone, or the disk is full: what is known can still be seen.
      const origins = originsSince(lines, turn?.from ?? 0);
      const moved = movedBetween(heads, lastHeads(lines));
      return { ...about, after: lines.at(-1)!.tree, moved, origins, problem: error.message };
    }
  }

  linesOf(session: Reviewable): readonly TreeLine[] {
    const lines = this.#checkpoints.journalOf(session.id).trees;
    if (lines.length === 0) throw new HostError("not-kept", "This session has no snapshots.", { id: session.id });
    return lines;
  }

  async changeAt({ folder, before, after }: Sides, path: string): Promise<TreeChange | undefined> {
    const changes = await changesBetween(folder.git, before, after, { namesOnly: true });
    return changes.find((change) => change.path === path) ?? changes.find(({ from }) => from === path);
  }
}

export const noSnapshot = (prompt: string): HostError =>
  new HostError("unknown-prompt", "This prompt has no snapshot.", { uuid: prompt });

const hasPrompt = ({ prompts, between }: Turn, prompt: string): boolean =>
  prompts.includes(prompt) || between.has(prompt);

export const changeVersionOf = (change: TreeChange | undefined): string =>
  change === undefined ? "" : `${change.before?.oid ?? ""}..${change.after?.oid ?? ""}`;

export const originsFor = ({ origins }: Sides, { path, from }: TreeChange): ChangeOrigin[] => [
  ...new Set([...(origins.get(path) ?? []), ...(from === undefined ? [] : (origins.get(from) ?? []))]),
];

const shownTurn = ({ prompts, at, endedAt, totals }: Turn): ReviewedTurn => ({
  prompts,
  at,
  totals,
  ...(endedAt !== undefined && { endedAt }),
});

/** What has happened since the newest line, as a line of its own. */
export const lineNow = (lines: readonly TreeLine[], { tree }: Snapshot, since: Origins): TreeLine => ({
  kind: "after",
  at: Date.now(),
  folder: lines.at(-1)?.folder ?? "",
  tree,
  prompts: [],
  totals: totalsOf([]),
  ...since,
});
