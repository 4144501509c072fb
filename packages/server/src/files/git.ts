// Git as a reader of repositories that nobody vouches for: argument lists only, never a shell, and nothing that a repository's own
// configuration names may run. File-system monitors, hooks, filters, drivers of diffs and submodules are switched off, by
// the environment, because a name with `=` in it cannot be overridden on the command line.

import { execFile } from "node:child_process";
import { cleanPath } from "@quarterdeck/host";

export interface GitOutput {
  readonly ok: boolean;
  readonly stdout: string;
}

export interface Git {
  /** The real path of the working tree. */
  readonly root: string;
  /** The environment of each call. Programs that the repository names are off in it. */
  readonly environment: Readonly<Record<string, string>>;
  run(args: readonly string[]): Promise<GitOutput>;
}

const TIMEOUT_MS = 15_000;
const MOST_BYTES = 32 * 1024 * 1024;

/** Settings that are the same for every repository. */
const FIXED: readonly (readonly [string, string])[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.pager", "cat"],
  ["core.alternateRefsCommand", ""],
  ["core.sshCommand", "false"],
  ["core.askPass", ""],
  ["credential.helper", ""],
  ["diff.external", ""],
  ["diff.ignoreSubmodules", "all"],
  ["diff.suppressBlankEmpty", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["commit.gpgSign", "false"],
  ["i18n.commitEncoding", "UTF-8"],
  ["apply.ignoreWhitespace", "no"],
  ["log.showSignature", "false"],
  ["safe.bareRepository", "explicit"],
  ["status.submoduleSummary", "false"],
  ["submodule.recurse", "false"],
];

const environment = (settings: readonly (readonly [string, string])[]): Record<string, string> => ({
  PATH: cleanPath(process.env["PATH"]),
  HOME: process.env["HOME"] ?? "",
  LC_ALL: "C.UTF-8",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
  // None. A repository may allow one by name, which wins over a setting of ours for all.
  GIT_ALLOW_PROTOCOL: "",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_PAGER: "cat",
  GIT_EXTERNAL_DIFF: "",
  GIT_CONFIG_COUNT: String(settings.length),
  ...Object.fromEntries(
    settings.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ]),
  ),
});

const run = (
  folder: string,
  args: readonly string[],
  settings: readonly (readonly [string, string])[],
): Promise<GitOutput> => runIn(folder, args, environment(settings));

const runIn = (folder: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<GitOutput> =>
  new Promise<GitOutput>((resolve) => {
    const options = {
      cwd: folder,
      env: { ...env },
      timeout: TIMEOUT_MS,
      maxBuffer: MOST_BYTES,
      encoding: "utf8",
      windowsHide: true,
    } as const;
    execFile("git", [...args], options, (error, stdout) => resolve({ ok: error === null, stdout }));
    // A folder that is a file makes it throw.
  }).catch(() => ({ ok: false, stdout: "" }));

/** Nothing where the folder is in no repository, or where there is no git. */
export const openGit = async (folder: string): Promise<Git | undefined> => {
  const top = await run(folder, ["rev-parse", "--show-toplevel"], FIXED);
  const root = top.stdout.replace(/\n$/, "");
  if (!top.ok || root === "") return undefined;
  // Listing the settings runs nothing.
  const listed = await run(root, ["config", "--list", "--name-only", "-z"], FIXED);
  if (!listed.ok) return undefined;
  const settings = [...FIXED, ...harmlessValues(listed.stdout.split("\0"))];
  const env = environment(settings);
  return { root, environment: env, run: (args) => runIn(root, args, env) };
};

/** Filters run when a file is compared, drivers when it is shown: each is named by the repository. */
const FILTER = /^filter\.(.*)\.(?:clean|smudge|process|required)$/is;
const DRIVER = /^diff\..*\.(?:command|textconv)$/is;
const SIGNER = /^gpg\.(?:.*\.)?program$/is;
const MERGER = /^merge\..*\.driver$/is;
const HOOK = /^hook\.(.*)\.(?:command|event)$/is;

const harmlessValues = (names: readonly string[]): (readonly [string, string])[] => {
  const filters = new Set(names.flatMap((name) => FILTER.exec(name)?.[1] ?? []));
  const hooks = new Set(names.flatMap((name) => HOOK.exec(name)?.[1] ?? []));
  const emptied = names.filter((name) => DRIVER.test(name) || SIGNER.test(name));
  return [
    ...[...filters].flatMap((filter) => [
      [`filter.${filter}.clean`, ""] as const,
      [`filter.${filter}.smudge`, ""] as const,
      [`filter.${filter}.process`, ""] as const,
      [`filter.${filter}.required`, "false"] as const,
    ]),
    ...emptied.map((name) => [name, ""] as const),
    // An empty driver would keep one side without a word. This one fails, which is a conflict.
    ...names.filter((name) => MERGER.test(name)).map((name) => [name, "false"] as const),
    ...[...hooks].map((hook) => [`hook.${hook}.enabled`, "false"] as const),
  ];
};

export interface GitState {
  readonly branch?: string;
  /** The commit. */
  readonly head?: string;
  readonly files: readonly GitFile[];
}
export interface GitFile {
  /** Absolute. */
  readonly path: string;
  readonly status: "added" | "modified" | "deleted" | "renamed" | "untracked";
  readonly added?: number;
  readonly removed?: number;
}

const SAFE_DIFF = ["--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"] as const;

/** What differs from the last commit, in the index or in the tree. */
export const readGitState = async (git: Git): Promise<GitState> => {
  const [status, numbers] = await Promise.all([
    git.run(["status", "--porcelain=v2", "-z", "--branch", "--untracked-files=all", "--ignore-submodules=all"]),
    git.run(["diff", ...SAFE_DIFF, "--numstat", "-z", "--no-renames", "HEAD", "--"]),
  ]);
  const counts = new Map(countsIn(numbers.stdout));
  const { branch, head, files } = readStatus(status.stdout);
  return {
    ...(branch !== undefined && { branch }),
    ...(head !== undefined && { head }),
    files: files.map(({ path, status: how }) => ({ path: `${git.root}/${path}`, status: how, ...counts.get(path) })),
  };
};

const readStatus = (
  text: string,
): { branch?: string; head?: string; files: { path: string; status: GitFile["status"] }[] } => {
  const words = text.split("\0");
  const files: { path: string; status: GitFile["status"] }[] = [];
  const about: { branch?: string; head?: string } = {};
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word.startsWith("# branch.head ")) {
      const branch = word.slice("# branch.head ".length);
      if (branch !== "(detached)") about.branch = branch;
    } else if (word.startsWith("# branch.oid ")) {
      const oid = word.slice("# branch.oid ".length);
      if (oid !== "(initial)") about.head = oid;
    } else if (word.startsWith("1 ")) files.push({ path: fieldsAfter(word, 8), status: statusOf(word.slice(2, 4)) });
    else if (word.startsWith("2 ")) {
      files.push({ path: fieldsAfter(word, 9), status: "renamed" });
      // The old name is a word of its own.
      at++;
    } else if (word.startsWith("u ")) files.push({ path: fieldsAfter(word, 10), status: "modified" });
    else if (word.startsWith("? ")) files.push({ path: word.slice(2), status: "untracked" });
  }
  return { ...about, files };
};

/** What stands after so many fields; a path may have blanks. */
const fieldsAfter = (line: string, fields: number): string => {
  let at = 0;
  for (let field = 0; field < fields; field++) at = line.indexOf(" ", at) + 1;
  return line.slice(at);
};

const statusOf = (letters: string): GitFile["status"] => {
  if (letters.includes("D")) return "deleted";
  return letters.startsWith("A") ? "added" : "modified";
};

const countsIn = (text: string): [string, { added: number; removed: number }][] =>
  text.split("\0").flatMap((line): [string, { added: number; removed: number }][] => {
    const [added = "", removed = "", path = ""] = line.split("\t");
    // A binary file has dashes.
    return path === "" || added === "-" ? [] : [[path, { added: Number(added), removed: Number(removed) }]];
  });

/**
 * The patch of one file against the last commit; nothing where there is no commit. The path of a folder gives an empty patch: git would
 * show every file in it.
 */
export const readGitPatch = async (git: Git, path: string): Promise<string | undefined> => {
  const changed = await listGitChanges(git, [path]);
  if (changed === undefined) return undefined;
  return changed.length === 1 && changed[0] === path ? patchOf(git, changed) : "";
};

/** The files that differ from the last commit and that `isShown` lets through, as one patch. */
export const readGitDiff = async (git: Git, isShown: (path: string) => boolean): Promise<string> => {
  const changed = (await listGitChanges(git, [])) ?? [];
  let patch = "";
  // Named one by one, and never all at once: nothing that changes meanwhile comes along.
  for (const paths of chunksOf(changed.filter(isShown))) patch += await patchOf(git, paths);
  return patch;
};

const patchOf = async (git: Git, paths: readonly string[]): Promise<string> =>
  (await git.run(["diff", ...SAFE_DIFF, "--no-renames", "-U3", "HEAD", "--", ...paths])).stdout;

/** Absolute paths. */
const listGitChanges = async (git: Git, paths: readonly string[]): Promise<string[] | undefined> => {
  const { ok, stdout } = await git.run([
    "diff",
    ...SAFE_DIFF,
    "--no-renames",
    "--name-only",
    "-z",
    "HEAD",
    "--",
    ...paths,
  ]);
  if (!ok) return undefined;
  return stdout.split("\0").flatMap((path) => (path === "" ? [] : [`${git.root}/${path}`]));
};

/** A command line has room for so many bytes of paths. */
const CHUNK_BYTES = 100_000;

const chunksOf = (paths: readonly string[]): string[][] => {
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

/** Whether git knows this file, or would take it. */
export const knowsGitFile = async (git: Git, path: string): Promise<"tracked" | "untracked" | undefined> => {
  const isListed = async (...which: string[]): Promise<boolean> => {
    const { ok, stdout } = await git.run(["ls-files", "-z", ...which, "--", path]);
    return ok && stdout.split("\0").includes(path.slice(git.root.length + 1));
  };
  if (await isListed("--cached")) return "tracked";
  return (await isListed("--others", "--exclude-standard")) ? "untracked" : undefined;
};

/** Files that git knows or would take, relative to the folder. */
export const listGitFiles = async (git: Git, folder: string): Promise<string[] | undefined> => {
  const listed = await git.run([
    "-C",
    folder,
    "ls-files",
    "-z",
    "--cached",
    "--others",
    "--exclude-standard",
    "--deduplicate",
  ]);
  return listed.ok ? listed.stdout.split("\0").filter((path) => path !== "") : undefined;
};
