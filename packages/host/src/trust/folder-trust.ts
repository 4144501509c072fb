// Whether a folder may run its own programs. Without a terminal, the CLI starts a folder's hooks and MCP servers before the
// first message and does not ask. So the host asks. A person trusts a folder by its real path and the contents of every file
// that the CLI would act on. After a change the host asks again. This file also decides how the CLI starts in an untrusted
// folder. That was measured on 2.1.38 and 2.1.325, and `folder-trust.cli.test.ts` measures it again.

import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { changedList, ruleText } from "@quarterdeck/permissions/words";
import { isRecord } from "@quarterdeck/protocol";
import type { ClaudeOptions, PermissionUpdate } from "@quarterdeck/protocol";
import { FileError, readRegularSync } from "./contained-file.ts";
import { isSlowToFind, isTrustable, readFolder } from "./folder-contents.ts";
import type { FolderContents, FolderFile, FolderOptions } from "./folder-contents.ts";
import { HostError } from "../host-error.ts";

export { readFolder } from "./folder-contents.ts";
export type { FolderContents, FolderFile, FolderFileKind, FolderOptions } from "./folder-contents.ts";

export interface TrustRecord {
  readonly folder: string;
  /** By path. */
  readonly files: Readonly<Record<string, { readonly hash: string }>>;
  /** When a person trusted it. Records of older versions do not say it. */
  readonly at?: number;
}

export interface TrustStore {
  readonly get: (folder: string) => TrustRecord | undefined;
  readonly set: (record: TrustRecord) => void;
  readonly delete: (folder: string) => void;
}

/** A store that can list its folders. */
export interface ListedTrustStore extends TrustStore {
  readonly folders: () => readonly string[];
}

/** `changed` was trusted once, with other contents. */
export type FolderTrust = "trusted" | "changed" | "unknown";

export const isTrusted = async (folder: string, store: TrustStore, options: FolderOptions = {}): Promise<boolean> =>
  (await trustOf(folder, store, options)) === "trusted";

export const trustOf = async (folder: string, store: TrustStore, options: FolderOptions = {}): Promise<FolderTrust> =>
  trustIn(await readFolder(folder, options), store);

/** For a caller that has read the folder. Nothing is read again, so the answer is about the same bytes. */
export const trustIn = (contents: FolderContents, store: TrustStore): FolderTrust => {
  const known = store.get(contents.folder);
  if (known === undefined) return "unknown";
  const changed = differences(known, recordOf(contents));
  const isSame =
    contents.files.every(isTrustable) &&
    changed.every((path) => contents.isQuick === true && isSlowToFind(path, contents.folder));
  return isSame ? "trusted" : "changed";
};

/** Trusts what `readFolder` returned and a person has seen. A path means what is there now. */
export const trust = async (
  folder: string | FolderContents,
  store: TrustStore,
  options: FolderOptions = {},
): Promise<void> => {
  const contents = typeof folder === "string" ? await readFolder(folder, options) : folder;
  if (contents.isQuick === true)
    throw new Error("A quick reading of a folder cannot be trusted. Read all of it first.");
  const obstacle = obstacleIn(contents);
  if (obstacle !== undefined) throw new HostError("not-trustable", obstacle.message, obstacle.details);
  store.set({ ...recordOf(contents), at: Date.now() });
};

/** Why the folder cannot be trusted in its current state, and what to do. */
export const obstacleIn = ({
  folder,
  files,
}: FolderContents): { readonly message: string; readonly details: Readonly<Record<string, unknown>> } | undefined => {
  const found = files.filter((file) => !isTrustable(file));
  const [first] = found;
  if (first === undefined) return undefined;
  const more = found.length > 1 ? ` (and ${String(found.length - 1)} more)` : "";
  return {
    message: `This folder cannot be trusted: ${first.path}${more} ${OBSTACLES[first.kind] ?? "cannot be read"}, so nobody can see what it would run. Replace it with a regular file, or start without the folder's settings.`,
    details: { folder, files: found.map(({ path, kind }) => ({ path, kind })) },
  };
};
const OBSTACLES: Readonly<Partial<Record<FolderFile["kind"], string>>> = {
  "link-outside": "is a link that leads out of the folder",
  folder: "is a folder in the place of a file",
  special: "is not a regular file",
  "too-large": "is too large to look at",
  "too-many": "holds too many files to look at",
};

/** Rules that are about to be written into a trusted folder. */
export interface ExpectedRules {
  /** What `readFolder` returned before. */
  readonly before: FolderContents;
  readonly updates: readonly PermissionUpdate[];
  /** What was stored since then, when only some of the rules were written. */
  readonly kept?: TrustRecord;
}

/**
 * For a person's "always allow", which the CLI writes into the folder's settings. Trust continues if only the rules of this answer
 * differ from `before`. Returns whether it continues.
 */
export const keepTrust = async (
  { before, updates, kept }: ExpectedRules,
  store: TrustStore,
  options: FolderOptions = {},
): Promise<boolean> => {
  const after = await readFolder(before.folder, options);
  const known = store.get(before.folder);
  if (known === undefined) return false;
  const isSince = [recordOf(before), kept].some((one) => one !== undefined && differences(known, one).length === 0);
  if (!isSince) return false;
  if (!isOnlyWritten(before, after, updates)) return false;
  if (!after.files.every(isTrustable)) return false;
  store.set({ ...recordOf(after), ...(known.at !== undefined && { at: known.at }) });
  return true;
};

const isOnlyWritten = (
  before: FolderContents,
  after: FolderContents,
  updates: readonly PermissionUpdate[],
): boolean => {
  const fileIn = ({ files }: FolderContents, path: string): FolderFile | undefined =>
    files.find((file) => file.path === path);
  const paths = new Set([...before.files, ...after.files].map(({ path }) => path));
  return [...paths].every((path) => {
    const [old, now] = [fileIn(before, path), fileIn(after, path)];
    if (old?.hash === now?.hash) return true;
    const destination = basename(dirname(path)) === ".claude" ? DESTINATIONS[basename(path)] : undefined;
    if (destination === undefined || (now !== undefined && !isTrustable(now))) return false;
    const written = updates.filter((update) => update.destination === destination);
    const [expected, found] = [withUpdates(old?.text ?? "{}", written), withUpdates(now?.text ?? "{}", [])];
    return expected !== undefined && expected === found;
  });
};
const DESTINATIONS: Readonly<Record<string, string>> = {
  "settings.json": "projectSettings",
  "settings.local.json": "localSettings",
};

/** The settings with these updates, lists sorted. Undefined if the text is not a settings object. */
const withUpdates = (text: string, updates: readonly PermissionUpdate[]): string | undefined => {
  const settings = settingsIn(text);
  if (settings === undefined) return undefined;
  const permissions: Record<string, unknown> = { ...settings.permissions };
  const change = (name: string, type: PermissionUpdate["type"], texts: readonly string[]): void => {
    const list = permissions[name];
    permissions[name] = changedList<unknown>(type, Array.isArray(list) ? list : [], texts);
  };
  for (const update of updates) {
    if (update.type === "setMode") permissions["defaultMode"] = update.mode;
    else if ("directories" in update) change("additionalDirectories", update.type, update.directories);
    else change(update.behavior, update.type, update.rules.map(ruleText));
  }
  for (const name of RULES) {
    const list = permissions[name];
    if (!Array.isArray(list)) continue;
    if (list.length === 0) delete permissions[name];
    else permissions[name] = [...new Set(list)].map(String).toSorted();
  }
  return canonical(Object.keys(permissions).length === 0 ? settings.others : { ...settings.others, permissions });
};

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

const recordOf = ({ folder, files }: FolderContents): TrustRecord => ({
  folder,
  files: Object.fromEntries(files.map(({ path, hash }) => [path, { hash }])),
});

/** The lists that a person's answer can change. */
const RULES = ["allow", "deny", "ask", "additionalDirectories"];

/** The same text for the same value, in whatever order and layout it was written. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    isRecord(each) ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1))) : each,
  );

/** Trust that survives a restart, in a private file that is always replaced as a whole. */
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

const MOST_RECORD_BYTES = 64 * 1024 * 1024;

const readRecords = (path: string): TrustRecord[] => {
  let text: string;
  try {
    text = readRegularSync(path, MOST_RECORD_BYTES).toString("utf8");
  } catch (error) {
    if (error instanceof FileError && error.problem === "missing") return [];
    throw error;
  }
  const records: unknown = JSON.parse(text);
  return (Array.isArray(records) ? records : []).filter(
    (record): record is TrustRecord =>
      isRecord(record) && typeof record["folder"] === "string" && isRecord(record["files"]),
  );
};

// How the CLI starts in an untrusted folder. Besides hooks and MCP servers, this leaves out its CLAUDE.md, commands, agents,
// skills, permission rules and variables: everything that is not the user's own.

/** Every measured version has both flags. MCP servers that the caller names stay. */
export const untrustedOptions = (options: ClaudeOptions): ClaudeOptions => ({
  ...options,
  settingSources: (options.settingSources ?? ["user"]).filter((source) => source === "user"),
  strictMcpConfig: true,
});

/** In an untrusted folder the CLI would still send the prompts of its `scheduled_tasks.json` (measured on 2.1.325). */
export const UNTRUSTED_VARIABLES = { CLAUDE_CODE_DISABLE_CRON: "1" } as const;
