// The way back: a file or a hunk is reverted, the folder is rewound to a prompt, and each of them can be undone. What would be replaced is in
// a snapshot first. The journal names every file that was restored, so what others write meanwhile is not part of it.

import { isRunning } from "@quarterdeck/session";
import type { Actor } from "@quarterdeck/session";
import { HostError } from "../host-error.ts";
import type { Session } from "../session/session.ts";
import type { Checkpoints, Reviewable } from "./checkpoints.ts";
import type { FolderSnapshots, Snapshot } from "./folder-snapshots.ts";
import { originsSince, turnStartOf } from "./journal.ts";
import type { ChangeOrigin, Origins, RestoredEntry } from "./journal.ts";
import { isBinaryPatch, rawHunks, withoutHunk } from "./raw-patch.ts";
import { foundIn } from "./repository-heads.ts";
import { restoreFiles } from "./restore-files.ts";
import type { Left } from "./restore-files.ts";
import { lineNow, noSnapshot, originsFor, changeVersionOf } from "./review.ts";
import type { HunkPlace } from "./hunk-place.ts";
import type { Reviews, ReviewScope } from "./review.ts";
import { changesBetween, entriesAt, filePatch, readBlob, readBlobs, writeBlob } from "./tree-diff.ts";
import type { TreeEntry } from "./tree-diff.ts";

export interface RevertWish extends ReviewScope {
  readonly path: string;
  readonly hunk?: HunkPlace;
  /** The version of the diff that contains the hunk. */
  readonly version?: string;
  /** Instead of a snapshot: the file's bytes in the last commit, and its patch since as latin1. No bytes: no file there. */
  readonly head?: { readonly bytes: Buffer | undefined; readonly patch?: string };
}

export interface RewindWish {
  readonly prompt: string;
  /** Files that others changed too are left alone, unless: `also` restores them, `only` restores nothing else. */
  readonly outside?: "also" | "only";
  /** Paths that stay as they are. */
  readonly keep?: readonly string[];
}

export interface PlannedFile {
  readonly path: string;
  readonly action: "write" | "create" | "remove";
  readonly added?: number;
  readonly removed?: number;
  readonly by: readonly ChangeOrigin[];
}

export interface WayBackPlan {
  readonly folder: string;
  readonly files: readonly PlannedFile[];
  readonly left: readonly (Left & { readonly by: readonly ChangeOrigin[] })[];
}

export interface WayBackResult {
  /** For the undo. Absent if nothing was changed. */
  readonly id?: string;
  readonly folder: string;
  readonly done: readonly string[];
  readonly left: readonly Left[];
}

export interface RestoreAbout {
  readonly id: string;
  /** Whether the caller may see and change this path, relative to the folder. */
  readonly may?: (folder: string, path: string) => boolean;
  readonly by?: Actor;
  /** The session that continues the conversation. */
  readonly session?: string;
}

interface Wanted {
  readonly path: string;
  readonly to?: TreeEntry;
  /** What must be there now; otherwise the file is left alone. `null`: no file. */
  readonly expected?: TreeEntry | null;
  readonly by: readonly ChangeOrigin[];
  /** Lines, where they were counted on the way. */
  readonly added?: number;
  readonly removed?: number;
}

interface Wishes {
  readonly wanted: readonly Wanted[];
  readonly left: readonly (Left & { readonly by: readonly ChangeOrigin[] })[];
}

export class WayBack {
  readonly #checkpoints: Checkpoints;
  readonly #reviews: Reviews;

  constructor(checkpoints: Checkpoints, reviews: Reviews) {
    this.#checkpoints = checkpoints;
    this.#reviews = reviews;
  }

  planRevert(session: Reviewable, wish: RevertWish): Promise<WayBackPlan> {
    return this.#planned(session, (folder, now) => this.#revertWishes(session, folder, now, wish));
  }

  revert(session: Session, wish: RevertWish, about: RestoreAbout): Promise<WayBackResult> {
    return this.#restore(session, { what: "revert", ...about }, (folder, now) =>
      this.#revertWishes(session, folder, now, wish),
    );
  }

  planRewind(session: Reviewable, wish: RewindWish): Promise<WayBackPlan> {
    return this.#planned(session, (folder, now) => this.#rewindWishes(session, folder, now, wish));
  }

  /** Refused while a turn runs. */
  rewind(session: Session, wish: RewindWish, about: RestoreAbout): Promise<WayBackResult> {
    const { prompt } = wish;
    return this.#restore(session, { what: "rewind", prompt, ...about }, (folder, now) =>
      this.#rewindWishes(session, folder, now, wish),
    );
  }

  /** Brings back what a revert, a rewind or an undo replaced. Files that changed since are left alone. */
  undo(session: Session, undoes: string, about: RestoreAbout): Promise<WayBackResult> {
    const lines = this.#checkpoints.journalOf(session.id).trees;
    const line = lines.find((each) => each.kind === "restored" && each.id === undoes);
    if (line?.kind !== "restored")
      throw new HostError("not-open", "There is nothing to undo under this id.", { id: undoes });
    if (lines.some((each) => each.kind === "restored" && each.undoes === undoes))
      throw new HostError("not-open", "This was undone already.", { id: undoes });
    const wanted = line.entries.map(({ path, from, to }) => ({
      path,
      expected: to ?? null,
      by: [],
      ...(from !== undefined && { to: from }),
    }));
    return this.#restore(session, { what: "undo", undoes, ...about }, async () => ({ wanted, left: [] }));
  }

  /** Whether the prompt's turn has a snapshot to rewind to. */
  canRewind(session: Reviewable, prompt: string): boolean {
    return turnStartOf(this.#checkpoints.journalOf(session.id).trees, prompt) !== undefined;
  }

  async #revertWishes(session: Reviewable, folder: FolderSnapshots, now: Snapshot, wish: RevertWish): Promise<Wishes> {
    const { path, hunk, version, head } = wish;
    if (head !== undefined) return this.#headWishes(folder, now, { ...wish, head });
    const sides = await this.#reviews.sides(session, wish, now);
    const change = await this.#reviews.changeAt(sides, path);
    if (change === undefined) throw new HostError("changed", "This file has no changes.", { path });
    if (version !== undefined && version !== changeVersionOf(change))
      throw new HostError("changed", "This file has changed since. Look at it again.", { path });
    const by = originsFor(sides, change);
    const current = (await entriesAt(folder.git, now.tree, [change.path])).get(change.path);
    const isLatest = current?.oid === change.after?.oid;
    if (hunk === undefined && isLatest) {
      const to = change.before === undefined ? {} : { to: change.before };
      if (change.from === undefined) return { wanted: [{ path, by, ...to }], left: [] };
      return {
        wanted: [
          { path: change.path, by },
          { path: change.from, by, ...to },
        ],
        left: [],
      };
    }
    if (current === undefined) throw new HostError("changed", "This file has been removed since.", { path });
    const patch = await filePatch(folder.git, change.before?.oid, change.after?.oid, { mostBytes: MOST_PATCH_BYTES });
    if (isBinaryPatch(patch)) throw new HostError("changed", "This binary file has changed since.", { path });
    const { hunks } = rawHunks(patch);
    const chosen = hunk === undefined ? hunks.toReversed() : hunks.filter((each) => isSamePlace(each, hunk));
    if (chosen.length === 0) throw new HostError("changed", "This part of the file has changed since.", { path });
    let text = (await readBlob(folder.git, current.oid, MOST_PATCH_BYTES)).toString("latin1");
    for (const each of chosen) {
      const reverted = withoutHunk(text, each);
      if (reverted === undefined)
        throw new HostError("changed", "The lines of this change have changed since.", { path });
      text = reverted;
    }
    const oid = await writeBlob(folder.git, Buffer.from(text, "latin1"));
    return { wanted: [{ path: change.path, to: { mode: current.mode, oid }, by }], left: [] };
  }

  async #headWishes(
    folder: FolderSnapshots,
    now: Snapshot,
    { path, hunk, head }: RevertWish & { readonly head: NonNullable<RevertWish["head"]> },
  ): Promise<Wishes> {
    const current = (await entriesAt(folder.git, now.tree, [path])).get(path);
    if (hunk === undefined) {
      if (head.bytes === undefined) return { wanted: [{ path, by: [] }], left: [] };
      const oid = await writeBlob(folder.git, head.bytes);
      return { wanted: [{ path, by: [], to: { mode: current?.mode ?? "100644", oid } }], left: [] };
    }
    const chosen = rawHunks(head.patch ?? "").hunks.find((each) => isSamePlace(each, hunk));
    const text = current && (await readBlob(folder.git, current.oid, MOST_PATCH_BYTES)).toString("latin1");
    const reverted = chosen && text !== undefined ? withoutHunk(text, chosen) : undefined;
    if (current === undefined || reverted === undefined)
      throw new HostError("changed", "This part of the file has changed since.", { path });
    const oid = await writeBlob(folder.git, Buffer.from(reverted, "latin1"));
    return { wanted: [{ path, by: [], to: { mode: current.mode, oid } }], left: [] };
  }

  async #rewindWishes(session: Reviewable, folder: FolderSnapshots, now: Snapshot, wish: RewindWish): Promise<Wishes> {
    const { prompt, outside, keep = [] } = wish;
    const lines = this.#reviews.linesOf(session);
    const place = turnStartOf(lines, prompt);
    if (place === undefined) throw noSnapshot(prompt);
    const since = await this.#checkpoints.originsSinceLast(session, folder, await foundIn(folder, now), "now");
    const origins = originsSince([...lines, lineNow(lines, now, since)], place.from);
    const changes = await changesBetween(folder.git, now.tree, place.tree, { renames: false });
    const kept = new Set(keep);
    const wanted: Wanted[] = [];
    const left: (Left & { by: readonly ChangeOrigin[] })[] = [];
    for (const { path, after, added, removed } of changes) {
      const by = [...(origins.get(path) ?? [])];
      const isOutside = by.includes("outside");
      if (kept.has(path)) left.push({ path, by, reason: "You chose to keep it." });
      else if (isOutside && outside === undefined)
        left.push({ path, by, reason: "It was also changed outside this session." });
      else if (!isOutside && outside === "only") left.push({ path, by, reason: "Only this session changed it." });
      else {
        const counts = added === undefined || removed === undefined ? {} : { added, removed };
        wanted.push({ path, by, ...(after !== undefined && { to: after }), ...counts });
      }
    }
    return { wanted, left };
  }

  async #planned(
    session: Reviewable,
    wishesOf: (folder: FolderSnapshots, now: Snapshot) => Promise<Wishes>,
  ): Promise<WayBackPlan> {
    await this.#checkpoints.settled(session.id);
    const folder = this.#folderOf(session);
    const now = await folder.take();
    const { wanted, left } = await wishesOf(folder, now);
    const present = await entriesAt(
      folder.git,
      now.tree,
      wanted.map(({ path }) => path),
    );
    const files: PlannedFile[] = [];
    for (const { path, to, by, added, removed } of wanted) {
      const from = present.get(path);
      const action = to === undefined ? "remove" : from === undefined ? "create" : "write";
      const counts = added === undefined || removed === undefined ? {} : { added, removed };
      // Only a revert has none, of one file or of the two names of one.
      files.push({
        path,
        action,
        by,
        ...(wanted.length > 2 ? counts : { ...(await linesBetween(folder, from, to)), ...counts }),
      });
    }
    return { folder: folder.folder, files, left };
  }

  #folderOf(session: Reviewable): FolderSnapshots {
    return this.#checkpoints.at(this.#reviews.linesOf(session).at(-1)!.folder);
  }

  async #restore(
    session: Session,
    about: RestoreAbout & {
      readonly what: "revert" | "rewind" | "undo";
      readonly prompt?: string;
      readonly undoes?: string;
    },
    wishesOf: (folder: FolderSnapshots, now: Snapshot) => Promise<Wishes>,
  ): Promise<WayBackResult> {
    const { id, may, by: _by, ...rest } = about;
    if (rest.what !== "revert") mustRest(session);
    const checkpoints = this.#checkpoints;
    await checkpoints.settled(session.id);
    const folder = this.#folderOf(session);
    return folder.exclusive(async () => {
      if (rest.what !== "revert") mustRest(session);
      const now = await folder.takeNow();
      const wishes = await wishesOf(folder, now);
      const left: Left[] = wishes.left.map(({ path, reason }) => ({ path, reason }));
      const present = await entriesAt(
        folder.git,
        now.tree,
        wishes.wanted.map(({ path }) => path),
      );
      const entries: RestoredEntry[] = [];
      for (const { path, to, expected } of wishes.wanted) {
        const from = present.get(path);
        if (may?.(folder.folder, path) === false) left.push({ path: "", reason: HIDDEN });
        else if (expected !== undefined && from?.oid !== expected?.oid)
          left.push({ path, reason: "It has changed since." });
        else if (from?.oid !== to?.oid || from?.mode !== to?.mode)
          entries.push({ path, ...(from !== undefined && { from }), ...(to !== undefined && { to }) });
      }
      const gap = await checkpoints.originsSinceLast(session, folder, await foundIn(folder, now), "now");
      const restored = await restoreFiles(folder.folder, entries, (oids) => readBlobs(folder.git, oids));
      left.push(...restored.left);
      const paths = restored.done.map(({ path }) => path);
      if (paths.length === 0 && rest.session === undefined) return { folder: folder.folder, done: [], left };
      const later = await folder.takeNow();
      const origins = await this.#withMeanwhile(folder, gap, now, later, restored.done);
      const line = { kind: "restored", at: Date.now(), folder: folder.folder, tree: later.tree, id } as const;
      await checkpoints.journalOf(session.id).append({ ...line, ...rest, entries: restored.done, ...origins });
      await checkpoints.count(session, folder, later.tree);
      return { id, folder: folder.folder, done: paths, left };
    });
  }

  /** Files that others wrote during the restore are not part of it. */
  async #withMeanwhile(
    folder: FolderSnapshots,
    gap: Origins,
    now: Snapshot,
    later: Snapshot,
    done: readonly RestoredEntry[],
  ): Promise<Origins> {
    const written = new Map(done.map(({ path, to }) => [path, to?.oid]));
    const changes = await changesBetween(folder.git, now.tree, later.tree, { renames: false, namesOnly: true });
    const others = changes.filter(({ path, after }) => !written.has(path) || written.get(path) !== after?.oid);
    if (others.length === 0) return gap;
    return { ...gap, outside: [...new Set([...(gap.outside ?? []), ...others.map(({ path }) => path)])] };
  }
}

const MOST_PATCH_BYTES = 64 * 1024 * 1024;
const HIDDEN = "This device may not see it.";

const mustRest = (session: Session): void => {
  if (isRunning(session.head.phase))
    throw new HostError("turn-running", "A turn is running. Wait until it ends, or stop it.", { id: session.id });
};

const isSamePlace = (a: HunkPlace, b: HunkPlace): boolean =>
  a.oldStart === b.oldStart && a.oldLines === b.oldLines && a.newStart === b.newStart && a.newLines === b.newLines;

const linesBetween = async (
  folder: FolderSnapshots,
  from: TreeEntry | undefined,
  to: TreeEntry | undefined,
): Promise<{ added?: number; removed?: number }> => {
  const patch = await filePatch(folder.git, from?.oid, to?.oid, { mostBytes: MOST_PATCH_BYTES, context: 0 });
  if (isBinaryPatch(patch)) return {};
  const lines = rawHunks(patch).hunks.flatMap((hunk) => hunk.lines);
  const added = lines.filter((line) => line.startsWith("+")).length;
  return { added, removed: lines.length - added };
};
