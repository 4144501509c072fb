// Paths of files as clients name them: relative to the root of the working tree, never out of it, never in a git directory.

import { join, normalize } from "node:path";
import type { ContainedPaths } from "../files/contract.ts";
import { refuse } from "./git-refusal.ts";
import { runGit } from "./run-git.ts";
import type { Tree } from "./tree.ts";

/** A client may send an absolute path in the tree. */
export const relativePath = ({ root }: Pick<Tree, "root">, path: string, seen: ContainedPaths): string => {
  const inside = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  const parts = inside.split("/");
  const isPlain = parts.every((part) => part !== "" && part !== "." && part !== ".." && part.toLowerCase() !== ".git");
  if (!isPlain || normalize(inside) !== inside || inside.includes("\0"))
    throw refuse("This is not a path of a file in the repository.", "bad-request");
  if (!seen.shows(join(root, inside))) throw refuse("This path is not shown to this device.", "outside-roots");
  return inside;
};

/** Names for a device. It learns how many files it does not see, and not their names. */
export const shownPaths = ({ root }: Pick<Tree, "root">, paths: readonly string[], seen: ContainedPaths): string[] => {
  const shown = paths.filter((path) => seen.shows(join(root, path.replace(/\/$/, ""))));
  const hidden = paths.length - shown.length;
  return hidden === 0 ? shown : [...shown, hidden === 1 ? "1 hidden file" : `${hidden} hidden files`];
};

/** The filter that each of the paths needs, by the attributes in the folder or, with `cached`, in an index. */
export const filtersOf = async (
  tree: Pick<Tree, "git">,
  paths: readonly string[],
  { cached = false, index }: { readonly cached?: boolean; readonly index?: string } = {},
): Promise<ReadonlyMap<string, string>> => {
  if (paths.length === 0) return new Map();
  const { ok, stdout, stderr } = await runGit(
    tree.git,
    ["check-attr", ...(cached ? ["--cached"] : []), "-z", "--stdin", "filter"],
    { input: `${paths.join("\0")}\0`, ...(index !== undefined && { env: { GIT_INDEX_FILE: index } }) },
  );
  // Not knowing is not the same as none.
  if (!ok) throw refuse(`Git cannot read the attributes of the files. ${stderr}`);
  const words = stdout.toString().split("\0");
  const filters = new Map<string, string>();
  for (let at = 0; at + 2 < words.length; at += 3) {
    const [path = "", , value = ""] = words.slice(at, at + 3);
    if (value !== "unspecified" && value !== "unset") filters.set(path, value);
  }
  return filters;
};

export const mustNeedNoFilter = (filters: ReadonlyMap<string, string>): void => {
  const [first] = filters;
  if (first === undefined) return;
  const [path, filter] = first;
  const others = filters.size === 1 ? "" : ` (and ${filters.size - 1} more files)`;
  throw refuse(
    `${path}${others} needs the filter “${filter}”, which Quarterdeck does not run. Use git in a terminal for it.`,
  );
};
