// A permission request in words and parts: who asks, why, about what, and which rule would make the question unnecessary. Pure.

import type { OpenRequest, ParamsOf } from "@quarterdeck/client";
import { needs, type Given } from "@quarterdeck/client/policy";
import { OWN_SETTINGS, parseRule, ruleText } from "@quarterdeck/permissions/words";
import { scopeWords, type Destination } from "../words/scopes.ts";
import { WORDS } from "./words.ts";

export type Asked = Extract<OpenRequest["request"], { subtype: "can_use_tool" }>;
type Allowed = Extract<ParamsOf<"session/respond">["answer"], { kind: "allow" }>;
export type PermissionUpdate = NonNullable<Allowed["updatedPermissions"]>[number];
export type Input = Readonly<Record<string, unknown>>;

export const isPermission = (open: OpenRequest): open is OpenRequest & { readonly request: Asked } =>
  open.request.subtype === "can_use_tool";

// oxlint-disable-next-line no-control-regex -- colors of a terminal begin with one
const stripAnsi = (text: string): string => text.replaceAll(/\u001b\[[0-9;?]*[ -/]*[@-~]/gu, "");

/** The reasons that the CLI gives for the request. */
export const reasonsOf = (asked: Asked): string[] => {
  const reasons: string[] = [];
  if (asked.decision_reason !== undefined) reasons.push(stripAnsi(asked.decision_reason));
  const rule = matchedRule(asked);
  if (rule !== undefined) {
    const { source } = asked.matched_ask_rule ?? {};
    reasons.push(WORDS.byRule(rule, source === undefined ? undefined : scopeWords(source).file));
  }
  return reasons.filter((reason) => reason.trim() !== "");
};

/** The ask rule that made the CLI ask, as text. */
export const matchedRule = ({ tool_name, matched_ask_rule: rule }: Asked): string | undefined =>
  rule && ruleText({ toolName: rule.tool_name ?? tool_name, ruleContent: rule.rule_content });

/** The one text of an input that a person decides on; nothing for inputs of several fields. */
export const mainField = (tool: string): string | undefined =>
  Object.hasOwn(MAIN_FIELD, tool) ? MAIN_FIELD[tool] : undefined;
const MAIN_FIELD: Readonly<Record<string, string>> = {
  Bash: "command",
  PowerShell: "command",
  Write: "content",
  WebFetch: "url",
  WebSearch: "query",
  Read: "file_path",
  Glob: "pattern",
  Grep: "pattern",
};

/**
 * The model's own words about what it does: shown as its claim, never as a title. For other tools, such as those of MCP
 * servers, a description is part of what is done.
 */
export const claimOf = (tool: string, { description }: Input): string | undefined =>
  CLAIMING.has(tool) && typeof description === "string" && description !== "" ? description : undefined;
const CLAIMING: ReadonlySet<string> = new Set(["Bash", "PowerShell", "Agent", "Task"]);

/** What a plan asks for beside its text, such as commands that it wants to run without asking. */
export const besidePlan = ({ plan, planFilePath, ...rest }: Input): [string, unknown][] =>
  Object.entries({
    ...rest,
    ...(typeof plan !== "string" && plan !== undefined && { plan }),
    ...(typeof planFilePath !== "string" && planFilePath !== undefined && { planFilePath }),
  });

/** A permission update as the page edits it: one line of text, and where it goes. */
export interface AllowSuggestion {
  readonly id: string;
  readonly kind: "rule" | "directory" | "mode";
  /** `Bash(npm test *)`, a folder, or a mode. */
  readonly text: string;
  readonly destination: Destination;
  readonly behavior: string;
}

/**
 * What the CLI offers; each for this session unless the person chooses more. Forms that we do not know are not offered.
 * For its own settings the CLI offers no rule, but it obeys one.
 */
export const suggestionsOf = (asked: Asked, cwd?: string): AllowSuggestion[] => {
  if (asked.suppress_always_allow_rule === true) return [];
  const offered = (asked.permission_suggestions ?? []).flatMap((update, at): AllowSuggestion[] => {
    const made = (kind: AllowSuggestion["kind"], text: string, behavior?: string): AllowSuggestion =>
      suggestion(`${at}/${text}`, kind, text, behavior);
    if (update.type === "addRules" && "rules" in update)
      return update.rules.map((rule) => made("rule", ruleText(rule), update.behavior));
    if (update.type === "addDirectories" && "directories" in update)
      return update.directories.map((directory) => made("directory", directory));
    if (update.type === "setMode" && "mode" in update) return [made("mode", update.mode)];
    return [];
  });
  const own = ownSettingsRule(asked, cwd);
  if (own === undefined || offered.some(({ kind }) => kind === "rule")) return offered;
  return [suggestion(`own/${own}`, "rule", own), ...offered];
};

/** In a settings file, the rule for the CLI's own settings does nothing (measured). */
export const isForSessionOnly = ({ id }: AllowSuggestion): boolean => id.startsWith("own/");

const suggestion = (id: string, kind: AllowSuggestion["kind"], text: string, behavior = "allow"): AllowSuggestion => ({
  id,
  kind,
  text,
  destination: "session",
  behavior,
});

/**
 * What "for this session" adds: every suggested rule, or a mode with its folders. With less, the CLI would ask again.
 * Otherwise the first suggestion.
 */
export const forSession = (suggestions: readonly AllowSuggestion[]): readonly AllowSuggestion[] => {
  const ofKind = (wanted: AllowSuggestion["kind"]): AllowSuggestion[] =>
    suggestions.filter(({ kind }) => kind === wanted);
  const [rules, modes] = [ofKind("rule"), ofKind("mode").slice(0, 1)];
  const chosen =
    rules.length > 0 ? rules : modes.length > 0 ? [...modes, ...ofKind("directory")] : suggestions.slice(0, 1);
  return chosen.map((each) => ({ ...each, destination: "session" }));
};

/** Back into the form of the wire. Undefined if the text is not a rule or not a folder. */
export const updateOf = (suggested: AllowSuggestion): PermissionUpdate | undefined => {
  const { destination } = suggested;
  switch (suggested.kind) {
    case "directory":
      if (suggested.text.trim() === "") return undefined;
      return { type: "addDirectories", directories: [suggested.text.trim()], destination };
    case "mode":
      return { type: "setMode", mode: suggested.text, destination };
    case "rule": {
      const parsed = parseRule(suggested.text);
      if (!parsed.ok) return undefined;
      return { type: "addRules", rules: [parsed.rule], behavior: suggested.behavior, destination };
    }
  }
};

/** An answer that allows with this update, for questions to the policy. */
export const allowWith = (update: PermissionUpdate): Given<"session/respond"> => ({
  answer: { kind: "allow", updatedPermissions: [update] },
});

const mustBeConfirmed = (suggested: AllowSuggestion): boolean => {
  const update = updateOf(suggested);
  return update !== undefined && needs("session/respond", allowWith(update)).confirm !== undefined;
};

/** What must be typed before rules are written to files beyond this session: the name of each of them. */
export const phraseFor = (chosen: readonly AllowSuggestion[]): string => {
  const names = chosen
    .filter(mustBeConfirmed)
    .map(({ kind, text, destination }) =>
      kind === "mode" && destination === "session" ? text : scopeWords(destination).file,
    );
  return [...new Set(names)].join(" ");
};

/**
 * The rule that lets the CLI change its own settings. The CLI accepts only the rule for the folder, in exactly these
 * words, and only for the session. No mode allows it.
 */
export const ownSettingsRule = (asked: Asked, cwd?: string): string | undefined => {
  const path = asked.input["file_path"];
  if (typeof path !== "string") return undefined;
  const plain = path.replaceAll("\\", "/");
  if (cwd !== undefined && plain.startsWith(`${cwd.replaceAll("\\", "/")}/.claude/`))
    return ruleText(OWN_SETTINGS.project);
  // The page does not know the home folder of the CLI.
  return /^(?:\/root|(?:[A-Za-z]:)?\/(?:home|Users)\/[^/]+)\/\.claude\//u.test(plain)
    ? ruleText(OWN_SETTINGS.home)
    : undefined;
};
