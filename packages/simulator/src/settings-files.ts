// Settings files: which are read, and the local one when the host grants something for good.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { applyUpdateToSettings } from "@quarterdeck/permissions";
import type { Update } from "@quarterdeck/permissions";
import { isRecord, parseJson } from "./json.ts";
import type { Json } from "./json.ts";

export type RuleSource = "userSettings" | "projectSettings" | "localSettings" | "flagSettings";

export type Settings = readonly { readonly source: RuleSource; readonly settings: Json }[];

/** The settings objects that are in force, lowest first. */
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
    // A settings file that is not there is the normal case.
    return undefined;
  }
  const parsed = parseJson(text);
  return isRecord(parsed) ? parsed : undefined;
};

/** All of them as one, the stronger over the weaker. */
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

/** With some keys of one source set. */
export const withSettings = (all: Settings, source: RuleSource, changes: Json): Settings => {
  const changed = { ...all.find((one) => one.source === source)?.settings, ...changes };
  const others = all.filter((one) => one.source !== source);
  return [...others, { source, settings: changed }].toSorted(
    (a, b) => ORDER.indexOf(a.source) - ORDER.indexOf(b.source),
  );
};
const ORDER: readonly RuleSource[] = ["userSettings", "projectSettings", "localSettings", "flagSettings"];

export const settingsPath = (source: Exclude<RuleSource, "flagSettings">, cwd: string, home: string): string => {
  if (source === "userSettings") return join(home, ".claude", "settings.json");
  return join(cwd, ".claude", source === "projectSettings" ? "settings.json" : "settings.local.json");
};

export const writeSettings = (path: string, settings: Json): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(settings, null, 2)}\n`);
};

/** Writes one update of the rules into the file of this folder, beside what else the file says. */
export const writeLocalUpdate = (cwd: string, home: string, update: Json): void => {
  const path = settingsPath("localSettings", cwd, home);
  const kept = readJsonFile(path) ?? {};
  const changed = applyUpdateToSettings([{ scope: "localSettings", path, value: kept }], update as unknown as Update);
  const value = changed.find(({ scope }) => scope === "localSettings")?.value;
  if (isRecord(value)) writeSettings(path, value);
};
