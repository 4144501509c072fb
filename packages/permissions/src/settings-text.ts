// The text of a settings file: its rules with their lines, and the text after a change. What we do not know is kept as it is.

import { editJson, parseJson } from "./json-text.ts";
import type { JsonNode } from "./json-text.ts";
import { ruleText } from "./rule.ts";
import type { Behavior, Update } from "./types.ts";

export interface SettingsRule {
  readonly text: string;
  readonly behavior: Behavior;
  /** Its place in its list. */
  readonly index: number;
  /** From 1. */
  readonly line: number;
}

export interface SettingsTextError {
  readonly message: string;
  readonly line: number;
}
export type SettingsRules =
  | { readonly ok: true; readonly rules: readonly SettingsRule[]; readonly modeLine?: number }
  | { readonly ok: false; readonly error: SettingsTextError };

const BEHAVIORS: readonly Behavior[] = ["allow", "ask", "deny"];

const member = (node: JsonNode | undefined, name: string): JsonNode | undefined =>
  node?.kind === "object" ? node.members.findLast((each) => each.name === name)?.value : undefined;

/** Entries that are not text are left out. */
export const rulesOfSettings = (text: string): SettingsRules => {
  if (text.trim() === "") return { ok: true, rules: [] };
  const parsed = parseJson(text);
  if (!parsed.ok) return parsed;
  const permissions = member(parsed.node, "permissions");
  const rules = BEHAVIORS.flatMap((behavior) => {
    const list = member(permissions, behavior);
    if (list?.kind !== "array") return [];
    return list.items.flatMap((item, index): SettingsRule[] =>
      item.kind === "string" ? [{ text: item.value, behavior, index, line: item.line }] : [],
    );
  });
  const mode = member(permissions, "defaultMode");
  return { ok: true, rules, ...(mode !== undefined && { modeLine: mode.line }) };
};

/** A change of one file: an update of the CLI, or a rule put in another's place. */
export type SettingsChange =
  | Update
  | { readonly type: "editRule"; readonly behavior: Behavior; readonly from: string; readonly to: string };

export type ChangedSettings =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly error: SettingsTextError };

/** An empty text is an empty file. Indentation and order of the rest stay as they are. */
export const settingsWith = (text: string, change: SettingsChange): ChangedSettings => {
  const source = text.trim() === "" ? "{}\n" : text;
  const parsed = parseJson(source);
  if (!parsed.ok) return parsed;
  if (parsed.node.kind !== "object")
    return { ok: false, error: { message: "The file is not an object.", line: parsed.node.line } };
  const permissions = member(parsed.node, "permissions");
  if (permissions !== undefined && permissions.kind !== "object")
    return { ok: false, error: { message: "The field permissions is not an object.", line: permissions.line } };
  const [field, next] = changed(permissions, change);
  const current = member(permissions, field);
  if (current !== undefined && typeof next !== "string" && current.kind !== "array")
    return { ok: false, error: { message: `The field permissions.${field} is not a list.`, line: current.line } };
  return { ok: true, text: editJson(source, parsed.node, ["permissions", field], next) };
};

type Entry = JsonNode | string;
const isText = (entry: Entry, text: string): boolean =>
  typeof entry === "string" ? entry === text : entry.kind === "string" && entry.value === text;

/** The field and its new value. Entries that are not text are kept as nodes. */
const changed = (permissions: JsonNode | undefined, change: SettingsChange): [string, string | readonly Entry[]] => {
  if (change.type === "setMode") return ["defaultMode", change.mode];
  const field = "behavior" in change ? change.behavior : "additionalDirectories";
  const list = member(permissions, field);
  const now: readonly Entry[] = list?.kind === "array" ? list.items : [];
  if (change.type === "editRule") return [field, now.map((entry) => (isText(entry, change.from) ? change.to : entry))];
  const texts = "rules" in change ? change.rules.map(ruleText) : change.directories;
  switch (change.type) {
    case "replaceRules":
      return [field, texts];
    case "removeRules":
    case "removeDirectories":
      return [field, now.filter((entry) => !texts.some((text) => isText(entry, text)))];
    default: {
      const added = texts.filter((text, at) => texts.indexOf(text) === at && !now.some((entry) => isText(entry, text)));
      return [field, [...now, ...added]];
    }
  }
};
