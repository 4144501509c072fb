// Settings files: which are read, and the local one when the host grants something for good.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isRecord, parseJson, recordAt } from "./json.ts";
import type { Json } from "./json.ts";
import type { Rule, RuleSource } from "./rule-book.ts";
import { ruleText } from "./rule-book.ts";

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

/** Writes the rules that hold for this folder, beside what else its file says. */
export const writeLocalRules = (cwd: string, settings: Settings, rules: readonly Rule[]): void => {
  const path = join(cwd, ".claude", "settings.local.json");
  const kept = settings.find(({ source }) => source === "localSettings")?.settings ?? {};
  const local = rules.filter(({ source }) => source === "localSettings");
  const permissions: Record<string, readonly string[]> = {};
  for (const behavior of ["allow", "ask", "deny"] as const) {
    const texts = local.filter((rule) => rule.behavior === behavior).map(ruleText);
    if (texts.length > 0) permissions[behavior] = texts;
  }
  mkdirSync(dirname(path), { recursive: true });
  const written = { ...kept, permissions: { ...recordAt(kept, "permissions"), ...permissions } };
  writeFileSync(path, `${JSON.stringify(written, null, 2)}\n`);
};
