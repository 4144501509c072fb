// Changes in the repository since its last commit, in the form of `get_workspace_diff`.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "./json.ts";
import { structuredPatch } from "./tools/diff.ts";

const STATUS: Readonly<Record<string, string>> = {
  M: "modified",
  A: "added",
  D: "deleted",
  R: "renamed",
  "?": "added",
};

export const workspaceDiff = (cwd: string): Json => {
  const git = (...args: readonly string[]): string | undefined => {
    const { status, stdout } = spawnSync("git", args, { cwd, encoding: "utf8" });
    return status === 0 ? stdout : undefined;
  };
  if (git("rev-parse", "--show-toplevel") === undefined) return { diff: null, noDiffReason: "no-repository" };
  const files = (git("status", "--porcelain", "--untracked-files=all") ?? "")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const path = line.slice(3);
      const letter = line.slice(0, 2).trim().charAt(0);
      const isUntracked = letter === "?";
      const before = git("show", `HEAD:./${path}`) ?? "";
      // Untracked files are named, not shown.
      const hunks = isUntracked
        ? []
        : structuredPatch(before, letter === "D" ? "" : readFileSync(join(cwd, path), "utf8"));
      const count = (sign: string): number =>
        hunks.flatMap(({ lines }) => lines).filter((it) => it.startsWith(sign)).length;
      return { path, isUntracked, status: STATUS[letter] ?? "modified", hunks, added: count("+"), removed: count("-") };
    });
  if (files.length === 0) return { diff: null, noDiffReason: "no-changes" };
  const sum = (of: "added" | "removed"): number => files.reduce((total, file) => total + file[of], 0);
  return {
    diff: {
      stats: { filesCount: files.length, linesAdded: sum("added"), linesRemoved: sum("removed") },
      perFileStats: files.map(({ path, added, removed, isUntracked, status }) => ({
        path,
        added,
        removed,
        isBinary: false,
        isUntracked,
        status,
      })),
      omitted: { files: 0, exact: true },
      hunks: files.filter(({ hunks }) => hunks.length > 0).map(({ path, hunks }) => ({ path, hunks })),
      skippedLarge: [],
      restricted: [],
      source: { kind: "working-tree" },
    },
  };
};
