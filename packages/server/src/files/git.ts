// Git as a reader of untrusted repositories. It gets argument lists only, never a shell, and runs no program that the
// repository's configuration names. File-system monitors, hooks, filters, diff drivers and submodules are turned off.
// The environment does that, because a name with `=` in it cannot be overridden on the command line.

import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { chunksOf, cleanPath } from "@quarterdeck/host";

export interface GitOutput {
  readonly ok: boolean;
  readonly stdout: string;
}

export interface Git {
  /** The real path of the working tree. */
  readonly root: string;
  /** Absolute, as git says it: where this working tree's own state is. */
  readonly gitDir: string;
  /** Absolute, as git says it. Worktrees of one repository share it. */
  readonly commonDir: string;
  /** The environment of each call. Programs that the repository names are off in it. */
  readonly environment: Readonly<Record<string, string>>;
  run(args: readonly string[]): Promise<GitOutput>;
  /** The bytes as they are. Nothing if git fails. */
  bytes(args: readonly string[]): Promise<Buffer | undefined>;
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
  // No protocol. A repository may allow one by name, which would win over our setting for all.
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

const runIn = async (
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<GitOutput> => {
  const { ok, stdout } = await runBytes(folder, args, env);
  return { ok, stdout: stdout.toString("utf8") };
};

const runBytes = (
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly ok: boolean; readonly stdout: Buffer }> =>
  new Promise<{ ok: boolean; stdout: Buffer }>((resolves) => {
    const options = {
      cwd: folder,
      env: { ...env },
      timeout: TIMEOUT_MS,
      maxBuffer: MOST_BYTES,
      encoding: "buffer",
      windowsHide: true,
    } as const;
    execFile("git", [...args], options, (error, stdout) => resolves({ ok: error === null, stdout }));
    // A folder that is a file makes it throw.
  }).catch(() => ({ ok: false, stdout: Buffer.alloc(0) }));

/** Undefined if the folder is in no repository, or if git is missing. */
export const openGit = async (folder: string): Promise<Git | undefined> => {
  const asked = await run(folder, ["rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir"], FIXED);
  const [root = "", gitDir = "", commonDir = "", ...more] = asked.stdout.replace(/\n$/, "").split("\n");
  // A path with a line break looks like two paths.
  if (!asked.ok || root === "" || gitDir === "" || commonDir === "" || more.length > 0) return undefined;
  // Listing the settings runs nothing.
  const listed = await run(root, ["config", "--list", "--name-only", "-z"], FIXED);
  if (!listed.ok) return undefined;
  const settings = [...FIXED, ...harmlessValues(listed.stdout.split("\0"))];
  const env = environment(settings);
  return {
    root,
    gitDir,
    // Git says it relative to the folder. A caller that uses it asks with a real path.
    commonDir: resolve(folder, commonDir),
    environment: env,
    run: (args) => runIn(root, args, env),
    bytes: async (args) => {
      const { ok, stdout } = await runBytes(root, args, env);
      return ok ? stdout : undefined;
    },
  };
};

/** Filters run when a file is compared, drivers when it is shown. The repository chooses their names. */
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
    // An empty driver would silently keep one side. This driver fails, so git reports a conflict.
    ...names.filter((name) => MERGER.test(name)).map((name) => [name, "false"] as const),
    ...[...hooks].map((hook) => [`hook.${hook}.enabled`, "false"] as const),
  ];
};

export interface GitState {
  readonly branch?: string;
  /** The commit. */
  readonly head?: string;
  readonly files: readonly GitFileChange[];
}
export interface GitFileChange {
  /** Absolute. */
  readonly path: string;
  readonly status: "added" | "modified" | "deleted" | "renamed" | "untracked";
  readonly added?: number;
  readonly removed?: number;
  /** The old path of a renamed file. */
  readonly from?: string;
  readonly binary?: true;
}

const SAFE_DIFF = ["--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"] as const;

/** What differs from the last commit, in the index or in the working tree. */
export const readGitState = async (git: Git): Promise<GitState> => {
  const [status, numbers] = await Promise.all([
    git.run(["status", "--porcelain=v2", "-z", "--branch", "--untracked-files=all", "--ignore-submodules=all"]),
    git.run(["diff", ...SAFE_DIFF, "--numstat", "-z", "-M", "HEAD", "--"]),
  ]);
  const counts = new Map(countsIn(numbers.stdout));
  const { branch, head, files } = readStatus(status.stdout);
  return {
    ...(branch !== undefined && { branch }),
    ...(head !== undefined && { head }),
    files: files.map(({ path, status: how, from }) => ({
      path: `${git.root}/${path}`,
      status: how,
      ...(from !== undefined && { from: `${git.root}/${from}` }),
      ...counts.get(path),
    })),
  };
};

interface StatusEntry {
  readonly path: string;
  readonly status: GitFileChange["status"];
  readonly from?: string;
}

const readStatus = (text: string): { branch?: string; head?: string; files: StatusEntry[] } => {
  const words = text.split("\0");
  const files: StatusEntry[] = [];
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
      // The old name is a word of its own.
      files.push({ path: fieldsAfter(word, 9), status: "renamed", from: words[++at] ?? "" });
    } else if (word.startsWith("u ")) files.push({ path: fieldsAfter(word, 10), status: "modified" });
    else if (word.startsWith("? ")) files.push({ path: word.slice(2), status: "untracked" });
  }
  return { ...about, files };
};

/** The rest of the line after some fields. A path may contain spaces. */
export const fieldsAfter = (line: string, fields: number): string => {
  let at = 0;
  for (let field = 0; field < fields; field++) at = line.indexOf(" ", at) + 1;
  return line.slice(at);
};

const statusOf = (letters: string): GitFileChange["status"] => {
  if (letters.includes("D")) return "deleted";
  return letters.startsWith("A") ? "added" : "modified";
};

type Count = { added: number; removed: number } | { binary: true };

const countsIn = (text: string): [string, Count][] => {
  const words = text.split("\0");
  const counts: [string, Count][] = [];
  for (let at = 0; at < words.length; at++) {
    const [added = "", removed = "", named = ""] = words[at]!.split("\t");
    if (added === "") continue;
    // For a renamed file, both names follow.
    const path = named === "" ? (words[(at += 2)] ?? "") : named;
    // A binary file has dashes.
    counts.push([path, added === "-" ? { binary: true } : { added: Number(added), removed: Number(removed) }]);
  }
  return counts;
};

/**
 * The patch of one file against the last commit. Undefined without a commit. A folder gives an empty patch, because git
 * would show every file in it.
 */
export const readGitPatch = async (
  git: Git,
  path: string,
  more: readonly string[] = [],
  encoding: BufferEncoding = "utf8",
): Promise<string | undefined> => {
  const changed = await listGitChanges(git, [path]);
  if (changed === undefined) return undefined;
  return changed.length === 1 && changed[0] === path ? (await patchOf(git, changed, more)).toString(encoding) : "";
};

/** The bytes of the file in the last commit. */
export const readGitBlob = (git: Git, path: string): Promise<Buffer | undefined> =>
  git.bytes(["cat-file", "blob", `HEAD:${path.slice(git.root.length + 1)}`]);

/** The files that differ from the last commit and that `isShown` lets through, as one patch. */
export const readGitDiff = async (git: Git, isShown: (path: string) => boolean): Promise<string> => {
  const changed = (await listGitChanges(git, [])) ?? [];
  let patch = "";
  // Files are named one by one, so that files that change meanwhile are not included.
  for (const paths of chunksOf(changed.filter(isShown))) patch += (await patchOf(git, paths)).toString("utf8");
  return patch;
};

/** As `readGitDiff`, in bytes that `git apply` takes, with binary files. Text files that git does not track are read with `read`. */
export const readGitPatches = async (
  git: Git,
  folder: string,
  isWanted: (path: string) => boolean,
  read: (path: string) => Promise<Buffer | undefined>,
): Promise<{ readonly patch: Buffer; readonly files: number }> => {
  const tracked = ((await listGitChanges(git, [])) ?? []).filter(isWanted);
  const parts: Buffer[] = [];
  for (const paths of chunksOf(tracked)) parts.push(await patchOf(git, paths, ["--binary", "--full-index"]));
  const others = await git.run(["-C", folder, "ls-files", "-z", "--others", "--exclude-standard", "--full-name"]);
  let files = tracked.length;
  for (const path of others.stdout.split("\0")) {
    const full = `${git.root}/${path}`;
    if (path === "" || path.endsWith("/") || !isWanted(full) || files - tracked.length >= MOST_UNTRACKED) continue;
    const bytes = await read(full);
    if (bytes === undefined) continue;
    parts.push(newFilePatch(path, bytes));
    files++;
  }
  return { patch: Buffer.concat(parts), files };
};
const MOST_UNTRACKED = 1000;

const newFilePatch = (path: string, bytes: Buffer): Buffer => {
  const head = `diff --git ${quoted(`a/${path}`)} ${quoted(`b/${path}`)}\nnew file mode 100644\n`;
  const text = bytes.toString("latin1");
  if (text === "") return Buffer.from(`${head}index 0000000..e69de29\n`);
  const lines = text.replace(/\n$/, "").split("\n");
  const end = text.endsWith("\n") ? "" : "\\ No newline at end of file\n";
  const hunk = `@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join("")}${end}`;
  return Buffer.concat([
    Buffer.from(`${head}--- /dev/null\n+++ ${quoted(`b/${path}`)}\n`),
    Buffer.from(hunk, "latin1"),
  ]);
};

/** A name with a quote, a backslash or a control character is written as in C. */
const quoted = (name: string): string =>
  /["\\\p{Cc}]/u.test(name)
    ? `"${name.replaceAll(/["\\\p{Cc}]/gu, (one) => (one === '"' || one === "\\" ? `\\${one}` : `\\${(one.codePointAt(0) ?? 0).toString(8).padStart(3, "0")}`))}"`
    : name;

const patchOf = async (git: Git, paths: readonly string[], more: readonly string[] = []): Promise<Buffer> =>
  (await git.bytes(["diff", ...SAFE_DIFF, "--no-renames", "-U3", ...more, "HEAD", "--", ...paths])) ?? Buffer.alloc(0);

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

/** Whether git tracks this file, or would add it. */
export const knowsGitFile = async (git: Git, path: string): Promise<"tracked" | "untracked" | undefined> => {
  const isListed = async (...which: string[]): Promise<boolean> => {
    const { ok, stdout } = await git.run(["ls-files", "-z", ...which, "--", path]);
    return ok && stdout.split("\0").includes(path.slice(git.root.length + 1));
  };
  if (await isListed("--cached")) return "tracked";
  return (await isListed("--others", "--exclude-standard")) ? "untracked" : undefined;
};

/** Files that git tracks or would add, relative to the folder. */
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
