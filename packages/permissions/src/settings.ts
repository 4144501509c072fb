// What a settings file says about permissions, and whether the CLI takes the file at all.

import { takeRule } from "./rule-problems.ts";
import { rulesOfSettings } from "./settings-text.ts";
import type { Behavior, PlacedRule, Problem, SettingsSource } from "./types.ts";
import { modeOf } from "./modes.ts";
import type { VersionFacts } from "./versions.ts";

export const BEHAVIORS: readonly Behavior[] = ["allow", "ask", "deny"];

export interface ReadSettings {
  readonly inEffect: boolean;
  readonly rules: readonly PlacedRule[];
  readonly defaultMode: string | undefined;
  readonly directories: readonly string[];
  readonly disablesBypass: boolean;
  /** Only in the organization's settings. */
  readonly managedRulesOnly: boolean;
  readonly planWithoutClassifier: boolean;
  readonly problems: readonly Problem[];
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Fields elsewhere in the file whose wrong type makes the CLI ignore the whole file. */
const FIELD_TYPES: Readonly<Record<string, "string" | "number" | "boolean" | "object" | "strings">> = {
  apiKeyHelper: "string",
  cleanupPeriodDays: "number",
  env: "object",
  includeCoAuthoredBy: "boolean",
  model: "string",
  enableAllProjectMcpServers: "boolean",
  enabledMcpjsonServers: "strings",
  disabledMcpjsonServers: "strings",
  hooks: "object",
  disableAllHooks: "boolean",
  outputStyle: "string",
  language: "string",
  sandbox: "object",
  alwaysThinkingEnabled: "boolean",
  skipWebFetchPreflight: "boolean",
  respectGitignore: "boolean",
};

const hasType = (value: unknown, type: string): boolean =>
  type === "object"
    ? isRecord(value)
    : type === "strings"
      ? Array.isArray(value) && value.every((each) => typeof each === "string")
      : // oxlint-disable-next-line valid-typeof -- the table has only names of types
        typeof value === type;

/** The parsed file. A text that was not parsed yet is taken as the file's text. */
const valueOf = ({ value }: SettingsSource): { readonly value: unknown } | { readonly error: string } => {
  if (typeof value !== "string") return { value };
  if (value.trim() === "") return { value: {} };
  try {
    return { value: JSON.parse(value.replace(/^\uFEFF/u, "")) as unknown };
  } catch {
    return { error: "It is not valid JSON. Comments and trailing commas are not allowed." };
  }
};

const fieldProblem = (value: Readonly<Record<string, unknown>>): string | undefined => {
  for (const [field, type] of Object.entries(FIELD_TYPES))
    if (value[field] !== undefined && !hasType(value[field], type))
      return `The field ${field} has a value of a wrong type.`;
  return undefined;
};

const permissionsProblem = (permissions: unknown, facts: VersionFacts): string | undefined => {
  if (permissions === undefined) return undefined;
  if (!isRecord(permissions)) return "The field permissions is not an object.";
  for (const behavior of BEHAVIORS)
    if (permissions[behavior] !== undefined && !Array.isArray(permissions[behavior]))
      return `The field permissions.${behavior} is not a list.`;
  const mode = permissions.defaultMode;
  if (mode !== undefined && (modeOf(mode) === undefined || (mode === "auto" && !facts.autoMode)))
    return `The field permissions.defaultMode names no mode: ${JSON.stringify(mode).slice(0, 60)}.`;
  const { additionalDirectories } = permissions;
  if (additionalDirectories !== undefined && !hasType(additionalDirectories, "strings"))
    return "The field permissions.additionalDirectories is not a list of texts.";
  return undefined;
};

const EMPTY = {
  rules: [],
  defaultMode: undefined,
  directories: [],
  disablesBypass: false,
  managedRulesOnly: false,
  planWithoutClassifier: false,
} as const;

export const readSettings = (source: SettingsSource, facts: VersionFacts): ReadSettings => {
  const place = { scope: source.scope, ...(source.path !== undefined && { path: source.path }) };
  const without = (words: string, line?: number): ReadSettings => ({
    ...EMPTY,
    inEffect: false,
    problems: [
      {
        kind: "not-in-effect",
        words: `This file is not in effect. ${words}`,
        ...place,
        ...(line !== undefined && { line }),
      },
    ],
  });
  const parsed = valueOf(source);
  if ("error" in parsed) return without(parsed.error);
  const { value } = parsed;
  if (value === undefined || value === null) return { ...EMPTY, inEffect: true, problems: [] };
  if (!isRecord(value)) return without("It is not an object.");
  const wrong = permissionsProblem(value.permissions, facts) ?? fieldProblem(value);
  if (wrong !== undefined) return without(wrong);
  const permissions = isRecord(value.permissions) ? value.permissions : {};
  const taken = takeRules(source, permissions, facts);
  if (taken.broken !== undefined)
    return {
      ...without(taken.broken.words, taken.broken.line),
      problems: [...without(taken.broken.words, taken.broken.line).problems, ...taken.problems],
    };
  const directories = permissions.additionalDirectories;
  return {
    inEffect: true,
    rules: taken.rules,
    defaultMode: typeof permissions.defaultMode === "string" ? permissions.defaultMode : undefined,
    directories: hasType(directories, "strings") ? (directories as readonly string[]) : [],
    disablesBypass: permissions.disableBypassPermissionsMode === "disable",
    managedRulesOnly: source.scope === "policySettings" && value.allowManagedPermissionRulesOnly === true,
    planWithoutClassifier: value.useAutoModeDuringPlan === false,
    problems: taken.problems,
  };
};

const takeRules = (
  source: SettingsSource,
  permissions: Readonly<Record<string, unknown>>,
  facts: VersionFacts,
): { rules: PlacedRule[]; problems: Problem[]; broken?: { words: string; line?: number | undefined } } => {
  const lines = linesOf(source);
  const rules: PlacedRule[] = [];
  const problems: Problem[] = [];
  let broken: { words: string; line?: number | undefined } | undefined;
  for (const behavior of BEHAVIORS) {
    const list = permissions[behavior];
    if (!Array.isArray(list)) continue;
    for (const [index, text] of (list as readonly unknown[]).entries()) {
      const line = lines?.get(`${behavior} ${index}`);
      const place = {
        scope: source.scope,
        ...(source.path !== undefined && { path: source.path }),
        ...(line !== undefined && { line }),
      };
      if (typeof text !== "string") {
        problems.push({ kind: "bad-rule", words: "This entry is no text, so it is not a rule.", behavior, ...place });
        broken ??= { words: `An entry of permissions.${behavior} is no text.`, line };
        continue;
      }
      const taken = takeRule(text, behavior, facts);
      if (taken.taken) {
        rules.push({ rule: taken.rule, text, behavior, ...place });
        continue;
      }
      const kind = /^(?!mcp__)[a-z]/u.test(text) && taken.instead !== undefined ? "wrong-case" : "bad-rule";
      problems.push({
        kind,
        words: `This rule matches nothing. ${taken.words}`,
        rule: text,
        behavior,
        ...place,
        ...(taken.instead !== undefined && { instead: taken.instead }),
      });
      if (taken.breaksFile) broken ??= { words: `The rule ${text.slice(0, 80)} is not valid. ${taken.words}`, line };
    }
  }
  const isFile = source.scope.endsWith("Settings");
  return { rules, problems, ...(broken !== undefined && !facts.badEntriesAlone && isFile && { broken }) };
};

const linesOf = ({ text, value }: SettingsSource): ReadonlyMap<string, number> | undefined => {
  const own = text ?? (typeof value === "string" ? value : undefined);
  if (own === undefined) return undefined;
  const read = rulesOfSettings(own);
  return read.ok ? new Map(read.rules.map((rule) => [`${rule.behavior} ${rule.index}`, rule.line])) : undefined;
};
