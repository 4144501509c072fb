// The files in which Claude Code keeps MCP servers: `.mcp.json` of the project, and `.claude.json` of the user. The
// second has much else in it, and Claude Code writes it while it runs. So it is changed under Claude Code's own lock.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rmdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { previewSettings, readFolder, readSettingsFile, trust, trustIn, writeSettings } from "@quarterdeck/host";
import type { ListedTrustStore, SettingsEdit, SettingsPlace } from "@quarterdeck/host";
import { isRecord } from "@quarterdeck/protocol";
import { HIDDEN, textWithoutSecrets, withoutSecrets } from "@quarterdeck/session";
import { hunksBetween } from "../files/hunks.ts";
import type { Hunk } from "../files/hunks.ts";
import { Refusal } from "../refusal.ts";

export type McpScope = "local" | "project" | "user";
export type ServerConfig = Readonly<Record<string, unknown>>;
type Servers = Readonly<Record<string, ServerConfig>>;
type Json = Readonly<Record<string, unknown>>;

export interface McpPlace {
  readonly cwd: string;
  /** Claude Code's name for the project in `.claude.json`. */
  readonly project: string;
  readonly configFolder: string;
}

export interface McpChange {
  readonly scope: McpScope;
  readonly name: string;
  readonly config: ServerConfig | null;
}

const placeOf = ({ cwd, configFolder }: McpPlace, scope: McpScope): SettingsPlace => {
  if (scope === "project") return { scope: "projectSettings", path: join(cwd, ".mcp.json"), within: cwd };
  const inside = join(configFolder, ".claude.json");
  // Only with CLAUDE_CONFIG_DIR the file is in that folder.
  const isBeside = basename(configFolder) === ".claude" && !existsSync(inside);
  return { scope: "userSettings", path: isBeside ? join(dirname(configFolder), ".claude.json") : inside };
};

export const readServers = async (
  place: McpPlace,
): Promise<{
  readonly servers: readonly { scope: McpScope; path: string; name: string; config: ServerConfig }[];
  readonly problems: readonly string[];
}> => {
  const [project, user] = await Promise.all([
    readSettingsFile(placeOf(place, "project")),
    readSettingsFile(placeOf(place, "user")),
  ]);
  const of = (scope: McpScope, path: string, value: Json = {}) =>
    Object.entries(serversIn(value, scope, place.project)).map(([name, config]) => ({ scope, path, name, config }));
  return {
    servers: [
      ...of("project", project.path, project.value),
      ...of("local", user.path, user.value),
      ...of("user", user.path, user.value),
    ],
    problems: [project, user].flatMap(({ problem }) => problem ?? []),
  };
};

const recordIn = (value: Json, key: string): Json => {
  const inner = Object.hasOwn(value, key) ? value[key] : undefined;
  return isRecord(inner) ? inner : {};
};

const serversIn = (value: Json, scope: McpScope, project: string): Servers => {
  const owner = scope === "local" ? recordIn(recordIn(value, "projects"), project) : value;
  return Object.fromEntries(
    Object.entries(recordIn(owner, "mcpServers")).filter((entry): entry is [string, Json] => isRecord(entry[1])),
  );
};

const withServers = (value: Json, scope: McpScope, project: string, mcpServers: Servers): Json => {
  if (scope !== "local") return { ...value, mcpServers };
  const projects = recordIn(value, "projects");
  return { ...value, projects: { ...projects, [project]: { ...recordIn(projects, project), mcpServers } } };
};

const parse = (text: string | undefined, path: string): Json => {
  if (text === undefined || text.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Refusal("unsupported", `${path} is not valid JSON. Repair it first.`, { path });
  }
  if (!isRecord(value)) throw new Refusal("unsupported", `${path} is not a JSON object. Repair it first.`, { path });
  return value;
};

const editOf =
  (place: McpPlace, path: string, { scope, name, config }: McpChange): SettingsEdit =>
  (text) => {
    const value = parse(text, path);
    const { [name]: before, ...others } = serversIn(value, scope, place.project);
    if (config === null && before === undefined)
      throw new Refusal("not-found", `${path} has no server ${name}.`, { path, name });
    const servers = config === null ? others : { ...others, [name]: withKept(config, before) };
    return `${JSON.stringify(withServers(value, scope, place.project, servers), null, 2)}\n`;
  };

/** Values that a device saw as hidden, and sent back so, stay as they were. */
export const withKept = (config: ServerConfig, before: ServerConfig | undefined): ServerConfig => {
  const seen = withoutSecrets(before ?? {}) as Json;
  const keptIn = (next: unknown, shown: unknown, real: unknown): unknown => {
    if (Array.isArray(next))
      return next.map((each, at) =>
        Array.isArray(shown) && Array.isArray(real) ? keptIn(each, shown[at], real[at]) : each,
      );
    if (isRecord(next))
      return Object.fromEntries(
        Object.entries(next).map(([key, each]) => [
          key,
          keptIn(each, isRecord(shown) ? shown[key] : undefined, isRecord(real) ? real[key] : undefined),
        ]),
      );
    if (typeof next !== "string" || !next.includes(HIDDEN)) return next;
    if (next === shown && typeof real === "string") return real;
    throw new Refusal("bad-request", `A value is ${HIDDEN}, and the file has none to keep. Type the value.`);
  };
  return keptIn(config, seen, before ?? {}) as ServerConfig;
};

export interface McpPreview {
  readonly path: string;
  readonly hash: string;
  readonly creates: boolean;
  readonly hunks: Hunk[];
}

export const previewChange = async (place: McpPlace, change: McpChange): Promise<McpPreview> => {
  const file = placeOf(place, change.scope);
  const { before, after, hash } = await previewSettings(file, editOf(place, file.path, change));
  const shown = (text: string): string => {
    const servers = serversIn(parse(text, file.path), change.scope, place.project);
    return `${JSON.stringify({ mcpServers: withoutSecrets(servers) }, null, 2)}\n`;
  };
  const hunks =
    change.scope === "project"
      ? hunksBetween(textWithoutSecrets(before ?? ""), textWithoutSecrets(after))
      : hunksBetween(before === undefined ? "" : shown(before), shown(after));
  // The user's file changes all the time. What a change is made from is its list of servers.
  const named =
    change.scope === "project" ? hash : before === undefined ? "none" : hashOfServers(place, before, change.scope);
  return { path: file.path, hash: named, creates: before === undefined, hunks };
};

const hashOfServers = ({ project }: McpPlace, text: string, scope: McpScope): string =>
  createHash("sha256")
    .update(JSON.stringify(serversIn(parse(text, ""), scope, project)))
    .digest("hex");

export const saveChange = async (
  place: McpPlace,
  change: McpChange,
  hash: string,
  known: { readonly trust: ListedTrustStore; readonly hidden: readonly string[] },
): Promise<void> => {
  const file = placeOf(place, change.scope);
  const edit = editOf(place, file.path, change);
  if (change.scope === "project") return keepingTrust(place, file, known, () => writeSettings(file, edit, hash));
  await underLock(file.path, async () => {
    const now = await previewChange(place, change);
    if (now.hash !== hash)
      throw new Refusal("changed", "The servers changed since they were shown. Look at the change again.");
    const { hash: whole } = await previewSettings(file, edit);
    await writeSettings(file, edit, whole);
  });
};

/** A person saw the change, so a trusted folder stays trusted if nothing else in it has changed. */
const keepingTrust = async (
  { cwd, configFolder }: McpPlace,
  file: SettingsPlace,
  { trust: store, hidden }: { readonly trust: ListedTrustStore; readonly hidden: readonly string[] },
  write: () => Promise<{ readonly text?: string }>,
): Promise<void> => {
  const read = () => readFolder(cwd, { configDir: configFolder, hidden });
  const before = await read();
  const wasTrusted = trustIn(before, store) === "trusted";
  const { text } = await write();
  if (!wasTrusted) return;
  const after = await read();
  const hashes = new Map(before.files.map(({ path, hash }) => [path, hash]));
  const others = after.files.filter(({ path, hash }) => hashes.get(path) !== hash);
  const gone = before.files.some(({ path }) => !after.files.some((each) => each.path === path));
  const isOurs = others.every((each) => basename(each.path) === basename(file.path) && each.text === text);
  if (!gone && isOurs) await trust(after, store);
};

const LOCK_TRIES = 60;
const LOCK_PAUSE_MS = 50;
const STALE_MS = 10_000;

/** Claude Code locks the file with a folder of this name. */
const underLock = async (path: string, work: () => Promise<void>): Promise<void> => {
  const lock = `${path}.lock`;
  for (let tries = 0; ; tries++) {
    try {
      await mkdir(lock);
      break;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Without its folder there is nobody who could write it meanwhile.
      if (code === "ENOENT") return work();
      if (code !== "EEXIST") throw error;
      const age =
        Date.now() -
        (await stat(lock).then(
          ({ mtimeMs }) => mtimeMs,
          () => Date.now(),
        ));
      if (age > STALE_MS) await rmdir(lock).catch(() => undefined);
      else if (tries >= LOCK_TRIES)
        throw new Refusal("timeout", `${path} is locked by another program. Try again.`, { path });
      await pause(LOCK_PAUSE_MS);
    }
  }
  try {
    await work();
  } finally {
    await rmdir(lock).catch(() => undefined);
  }
};
