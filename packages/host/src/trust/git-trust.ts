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

import { realpath } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { isFolderBusy } from "./find-below.ts";
import { gitProgramsOf } from "./git-programs.ts";
import type { FoundProgram, Here } from "./git-programs.ts";
import { isInside } from "./contained-file.ts";
import { gitIn, openRepository, repositoriesBelow, submodulesBeside } from "./git-repositories.ts";
import type { GitSetting, GitEnvironment, ReadGit, Opened } from "./git-repositories.ts";

/** The list as the trust record keeps it, like any other file of the folder. */
export interface GitPrograms {
  /** The `.git` of the repository, or the place where the folder could have one. */
  readonly path: string;
  /** One program per line, sorted, so that the same programs give the same text. */
  readonly text: string;
}

/** Undefined if git would run only its own programs and the user's. */
export const readGitPrograms = async (
  folder: string,
  env: GitEnvironment = process.env,
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
  env: GitEnvironment,
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
const surveyOrNothing = (folder: string, env: GitEnvironment): Promise<Survey> =>
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

interface Survey {
  /** The root of the working tree, or the folder. */
  readonly top: string;
  readonly isBare: boolean;
  /** The user's `core.sshCommand`. */
  readonly sshCommand?: string;
  readonly found: FoundProgram[];
}

const survey = async (folder: string, env: GitEnvironment): Promise<Survey> => {
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
    found: [...(await gitProgramsOf(main, here)), ...(await programsBelow(git, main, here))],
  };
};

const isUsers =
  (name: string) =>
  ({ key, isOwn }: GitSetting): boolean =>
    key === name && !isOwn;

const MOST_REPOSITORIES = 500;
const AT_ONCE = 8;

const programsBelow = async (git: ReadGit, main: Opened, here: Here): Promise<FoundProgram[]> => {
  const seen = new Set(here.own);
  const beside = typeof main === "object" ? await submodulesBeside(git, main, here.folder) : [];
  const places = beside && (await repositoriesBelow([here.folder, ...beside], git.path));
  if (places === undefined || places.length > MOST_REPOSITORIES) {
    const line = `git: this folder is too large to look for all repositories in it, which may run programs`;
    return [{ line, isSilenced: false }];
  }
  const found: FoundProgram[] = [];
  // The folder itself is in the list already.
  const others = places.filter((place) => place !== here.folder);
  for (let at = 0; at < others.length; at += AT_ONCE) {
    const opened = await Promise.all(others.slice(at, at + AT_ONCE).map((place) => openRepository(git, place)));
    for (const each of opened) {
      if (typeof each === "object" && seen.has(each.gitDir)) continue;
      if (typeof each === "object") seen.add(each.gitDir);
      found.push(...(await gitProgramsOf(each, here)));
    }
  }
  return found;
};
