// What a repository would run: programs that its settings name, and its hooks.

import { createHash } from "node:crypto";
import { lstat, readdir, readlink, realpath, stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { isInside } from "./contained-file.ts";
import { isUsualLayout, readStart } from "./git-repositories.ts";
import type { GitSetting, Opened } from "./git-repositories.ts";

export interface FoundProgram {
  readonly line: string;
  /** The environment is enough to stop it. */
  readonly isSilenced: boolean;
}

/** The point of view of the list. Folder names are relative to it, and its own repository needs no name. */
export interface Here {
  readonly folder: string;
  readonly own: readonly string[];
}

export const gitProgramsOf = async (opened: Opened, here: Here): Promise<FoundProgram[]> => {
  if (opened === "unreadable")
    return [{ line: "git: the settings of this repository cannot be read", isSilenced: false }];
  if (typeof opened === "string") return [];
  const { gitDir, common, place, top, entries } = opened;
  const isMain = here.own.includes(gitDir);
  const line = (what: string, value: string, where: string): string => {
    const location = here.own.includes(where) ? "" : ` in ${shown(relative(here.folder, where))}`;
    return `git ${what}${location}: ${/^"|\p{Cc}/u.test(value) ? JSON.stringify(value) : value}`;
  };
  const found: FoundProgram[] = entries.flatMap((entry) => {
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

const namesProgram = ({ key, value, isOwn }: GitSetting): boolean => {
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
