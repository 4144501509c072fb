// What a folder would run by itself in a session, shown before a person trusts it. It lists the files that the CLI acts
// on, with their whole text, and the commands and servers in them. Only roles that may trust a folder get the text.
// Other roles get names and kinds.

import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { basename } from "node:path";
import { gitRunsIn, obstacleIn, readFolder, trustIn } from "@quarterdeck/host";
import type { FolderContents, FolderFile, TrustStore } from "@quarterdeck/host";
import { isRecord } from "@quarterdeck/protocol";
import { canonicalJson } from "@quarterdeck/session/bridge";
import type { FolderInspection, Role } from "@quarterdeck/session/bridge";
import { seesRoots } from "@quarterdeck/session/bridge/policy";
import type { ContainedPaths } from "./contract.ts";
import { readGitState } from "./git.ts";
import { openSharedGit } from "./shared-git.ts";

export interface InspectionOptions {
  readonly trust: TrustStore;
  /** Knows which changes a person just allowed. */
  readonly host: { keepsTrust(folder: string): Promise<boolean> };
  readonly configFolder: string;
  readonly dataDir: string;
  /** A repository outside these paths is not mentioned. */
  readonly paths: ContainedPaths;
}

/** One reading of a folder. What is shown, hashed and trusted are the same bytes. */
export interface Inspected {
  /** For roles that may trust. */
  readonly whole: FolderInspection;
  /** Undefined if the folder does not exist. */
  readonly contents?: FolderContents;
}

export const inspectFolder = async (
  folder: string,
  { trust, host, configFolder, dataDir, paths }: InspectionOptions,
): Promise<Inspected> => {
  const real = await realpath(folder).catch(() => undefined);
  if (real === undefined)
    return { whole: { folder, exists: false, trust: "unknown", hash: "", files: [], runs: false } };
  const git = await openSharedGit(real, { roots: paths, seen: paths });
  const [contents, state] = await Promise.all([
    readFolder(real, { configDir: configFolder, hidden: [dataDir] }),
    git && readGitState(git),
  ]);
  const files = contents.files.map(reportOf);
  const branch = state?.branch === undefined ? {} : { branch: state.branch };
  const obstacle = obstacleIn(contents)?.message;
  const seen = trustIn(contents, trust);
  const isTrusted = seen === "changed" && (await host.keepsTrust(contents.folder));
  const hashes = contents.files.map(({ path, hash }) => [path, hash]);
  const whole: FolderInspection = {
    folder: contents.folder,
    exists: true,
    trust: isTrusted ? "trusted" : seen,
    hash: createHash("sha256")
      .update(canonicalJson({ folder: contents.folder, hashes, files }))
      .digest("hex"),
    files,
    ...(obstacle !== undefined && { obstacle }),
    runs: files.some(({ runsSomething }) => runsSomething),
    ...(git !== undefined && { git: { root: git.root, ...branch, dirty: state!.files.length > 0 } }),
  };
  return { whole, contents };
};

/** What a device may see of it: text and commands only if it may trust. */
export const inspectionFor = (role: Role, whole: FolderInspection): FolderInspection =>
  seesRoots(role)
    ? whole
    : {
        ...whole,
        hash: "",
        files: whole.files.map(({ path, kind, runsSomething }) => ({ path, kind, runsSomething, runs: [] })),
      };

/** What one file says it would run. */
export const reportOf = ({ path, kind, text }: FolderFile): FolderInspection["files"][number] => {
  const runs = text === undefined ? [] : runsIn(path, text);
  return { path, kind, runsSomething: runs.length > 0, runs, ...(text !== undefined && { text }) };
};

const runsIn = (path: string, text: string): string[] => {
  const gitRuns = gitRunsIn(path, text);
  if (gitRuns !== undefined) return gitRuns;
  if (/\.md$/i.test(path)) return runsInMarkdown(text);
  if (/\.m?js$/i.test(path) && path.includes("/.claude/workflows/")) return [`workflow ${basename(path)}`];
  if (basename(path) === "scheduled_tasks.json") return runsOnSchedule(text);
  return /\.json$/i.test(path) ? runsInSettings(text) : [];
};

/**
 * The shell commands in a command, skill or agent, and the hooks and servers in its front matter. A simple scan, not a
 * YAML parser.
 */
const runsInMarkdown = (text: string): string[] => {
  const lines = text.split(/\r?\n/);
  const end = lines[0]?.trim() === "---" ? lines.findIndex((line, at) => at > 0 && line.trim() === "---") : -1;
  const head = lines.slice(1, Math.max(end, 1));
  const body = lines.slice(end + 1);
  return [
    ...head.flatMap((line) => {
      const program = /(?:^|[\s{,-])["']?(command|url|args)["']?\s*:\s*(\S.*)$/.exec(line);
      if (program !== null) return [`${program[1]}: ${program[2]}`];
      const allowed = /^allowed-tools\s*:\s*(\S.*)$/.exec(line);
      if (allowed !== null) return [`allows without asking: ${allowed[1]}`];
      return /^\s*["']?(?:hooks|mcpServers|allowed-tools)["']?\s*:/.test(line) ? [line.trim()] : [];
    }),
    ...shellIn(body),
  ];
};

/** `!` before a command in backticks, or after the fence of a block. */
const shellIn = (lines: readonly string[]): string[] => {
  const found: string[] = [];
  let block: string[] | undefined;
  for (const line of lines) {
    if (block !== undefined) {
      if (!line.trim().startsWith("```")) block.push(line);
      else {
        found.push(`shell: ${block.join("\n").trim()}`);
        block = undefined;
      }
    } else if (line.trim().startsWith("```!")) block = [line.trim().slice(4)];
    else for (const [, command] of line.matchAll(/!`([^`]+)`/g)) found.push(`shell: ${command!}`);
  }
  if (block !== undefined) found.push(`shell: ${block.join("\n").trim()}`);
  return found;
};

const runsOnSchedule = (text: string): string[] => {
  const tasks = (parsed(text) as { tasks?: unknown } | undefined)?.tasks;
  return (Array.isArray(tasks) ? tasks : []).flatMap((task: unknown) =>
    isRecord(task) ? [`prompt at ${firstText(task["cron"])}: ${firstText(task["prompt"])}`] : [],
  );
};

const parsed = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    // The CLI cannot read it either.
    return undefined;
  }
};

/** Settings whose value is a command line. */
const COMMANDS = ["apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh", "otelHeadersHelper"];

const runsInSettings = (text: string): string[] => {
  const settings = parsed(text);
  if (settings === undefined) return [];
  const { hooks, statusLine, fileSuggestion, mcpServers, env, enabledPlugins, permissions } = settings;
  return [
    ...COMMANDS.flatMap((name) => (typeof settings[name] === "string" ? [`${name}: ${settings[name]}`] : [])),
    ...(isRecord(statusLine) && typeof statusLine["command"] === "string"
      ? [`status line: ${statusLine["command"]}`]
      : []),
    ...(isRecord(fileSuggestion) && typeof fileSuggestion["command"] === "string"
      ? [`file suggestion: ${fileSuggestion["command"]}`]
      : []),
    ...hookCommands(hooks),
    ...serverCommands(mcpServers),
    ...permissionsIn(permissions),
    ...(isRecord(env) ? Object.entries(env).map(([name, value]) => `sets ${name}=${String(value)}`) : []),
    ...(isRecord(enabledPlugins)
      ? Object.entries(enabledPlugins).flatMap(([name, value]) => (value === false ? [] : [`plugin ${name}`]))
      : []),
  ];
};

/** With these the CLI asks less than it would without the folder. */
const permissionsIn = (permissions: unknown): string[] => {
  if (!isRecord(permissions)) return [];
  const { allow, additionalDirectories, defaultMode } = permissions;
  const listed = (list: unknown, words: string): string[] =>
    (Array.isArray(list) ? list : []).map((each: unknown) => `${words}: ${firstText(each)}`);
  return [
    ...(typeof defaultMode === "string" && !ASKING_MODES.has(defaultMode) ? [`permission mode: ${defaultMode}`] : []),
    ...listed(allow, "allows without asking"),
    ...listed(additionalDirectories, "additional folder"),
  ];
};
const ASKING_MODES: ReadonlySet<string> = new Set(["default", "plan"]);

const firstText = (...values: readonly unknown[]): string => values.find((value) => typeof value === "string") ?? "?";

const hookCommands = (hooks: unknown): string[] =>
  isRecord(hooks)
    ? Object.entries(hooks).flatMap(([event, matchers]) =>
        (Array.isArray(matchers) ? matchers : []).flatMap((matcher: unknown) =>
          (isRecord(matcher) && Array.isArray(matcher["hooks"]) ? matcher["hooks"] : []).flatMap((hook: unknown) =>
            isRecord(hook) ? [`hook ${event}: ${firstText(hook["command"], hook["url"], hook["prompt"])}`] : [],
          ),
        ),
      )
    : [];

const serverCommands = (servers: unknown): string[] =>
  isRecord(servers)
    ? Object.entries(servers).map(([name, server]) => {
        if (!isRecord(server)) return `server ${name}`;
        const { command, args, url } = server;
        const words = [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === "string");
        return `server ${name}: ${words.length > 0 ? words.join(" ") : firstText(url)}`;
      })
    : [];
