// The commits of repositories inside of the folder. Snapshots leave these repositories out, so this is all that is known of them. Git reads
// a reference there and runs nothing.

import type { Snapshot } from "./folder-snapshots.ts";
import type { TreeLine, Turn } from "./journal.ts";
import type { PrivateGit } from "./private-git.ts";

/** The commit of each repository, by its path in the folder. */
export type Heads = Readonly<Record<string, string>>;

export interface MovedRepository {
  readonly path: string;
  /** Absent: it was not there. */
  readonly before?: string;
  readonly after?: string;
}

/** The commits of more repositories are not known. */
const MOST = 50;
const AT_ONCE = 8;
const TIMEOUT_MS = 5000;

/** The commits of repositories that the snapshot leaves out. */
const readHeads = async ({ git }: { readonly git: PrivateGit }, { leftOut }: Snapshot): Promise<Heads> => {
  const paths = leftOut.repositories.slice(0, MOST);
  const found: [string, string][] = [];
  for (let at = 0; at < paths.length; at += AT_ONCE)
    await Promise.all(
      paths.slice(at, at + AT_ONCE).map(async (path) => {
        const head = await headOf(git, path);
        if (head !== undefined) found.push([path, head]);
      }),
    );
  return Object.fromEntries(found.toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

/** The folder at some time. */
export interface FoundHeads {
  readonly tree: string;
  readonly heads: Heads;
}

export const foundIn = async (folder: { readonly git: PrivateGit }, snapshot: Snapshot): Promise<FoundHeads> => ({
  tree: snapshot.tree,
  heads: await readHeads(folder, snapshot),
});

/** The fields that each line of the journal has. */
export const lineOf = ({ folder }: { readonly folder: string }, { tree, heads }: FoundHeads) => ({
  folder,
  tree,
  ...(Object.keys(heads).length > 0 && { heads }),
});

/** Undefined without a commit, or if the folder is not the top of a repository. */
const headOf = async (git: PrivateGit, path: string): Promise<string | undefined> => {
  const asked = ["-C", path, "rev-parse", "--show-cdup", "--verify", "HEAD^{commit}"];
  const text = await git.text(asked, { of: "users", timeoutMs: TIMEOUT_MS }).catch(() => "");
  return /^\n([0-9a-f]{40,64})\n$/.exec(text)?.[1];
};

export const movedBetween = (before: Heads, after: Heads): MovedRepository[] => {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((path) => old.get(path) !== now.get(path))
    .map((path) => {
      const [from, to] = [old.get(path), now.get(path)];
      return { path, ...(from !== undefined && { before: from }), ...(to !== undefined && { after: to }) };
    });
};

/** At the newest line. A restore changes no repository. */
export const lastHeads = (lines: readonly TreeLine[]): Heads =>
  lines.findLast(({ kind }) => kind !== "restored")?.heads ?? {};

export const headsBefore = (lines: readonly TreeLine[], { from }: Pick<Turn, "from">): Heads =>
  lines[from]?.kind === "before" ? (lines[from].heads ?? {}) : lastHeads(lines.slice(0, from));

/** Heads after a turn. If the host died during the turn, the next line has them. */
export const headsAfter = (lines: readonly TreeLine[], { to }: Pick<Turn, "to">): Heads =>
  (lines[to - 1]?.kind === "after" ? lines[to - 1] : lines[to])?.heads ?? {};
