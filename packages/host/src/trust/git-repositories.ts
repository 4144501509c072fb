// Git repositories: opens the repository of a folder, and finds repositories below it. It reads settings and the index.
// It runs no program of a repository.

import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, open, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { cleanPath } from "./clean-path.ts";
import { isInside } from "./contained-file.ts";
import { findBelow, MOST_FOLDERS } from "./find-below.ts";

export type GitEnvironment = Readonly<Record<string, string | undefined>>;

export interface GitSetting {
  /** As git spells it, with section and name in lower case. */
  readonly key: string;
  /** A setting without a value means true. */
  readonly value: string | undefined;
  /** Set by the repository, not by the user. */
  readonly isOwn: boolean;
  readonly isWorktrees: boolean;
}

export interface Repository {
  readonly gitDir: string;
  readonly common: string;
  /** Root of the working tree, as git resolves it. */
  readonly top?: string;
  /** The folder whose `.git` led here. Undefined for a bare repository. */
  readonly place?: string;
  readonly entries: readonly GitSetting[];
}

export type Opened = Repository | "none" | "unreadable" | "no git";

export const openRepository = async (git: ReadGit, folder: string): Promise<Opened> => {
  const [listed, parsed] = await Promise.all([
    git(["-C", folder, "config", "--list", "--includes", "--show-scope", "-z"]),
    git(["-C", folder, "rev-parse", "--absolute-git-dir", "--git-common-dir", "--show-toplevel"]),
  ]);
  if (listed.error === "ENOENT") return "no git";
  if (listed.error !== undefined) return "unreadable";
  // Outside a working tree, the last line is missing.
  const lines = parsed.stdout.split("\n").slice(0, -1);
  if (parsed.error === "timeout" || lines.length > 3) return "unreadable";
  const [gitDir, common, top] = lines;
  if (gitDir === undefined || common === undefined) return "none";
  const found = await Promise.all([realpath(gitDir), realpath(resolve(folder, common))]).catch(() => undefined);
  if (found === undefined) return "unreadable";
  const place = await workTreeOf(folder, found[0]);
  return {
    gitDir: found[0],
    common: found[1],
    ...(top !== undefined && { top: await realpath(top).catch(() => top) }),
    ...(place !== undefined && { place }),
    entries: entriesIn(listed.stdout),
  };
};

const entriesIn = (listed: string): GitSetting[] => {
  const words = listed.split("\0");
  return words.flatMap((entry, at) => {
    if (at % 2 === 0) return [];
    const scope = words[at - 1]!;
    const end = entry.indexOf("\n");
    return [
      {
        key: end === -1 ? entry : entry.slice(0, end),
        value: end === -1 ? undefined : entry.slice(end + 1),
        isOwn: scope === "local" || scope === "worktree",
        isWorktrees: scope === "worktree",
      },
    ];
  });
};

/** The nearest folder whose `.git` is, or names, this directory. */
const workTreeOf = async (folder: string, gitDir: string): Promise<string | undefined> => {
  for (const each of withParents(folder)) if ((await gitDirAt(each)) === gitDir) return each;
  return undefined;
};

const gitDirAt = async (folder: string): Promise<string | undefined> => {
  const path = join(folder, ".git");
  try {
    const found = await stat(path);
    if (found.isDirectory()) return await realpath(path);
    const target = found.isFile() ? /^gitdir: (.*?)\s*$/s.exec(await readStart(path, 8192))?.[1] : undefined;
    return target === undefined ? undefined : await realpath(resolve(folder, target));
  } catch {
    return undefined;
  }
};

/** A folder and all folders that it is in. */
export const withParents = (folder: string): string[] => {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...withParents(parent)];
};

/** Whether the repository is where git itself puts one: in `.git`, or where linked worktrees and submodules are. */
export const isUsualLayout = async ({ place, gitDir, common }: Repository): Promise<boolean> => {
  if (place === undefined) return common === gitDir || common === dirname(dirname(gitDir));
  if (isInside(gitDir, place)) return common === gitDir;
  if (common !== gitDir) {
    if (common !== dirname(dirname(gitDir)) || basename(dirname(gitDir)) !== "worktrees") return false;
    // The link must lead back. Only the owner of that repository can have made it.
    const back = (await readStart(join(gitDir, "gitdir"), 8192).catch(() => "")).trim();
    return back !== "" && resolve(gitDir, back) === join(place, ".git");
  }
  for (const above of withParents(dirname(place))) {
    const superDir = await gitDirAt(above);
    if (superDir !== undefined && isInside(gitDir, join(superDir, "modules"))) return true;
  }
  return false;
};

/** Reads the start of a regular file. Fails for a pipe or a device instead of waiting for it. */
export const readStart = async (path: string, most: number, encoding: BufferEncoding = "utf8"): Promise<string> => {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${path} is not a regular file.`);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(most), 0, most, 0);
    return buffer.toString(encoding, 0, bytesRead);
  } finally {
    await file.close();
  }
};

// Repositories below a folder.

/** Git looks into all submodules of the repository, also into those that are not below the folder. */
export const submodulesBeside = async (
  git: ReadGit,
  { place }: Repository,
  folder: string,
): Promise<string[] | undefined> => {
  if (place === undefined || place === folder) return [];
  const { stdout, error } = await git(["-C", place, "-c", "core.fsmonitor=false", "ls-files", "--stage", "-z"]);
  if (error !== undefined) return undefined;
  const paths = stdout
    .split("\0")
    .flatMap((entry) => (entry.startsWith("160000 ") ? [join(place, entry.slice(entry.indexOf("\t") + 1))] : []));
  const real = await Promise.all(paths.map((path) => realpath(path).catch(() => undefined)));
  return real.filter((path) => path !== undefined && !isInside(path, folder)) as string[];
};

/** Folders that have a `.git` or look like a bare repository. Undefined if there are too many folders to search. */
export const repositoriesBelow = async (roots: readonly string[], path: string): Promise<string[] | undefined> => {
  const hits = await find(roots, path);
  if (hits === undefined) return undefined;
  const withGit = new Set<string>();
  const maybeBare = new Set<string>();
  for (const hit of hits) {
    const name = basename(hit);
    if (name.toLowerCase() === ".git") withGit.add(dirname(hit));
    else if (basename(dirname(hit)).toLowerCase() !== ".git") maybeBare.add(dirname(hit));
  }
  const bare = await Promise.all([...maybeBare].map(async (each) => ((await looksBare(each)) ? each : undefined)));
  return [...withGit, ...bare.filter((each) => each !== undefined)];
};

const looksBare = async (folder: string): Promise<boolean> => {
  const has = (name: string): Promise<boolean> =>
    access(join(folder, name)).then(
      () => true,
      () => false,
    );
  return (await has("commondir")) || ((await has("objects")) && (await has("refs")));
};

/** Every entry that may belong to a repository. */
const find = async (roots: readonly string[], path: string): Promise<string[] | undefined> => {
  const hits: string[] = [];
  let count = 0;
  const wanted = ["(", "-iname", ".git", "-o", "-name", "HEAD", ")", "-print0", "-o", "-type", "d", "-print0"];
  const code = await findBelow([...roots, ...wanted], { path }, (each) => {
    if (/\/(?:\.git|HEAD)$/i.test(each)) hits.push(each);
    return ++count <= MOST_FOLDERS;
  });
  if (code === 0) return hits;
  if (code !== 1) return undefined;
  // Some folder could not be read. Git can still work in it if it may be entered.
  const enterable: string[] = [];
  const hidden = ["u", "g", "o"].flatMap((who) => ["-o", "(", "-perm", `-${who}+x`, "!", "-perm", `-${who}+r`, ")"]);
  await findBelow([...roots, "-type", "d", "(", ...hidden.slice(1), ")", "-print0"], { path }, (each) => {
    enterable.push(each);
    return true;
  });
  const can = (folder: string, mode: number): Promise<boolean> =>
    access(folder, mode).then(
      () => true,
      () => false,
    );
  for (const each of enterable)
    if ((await can(each, constants.X_OK)) && !(await can(each, constants.R_OK))) return undefined;
  return hits;
};

// Git itself.

interface Answered {
  readonly stdout: string;
  readonly error?: "ENOENT" | "timeout" | "failed";
}

export interface ReadGit {
  (args: readonly string[]): Promise<Answered>;
  readonly path: string;
}

/** Git needs milliseconds. A busy machine may need seconds, and must not make a trusted folder look changed. */
const TIMEOUT_MS = 10_000;
/** Limit for one folder. Settings that are pipes make each call of git wait. */
const SURVEY_MS = 25_000;
const MOST_BYTES = 64 * 1024 * 1024;
/** Variables that say where the user's settings are. */
const PASSED = ["HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"];

/** Only for commands that read settings and the index. They run no program of the repository. */
export const gitIn = (env: GitEnvironment): ReadGit => {
  const path = cleanPath(env["PATH"]);
  const passed = PASSED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]));
  const options = {
    cwd: "/",
    env: {
      ...Object.fromEntries(passed),
      PATH: path,
      LC_ALL: "C.UTF-8",
      GIT_NO_LAZY_FETCH: "1",
      GIT_ALLOW_PROTOCOL: "",
      GIT_OPTIONAL_LOCKS: "0",
      GIT_TERMINAL_PROMPT: "0",
    } as Record<string, string>,
    maxBuffer: MOST_BYTES,
    timeout: TIMEOUT_MS,
    signal: AbortSignal.timeout(SURVEY_MS),
    killSignal: "SIGKILL",
    encoding: "utf8",
  } as const;
  const run = (args: readonly string[]): Promise<Answered> =>
    new Promise((resolves) => {
      execFile("git", [...args], options, (error, stdout) => {
        if (error === null) return resolves({ stdout });
        const { code } = error as NodeJS.ErrnoException;
        const isLate = error.killed === true || code === "ABORT_ERR";
        resolves({ stdout, error: code === "ENOENT" ? code : isLate ? "timeout" : "failed" });
      });
    });
  return Object.assign(run, { path });
};
