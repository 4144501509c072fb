// The rules of a folder as the page lists them: grouped by file, filtered, with what a person should know about each. Pure.

import type { ResultOf } from "@quarterdeck/client";
import { isMcpName } from "@quarterdeck/client/content";
import { parseRule, WRITABLE_SCOPES } from "@quarterdeck/permissions/words";
import type { Behavior, WritableScope } from "@quarterdeck/permissions/words";
import { scopeWords } from "../words/scopes.ts";
import { WORDS } from "./words.ts";

export type Rules = ResultOf<"rules/list">;
export type ListedRule = Rules["rules"][number];
export type RuleChange = { readonly from?: RulePlace; readonly to?: RulePlace };
export interface RulePlace {
  readonly scope: WritableScope;
  readonly behavior: Behavior;
  readonly rule: string;
}

export const isWritableScope = (scope: string): scope is WritableScope =>
  (WRITABLE_SCOPES as readonly string[]).includes(scope);

export const BEHAVIOR_WORDS: Readonly<Record<Behavior, string>> = {
  allow: WORDS.kinds.allow,
  ask: WORDS.kinds.ask,
  deny: WORDS.kinds.deny,
};

/** `flagged` is not an effect: rules that are risky or do not do what they seem to do. */
export type RuleFilterKind = "all" | Behavior | "flagged";

export interface Filter {
  readonly kind: RuleFilterKind;
  readonly text: string;
  readonly scope: string;
  readonly tool: string;
}
export const NO_FILTER: Filter = { kind: "all", text: "", scope: "", tool: "" };

export interface RuleGroup {
  readonly key: string;
  readonly scope: string;
  readonly name: string;
  readonly path?: string | undefined;
  /** What is wrong with the file. */
  readonly problems: readonly string[];
  /** The file is not in effect, so none of its rules is. */
  readonly isOff: boolean;
  /** Whether a person can change it here. */
  readonly canWrite: boolean;
  readonly rules: readonly ListedRule[];
}

/** The order in which the page lists scopes. */
const ORDER = [
  ...["policySettings", "flagSettings", "localSettings", "projectSettings", "userSettings"],
  ...["cliArg", "command", "session"],
];

export const isFlagged = ({ risk, problems }: ListedRule): boolean => risk !== undefined || problems.length > 0;

/** Rules that are flagged, and files with a problem. */
export const flaggedIn = (found: Rules): number =>
  found.rules.filter(isFlagged).length +
  ruleGroupsOf(found, NO_FILTER).filter(({ problems }) => problems.length > 0).length;

export const toolOf = (rule: string): string => {
  const parsed = parseRule(rule);
  const name = parsed.ok ? parsed.rule.toolName : rule.split("(")[0]!;
  return isMcpName(name) ? "MCP" : name;
};

/** Tools of all rules, for the filter. */
export const toolsOf = ({ rules }: Rules): readonly string[] =>
  [...new Set(rules.map(({ rule }) => toolOf(rule)))].toSorted((a, b) => a.localeCompare(b));

const fits = (rule: ListedRule, { kind, text, scope, tool }: Filter): boolean => {
  if (kind === "flagged" ? !isFlagged(rule) : kind !== "all" && rule.behavior !== kind) return false;
  if (scope !== "" && rule.scope !== scope) return false;
  if (tool !== "" && toolOf(rule.rule) !== tool) return false;
  const { name, file } = scopeWords(rule.scope);
  const notes = rule.problems.map(({ words }) => words);
  const words = [
    rule.rule,
    BEHAVIOR_WORDS[rule.behavior],
    name,
    file,
    rule.path ?? "",
    rule.risk?.words ?? "",
    ...notes,
  ];
  const all = words.join("\n").toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => all.includes(word));
};

/** One group for each file and scope that has rules or a problem. A filter hides groups without a match. */
export const ruleGroupsOf = (found: Rules, filter: Filter): readonly RuleGroup[] => {
  const isFiltered = (["text", "scope", "tool"] as const).some((name) => filter[name] !== "");
  const mayBeEmpty = !isFiltered && (filter.kind === "all" || filter.kind === "flagged");
  const places = new Map<string, { readonly scope: string; readonly path?: string | undefined }>();
  for (const { scope, path } of [...found.files, ...found.rules]) places.set(keyOf(scope, path), { scope, path });
  return [...places]
    .map(([key, { scope, path }]): RuleGroup => {
      const file = found.files.find((each) => each.scope === scope && each.path === path);
      const own = found.problems.filter((problem) => problem.scope === scope && problem.path === path);
      const problems = [...new Set([file?.problem, ...own.map(({ words }) => words)])];
      return {
        key,
        scope,
        name: scopeWords(scope).name,
        path,
        problems: problems.filter((problem) => problem !== undefined),
        isOff: file?.problem !== undefined || own.some(({ kind }) => kind === "not-in-effect"),
        canWrite: isWritableScope(scope),
        rules: found.rules.filter((rule) => keyOf(rule.scope, rule.path) === key && fits(rule, filter)),
      };
    })
    .filter(({ rules, problems }) => rules.length > 0 || (mayBeEmpty && problems.length > 0))
    .toSorted((a, b) => ORDER.indexOf(a.scope) - ORDER.indexOf(b.scope));
};

const keyOf = (scope: string, path: string | undefined): string => `${scope} ${path ?? ""}`;

/** The file as a person knows it. */
export const fileName = (path: string, folder: string, home: string | undefined): string => {
  if (path.startsWith(`${folder}/`)) return path.slice(folder.length + 1);
  return home !== undefined && home.length > 1 && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
};
