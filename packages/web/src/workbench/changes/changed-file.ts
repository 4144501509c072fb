// A changed file as the review shows it. Pure.

export type Status = "added" | "modified" | "deleted" | "renamed";

export interface ChangedFile {
  /** As the bridge names it. */
  readonly path: string;
  /** From the session's folder. */
  readonly shown: string;
  /** What it was called, from the session's folder. */
  readonly from?: string | undefined;
  readonly status: Status;
  readonly added: number | undefined;
  readonly removed: number | undefined;
  readonly binary: boolean;
  /** A repository inside of the folder. Its commit is known, and nothing of it can be reverted. */
  readonly submodule?: boolean | undefined;
  /** A program writes this file, so nobody reads all of it. */
  readonly generated?: boolean | undefined;
  /** Who changed it, in words that stand in the list: "by sed", "also changed outside this session". */
  readonly notes: readonly string[];
  /** Another value means another change. */
  readonly stamp: string;
}

export const LETTERS: Readonly<Record<Status, string>> = { added: "A", modified: "M", deleted: "D", renamed: "R" };

export const isNotebook = (path: string): boolean => path.endsWith(".ipynb");
export const isImage = (path: string): boolean => /\.(?:png|jpe?g|gif|webp|bmp|avif)$/iu.test(path);

/** Every word of the filter is in the path. */
export const matchesFilter = (file: ChangedFile, filter: string): boolean => {
  const path = file.shown.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => path.includes(word));
};

export const totals = (files: readonly ChangedFile[]): { readonly added: number; readonly removed: number } => ({
  added: files.reduce((sum, file) => sum + (file.added ?? 0), 0),
  removed: files.reduce((sum, file) => sum + (file.removed ?? 0), 0),
});

/** Files by folder, with folders that have one folder only joined: `src/web/` and its files. */
export interface FolderRow {
  readonly kind: "folder";
  readonly path: string;
  readonly name: string;
  readonly depth: number;
}
export interface FileRow {
  readonly kind: "file";
  readonly file: ChangedFile;
  readonly name: string;
  readonly depth: number;
}

export const treeRows = (files: readonly ChangedFile[]): readonly (FolderRow | FileRow)[] => {
  const rows: (FolderRow | FileRow)[] = [];
  let open: readonly string[] = [];
  for (const file of files.toSorted((a, b) => compare(a.shown, b.shown))) {
    const parts = file.shown.split("/");
    const folders = parts.slice(0, -1);
    let common = 0;
    while (common < open.length && common < folders.length && open[common] === folders[common]) common++;
    for (let depth = common; depth < folders.length; depth++)
      rows.push({ kind: "folder", path: folders.slice(0, depth + 1).join("/"), name: folders[depth]!, depth });
    open = folders;
    rows.push({ kind: "file", file, name: parts.at(-1)!, depth: folders.length });
  }
  return joined(rows);
};

/** Folders before files, as in any tree. */
const compare = (a: string, b: string): number => {
  const [left, right] = [a.split("/"), b.split("/")];
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const isLast = [at === left.length - 1, at === right.length - 1] as const;
    if (isLast[0] !== isLast[1]) return isLast[0] ? 1 : -1;
    if (left[at] !== right[at]) return left[at]! < right[at]! ? -1 : 1;
  }
  return left.length - right.length;
};

const joined = (rows: readonly (FolderRow | FileRow)[]): readonly (FolderRow | FileRow)[] => {
  const kept: (FolderRow | FileRow)[] = [];
  /** How many folders above each depth became part of another. */
  let lost: number[] = [];
  for (const [at, row] of rows.entries()) {
    lost = lost.slice(0, row.depth);
    const less = lost.reduce((sum, one) => sum + one, 0);
    const next = rows[at + 1];
    const after = rows.slice(at + 1).find((other) => other.depth <= row.depth + 1 && other !== next);
    const isAlone =
      row.kind === "folder" &&
      next?.kind === "folder" &&
      next.depth === row.depth + 1 &&
      (after === undefined || after.depth <= row.depth);
    const before = kept.at(-1);
    const name = before?.kind === "folder" && lost.at(-1) === 1 ? `${before.name}/${row.name}` : row.name;
    if (row.kind === "folder" && before?.kind === "folder" && lost.at(-1) === 1)
      kept[kept.length - 1] = { ...row, name, depth: before.depth };
    else kept.push({ ...row, depth: row.depth - less });
    if (row.kind === "folder") lost[row.depth] = isAlone ? 1 : 0;
  }
  return kept;
};
