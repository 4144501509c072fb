// What changed in a session's folder: against the session's start or in one turn, from snapshots, or against git's last commit. What comes
// from snapshots is shown by its name alone: links of the folder are not followed, because nothing is read from it.

import { Readable } from "node:stream";
import { join, normalize, relative } from "node:path";
import { isInside, SnapshotError } from "@quarterdeck/host";
import type { ReadableSession, Review, Reviews } from "@quarterdeck/host";
import type { ResultOf } from "@quarterdeck/session/bridge";
import type { Device } from "../../access/contract.ts";
import { sumOfCounts, diffOf, isGenerated, listChanges, oldNameOf, ofSubmodule } from "../../files/changes.ts";
import type { OriginsByPath } from "../../files/changes.ts";
import { firstLines } from "../../files/hunks.ts";
import type { ContainedPaths } from "../../files/contract.ts";
import { describeBytes, readText } from "../../files/file-contents.ts";
import { readGitBlob, readGitPatches } from "../../files/git.ts";
import type { Git } from "../../files/git.ts";
import { openSharedGit } from "../../files/shared-git.ts";
import { submoduleCommits } from "../../files/submodules.ts";
import { sightOf } from "../parts.ts";
import type { Handlers, Params, Parts } from "../parts.ts";
import { Refusal } from "../../refusal.ts";
import { cwdOf, hunksBy, pathsFor } from "./files.ts";

type ListedChanges = ResultOf<"changes/list">;

const MOST_FILES = 5000;
const MOST_CONTENT = 16 * 1024 * 1024;
const MOST_PATCH = 64 * 1024 * 1024;
/** A longer patch is downloaded. */
const INLINE_PATCH = 500_000;
const SHOWN_BYTES = 1_000_000;

interface Scope {
  readonly against?: "start" | "head" | undefined;
  readonly turn?: string | undefined;
}

export const changesMethods = (
  parts: Parts,
): Handlers<"changes/list" | "changes/diff" | "changes/content" | "changes/patch"> => {
  const { feeds, paths: roots } = parts;

  return {
    "changes/list": async ({ session, ...scope }, { device }) => {
      const sight = sightOf(parts, device);
      const cwd = await seenFolder(parts, device, session);
      const view = await feeds.view(session);
      if (!isOfSnapshots(scope)) {
        const found = await listChanges({ cwd, roots, sight }, view.head.files, await originsIn(parts, view));
        // Without snapshots nobody knows what commands changed.
        const { reviews } = parts.host;
        if (reviews === undefined) return { ...found, notes: [{ kind: "off", text: UNKNOWN }] };
        return { ...found, turns: reviews.turns(view).map(shownTurn) };
      }
      const { reviews } = parts.host;
      const review = await reviews?.changes(view, turnOf(scope));
      if (reviews === undefined || review === undefined) return withoutSnapshots(reviews !== undefined);
      return listOf(review, sight.paths, await ignoredIn(reviews, view));
    },

    "changes/diff": async ({ session, path, whitespace, maxLines = Infinity, ...scope }, { device }) => {
      const view = await feeds.view(session);
      if (isOfSnapshots(scope)) {
        const { reviews, folder } = await snapshotsFor(parts, device, session);
        const inside = shownInside(parts, device, folder, path);
        const submodule = await reviews.moved(view, inside, turnOf(scope));
        if (submodule !== undefined) {
          const at = { ...submodule, path: join(folder, inside) };
          return ofSubmodule(at.path, at, await submoduleCommits(at, { roots, seen: sightOf(parts, device).paths }));
        }
        const how = { ...turnOf(scope), ...(whitespace === "ignore" && { whitespace }) };
        const { from, hunks, ...diff } = await reviews.diff(view, inside, how);
        const old = from === undefined ? undefined : join(folder, from);
        const isShown = old !== undefined && sightOf(parts, device).paths.shows(old);
        const copied = hunks.map((hunk) => ({ ...hunk, lines: [...hunk.lines] }));
        const found = { ...diff, path: join(folder, inside), ...(isShown && { from: old }), hunks: copied };
        return firstLines(found, maxLines);
      }
      const sight = sightOf(parts, device);
      const paths = await pathsFor(parts, device, session, path);
      // A deleted file too: git knows its contents.
      const { path: real } = await paths.locate(path);
      const bySession = hunksBy(view, [path, real]);
      const cwd = await sight.paths.resolve(cwdOf(parts, session));
      return firstLines(await diffOf({ cwd, path: real, paths, roots, sight, bySession, whitespace }), maxLines);
    },

    "changes/content": async ({ session, path, side, maxBytes = SHOWN_BYTES, ...scope }, { device }) => {
      const found = isOfSnapshots(scope)
        ? await snapshotContent(parts, device, { session, path, side, ...scope })
        : await headContent(parts, device, session, path, side);
      if (found === undefined)
        return { exists: false, size: 0, kind: "binary", mediaType: "application/octet-stream", truncated: false };
      const { bytes, size } = found;
      const described = describeBytes(bytes ?? Buffer.alloc(0), size);
      const { kind, mediaType, text } = described;
      const about = { exists: true, size, kind, mediaType } as const;
      if (kind === "text" && text !== undefined)
        return { ...about, text: text.slice(0, maxBytes), truncated: text.length > maxBytes || bytes === undefined };
      if (kind === "binary" || bytes === undefined) return { ...about, truncated: bytes === undefined };
      const name = path.slice(path.lastIndexOf("/") + 1);
      return { ...about, truncated: false, url: download(parts, device, { name, mediaType, bytes }) };
    },

    "changes/patch": async ({ session, paths, ...scope }, { device }) => {
      const wanted = paths === undefined ? undefined : new Set(paths.map((path) => normalize(path)));
      const sight = sightOf(parts, device);
      const isWanted = (full: string): boolean => sight.paths.shows(full) && (wanted?.has(full) ?? true);
      const { patch, files } = isOfSnapshots(scope)
        ? await snapshotPatch(parts, device, session, scope, isWanted)
        : await headPatch(parts, device, session, isWanted);
      const text = patch.toString("utf8");
      const isText = patch.length <= INLINE_PATCH && Buffer.from(text).equals(patch);
      const about = { name: "changes.patch", mediaType: "application/octet-stream", bytes: patch };
      return { ...(isText && { patch: text }), bytes: patch.length, files, url: download(parts, device, about) };
    },
  };
};

export const isOfSnapshots = ({ against, turn }: Scope): boolean =>
  against === "start" || (against === undefined && turn !== undefined);

export const turnOf = ({ turn }: Scope): { readonly turn?: string } => (turn === undefined ? {} : { turn });

/** The session's folder, if the device may see it. */
const seenFolder = (parts: Parts, device: Device, session: string): Promise<string> =>
  sightOf(parts, device).paths.resolve(cwdOf(parts, session));

/** The folder that the snapshots are of, which may be gone. */
export const snapshotsFor = async (
  parts: Parts,
  device: Device,
  session: string,
): Promise<{ readonly reviews: Reviews; readonly folder: string }> => {
  const { reviews } = parts.host;
  if (reviews === undefined) throw new Refusal("unsupported", OFF);
  const { paths } = sightOf(parts, device);
  const folder = reviews.folderOf(await parts.feeds.view(session));
  if (folder === undefined) throw new Refusal("unsupported", "This session has no snapshots.");
  if (!paths.shows(folder)) throw new Refusal("outside-roots", "The folder of this session is not shared.");
  return { reviews, folder };
};

const UNKNOWN = "Snapshots are off, so it is not known what commands and other people changed.";
const OFF = "Snapshots are off. Start the server without --no-snapshots.";

/** The path relative to the folder. Refused if it is elsewhere, or hidden from the device. */
export const shownInside = (parts: Parts, device: Device, folder: string, path: string): string => {
  const full = normalize(path);
  if (!isInside(full, folder) || full === folder || !sightOf(parts, device).paths.shows(full))
    throw new Refusal("outside-roots", "This path is not in the session's folder, or it is hidden.");
  return relative(folder, full);
};

const shownTurn = ({ prompts, ...turn }: Review["turns"][number]) => ({ ...turn, prompts: [...prompts] });

const listOf = (review: Review, paths: ContainedPaths, ignored: readonly string[]): ListedChanges => {
  const { folder, turns, problem, late, unsure, leftOut } = review;
  const all = review.files.map(({ path, from, status, added, removed, binary, by, before, after }) => {
    const [full, old] = [join(folder, path), from === undefined ? undefined : join(folder, from)];
    return {
      path: full,
      status,
      ...(old !== undefined && paths.shows(old) && { from: old }),
      ...(added !== undefined && { added }),
      ...(removed !== undefined && { removed }),
      ...(binary && { binary }),
      ...(isGenerated(path) && { generated: true }),
      version: `${before?.oid ?? ""} ${after?.oid ?? ""}`,
      by: [...by],
      bySession: by.some((origin) => origin !== "outside"),
      inGit: false,
    };
  });
  const moved = review.moved.map(({ path, before, after, by }): ListedChanges["files"][number] => ({
    path: join(folder, path),
    status: before === undefined ? "added" : after === undefined ? "deleted" : "modified",
    submodule: true,
    version: `${before ?? ""} ${after ?? ""}`,
    by: [...by],
    bySession: by.some((origin) => origin !== "outside"),
    inGit: false,
  }));
  const files = [...all, ...moved].filter(({ path }) => paths.shows(path));
  const isHidden = all.length + moved.length - files.length;
  const notes: ListedChanges["notes"] = [];
  const note = (kind: ListedChanges["notes"][number]["kind"], text: string, named: readonly string[] = []): void => {
    const shown = named.filter((path) => paths.shows(join(folder, path))).slice(0, 50);
    notes.push({ kind, text, ...(shown.length > 0 && { paths: shown }) });
  };
  if (problem !== undefined) note("problem", `Changes are not recorded now: ${problem}`);
  if (late)
    note("late", "The first turn here started before its snapshot was taken, so early changes may be missing.", unsure);
  if (isHidden > 0) note("hidden", `${isHidden} changed files are hidden from this device.`);
  if (ignored.length > 0) note("ignored", "Ignored files are not recorded.", ignored);
  for (const [kind, text] of LEFT_OUT) {
    const named = leftOut?.[kind] ?? [];
    if (named.length > 0) note(kind, text, named);
  }
  return {
    against: "start",
    files: files.slice(0, MOST_FILES),
    totals: isHidden === 0 ? review.totals : sumOfCounts(files.filter(({ bySession }) => bySession)),
    turns: turns.map(shownTurn),
    notes,
    truncated: files.length > MOST_FILES,
  };
};

const LEFT_OUT = [
  ["repositories", "For submodules and other repositories in the folder, only the commit is recorded."],
  ["large", "Large files are not recorded."],
  ["unreadable", "Some files cannot be read."],
  ["special", "Pipes, sockets and devices are not recorded."],
] as const;

const withoutSnapshots = (areOn: boolean): ListedChanges => ({
  against: "start",
  files: [],
  totals: { files: 0, added: 0, removed: 0 },
  turns: [],
  notes: areOn ? [] : [{ kind: "off", text: OFF }],
  truncated: false,
});

const originsIn = (parts: Parts, view: ReadableSession): Promise<OriginsByPath> =>
  parts.host.reviews?.origins(view).catch((error: unknown) => {
    // The list is complete without it.
    if (error instanceof SnapshotError) return undefined;
    throw error;
  }) ?? Promise.resolve(undefined);

const ignoredIn = (reviews: Reviews, view: ReadableSession): Promise<readonly string[]> =>
  reviews.ignored(view).catch((error: unknown) => {
    // The list has a note about it already.
    if (error instanceof SnapshotError) return [];
    throw error;
  });

interface Contents {
  readonly size: number;
  readonly bytes: Buffer | undefined;
}

const snapshotContent = async (
  parts: Parts,
  device: Device,
  { session, path, side, ...scope }: Pick<Params<"changes/content">, "session" | "path" | "side"> & Scope,
): Promise<Contents | undefined> => {
  const { reviews, folder } = await snapshotsFor(parts, device, session);
  const inside = shownInside(parts, device, folder, path);
  return reviews.content(await parts.feeds.view(session), inside, { side, mostBytes: MOST_CONTENT, ...turnOf(scope) });
};

const headContent = async (
  parts: Parts,
  device: Device,
  session: string,
  path: string,
  side: "before" | "after",
): Promise<Contents | undefined> => {
  const sight = sightOf(parts, device);
  const paths = await pathsFor(parts, device, session, path);
  const { path: real, exists } = await paths.locate(path);
  if (side === "after") {
    if (!exists) return undefined;
    const { handle, stats } = await paths.open(real);
    try {
      if (stats.size > MOST_CONTENT) return { size: stats.size, bytes: undefined };
      const bytes = await handle.readFile();
      return { size: bytes.length, bytes };
    } finally {
      await handle.close();
    }
  }
  const cwd = await seenFolder(parts, device, session);
  const git = await openSharedGit(cwd, { roots: parts.paths, seen: sight.paths });
  if (git === undefined || !real.startsWith(`${git.root}/`)) return undefined;
  const bytes = (await readGitBlob(git, real)) ?? (await movedBlob(git, real, sight.paths));
  return bytes === undefined ? undefined : { size: bytes.length, bytes };
};

/** The last commit has it under another name. */
const movedBlob = async (git: Git, path: string, paths: ContainedPaths): Promise<Buffer | undefined> => {
  const from = await oldNameOf(git, path, paths);
  return from === undefined ? undefined : readGitBlob(git, from);
};

const snapshotPatch = async (
  parts: Parts,
  device: Device,
  session: string,
  scope: Scope,
  isWanted: (full: string) => boolean,
): Promise<{ readonly patch: Buffer; readonly files: number }> => {
  const { reviews } = await snapshotsFor(parts, device, session);
  try {
    return await reviews.patch(await parts.feeds.view(session), {
      ...turnOf(scope),
      mostBytes: MOST_PATCH,
      isWanted: (folder, path) => isWanted(join(folder, path)),
    });
  } catch (error) {
    if (error instanceof SnapshotError && error.problem === "too-large")
      throw new Refusal("too-large", "The patch is too large. Choose some of the files.", { limit: MOST_PATCH });
    throw error;
  }
};

const headPatch = async (
  parts: Parts,
  device: Device,
  session: string,
  isWanted: (full: string) => boolean,
): Promise<{ readonly patch: Buffer; readonly files: number }> => {
  const cwd = await seenFolder(parts, device, session);
  const { paths } = sightOf(parts, device);
  const git = await openSharedGit(cwd, { roots: parts.paths, seen: paths });
  if (git === undefined) return { patch: Buffer.alloc(0), files: 0 };
  const read = async (path: string): Promise<Buffer | undefined> => {
    const text = await readText(paths, path, INLINE_PATCH).catch(() => undefined);
    return text !== undefined && "text" in text ? Buffer.from(text.text) : undefined;
  };
  return readGitPatches(git, cwd, isWanted, read);
};

const download = (
  { tickets, access }: Parts,
  { id }: Device,
  { name, mediaType, bytes }: { readonly name: string; readonly mediaType: string; readonly bytes: Buffer },
): string => {
  const device = access.device(id);
  if (device === undefined) throw new Refusal("not-found", "This device was removed.");
  const open = async () => ({ name, mediaType, size: bytes.length, body: Readable.from([bytes]) });
  return tickets.create({ kind: "download", open }, device).url;
};
