// How one session is spawned: its flags, its environment, what its folder may run, and the permissions that it keeps.

import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { MODES, modeOf } from "@quarterdeck/permissions/words";
import { argvOf, HOST_OPTIONS } from "@quarterdeck/protocol";
import type { ClaudeOptions, CliRequest, HostRequest, LackingFlag } from "@quarterdeck/protocol";
import type { Head, SessionRules } from "@quarterdeck/session";
import { namesOf } from "../trust/folder-contents.ts";
import { isFolderBusy } from "../trust/find-below.ts";
import { defaultModeIn } from "../rules/default-mode.ts";
import { readFolder, trust, trustIn, UNTRUSTED_VARIABLES, untrustedOptions } from "../trust/folder-trust.ts";
import type { FolderContents, FolderOptions, TrustStore } from "../trust/folder-trust.ts";
import { untrustedEnvironment } from "../trust/git-trust.ts";
import { HostError } from "../host-error.ts";
import { configFolder } from "../past/transcripts.ts";
import type { Answer } from "../session/answers.ts";
import { translated } from "../session/translated.ts";
import { trustedRules } from "./trusted-rules.ts";

export interface LaunchWishes {
  readonly cwd: string;
  readonly cli: ClaudeOptions;
  readonly env: Readonly<Record<string, string>>;
  readonly version?: string;
  readonly trust?: TrustStore;
  /** Ignore the folder's own hooks, servers and settings, even if it is trusted. */
  readonly withoutFolderSettings?: boolean;
  /** Head of the session whose permissions the new process gets. */
  readonly keep?: Head;
  /** The last mode of the session. */
  readonly mode?: string;
  /** A program drives the CLI with these flags: nothing is added that changes what it does. */
  readonly relayed?: boolean;
  /** `HostOptions.closedPaths`. */
  readonly closedPaths?: readonly string[];
}

export interface LaunchPlan {
  /** The arguments without `PrivateFiles`. They are checked here, but never spawned like this. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly flags: ClaudeOptions;
  /** The folder's own files that the CLI will ignore. */
  readonly leftOut: readonly string[];
  /** The process loads the folder's own settings, which must stay as they were trusted. */
  readonly heedsFolder: boolean;
  /** Additional folders. Their commands and skills must stay as they were trusted too. */
  readonly added: readonly string[];
  /** The mode that it starts in, if the flags or the settings say it. */
  readonly mode: string;
  /** Its settings name this mode, in which the CLI asks nobody. Only a person chooses that, at the start. */
  readonly ignoredMode?: string;
}

/** Whether a process with these flags can switch to `bypassPermissions`. */
export const canBypass = (flags: ClaudeOptions): boolean =>
  flags.dangerouslySkipPermissions === true ||
  flags.allowDangerouslySkipPermissions === true ||
  flags.permissionMode === "bypassPermissions";

/** Options with which the CLI reports what a host needs, if the version has them. */
const WANTED = {
  includeHookEvents: true,
  forwardSubagentText: true,
  enableAuthStatus: true,
} as const satisfies ClaudeOptions;

export const flagsOf = (cli: ClaudeOptions): ClaudeOptions => ({
  ...WANTED,
  ...cli,
  ...HOST_OPTIONS,
});

/** What a host needs from a CLI that another program drives. That program does not see it, unless it asked too. */
const relayedFlagsOf = (cli: ClaudeOptions): ClaudeOptions => ({
  ...cli,
  verbose: true,
  includePartialMessages: true,
  replayUserMessages: true,
});

export type Chosen = Readonly<
  Partial<Record<"model" | "maxThinkingTokens" | "effort" | "permissionMode", string | number | null>>
>;

/** The start option that matches this request, or undefined. Null leaves the choice to the CLI. */
export const chosenBy = (request: HostRequest): Chosen | undefined => {
  if (request.subtype === "set_model") return { model: request.model ?? null };
  // A mode that asks nobody is chosen only at the start.
  if (request.subtype === "set_permission_mode")
    return isKept(request.mode) ? { permissionMode: request.mode } : undefined;
  if (request.subtype === "set_max_thinking_tokens") return { maxThinkingTokens: request.max_thinking_tokens ?? null };
  const effort = request.subtype === "apply_flag_settings" ? request.settings["effortLevel"] : undefined;
  return typeof effort === "string" ? { effort } : undefined;
};

/** The person who approves a plan chooses the mode after it. Without a mode, the choice of "plan" is over. */
export const chosenByPlan = (request: CliRequest, answer: Answer): Chosen | undefined => {
  if (request.subtype !== "can_use_tool" || request.tool_name !== "ExitPlanMode") return undefined;
  if (!("behavior" in answer) || answer.behavior !== "allow") return undefined;
  const mode = answer.updatedPermissions?.findLast((update) => update.type === "setMode")?.mode;
  return { permissionMode: typeof mode === "string" && isKept(mode) ? mode : null };
};

export const withChosen = (cli: ClaudeOptions, chosen: Chosen): ClaudeOptions =>
  Object.fromEntries(Object.entries({ ...cli, ...chosen }).filter(([, value]) => value !== null));

export const planLaunch = async (wishes: LaunchWishes): Promise<LaunchPlan> => {
  const { cwd, env, trust: store, version, keep } = wishes;
  const folder = { configDir: configFolder(env) };
  const permitted = keep === undefined ? wishes.cli : withRules(wishes.cli, keep);
  const closed = listOf("disallowedTools", permitted.disallowedTools, (wishes.closedPaths ?? []).flatMap(rulesAgainst));
  const wanted = (wishes.relayed === true ? relayedFlagsOf : flagsOf)({ ...permitted, ...closed });
  const added = (wanted.addDir ?? []).map((path) => addedFolder(path, cwd, env));
  const isWithout = wishes.withoutFolderSettings === true;
  // Each folder is read once, so the decision and `leftOut` are about the same files.
  const reads = (path: string): Promise<FolderContents | undefined> => readOrNothing(path, folder, isWithout);
  const isRead = store !== undefined || isWithout;
  const contents = isRead ? await reads(cwd) : undefined;
  const more = isRead ? await readAdded(added, reads) : [];
  // With `--worktree` the CLI checks out a commit, maybe of a pull request, and runs its hooks at once (measured on
  // 2.1.325). Nobody has reviewed them: the user trusted the files of the folder itself.
  const isNewPlace = store !== undefined && wanted.worktree !== undefined;
  const isFree =
    !isWithout &&
    !isNewPlace &&
    (store === undefined ||
      contents === undefined ||
      (trustIn(contents, store) === "trusted" && (await admitsAll(more, store))));
  const ofFolder = store === undefined || contents === undefined ? [] : trustedRules(contents, version);
  const heeded = isFree
    ? { ...wanted, ...listOf("allowedTools", wanted.allowedTools, ofFolder) }
    : untrustedOptions(wanted);
  const { flags, ...moded } = withMode(heeded, wishes, await defaultModeIn({ cwd, ...folder }, heeded));
  const { argv, lacking } = translated(() => argvOf(flags, version === undefined ? {} : { version }));
  refuseUnsafe(lacking);
  if (isFree)
    return { argv, flags, env, leftOut: [], heedsFolder: true, added: more.map((each) => each.folder), ...moded };
  const leftOut = [
    ...new Set([
      ...(isNewPlace ? [join(cwd, ".claude", "worktrees")] : []),
      ...(contents === undefined ? [] : namesOf(contents)),
      ...more.flatMap(namesOf),
    ]),
  ];
  const guarded = { ...env, ...UNTRUSTED_VARIABLES, ...(await untrustedEnvironment(cwd, env, added)) };
  return { argv, flags, env: guarded, leftOut, heedsFolder: false, added: [], ...moded };
};

/** Resolves the path like the CLI does. */
const addedFolder = (path: string, cwd: string, env: Readonly<Record<string, string>>): string =>
  resolve(cwd, path.replace(/^~(?=\/|$)/, env["HOME"] ?? homedir()));

/** A start without the folder's settings does not fail because they take too long to read. */
const readOrNothing = (path: string, options: FolderOptions, isWithout: boolean): Promise<FolderContents | undefined> =>
  readFolder(path, options).catch((error: unknown) => {
    if (isWithout && isFolderBusy(error)) return undefined;
    throw error;
  });

/** Skips a folder that is gone: the CLI cannot read it either. */
const readAdded = async (
  folders: readonly string[],
  reads: (path: string) => Promise<FolderContents | undefined>,
): Promise<FolderContents[]> => {
  const unlessGone = (error: unknown): undefined => {
    if (isFolderBusy(error)) throw error;
  };
  const read = await Promise.all(folders.map((each) => reads(each).catch(unlessGone)));
  return read.filter((contents) => contents !== undefined);
};

/**
 * The CLI loads commands and skills from additional folders too. A folder without any is recorded as empty, so later
 * additions count as changes.
 */
const admitsAll = async (folders: readonly FolderContents[], store: TrustStore): Promise<boolean> => {
  for (const each of folders) {
    if (trustIn(each, store) === "trusted") continue;
    if (each.files.length > 0) return false;
    await trust(each, store);
  }
  return true;
};

/**
 * The plan, or a new one if the folder is no longer what was trusted. A session may wait long for its place, so call
 * this right before the spawn. Only the moment until the CLI reads the files remains. FolderGuard watches what it reads
 * again later.
 */
export const planStillTrusted = async (plan: LaunchPlan, wishes: LaunchWishes): Promise<LaunchPlan> => {
  return plan.heedsFolder && wishes.trust !== undefined ? planLaunch(wishes) : plan;
};

/**
 * The mode of the new process. If nobody chose one, the CLI takes its `defaultMode`, unless that mode asks nobody. A narrower
 * mode that was chosen in the last process holds for the next one too.
 */
const withMode = (
  cli: ClaudeOptions,
  { keep, mode, relayed }: LaunchWishes,
  byDefault: string | undefined,
): Pick<LaunchPlan, "flags" | "mode" | "ignoredMode"> => {
  if (relayed === true) {
    const isBypass = cli.dangerouslySkipPermissions === true;
    return { flags: cli, mode: isBypass ? "bypassPermissions" : (cli.permissionMode ?? byDefault ?? "default") };
  }
  const isIgnored = cli.permissionMode === undefined && byDefault !== undefined && widthOf(byDefault) === Infinity;
  const chosen = isIgnored ? { ...cli, permissionMode: "default" as const } : cli;
  const ignored = isIgnored ? { ignoredMode: byDefault } : {};
  const given = chosen.permissionMode ?? byDefault ?? "default";
  const flags = keep === undefined ? narrowed(chosen, given, mode) : withKept(chosen, keep);
  const isBypass = flags.dangerouslySkipPermissions === true;
  return { flags, mode: isBypass ? "bypassPermissions" : (flags.permissionMode ?? given), ...ignored };
};

/** What was allowed for the session, as flags. It is the only form that 2.1.38 and 2.1.325 both accept (measured). */
const withRules = (cli: ClaudeOptions, { rules }: Head): ClaudeOptions => ({
  ...cli,
  ...listOf("allowedTools", cli.allowedTools, rules.allow),
  ...listOf("disallowedTools", cli.disallowedTools, rules.deny),
  ...listOf("addDir", cli.addDir, rules.directories),
  ...withAsked(cli, rules),
});

/** The mode is kept too, unless it asks nobody: only the start names such a mode. */
const withKept = (cli: ClaudeOptions, { mode }: Head): ClaudeOptions =>
  isKept(mode) ? { ...cli, permissionMode: mode as never } : cli;

const isKept = (mode: string | undefined): boolean => {
  const known = modeOf(mode);
  return known !== undefined && MODES[known].survivesResume;
};

/** A narrower mode holds for the next process too: the last process may have ended only to free its place. */
const narrowed = (cli: ClaudeOptions, byDefault: string, mode: string | undefined): ClaudeOptions => {
  const { dangerouslySkipPermissions = false, ...rest } = cli;
  const given = dangerouslySkipPermissions ? "bypassPermissions" : byDefault;
  return widthOf(mode) < widthOf(given) ? { ...rest, permissionMode: mode as never } : cli;
};

/** Other modes do not ask, or are newer than this program: they are wider than all. */
const widthOf = (mode: string | undefined): number => (isKept(mode) ? MODES[modeOf(mode)!].width : Infinity);

const listOf = (option: string, given: readonly string[] | undefined, more: readonly string[]): ClaudeOptions =>
  more.length === 0 ? {} : { [option]: [...new Set([...(given ?? []), ...more])] };

/** Two slashes start an absolute path. A character with a meaning in rules becomes `?`, which matches any character. */
const rulesAgainst = (path: string): string[] => {
  const pattern = `/${path.replaceAll(/[^\p{L}\p{N}_./@+~-]/gu, "?")}`;
  return ["Read", "Edit"].map((tool) => `${tool}(${pattern})`);
};

/** No flag exists for ask rules. They go into the settings, unless those are a file of the user. */
const withAsked = ({ settings }: ClaudeOptions, { ask }: SessionRules): ClaudeOptions => {
  if (ask.length === 0 || typeof settings === "string") return {};
  const permissions = (settings?.["permissions"] ?? {}) as Readonly<Record<string, unknown>>;
  const before = Array.isArray(permissions["ask"]) ? (permissions["ask"] as string[]) : [];
  return { settings: { ...settings, permissions: { ...permissions, ask: [...new Set([...before, ...ask])] } } };
};

/** A flag that narrows what the CLI may do must not be dropped silently. */
const refuseUnsafe = (lacking: readonly LackingFlag[]): void => {
  const unsafe = lacking.filter(({ option }) => NARROWING.has(option));
  if (unsafe.length === 0) return;
  const flags = unsafe.map(({ flag }) => flag).join(", ");
  throw new HostError(
    "unsafe-flags",
    `This version of the CLI lacks ${flags}, so it would get more permissions than intended. Update Claude Code.`,
    { flags },
  );
};
const NARROWING: ReadonlySet<string> = new Set([
  "restricted",
  "safeMode",
  "strictMcpConfig",
  "settingSources",
  "disallowedTools",
  "permissionPrompts",
]);
