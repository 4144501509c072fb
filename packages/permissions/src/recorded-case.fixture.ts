// A recorded case (fixtures/verdicts.json, fixtures/corpus.json) as the input of the check: its settings files, flags and folders.
import { applyUpdate, check, contextOf } from "./index.ts";
import { parseRuleList, ruleText } from "./rule.ts";
import type { Behavior, CheckOptions, Scope, SettingsSource, ToolCall, Update, Verdict } from "./types.ts";

export interface RecordedCase {
  readonly id: string;
  readonly group: string;
  readonly note: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly flags?: readonly string[];
  readonly files?: Readonly<Record<string, unknown>>;
  readonly mcp?: Readonly<Record<string, readonly string[]>>;
  readonly trusted?: boolean | string;
  readonly start?: string;
  readonly grants?: readonly unknown[];
  readonly prompt?: string;
  readonly sub?: ToolCall;
  readonly call: ToolCall;
  readonly verdicts: Readonly<Record<string, { readonly verdict: string; readonly via?: string }>>;
}

export interface RecordedCorpus {
  readonly base: Readonly<Record<string, unknown>>;
  readonly cases: readonly RecordedCase[];
}

const HOME = "/lab/home";
const PROJECT = "/lab/home/proj";
const OUTSIDE = "/lab/out";

const filled = <T>(value: T): T => {
  if (typeof value === "string") {
    return value
      .replaceAll("{{cwd}}", PROJECT)
      .replaceAll("{{home}}", HOME)
      .replaceAll("{{out}}", OUTSIDE)
      .replaceAll(/\{\{(\w)\*(\d+)\}\}/g, (_, letter: string, count: string) => letter.repeat(Number(count))) as T;
  }
  if (Array.isArray(value)) return value.map((one: unknown) => filled(one)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [filled(key), filled(one)])) as T;
};

/** What the check says for a recorded case on one version. */
export const checkRecorded = (recorded: RecordedCase, base: RecordedCorpus["base"], version: string): Verdict => {
  const one = filled(recorded);
  const files = { ...filled(base), ...one.files };
  const flags = flagsOf(one.flags ?? []);
  const { skipPermissions, modes } = flags;
  let context = contextOf({
    cwd: one.start === undefined ? PROJECT : `${PROJECT}/${one.start}`,
    home: HOME,
    mode: skipPermissions ? "bypassPermissions" : modes.at(-1),
    additionalDirectories: flags.directories,
    settings: sourcesOf(one, files, flags),
    cliVersion: version,
    folderTrusted: one.trusted === true || one.trusted === PROJECT,
    bypassAvailable: skipPermissions || flags.bypassAvailable || modes.includes("bypassPermissions"),
  });
  for (const update of one.grants ?? []) context = applyUpdate(context, update as Update);
  return check(context, one.sub ?? one.call, optionsOf(one, files));
};

export const BEHAVIORS: readonly string[] = ["allow", "ask", "deny"] satisfies readonly Behavior[];

interface Flags {
  readonly modes: readonly string[];
  readonly skipPermissions: boolean;
  readonly bypassAvailable: boolean;
  readonly directories: readonly string[];
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly settings: readonly string[];
  readonly sources: readonly string[] | undefined;
}

const flagsOf = (argv: readonly string[]): Flags => {
  const values = new Map<string, string[]>();
  let name = "";
  for (const word of argv) {
    if (word.startsWith("--")) {
      name = word;
      values.set(name, values.get(name) ?? []);
    } else values.get(name)?.push(word);
  }
  const of = (...names: readonly string[]): readonly string[] => names.flatMap((one) => values.get(one) ?? []);
  return {
    modes: of("--permission-mode"),
    skipPermissions: values.has("--dangerously-skip-permissions"),
    bypassAvailable: values.has("--allow-dangerously-skip-permissions"),
    directories: of("--add-dir"),
    allow: rulesIn(of("--allowedTools", "--allowed-tools")),
    deny: rulesIn(of("--disallowedTools", "--disallowed-tools")),
    settings: of("--settings"),
    sources: values.has("--setting-sources") ? of("--setting-sources").flatMap((one) => one.split(",")) : undefined,
  };
};

const rulesIn = (lists: readonly string[]): readonly string[] =>
  lists.flatMap((list) => {
    const parsed = parseRuleList(list);
    return parsed.ok ? parsed.rules.map(ruleText) : [];
  });

const SETTINGS: readonly (readonly [name: string, scope: Scope, path: string])[] = [
  ["user", "userSettings", `${HOME}/.claude/settings.json`],
  ["project", "projectSettings", `${PROJECT}/.claude/settings.json`],
  ["local", "localSettings", `${PROJECT}/.claude/settings.local.json`],
  ["policy", "policySettings", "/etc/claude-code/managed-settings.json"],
];

const sourcesOf = (one: RecordedCase, files: Readonly<Record<string, unknown>>, flags: Flags): SettingsSource[] => {
  const found: SettingsSource[] = [];
  for (const [name, scope, path] of SETTINGS) {
    if (flags.sources !== undefined && name !== "policy" && !flags.sources.includes(name)) continue;
    const value = valueOf(one.settings?.[name]);
    if (value !== undefined) found.push({ scope, path, value });
  }
  for (const text of flags.settings) {
    const value = valueOf(text.trimStart().startsWith("{") ? text : files[text]);
    if (value !== undefined) found.push({ scope: "flagSettings", value });
  }
  if (flags.allow.length + flags.deny.length > 0) {
    found.push({ scope: "cliArg", value: { permissions: { allow: flags.allow, deny: flags.deny } } });
  }
  const command = one.prompt === undefined ? undefined : files[`${PROJECT}/.claude/commands${one.prompt}.md`];
  const tools = typeof command === "string" ? /^allowed-tools: (.*)$/m.exec(command)?.[1] : undefined;
  if (tools !== undefined) found.push({ scope: "command", value: { permissions: { allow: rulesIn([tools]) } } });
  return found;
};

/** A text is a file as it stands. A file that is not JSON has no value. */
const valueOf = (settings: unknown): unknown => {
  if (typeof settings !== "string") return settings;
  try {
    return JSON.parse(settings.replace(/^\uFEFF/, "")) as unknown;
  } catch {
    return undefined;
  }
};

const optionsOf = ({ call, mcp }: RecordedCase, files: Readonly<Record<string, unknown>>): CheckOptions => {
  const [, server = "", tool = ""] = /^mcp__(.+?)__(.+)$/.exec(call.tool) ?? [];
  const skill = files[`${PROJECT}/.claude/skills/${String(call.input["skill"])}/SKILL.md`];
  return {
    realpath: (path) => realpathIn(files, path),
    ...(mcp?.[server]?.includes(`${tool}!`) === true && { readOnlyHint: true }),
    ...(typeof skill === "string" && { skillAllowsTools: skill.includes("allowed-tools:") }),
  };
};

/** Follows the links among the files of a case. Outside of the lab's folders, everything is where its name says. */
const realpathIn = (files: Readonly<Record<string, unknown>>, path: string, depth = 0): string | undefined => {
  if (depth > 20) return undefined;
  let resolved = "";
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  for (const [index, part] of parts.entries()) {
    resolved = part === ".." ? resolved.slice(0, Math.max(0, resolved.lastIndexOf("/"))) : `${resolved}/${part}`;
    const file = files[resolved];
    if (typeof file !== "object" || file === null || !("symlink" in file)) continue;
    const target = String(file.symlink);
    const parent = resolved.slice(0, resolved.lastIndexOf("/"));
    const rest = parts.slice(index + 1).join("/");
    return realpathIn(files, `${target.startsWith("/") ? target : `${parent}/${target}`}/${rest}`, depth + 1);
  }
  const isThere = Object.keys(files).some((name) => name === resolved || name.startsWith(`${resolved}/`));
  return isThere || depth > 0 || !resolved.startsWith("/lab/") || [HOME, PROJECT, OUTSIDE].includes(resolved)
    ? resolved
    : undefined;
};
