// Recorded verdicts of real CLIs as contexts and calls of this package.

import { readFileSync } from "node:fs";
import { contextOf } from "./context.ts";
import type { Context } from "./context.ts";
import { absolute } from "./paths.ts";
import { partsOfList } from "./rule.ts";
import type { Behavior, CheckOptions, SettingsSource, ToolCall } from "./types.ts";

type Files = Readonly<
  Record<string, string | { readonly symlink?: string; readonly dir?: boolean; readonly exec?: string }>
>;

export interface RecordedCase {
  readonly id: string;
  readonly group: string;
  readonly note: string;
  readonly settings?: { readonly user?: unknown; readonly project?: unknown; readonly local?: unknown };
  readonly flags?: readonly string[];
  readonly files?: Files;
  readonly trusted?: boolean | string;
  readonly start?: string;
  readonly call: ToolCall;
  readonly sub?: ToolCall;
  readonly verdicts: Readonly<Record<string, { readonly verdict: string; readonly via?: string }>>;
}

export interface Recorded {
  readonly base: Files;
  readonly cases: readonly RecordedCase[];
}

export const recordedVerdicts = (name: string): Recorded =>
  JSON.parse(readFileSync(new URL(`../fixtures/${name}`, import.meta.url), "utf8")) as Recorded;

const HOME = "/lab/home";
const CWD = "/lab/home/proj";
const OUT = "/lab/out";

const fill = (text: string): string =>
  text
    .replaceAll("{{cwd}}", CWD)
    .replaceAll("{{home}}", HOME)
    .replaceAll("{{out}}", OUT)
    .replaceAll(/\{\{(\w)\*(\d+)\}\}/gu, (_, letter: string, count: string) => letter.repeat(Number(count)));

const fillAll = (value: unknown): unknown => {
  if (typeof value === "string") return fill(value);
  if (Array.isArray(value)) return value.map(fillAll);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fillAll(inner)]));
};

/** Follows the links of a case. A link to nothing leads to its target. */
const realpathIn = (files: Files): ((path: string) => string | undefined) => {
  const links = new Map<string, string>();
  const known = new Set(["/", HOME, CWD, OUT, "/lab"]);
  for (const [name, what] of Object.entries(files)) {
    const path = fill(name);
    for (let at = path; at !== "/"; at = absolute(at, "..")) known.add(at);
    if (typeof what !== "string" && what.symlink !== undefined)
      links.set(path, absolute(absolute(path, ".."), fill(what.symlink)));
  }
  const resolve = (path: string, hops: number): string | undefined => {
    if (hops > 20) return undefined;
    let at = "";
    const parts = path.split("/").filter(Boolean);
    for (const [index, part] of parts.entries()) {
      at = `${at}/${part}`;
      const target = links.get(at);
      if (target !== undefined)
        return (
          resolve([target, ...parts.slice(index + 1)].join("/"), hops + 1) ??
          [target, ...parts.slice(index + 1)].join("/")
        );
    }
    return hops > 0 || known.has(path) ? path : undefined;
  };
  return (path) => (path === "/" ? "/" : resolve(path, 0));
};

interface Flags {
  readonly lists: Readonly<Record<"allow" | "deny", string[]>>;
  readonly directories: string[];
  mode?: string;
  settings?: unknown;
  sources?: readonly string[];
  bypassAvailable: boolean;
}

const flagsOf = (flags: readonly string[], files: Files): Flags => {
  const found: Flags = { lists: { allow: [], deny: [] }, directories: [], bypassAvailable: false };
  for (let at = 0; at < flags.length; at++) {
    const flag = flags[at] ?? "";
    const values: string[] = [];
    while (at + 1 < flags.length && !(flags[at + 1] ?? "").startsWith("--")) values.push(fill(flags[++at] ?? ""));
    const lists: Readonly<Record<string, "allow" | "deny">> = {
      "--allowedTools": "allow",
      "--allowed-tools": "allow",
      "--disallowedTools": "deny",
      "--disallowed-tools": "deny",
    };
    if (lists[flag] !== undefined)
      found.lists[lists[flag]].push(...values.flatMap((value) => partsOfList(value).map(({ part }) => part)));
    else if (flag === "--permission-mode") found.mode ??= values[0] ?? "";
    else if (flag === "--dangerously-skip-permissions") found.mode = "bypassPermissions";
    else if (flag === "--allow-dangerously-skip-permissions") found.bypassAvailable = true;
    else if (flag === "--add-dir") found.directories.push(...values);
    else if (flag === "--setting-sources") found.sources = values.flatMap((value) => value.split(","));
    else if (flag === "--settings") {
      const file = Object.entries(files).find(([name]) => fill(name) === values[0])?.[1];
      found.settings = JSON.parse(typeof file === "string" ? fill(file) : (values[0] ?? "{}")) as unknown;
    }
  }
  return found;
};

export interface Prepared {
  readonly context: Context;
  readonly call: ToolCall;
  readonly options: CheckOptions;
}

export const prepare = (recorded: RecordedCase, base: Files, version: string): Prepared => {
  const files: Files = { ...base, ...recorded.files };
  const flags = flagsOf(recorded.flags ?? [], files);
  const cwd = recorded.start === undefined ? CWD : absolute(CWD, recorded.start);
  const sources: SettingsSource[] = [];
  const add = (name: string, scope: SettingsSource["scope"], path: string, value: unknown): void => {
    if (value !== undefined && (flags.sources?.includes(name) ?? true))
      sources.push({ scope, path, value: fillAll(value) });
  };
  add("user", "userSettings", `${HOME}/.claude/settings.json`, recorded.settings?.user);
  add("project", "projectSettings", `${CWD}/.claude/settings.json`, recorded.settings?.project);
  add("local", "localSettings", `${CWD}/.claude/settings.local.json`, recorded.settings?.local);
  if (flags.settings !== undefined) sources.push({ scope: "flagSettings", value: flags.settings });
  const permissions: Partial<Record<Behavior, readonly string[]>> = flags.lists;
  if (flags.lists.allow.length + flags.lists.deny.length > 0) sources.push({ scope: "cliArg", value: { permissions } });
  const call = recorded.sub ?? recorded.call;
  const skill = Object.entries(files).find(([name]) =>
    name.endsWith(`/skills/${String(call.input.skill)}/SKILL.md`),
  )?.[1];
  return {
    context: contextOf({
      cwd,
      home: HOME,
      mode: flags.mode,
      additionalDirectories: flags.directories,
      settings: sources,
      cliVersion: version,
      folderTrusted: recorded.trusted !== undefined && recorded.trusted !== false,
      bypassAvailable: flags.bypassAvailable,
    }),
    call: fillAll(call) as ToolCall,
    options: {
      realpath: realpathIn(files),
      ...(typeof skill === "string" && { skillAllowsTools: skill.includes("allowed-tools") }),
    },
  };
};
