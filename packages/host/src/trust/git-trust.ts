// Finds what git would run in a folder, and makes an environment in which git runs none of it. The CLI lets the model
// call `git status`, `diff`, `log` and `show` without asking, and 2.1.38 calls git itself at every start. The
// configuration of a repository can name a program for each of them.
//
// `readGitPrograms` asks git for the settings (listing them runs nothing) and searches the disk for hooks. It covers
// the repository of the folder, and every repository below the folder: submodules, embedded repositories, bare
// repositories among other files. The user's own settings do not count. The list is part of the folder's trust: the
// host hashes it and the server shows it.
//
// `untrustedEnvironment` overrides the settings that have the same name in every repository. It cannot override
// everything: filters and drivers have their own names, and git clears our overrides in submodules (`git rev-parse
// --local-env-vars`). If the list has such a program, git itself is off (`GIT_DIR=/dev/null`) until the folder is
// trusted. One gap remains: while the session runs, a command that the user allowed may put a repository with a filter
// into the folder. The hooks and the file-system monitor of that repository are still off.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { access, lstat, open, readdir, readlink, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { cleanPath } from "../process/clean-path.ts";
import { findBelow, isFolderBusy, MOST_FOLDERS } from "./find-below.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The list as the trust record keeps it, like any other file of the folder. */
export interface GitPrograms {
  /** The `.git` of the repository, or the one that the folder could have. */
  readonly path: string;
  /** One program per line, sorted, so that the same programs give the same text. */
  readonly text: string;
}

/** Undefined if git would run only its own programs and the user's. */
export const readGitPrograms = async (
  folder: string,
  env: Environment = process.env,
): Promise<GitPrograms | undefined> => {
  const { top, found } = await survey(await realpath(folder), env);
  const lines = [...new Set(found.map(({ line }) => line))].toSorted();
  return lines.length === 0 ? undefined : { path: join(top, GIT_LIST), text: lines.join("\n") };
};

/** The programs, one per line. Undefined if the file is not the list. */
export const gitRunsIn = (path: string, text: string): string[] | undefined =>
  basename(path) === GIT_LIST ? text.split("\n") : undefined;

/** The name of the list. The CLI reads no file of this name itself. */
export const GIT_LIST = ".git";

/**
 * What to add to the environment of a session in an untrusted folder. The user's own settings stay, also those in the environment.
 * Ours come after them.
 */
export const untrustedEnvironment = async (
  folder: string,
  env: Environment,
  /** Additional folders of the session. */
  more: readonly string[] = [],
): Promise<Record<string, string>> => {
  const top = await realpath(folder);
  const { found, isBare, sshCommand } = await surveyOrNothing(top, env);
  for (const each of more) {
    const real = await realpath(resolve(top, each)).catch(() => undefined);
    // The survey of the session's folder covers what is below it.
    if (real !== undefined && !isInside(real, top)) found.push(...(await surveyOrNothing(real, env)).found);
  }
  const settings = [
    ...SILENCE,
    // This setting wins over the user's GIT_SSH, so it repeats that path.
    ["core.sshCommand", sshCommand ?? (env["GIT_SSH"] === undefined ? "ssh" : quoted(env["GIT_SSH"]))],
    // A session may start in a bare repository, but must not use one among the files.
    ["safe.bareRepository", isBare ? "all" : "explicit"],
  ] as const;
  const given = /^\d{1,6}$/.test(env["GIT_CONFIG_COUNT"] ?? "") ? Number(env["GIT_CONFIG_COUNT"]) : 0;
  return {
    GIT_NO_LAZY_FETCH: "1",
    // No helpers that the repository chooses, and no protocols that run a local program: `ext`, `file`, `git` (through a proxy).
    GIT_ALLOW_PROTOCOL: "http:https:ssh",
    GIT_PAGER: "cat",
    // There is no terminal to edit in.
    GIT_EDITOR: "true",
    GIT_SEQUENCE_EDITOR: "true",
    // This variable would win over the settings below.
    GIT_CONFIG_PARAMETERS: "",
    GIT_CONFIG_COUNT: String(given + settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], at) => [
        [`GIT_CONFIG_KEY_${given + at}`, key],
        [`GIT_CONFIG_VALUE_${given + at}`, value],
      ]),
    ),
    ...(found.every(({ isSilenced }) => isSilenced) ? {} : { GIT_DIR: "/dev/null" }),
  };
};

/** If the search takes too long, git is off in the session. */
const surveyOrNothing = (folder: string, env: Environment): Promise<Survey> =>
  survey(folder, env).catch((error: unknown) => {
    if (!isFolderBusy(error)) throw error;
    return { top: folder, isBare: false, found: [{ line: "git: unknown", isSilenced: false }] };
  });

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** Overrides for every repository that a command runs in. Some are for repositories that appear later. */
const SILENCE: readonly (readonly [string, string])[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.askPass", ""],
  ["core.alternateRefsCommand", "true"],
  ["diff.ignoreSubmodules", "dirty"],
  ["diff.submodule", "short"],
  ["status.submoduleSummary", "false"],
  ["submodule.recurse", "false"],
  ["fetch.recurseSubmodules", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
];

interface Found {
  readonly line: string;
  /** The environment is enough to stop it. */
  readonly isSilenced: boolean;
}

interface Survey {
  /** The root of the working tree, or the folder. */
  readonly top: string;
  readonly isBare: boolean;
  /** The user's `core.sshCommand`. */
  readonly sshCommand?: string;
  readonly found: Found[];
}

const survey = async (folder: string, env: Environment): Promise<Survey> => {
  const git = gitIn(env);
  const main = await openRepository(git, folder);
  if (main === "no git") return { top: folder, isBare: false, found: [] };
  const isRepository = typeof main === "object";
  const top = (isRepository && (main.place ?? main.top)) || folder;
  const sshCommand = isRepository ? main.entries.findLast(isUsers("core.sshcommand"))?.value : undefined;
  const here = {
    folder,
    own: isRepository ? [main.gitDir, main.common] : [],
  };
  return {
    top,
    isBare: isRepository && main.place === undefined,
    ...(sshCommand !== undefined && { sshCommand }),
    found: [...(await programsOf(main, here)), ...(await programsBelow(git, main, here))],
  };
};

const isUsers =
  (name: string) =>
  ({ key, isOwn }: Entry): boolean =>
    key === name && !isOwn;

/** The point of view of the list. Folder names are relative to it, and its own repository needs no name. */
interface Here {
  readonly folder: string;
  readonly own: readonly string[];
}

// Repositories.

interface Entry {
  /** As git spells it, with section and name in lower case. */
  readonly key: string;
  /** A setting without a value means true. */
  readonly value: string | undefined;
  /** Set by the repository, not by the user. */
  readonly isOwn: boolean;
  readonly isWorktrees: boolean;
}

interface Repository {
  readonly gitDir: string;
  readonly common: string;
  /** Root of the working tree, as git resolves it. */
  readonly top?: string;
  /** The folder whose `.git` led here. Undefined for a bare repository. */
  readonly place?: string;
  readonly entries: readonly Entry[];
}

type Opened = Repository | "none" | "unreadable" | "no git";

const openRepository = async (git: Git, folder: string): Promise<Opened> => {
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
  const place = await placeOf(folder, found[0]);
  return {
    gitDir: found[0],
    common: found[1],
    ...(top !== undefined && { top: await realpath(top).catch(() => top) }),
    ...(place !== undefined && { place }),
    entries: entriesIn(listed.stdout),
  };
};

const entriesIn = (listed: string): Entry[] => {
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
const placeOf = async (folder: string, gitDir: string): Promise<string | undefined> => {
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

const withParents = (folder: string): string[] => {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...withParents(parent)];
};

const isInside = (path: string, folder: string): boolean => path === folder || path.startsWith(join(folder, "/"));

/** Whether the repository is where git itself puts one: in `.git`, or where linked worktrees and submodules are. */
const isUsualLayout = async ({ place, gitDir, common }: Repository): Promise<boolean> => {
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

// What a repository would run.

const programsOf = async (opened: Opened, here: Here): Promise<Found[]> => {
  if (opened === "unreadable")
    return [{ line: "git: the settings of this repository cannot be read", isSilenced: false }];
  if (typeof opened === "string") return [];
  const { gitDir, common, place, top, entries } = opened;
  const isMain = here.own.includes(gitDir);
  const line = (what: string, value: string, where: string): string => {
    const location = here.own.includes(where) ? "" : ` in ${shown(relative(here.folder, where))}`;
    return `git ${what}${location}: ${/^"|\p{Cc}/u.test(value) ? JSON.stringify(value) : value}`;
  };
  const found: Found[] = entries.flatMap((entry) => {
    const { key, value = "true", isWorktrees } = entry;
    if (!namesProgram(entry)) return [];
    return [{ line: line(shown(key), value, isWorktrees ? gitDir : common), isSilenced: isMain && SILENCED.test(key) }];
  });
  if (top !== undefined && place !== undefined && top !== place)
    found.push({ line: line("core.worktree", top, gitDir), isSilenced: false });
  if (!(await isUsualLayout(opened))) found.push({ line: line("folder elsewhere", gitDir, gitDir), isSilenced: false });
  const base = top ?? gitDir;
  const setting = entries.findLast(({ key }) => key === "core.hookspath");
  const isUsersOwn = setting !== undefined && !setting.isOwn && /^[/~]/.test(setting.value ?? "");
  const hooks = setting?.value === undefined ? join(common, "hooks") : resolve(base, setting.value);
  for (const hook of isUsersOwn ? [] : await hooksIn(hooks, [base, common])) {
    const [name, ...rest] = hook;
    found.push({ line: line(`hook ${shown(name)}`, rest.join(" "), common), isSilenced: isMain });
  }
  return found;
};

/** Quotes a name that could be read as two words. */
const shown = (name: string): string => (/["\s\p{Cc}]/u.test(name) ? JSON.stringify(name) : name);

/** Matches the last part of a setting's name, in any section. Tools around git use the same names, and git adds new ones. */
const PROGRAM =
  /^(?:.*(?:askpass|browser|cmd|command|driver|editor|helper|hook|pager|program|textconv)|clean|smudge|process|external|fsmonitor|hookspath|difffilter|gitproxy|httpd|packobjectshook|partialclone|promisor|receivepack|uploadpack|templatedir|transferagent|tunnel|vcs)$/;
const PATH_OF_PROGRAM = /^(?:browser|difftool|man|mergetool|lfs\.customtransfer)\..*\.path$/s;
const ADDRESS =
  /^(?:remote\..*\.(?:url|pushurl)|branch\..*\.(?:remote|pushremote)|remote\.pushdefault|submodule\..*\.url)$/s;
const REWRITES = /^url\.(.*)\.(?:insteadof|pushinsteadof)$/s;
const PROTOCOL = /^protocol\.(?:(.*)\.)?allow$/s;
/** Addresses for which git starts a helper, such as `ext::`. */
const HELPER_ADDRESS = /^(?:[\w.+-]+::|(?!(?:https?|ftps?|ssh|git|file|git\+ssh|ssh\+git):)[\w.+-]+:\/\/)/i;
const SWITCH = /^(?:|true|false|yes|no|on|off|[01])$/i;

const namesProgram = ({ key, value, isOwn }: Entry): boolean => {
  const variable = key.slice(key.lastIndexOf(".") + 1);
  const isProgram = PROGRAM.test(variable) || key.startsWith("pager.") || PATH_OF_PROGRAM.test(key);
  // The user's own settings count only if they name a relative path, which is a file of the folder.
  if (!isOwn) return isProgram && variable !== "hookspath" && /^[^\s"'$/~!-][^\s]*\//.test(value ?? "");
  if (variable === "promisor" || key.startsWith("protocol.")) {
    const protocol = PROTOCOL.exec(key);
    if (protocol !== null) return value !== "never" && !/^(?:https?|ssh|git|file)$/.test(protocol[1] ?? "");
    return variable === "promisor" && !/^(?:false|no|off|0|)$/i.test(value ?? "true");
  }
  if (variable === "fsmonitor" || variable === "pager" || key.startsWith("pager.")) return !SWITCH.test(value ?? "");
  // The included file may be in the folder, so its contents can change.
  if (key === "include.path" || (key.startsWith("includeif.") && variable === "path")) return true;
  if (key.startsWith("alias.")) return variable === "command" || (value ?? "").startsWith("!");
  if (key.startsWith("submodule.") && variable === "update") return (value ?? "").startsWith("!");
  if (ADDRESS.test(key)) return HELPER_ADDRESS.test(value ?? "");
  const rewritten = REWRITES.exec(key)?.[1];
  if (rewritten !== undefined) return HELPER_ADDRESS.test(rewritten);
  return isProgram && !/^(?:|\/dev\/null)$/.test(value ?? "");
};

/** What `untrustedEnvironment` stops, in the repository that the folder is in. */
const SILENCED =
  /^(?:core\.(?:fsmonitor|hookspath|askpass|alternaterefscommand|sshcommand|gitproxy|pager|editor)|pager\..*|sequence\.editor|remote\..*|branch\..*|url\..*|protocol\..*|submodule\..*\.url|extensions\.partialclone)$/s;

const MOST_HOOKS = 200;
const HOOK_BYTES = 1024 * 1024;

/** Name, path and contents. Git runs what is executable; samples are not hooks. */
const hooksIn = async (folder: string, inside: readonly string[]): Promise<[string, ...string[]][]> => {
  const names = await readdir(folder).catch(() => []);
  const hooks = await Promise.all(
    names
      .filter((name) => !name.endsWith(".sample"))
      .toSorted()
      .slice(0, MOST_HOOKS)
      .map(async (name): Promise<[string, ...string[]] | undefined> => {
        const path = join(folder, name);
        try {
          const found = await stat(path);
          if (!found.isFile() || (found.mode & 0o111) === 0) return undefined;
          const link = (await lstat(path)).isSymbolicLink() ? [`-> ${await readlink(path)}`] : [];
          const real = await realpath(path);
          // A link that leads out is listed, but not read.
          if (!inside.some((each) => isInside(real, each))) return [name, path, ...link];
          const hash = createHash("sha256").update(await readStart(real, HOOK_BYTES, "latin1"), "latin1");
          return [name, path, ...link, `(sha256 ${hash.digest("hex").slice(0, 32)}, ${String(found.size)} bytes)`];
        } catch (error) {
          // A link to nothing runs nothing.
          return (error as NodeJS.ErrnoException).code === "ENOENT" ? undefined : [name, path, "(unreadable)"];
        }
      }),
  );
  return hooks.filter((hook) => hook !== undefined);
};

/** Reads the start of a regular file. Fails for a pipe or a device instead of waiting for it. */
const readStart = async (path: string, most: number, encoding: BufferEncoding = "utf8"): Promise<string> => {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${path} is not a regular file.`);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(most), 0, most, 0);
    return buffer.toString(encoding, 0, bytesRead);
  } finally {
    await file.close();
  }
};

// Repositories below the folder.

const MOST_REPOSITORIES = 500;
const AT_ONCE = 8;

const programsBelow = async (git: Git, main: Opened, here: Here): Promise<Found[]> => {
  const seen = new Set(here.own);
  const beside = typeof main === "object" ? await submodulesBeside(git, main, here.folder) : [];
  const places = beside && (await repositoriesBelow([here.folder, ...beside], git.path));
  if (places === undefined || places.length > MOST_REPOSITORIES) {
    const line = `git: this folder is too large to look for all repositories in it, which may run programs`;
    return [{ line, isSilenced: false }];
  }
  const found: Found[] = [];
  // The folder itself is in the list already.
  const others = places.filter((place) => place !== here.folder);
  for (let at = 0; at < others.length; at += AT_ONCE) {
    const opened = await Promise.all(others.slice(at, at + AT_ONCE).map((place) => openRepository(git, place)));
    for (const each of opened) {
      if (typeof each === "object" && seen.has(each.gitDir)) continue;
      if (typeof each === "object") seen.add(each.gitDir);
      found.push(...(await programsOf(each, here)));
    }
  }
  return found;
};

/** Git looks into all submodules of the repository, also into those that are not below the folder. */
const submodulesBeside = async (git: Git, { place }: Repository, folder: string): Promise<string[] | undefined> => {
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
const repositoriesBelow = async (roots: readonly string[], path: string): Promise<string[] | undefined> => {
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

interface Git {
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
const gitIn = (env: Environment): Git => {
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
