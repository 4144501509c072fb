// Settings files: which ones are read, and writing the local one when the host allows something permanently.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ruleText } from "@quarterdeck/protocol";
import { isRecord, parseJson, recordAt } from "./json.ts";
import type { Json } from "./json.ts";
import type { Rule, RuleSource } from "./rule-book.ts";

export type Settings = readonly { readonly source: RuleSource; readonly settings: Json }[];

/** The active settings, lowest priority first. */
export const readSettings = (
  cwd: string,
  home: string,
  sources: readonly string[],
  flag: string | Json | undefined,
): Settings => {
  const files: readonly (readonly [string, RuleSource, string])[] = [
    ["user", "userSettings", join(home, ".claude", "settings.json")],
    ["project", "projectSettings", join(cwd, ".claude", "settings.json")],
    ["local", "localSettings", join(cwd, ".claude", "settings.local.json")],
  ];
  const found = files.flatMap(([name, source, path]) => {
    const settings = sources.includes(name) ? readJsonFile(path) : undefined;
    return settings === undefined ? [] : [{ source, settings }];
  });
  if (flag === undefined) return found;
  const settings = typeof flag === "string" ? readJsonFile(flag) : flag;
  return settings !== undefined ? [...found, { source: "flagSettings", settings }] : found;
};

const readJsonFile = (path: string): Json | undefined => {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    // A missing settings file is normal.
    return undefined;
  }
  const parsed = parseJson(text);
  return isRecord(parsed) ? parsed : undefined;
};

/** All settings merged. Stronger ones replace weaker ones. */
export const effectiveSettings = (all: Settings): Json =>
  all.reduce<Json>((sum, { settings }) => merged(sum, settings), {});

const merged = (under: Json, over: Json): Json => ({
  ...under,
  ...Object.fromEntries(
    Object.entries(over).map(([key, value]) => {
      const before = under[key];
      if (isRecord(before) && isRecord(value)) return [key, merged(before, value)];
      return [key, Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value];
    }),
  ),
});

/** Sets some keys of one source. */
export const withSettings = (all: Settings, source: RuleSource, changes: Json): Settings => {
  const changed = { ...all.find((one) => one.source === source)?.settings, ...changes };
  const others = all.filter((one) => one.source !== source);
  return [...others, { source, settings: changed }].toSorted(
    (a, b) => ORDER.indexOf(a.source) - ORDER.indexOf(b.source),
  );
};
const ORDER: readonly RuleSource[] = ["userSettings", "projectSettings", "localSettings", "flagSettings"];

export const settingsPath = (source: "userSettings" | "localSettings", cwd: string, home: string): string =>
  source === "userSettings" ? join(home, ".claude", "settings.json") : join(cwd, ".claude", "settings.local.json");

export const writeSettings = (path: string, settings: Json): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(settings, null, 2)}\n`);
};

/** Writes the rules of this folder, and keeps the other settings of the file. */
export const writeLocalRules = (cwd: string, settings: Settings, rules: readonly Rule[]): void => {
  const kept = settings.find(({ source }) => source === "localSettings")?.settings ?? {};
  const local = rules.filter(({ source }) => source === "localSettings");
  const permissions: Record<string, readonly string[]> = {};
  for (const behavior of ["allow", "ask", "deny"] as const) {
    const texts = local.filter((rule) => rule.behavior === behavior).map(ruleText);
    if (texts.length > 0) permissions[behavior] = texts;
  }
  const written = { ...kept, permissions: { ...recordAt(kept, "permissions"), ...permissions } };
  writeSettings(join(cwd, ".claude", "settings.local.json"), written);
};
