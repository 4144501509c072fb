// The rules that hold in a folder, with or without a process: the settings files of all scopes, and what one session adds to them.

import { readSettingsFiles, realPath, trustOf } from "@quarterdeck/host";
import type { EventStore, FolderTrust, Host, SessionRecord, SettingsFile, TrustStore } from "@quarterdeck/host";
import { contextOfStart } from "@quarterdeck/permissions";
import type { CheckOptions, Context, Scope, SettingsSource } from "@quarterdeck/permissions";
import type { ClaudeOptions } from "@quarterdeck/protocol";

export interface RulesParts {
  readonly host: Host;
  readonly store: EventStore;
  readonly trust: TrustStore;
  readonly configFolder: string;
  readonly dataDir: string;
  readonly machine: { readonly home: string };
  readonly agent: { readonly kind: string; readonly version?: string | undefined };
}

export interface FolderRules {
  readonly folder: string;
  readonly files: readonly SettingsFile[];
  readonly sources: readonly SettingsSource[];
  readonly trust: FolderTrust;
  /** In the mode of the session, or in the default mode of the settings. */
  readonly context: Context;
}

/** `folder` is a real path that the device may see. */
export const readFolderRules = async (
  parts: RulesParts,
  folder: string,
  session: string | undefined,
): Promise<FolderRules> => {
  const { trust: store, configFolder: configDir, dataDir, machine, agent } = parts;
  const [files, trust] = await Promise.all([
    readSettingsFiles({ cwd: folder, configDir }),
    trustOf(folder, store, { configDir, hidden: [dataDir], quick: true }),
  ]);
  const own = session === undefined ? NOTHING : addedBy(parts, session);
  const sources = [...files.filter(({ scope }) => !own.leavesOut.has(scope)).flatMap(sourceOf), ...own.sources];
  const context = contextOfStart({
    cwd: folder,
    home: machine.home,
    settings: sources,
    // A session in a folder that nobody trusts does not load its settings at all (`leavesOut`). A test is about the rules
    // as they hold once it is trusted.
    folderTrusted: true,
    ...(own.mode !== undefined && { mode: own.mode }),
    ...(own.directories.length > 0 && { additionalDirectories: own.directories }),
    ...(agent.kind === "claude" && agent.version !== undefined && { cliVersion: agent.version }),
  });
  return { folder, files, sources, trust, context };
};

/** A file that is not in effect is a source without rules. `text` says why. */
const sourceOf = ({ scope, path, text, value }: SettingsFile): SettingsSource[] =>
  text === undefined ? [] : [{ scope, path, text, value }];

interface Added {
  readonly sources: readonly SettingsSource[];
  readonly directories: readonly string[];
  readonly mode?: string | undefined;
  /** Scopes that this session does not load. */
  readonly leavesOut: ReadonlySet<Scope>;
}
const NOTHING: Added = { sources: [], directories: [], leavesOut: new Set() };

/** What only this session has: its mode, what it was allowed, and the flags that it was started with. */
const addedBy = ({ host, store }: RulesParts, id: string): Added => {
  const record = store.session(id);
  if (record === undefined) return NOTHING;
  const { head } = host.view(id);
  const cli = (record.settings["cli"] ?? {}) as ClaudeOptions;
  const withRules = (scope: Scope, permissions: Readonly<Record<string, unknown>>): SettingsSource => ({
    scope,
    value: { permissions },
  });
  const { allow, deny, ask, directories } = head.rules;
  const mode = head.mode ?? cli.permissionMode;
  return {
    sources: [
      ...(typeof cli.settings === "object" ? [{ scope: "flagSettings", value: cli.settings } as const] : []),
      withRules("cliArg", { allow: [...(cli.allowedTools ?? [])], deny: [...(cli.disallowedTools ?? [])] }),
      withRules("session", { allow, deny, ask }),
    ],
    directories: [...(cli.addDir ?? []), ...directories],
    ...(mode !== undefined && { mode }),
    leavesOut: notLoaded(host, record, cli),
  };
};

/** A process in a folder that was not trusted when it started has only the user's settings. */
const notLoaded = (host: Host, { id, settings }: SessionRecord, { settingSources }: ClaudeOptions): Set<Scope> => {
  const isWithout =
    host.opened(id)?.isLive === true ? !host.heedsFolder(id) : settings["withoutFolderSettings"] === true;
  const wanted = new Set<string>(settingSources ?? ["user", "project", "local"]);
  return new Set<Scope>([
    ...(isWithout || !wanted.has("project") ? (["projectSettings"] as const) : []),
    ...(isWithout || !wanted.has("local") ? (["localSettings"] as const) : []),
    ...(wanted.has("user") ? [] : (["userSettings"] as const)),
  ]);
};

/** Links in a path tell a lower role nothing about files that it may not see: these paths are taken as they are. */
export const linksSeen = (sees: (path: string) => boolean): CheckOptions => ({
  realpath: (path) => {
    const real = realPath(path);
    return real === undefined || (sees(path) && sees(real)) ? real : path;
  },
});
