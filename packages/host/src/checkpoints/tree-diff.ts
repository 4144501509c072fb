// What differs between two trees of the private store, as lists, patches and bytes.

import { SnapshotError, nulSeparated } from "./private-git.ts";
import type { PrivateGit } from "./private-git.ts";

/** A file in a tree. */
export interface TreeEntry {
  /** As git has it: `100644`, `100755` or `120000` for a link. */
  readonly mode: string;
  readonly oid: string;
}

export interface TreeChange {
  readonly path: string;
  /** The old path of a renamed file. */
  readonly from?: string;
  readonly status: "added" | "modified" | "deleted" | "renamed";
  readonly before?: TreeEntry;
  readonly after?: TreeEntry;
  /** Lines. Absent for a binary file. */
  readonly added?: number;
  readonly removed?: number;
  readonly binary: boolean;
}

export const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

export interface TreeDiffOptions {
  /** Renames as one change. */
  readonly renames?: boolean;
  /** Without counts of lines, which need every changed file's text. */
  readonly namesOnly?: boolean;
}

const PLAIN = ["--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"] as const;

export const changesBetween = async (
  git: PrivateGit,
  before: string,
  after: string,
  { renames = true, namesOnly = false }: TreeDiffOptions = {},
): Promise<TreeChange[]> => {
  if (before === after) return [];
  const how = [...PLAIN, "-r", "-z", renames ? "-M" : "--no-renames"];
  const what = ["--raw", "--full-index", ...(namesOnly ? [] : ["--numstat"])];
  const words = nulSeparated(await git.run(["diff-tree", ...how, ...what, before, after]));
  // First all entries, then all counts.
  const { changes, rest } = rawIn(words);
  const counts = countsIn(rest);
  return changes.map((change) => {
    const count = counts.get(change.path);
    return { ...change, ...(count ?? {}), binary: count === undefined && !namesOnly };
  });
};

type Raw = Omit<TreeChange, "added" | "removed" | "binary">;

const rawIn = (words: readonly string[]): { readonly changes: Raw[]; readonly rest: readonly string[] } => {
  const changes: Raw[] = [];
  let at = 0;
  while (words[at]?.startsWith(":") === true) {
    const [oldMode = "", newMode = "", oldOid = "", newOid = "", letter = ""] = words[at++]!.slice(1).split(" ");
    const first = words[at++] ?? "";
    const isRename = letter.startsWith("R") || letter.startsWith("C");
    const path = isRename ? (words[at++] ?? "") : first;
    const before = oldOid === NONE ? {} : { before: { mode: oldMode, oid: oldOid } };
    const after = newOid === NONE ? {} : { after: { mode: newMode, oid: newOid } };
    const status = isRename
      ? "renamed"
      : letter.startsWith("A")
        ? "added"
        : letter.startsWith("D")
          ? "deleted"
          : "modified";
    changes.push({ path, status, ...(isRename && { from: first }), ...before, ...after });
  }
  return { changes, rest: words.slice(at) };
};
const NONE = "0".repeat(40);

/** By the new path. A binary file has dashes instead of numbers. */
const countsIn = (words: readonly string[]): Map<string, { added: number; removed: number }> => {
  const counts = new Map<string, { added: number; removed: number }>();
  for (let at = 0; at < words.length; at++) {
    const [added = "", removed = "", ...rest] = words[at]!.split("\t");
    let path = rest.join("\t");
    if (path === "") {
      // For a rename, both names follow.
      path = words[at + 2] ?? "";
      at += 2;
    }
    if (added !== "-") counts.set(path, { added: Number(added), removed: Number(removed) });
  }
  return counts;
};

export interface PatchOptions {
  readonly whitespace?: "ignore";
  readonly context?: number;
  readonly mostBytes?: number;
}

/** One file's patch in the bytes of the file, as latin1, so that no byte is lost. Nothing where both are the same. */
export const filePatch = async (
  git: PrivateGit,
  before: string | undefined,
  after: string | undefined,
  { whitespace, context = 3, mostBytes = 64 * 1024 * 1024 }: PatchOptions = {},
): Promise<string> => {
  if (before === after) return "";
  const [from, to] = [before ?? (await emptyBlob(git)), after ?? (await emptyBlob(git))];
  const how = [...PLAIN, "-p", `-U${context}`, ...(whitespace === "ignore" ? ["--ignore-all-space"] : [])];
  return (await git.run(["diff", ...how, from, to], { mostBytes })).toString("latin1");
};

const emptyBlob = (git: PrivateGit): Promise<string> => writeBlob(git, Buffer.alloc(0));

/** A patch that `git apply` takes in the folder. */
export const wholePatch = async (
  git: PrivateGit,
  before: string,
  after: string,
  paths: readonly string[],
  mostBytes: number,
): Promise<Buffer> => {
  if (before === after || paths.length === 0) return Buffer.alloc(0);
  const how = [...PLAIN, "-r", "-p", "--binary", "--full-index", "--no-renames"];
  const parts: Buffer[] = [];
  let left = mostBytes;
  for (const chunk of chunksOf(paths)) {
    const part = await git.run(["diff-tree", ...how, before, after, "--", ...chunk], { mostBytes: left });
    parts.push(part);
    left -= part.length;
  }
  return Buffer.concat(parts);
};

/** The files of a tree at these paths. */
export const entriesAt = async (
  git: PrivateGit,
  tree: string,
  paths: readonly string[],
): Promise<Map<string, TreeEntry>> => {
  const entries = new Map<string, TreeEntry>();
  for (const chunk of chunksOf(paths)) {
    for (const word of nulSeparated(await git.run(["ls-tree", "-z", "--full-tree", tree, "--", ...chunk]))) {
      const [about, path] = splitAt(word, "\t");
      const [mode = "", type, oid = ""] = about.split(" ");
      if (type === "blob") entries.set(path, { mode, oid });
    }
  }
  return entries;
};

const splitAt = (text: string, mark: string): [string, string] => {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + mark.length)];
};

export const blobSize = async (git: PrivateGit, oid: string): Promise<number> =>
  Number(await git.text(["cat-file", "-s", oid]));

export const readBlob = async (git: PrivateGit, oid: string, mostBytes: number): Promise<Buffer> => {
  if ((await blobSize(git, oid)) > mostBytes) throw new SnapshotError("too-large", "The file is too large.");
  return git.run(["cat-file", "blob", oid], { mostBytes: mostBytes + 1 });
};

/** Several blobs with one process. */
export const readBlobs = async (git: PrivateGit, oids: readonly string[]): Promise<Map<string, Buffer>> => {
  const wanted = [...new Set(oids)];
  const blobs = new Map<string, Buffer>();
  if (wanted.length === 0) return blobs;
  const output = await git.run(["cat-file", "--batch"], { input: `${wanted.join("\n")}\n` });
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(10, at);
    const [oid = "", type = "", size = "0"] = output.toString("latin1", at, end).split(" ");
    if (type === "missing") {
      at = end + 1;
      continue;
    }
    const start = end + 1;
    blobs.set(oid, output.subarray(start, start + Number(size)));
    at = start + Number(size) + 1;
  }
  return blobs;
};

export const writeBlob = async (git: PrivateGit, bytes: Buffer): Promise<string> =>
  (await git.text(["hash-object", "-w", "--stdin", "--no-filters"], { input: bytes })).trim();

const CHUNK_BYTES = 100_000;

/** A command line has room for so many bytes of paths. */
export const chunksOf = (paths: readonly string[]): string[][] => {
  const chunks: string[][] = [];
  let size = Infinity;
  for (const path of paths) {
    size += Buffer.byteLength(path) + 1;
    if (size > CHUNK_BYTES) {
      chunks.push([]);
      size = Buffer.byteLength(path) + 1;
    }
    chunks.at(-1)!.push(path);
  }
  return chunks;
};
