// The settings files that hold permission rules: where they are for a folder, what they say, and one change of one of them. Others
// control these files, so each is opened as in `contained-file.ts`. A change names the hash of what a person saw before it.
// The file is replaced as a whole. What the text means is the business of `@quarterdeck/permissions`.

import { createHash, randomUUID } from "node:crypto";
import type { Stats } from "node:fs";
import { constants } from "node:fs";
import { lstat, mkdir, open, readdir, realpath, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { WRITABLE_SCOPES } from "@quarterdeck/permissions/words";
import type { FileScope, WritableScope } from "@quarterdeck/permissions/words";
import { isRecord } from "@quarterdeck/protocol";
import { HostError } from "../host-error.ts";
import { FileError, isInside, openWhere, fileProblemOf, readWhere } from "../trust/contained-file.ts";

export interface SettingsPlace {
  readonly scope: FileScope;
  readonly path: string;
  /** The file must be in this folder, after every link. Absent: the file is the user's own or the system's. */
  readonly within?: string;
}

export interface SettingsFolders {
  readonly cwd: string;
  /** `~/.claude`, or CLAUDE_CONFIG_DIR. See `configFolder`. */
  readonly configDir: string;
  /** Default: the folder of managed settings of this system. */
  readonly managedDir?: string;
}

export interface SettingsFile extends SettingsPlace {
  /** Absent if there is no file, or if it could not be read. */
  readonly text?: string;
  /** The parsed file, if it is a JSON object. */
  readonly value?: Readonly<Record<string, unknown>>;
  /** Names this text, or that there is no file. A change sends it back. */
  readonly hash: string;
  /** Why the file is not in effect, and what to do. */
  readonly problem?: string;
}

/** What a change would write. `hash` is the hash of `before`. */
export interface SettingsPreview extends SettingsPlace {
  readonly before: string | undefined;
  readonly after: string;
  readonly hash: string;
}

/** Makes the new text of the old one. Undefined: there is no file yet. It may throw; then nothing is written. */
export type SettingsEdit = (text: string | undefined) => string;

const MOST_BYTES = 4 * 1024 * 1024;
const MOST_MANAGED = 100;
const BOM = "\uFEFF";

export const managedFolder = (platform: NodeJS.Platform = process.platform): string =>
  platform === "darwin" ? "/Library/Application Support/ClaudeCode" : "/etc/claude-code";

/** The file of a scope that a person can change. */
export const settingsPlace = ({ cwd, configDir }: SettingsFolders, scope: WritableScope): SettingsPlace => {
  const folder = resolve(cwd);
  if (scope === "userSettings") return { scope, path: join(resolve(configDir), "settings.json") };
  const name = scope === "localSettings" ? "settings.local.json" : "settings.json";
  return { scope, path: join(folder, ".claude", name), within: folder };
};

/** Every settings file that can have rules for the folder, the strongest scope first. A missing file is listed, too. */
export const readSettingsFiles = async (folders: SettingsFolders): Promise<readonly SettingsFile[]> => {
  const managed = await managedPlaces(folders.managedDir ?? managedFolder());
  const own = WRITABLE_SCOPES.map((scope) => settingsPlace(folders, scope));
  // In the home folder, the project's file is the user's file: it is one file with one scope.
  const user = await pathAfterLinks(own.at(-1)!.path);
  const places = [];
  for (const place of own)
    if (place.scope !== "projectSettings" || (await pathAfterLinks(place.path)) !== user) places.push(place);
  return Promise.all([...managed, ...places].map(readSettingsFile));
};

const managedPlaces = async (folder: string): Promise<SettingsPlace[]> => {
  const parts = await readdir(join(folder, "managed-settings.d")).catch(() => []);
  const names = parts.filter((name) => name.endsWith(".json") && !name.startsWith(".")).toSorted();
  return [
    join(folder, "managed-settings.json"),
    ...names.slice(0, MOST_MANAGED).map((name) => join(folder, "managed-settings.d", name)),
  ].map((path) => ({ scope: "policySettings", path }));
};

const pathAfterLinks = async (path: string): Promise<string> =>
  realpath(path).catch(async () => {
    const folder = await realpath(dirname(path)).catch(() => dirname(path));
    return join(folder, basename(path));
  });

/** Never rejects: what is wrong with a file is part of the answer. */
export const readSettingsFile = async (place: SettingsPlace): Promise<SettingsFile> => {
  try {
    const text = await textAt(place);
    return text === undefined ? { ...place, hash: hashOf(undefined) } : { ...place, ...parsed(place.path, text) };
  } catch (error) {
    return { ...place, hash: "", problem: wordsOf(place.path, error) };
  }
};

const parsed = (path: string, text: string): Pick<SettingsFile, "text" | "value" | "hash" | "problem"> => {
  const read = { text, hash: hashOf(text) };
  try {
    const value: unknown = JSON.parse(withoutMark(text));
    if (isRecord(value)) return { ...read, value };
    return { ...read, problem: `${path} is not a JSON object. Claude Code ignores it.` };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ...read, problem: `${path} is not valid JSON, so Claude Code ignores it: ${why}` };
  }
};

/** What `writeSettings` would write. Rejects if the file cannot be read, or with what `edit` throws. */
export const previewSettings = async (place: SettingsPlace, edit: SettingsEdit): Promise<SettingsPreview> => {
  const before = await readable(place);
  return { ...place, before, after: edited(before, edit), hash: hashOf(before) };
};

/** The last change under way, by path. */
const writing = new Map<string, Promise<unknown>>();

/** Makes one change. Rejects with `changed` if the file is no longer what the hash names. */
export const writeSettings = (place: SettingsPlace, edit: SettingsEdit, hash: string): Promise<SettingsFile> => {
  const before = writing.get(place.path) ?? Promise.resolve();
  const change = before.then(() => replace(place, edit, hash));
  const settled = change.catch(() => undefined);
  writing.set(place.path, settled);
  void settled.then(() => {
    if (writing.get(place.path) === settled) writing.delete(place.path);
  });
  return change;
};

const replace = async (place: SettingsPlace, edit: SettingsEdit, hash: string): Promise<SettingsFile> => {
  if (place.scope === "policySettings")
    throw new HostError("settings-refused", "Managed settings belong to the administrator of this machine.");
  const before = await readable(place);
  mustBe(place, before, hash);
  const after = edited(before, edit);
  if (before === after) return { ...place, ...parsed(place.path, after) };
  try {
    await put(place, after, hash);
  } catch (error) {
    if (error instanceof HostError) throw error;
    const why = fileProblemOf(place.path, error);
    throw new HostError("settings-refused", `Nothing was changed. ${wordsOf(place.path, why)}`, {}, { cause: error });
  }
  return { ...place, ...parsed(place.path, after) };
};

/** Writes next to the file and renames, in the folder that is held open: a link that appears meanwhile leads nowhere. */
const put = async (place: SettingsPlace, text: string, hash: string): Promise<void> => {
  const real = await realpath(place.path).catch(() => undefined);
  const target = real ?? place.path;
  if (real === undefined) {
    // A broken link would be replaced without notice.
    if ((await lstat(place.path).catch(() => undefined)) !== undefined) throw new FileError("unreadable", place.path);
    await makeFolderOf(place);
  }
  const admit = await admitter(place);
  const folder = await openWhere(dirname(target), admit, constants.O_DIRECTORY);
  try {
    const base = process.platform === "linux" ? `/proc/self/fd/${String(folder.handle.fd)}` : folder.path;
    const [to, from] = [join(base, basename(target)), join(base, `.${basename(target)}.${randomUUID()}.new`)];
    const old = await lstat(to).catch(() => undefined);
    try {
      await writeNew(from, text, modeOf(place, old));
      // Last look. The moment between this and the rename remains.
      mustBe(place, await readable(place), hash);
      await rename(from, to);
    } finally {
      await rm(from, { force: true });
    }
    await folder.handle.sync().catch(() => undefined);
  } finally {
    await folder.handle.close();
  }
};

/** A project's folder must exist; only its `.claude` is made. */
const makeFolderOf = async ({ path, within }: SettingsPlace): Promise<void> => {
  if (within === undefined) await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  else
    await mkdir(dirname(path), { mode: 0o755 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
};

const writeNew = async (path: string, text: string, mode: number): Promise<void> => {
  const handle = await open(
    path,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    mode,
  );
  try {
    await handle.chmod(mode);
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const modeOf = ({ within }: SettingsPlace, old: Stats | undefined): number =>
  old === undefined ? (within === undefined ? 0o600 : 0o644) : old.mode & 0o777;

const mustBe = ({ path, scope }: SettingsPlace, text: string | undefined, hash: string): void => {
  if (hashOf(text) !== hash)
    throw new HostError("changed", `${path} changed since it was shown. Look at the change again.`, { path, scope });
};

const edited = (before: string | undefined, edit: SettingsEdit): string => {
  const isMarked = before?.startsWith(BOM) === true;
  const after = edit(before === undefined ? undefined : withoutMark(before));
  return isMarked ? BOM + after : after;
};

const readable = async (place: SettingsPlace): Promise<string | undefined> => {
  try {
    return await textAt(place);
  } catch (error) {
    throw new HostError("settings-refused", wordsOf(place.path, error), { path: place.path }, { cause: error });
  }
};

const textAt = async (place: SettingsPlace): Promise<string | undefined> => {
  try {
    return (await readWhere(place.path, await admitter(place), MOST_BYTES)).toString("utf8");
  } catch (error) {
    const isLink = (await lstat(place.path).catch(() => undefined))?.isSymbolicLink() === true;
    if (error instanceof FileError && error.problem === "missing" && !isLink) return undefined;
    throw error;
  }
};

const admitter = async ({ path, within }: SettingsPlace): Promise<(real: string) => void> => {
  const folder = within === undefined ? undefined : await realpath(within).catch(() => within);
  return (real) => {
    if (folder !== undefined && !isInside(real, folder)) throw new FileError("outside", path);
  };
};

const wordsOf = (path: string, error: unknown): string => {
  const problem = error instanceof FileError ? error.problem : undefined;
  if (problem === "outside")
    return `${path} is a link that leads out of the folder. Replace it with a regular file, or edit it by hand.`;
  if (problem === "missing") return `${path} is a link that leads to nothing. Remove it first.`;
  if (problem === "too-large") return `${path} is larger than 4 MB. Make it smaller.`;
  return error instanceof Error ? error.message : String(error);
};

const withoutMark = (text: string): string => (text.startsWith(BOM) ? text.slice(1) : text);

/** The hash of the text. A missing file has a fixed value. */
const hashOf = (text: string | undefined): string =>
  text === undefined ? "none" : createHash("sha256").update(text).digest("hex");
