// Whether a folder may run its own programs. Spawned without a terminal, the CLI starts a folder's hooks and MCP servers
// before the first message and asks nobody, so the host asks: trust is given to a folder as it stands, by its real path and
// the contents of every file that the CLI would act on. A change asks again. What an untrusted folder is spawned with is
// decided here too; that it holds was measured on 2.1.38 and 2.1.325, and `folder-trust.cli.test.ts` measures it again.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { isRecord } from "@quarterdeck/protocol";
import type { ClaudeOptions, PermissionRule, PermissionUpdate } from "@quarterdeck/protocol";
import { readGitPrograms } from "./git-trust.ts";

export interface FolderFile {
  readonly path: string;
  /** What a person decides about; not there if it cannot be read, which the CLI cannot either. */
  readonly text?: string;
}

/** A folder as it stands: what is shown to a person is what is trusted. */
export interface FolderContents {
  /** Without links. */
  readonly folder: string;
  readonly files: readonly FolderFile[];
}

export interface TrustRecord {
  readonly folder: string;
  /** By path. */
  readonly files: Readonly<Record<string, { readonly hash: string }>>;
}

export interface TrustStore {
  readonly get: (folder: string) => TrustRecord | undefined;
  readonly set: (record: TrustRecord) => void;
  readonly delete: (folder: string) => void;
}

/** One that knows all of its folders. */
export interface ListedTrustStore extends TrustStore {
  readonly folders: () => readonly string[];
}

/** `changed` was trusted once, with other contents. */
export type FolderTrust = "trusted" | "changed" | "unknown";

export interface FolderOptions {
  /** The user's own configuration, which is trusted wherever it lies. */
  readonly configDir?: string;
}

export const isTrusted = async (folder: string, store: TrustStore, options: FolderOptions = {}): Promise<boolean> =>
  (await trustOf(folder, store, options)) === "trusted";

export const trustOf = async (folder: string, store: TrustStore, options: FolderOptions = {}): Promise<FolderTrust> => {
  const now = recordOf(await readFolder(folder, options));
  const known = store.get(now.folder);
  if (known === undefined) return "unknown";
  return differences(known, now).length === 0 ? "trusted" : "changed";
};

/** Takes what `readFolder` gave and a person has seen; a path stands for what is there now. */
export const trust = async (
  folder: string | FolderContents,
  store: TrustStore,
  options: FolderOptions = {},
): Promise<void> => store.set(recordOf(typeof folder === "string" ? await readFolder(folder, options) : folder));

/**
 * For a person's "always allow", which the CLI writes into the folder's settings: trust goes on if the folder is, but for the rules
 * of this answer, what it was before (`readFolder`). Says whether it does.
 */
export const keepTrust = async (
  before: FolderContents,
  updates: readonly PermissionUpdate[],
  store: TrustStore,
  options: FolderOptions = {},
): Promise<boolean> => {
  const after = await readFolder(before.folder, options);
  const known = store.get(before.folder);
  if (known === undefined || differences(known, recordOf(before)).length > 0) return false;
  if (!isOnlyWritten(before, after, updates)) return false;
  store.set(recordOf(after));
  return true;
};

const isOnlyWritten = (
  before: FolderContents,
  after: FolderContents,
  updates: readonly PermissionUpdate[],
): boolean => {
  const textIn = ({ files }: FolderContents, path: string): string | undefined =>
    files.find((file) => file.path === path)?.text;
  const paths = new Set([...before.files, ...after.files].map(({ path }) => path));
  return [...paths].every((path) => {
    const [old, now] = [textIn(before, path), textIn(after, path)];
    if (old === now) return true;
    const written = updates.filter(({ destination }) => DESTINATIONS[basename(path)] === destination);
    const [expected, found] = [withUpdates(old ?? "{}", written), withUpdates(now ?? "{}", [])];
    return expected !== undefined && expected === found;
  });
};
const DESTINATIONS: Readonly<Record<string, string>> = {
  "settings.json": "projectSettings",
  "settings.local.json": "localSettings",
};

/** The settings with these rules in them, the lists as sets; nothing where they are no settings. */
const withUpdates = (text: string, updates: readonly PermissionUpdate[]): string | undefined => {
  const settings = settingsIn(text);
  if (settings === undefined) return undefined;
  const permissions: Record<string, unknown> = { ...settings.permissions };
  const change = (name: string, how: (before: readonly unknown[]) => readonly unknown[]): void => {
    const list = permissions[name];
    permissions[name] = how(Array.isArray(list) ? list : []);
  };
  for (const update of updates) {
    if (update.type === "setMode") permissions["defaultMode"] = update.mode;
    else if ("directories" in update)
      change("additionalDirectories", changeOf(update.type === "addDirectories", update.directories));
    else if (update.type === "replaceRules") change(update.behavior, () => update.rules.map(ruleText));
    else change(update.behavior, changeOf(update.type === "addRules", update.rules.map(ruleText)));
  }
  for (const name of RULES) {
    const list = permissions[name];
    if (!Array.isArray(list)) continue;
    if (list.length === 0) delete permissions[name];
    else permissions[name] = [...new Set(list)].map(String).toSorted();
  }
  return canonical(Object.keys(permissions).length === 0 ? settings.others : { ...settings.others, permissions });
};

const changeOf =
  (isAdded: boolean, texts: readonly string[]) =>
  (before: readonly unknown[]): readonly unknown[] =>
    isAdded ? [...before, ...texts] : before.filter((each) => !texts.includes(String(each)));
const ruleText = ({ toolName, ruleContent }: PermissionRule): string =>
  ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;

interface Settings {
  readonly permissions: Readonly<Record<string, unknown>>;
  readonly others: Readonly<Record<string, unknown>>;
}

const settingsIn = (text: string): Settings | undefined => {
  let settings: unknown;
  try {
    settings = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(settings)) return undefined;
  const { permissions = {}, ...others } = settings;
  return isRecord(permissions) ? { permissions, others } : undefined;
};

const differences = (known: TrustRecord, now: TrustRecord): string[] =>
  [...new Set([...Object.keys(known.files), ...Object.keys(now.files)])].filter(
    (path) => known.files[path]?.hash !== now.files[path]?.hash,
  );

// Which files: measured. The CLI takes settings from the folder itself; since some version after 2.1.38 also the local
// ones of the repository's root, in a worktree those of the main one; and `.mcp.json` from every folder above, to the
// top of the file system, repository or not. It resolves links first.

const SETTINGS = [join(".claude", "settings.json"), join(".claude", "settings.local.json")];

export const readFolder = async (
  path: string,
  { configDir = process.env["CLAUDE_CONFIG_DIR"] ?? join(homedir(), ".claude") }: FolderOptions = {},
): Promise<FolderContents> => {
  const folder = await realpath(path);
  const ownConfig = await realpath(configDir).catch(() => resolve(configDir));
  const upwards = withParents(folder);
  const roots = await repositoryRoots(upwards);
  const candidates = new Set([
    ...[folder, ...roots].flatMap((each) => SETTINGS.map((name) => join(each, name))),
    ...upwards.map((each) => join(each, ".mcp.json")),
  ]);
  const files = await Promise.all([
    ...[...candidates].map((file) => readFolderFile(file, ownConfig)),
    readGitPrograms(folder),
  ]);
  return { folder, files: files.filter((file) => file !== undefined) };
};

const readFolderFile = async (path: string, ownConfig: string): Promise<FolderFile | undefined> => {
  try {
    if ((await realpath(dirname(path))) === ownConfig) return undefined;
    return { path, text: await readFile(path, "utf8") };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" || code === "EISDIR" ? undefined : { path };
  }
};

const withParents = (folder: string): string[] => {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...withParents(parent)];
};

/** The root of the repository that the folder is in; for a linked worktree that of the main one too. */
const repositoryRoots = async (upwards: readonly string[]): Promise<string[]> => {
  for (const root of upwards) {
    const git = join(root, ".git");
    const link = await readFile(git, "utf8").catch((error: NodeJS.ErrnoException) => error.code);
    if (link === "EISDIR") return [root];
    const gitDir = /^gitdir: (.+)$/m.exec(link ?? "")?.[1];
    if (gitDir === undefined) continue;
    const admin = resolve(root, gitDir);
    const common = await readFile(join(admin, "commondir"), "utf8").catch(() => undefined);
    if (common === undefined) return [root];
    const main = await realpath(resolve(admin, common.trim())).catch(() => "");
    return basename(main) === ".git" ? [root, dirname(main)] : [root];
  }
  return [];
};

const recordOf = ({ folder, files }: FolderContents): TrustRecord => ({
  folder,
  files: Object.fromEntries(files.map(({ path, text }) => [path, { hash: hashOf(text ?? "unreadable") }])),
});

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The lists that a person's answer adds to. */
const RULES = ["allow", "deny", "ask", "additionalDirectories"];

/** The same text for the same value, in whatever order and layout it was written. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    isRecord(each) ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1))) : each,
  );

/** Trust that outlives the host: a file of its own, private and replaced as a whole. */
export const fileTrustStore = (path: string): ListedTrustStore => {
  const records = new Map(readRecords(path).map((record) => [record.folder, record]));
  const save = (): void => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const next = `${path}.${String(process.pid)}.new`;
    writeFileSync(next, `${JSON.stringify([...records.values()], null, 2)}\n`, { mode: 0o600 });
    renameSync(next, path);
  };
  return {
    get: (folder) => records.get(folder),
    folders: () => [...records.keys()],
    set: (record) => {
      records.set(record.folder, record);
      save();
    },
    delete: (folder) => {
      if (records.delete(folder)) save();
    },
  };
};

const readRecords = (path: string): TrustRecord[] => {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  const records: unknown = JSON.parse(text);
  return (Array.isArray(records) ? records : []).filter(
    (record): record is TrustRecord =>
      isRecord(record) && typeof record["folder"] === "string" && isRecord(record["files"]),
  );
};

// How an untrusted folder is spawned. Besides hooks and MCP servers this leaves out its CLAUDE.md, commands, agents,
// skills, permission rules and variables: all that is not the user's own.

/** Every measured version has both flags. MCP servers that the caller names stay. */
export const untrustedOptions = (options: ClaudeOptions): ClaudeOptions => ({
  ...options,
  settingSources: (options.settingSources ?? ["user"]).filter((source) => source === "user"),
  strictMcpConfig: true,
});
