// A permission request in words and parts: who asks, why, what about, and the rule that would stop the asking. Pure.

import type { OpenRequest, ParamsOf } from "@quarterdeck/client";
import { mcpDisplayName, splitMcpName } from "@quarterdeck/client/content";

export type Asked = Extract<OpenRequest["request"], { subtype: "can_use_tool" }>;
type Allowed = Extract<ParamsOf<"session/respond">["answer"], { kind: "allow" }>;
export type PermissionUpdate = NonNullable<Allowed["updatedPermissions"]>[number];
export type Input = Readonly<Record<string, unknown>>;

export const isPermission = (open: OpenRequest): open is OpenRequest & { readonly request: Asked } =>
  open.request.subtype === "can_use_tool";

/** "github › Search Repositories" for `mcp__github__search_repositories`; the wire's name otherwise. */
export const toolTitle = (asked: Asked): { readonly tool: string; readonly server?: string } => {
  const parts = splitMcpName(asked.tool_name);
  if (parts === undefined) return { tool: asked.tool_name };
  return { tool: mcpDisplayName(asked.tool_name).split(" > ").at(-1) ?? parts.tool, server: parts.server };
};

// oxlint-disable-next-line no-control-regex -- colours of a terminal begin with one
const stripAnsi = (text: string): string => text.replaceAll(/\u001b\[[0-9;?]*[ -/]*[@-~]/gu, "");

/** Why it is asked at all, as far as the CLI says it. */
export const reasonsOf = (asked: Asked): string[] => {
  const reasons: string[] = [];
  if (asked.decision_reason !== undefined) reasons.push(stripAnsi(asked.decision_reason));
  const rule = asked.matched_ask_rule;
  if (rule !== undefined) {
    const text =
      rule.rule_content === undefined ? rule.tool_name : `${rule.tool_name ?? asked.tool_name}(${rule.rule_content})`;
    reasons.push(
      `asked by the rule ${text ?? ""}${rule.source === undefined ? "" : ` in ${destinationWords(rule.source).file}`}`,
    );
  }
  return reasons.filter((reason) => reason.trim() !== "");
};

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

export interface DestinationWords {
  readonly name: string;
  readonly file: string;
  readonly about: string;
  /** Changes a file that others read, or that outlives the session: an admin types a confirmation. */
  readonly guarded: boolean;
}

export const DESTINATIONS = ["session", "localSettings", "projectSettings", "userSettings"] as const;
export type Destination = (typeof DESTINATIONS)[number];

export const destinationWords = (destination: string): DestinationWords =>
  DESTINATION_WORDS[destination] ?? { name: destination, file: destination, about: "", guarded: true };
const DESTINATION_WORDS: Readonly<Record<string, DestinationWords>> = {
  session: {
    name: "this session",
    file: "this session only",
    about: "forgotten when it ends; no file changes",
    guarded: false,
  },
  localSettings: {
    name: "you, in this project",
    file: ".claude/settings.local.json",
    about: "yours, not checked in",
    guarded: false,
  },
  projectSettings: {
    name: "everyone in this project",
    file: ".claude/settings.json",
    about: "shared with the repository",
    guarded: true,
  },
  userSettings: {
    name: "you, everywhere",
    file: "~/.claude/settings.json",
    about: "every project of yours",
    guarded: true,
  },
};

/** A permission update as the page edits it: one line of text, and where it goes. */
export interface Suggestion {
  readonly id: string;
  readonly kind: "rule" | "directory" | "mode";
  /** `Bash(npm test *)`, a folder, or a mode. */
  readonly text: string;
  readonly destination: Destination;
  readonly behavior: string;
}

export const ruleText = (rule: { readonly toolName: string; readonly ruleContent?: string | undefined }): string =>
  rule.ruleContent === undefined ? rule.toolName : `${rule.toolName}(${rule.ruleContent})`;

/** Undefined where the text is no rule. */
export const parseRule = (text: string): { readonly toolName: string; readonly ruleContent?: string } | undefined => {
  const match = /^([A-Za-z_][\w*-]*)(?:\((.*)\))?$/su.exec(text.trim());
  if (match === null || match[2] === "") return undefined;
  return match[2] === undefined ? { toolName: match[1]! } : { toolName: match[1]!, ruleContent: match[2] };
};

/**
 * What the CLI offers; each for this session unless the person chooses more. Forms that we do not know are not offered.
 * For its own settings it offers no rule, though there is one that it obeys.
 */
export const suggestionsOf = (asked: Asked, cwd?: string): Suggestion[] => {
  if (asked.suppress_always_allow_rule === true) return [];
  const offered = (asked.permission_suggestions ?? []).flatMap((update, at): Suggestion[] => {
    const made = (kind: Suggestion["kind"], text: string, behavior?: string): Suggestion =>
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

const suggestion = (id: string, kind: Suggestion["kind"], text: string, behavior = "allow"): Suggestion => ({
  id,
  kind,
  text,
  destination: "session",
  behavior,
});

/**
 * What "for this session" adds: every rule of what is asked, or a mode with the folders that it shall hold in; with less it would
 * be asked for again. Else the first suggestion.
 */
export const forSession = (suggestions: readonly Suggestion[]): readonly Suggestion[] => {
  const ofKind = (wanted: Suggestion["kind"]): Suggestion[] => suggestions.filter(({ kind }) => kind === wanted);
  const [rules, modes] = [ofKind("rule"), ofKind("mode").slice(0, 1)];
  const chosen =
    rules.length > 0 ? rules : modes.length > 0 ? [...modes, ...ofKind("directory")] : suggestions.slice(0, 1);
  return chosen.map((each) => ({ ...each, destination: "session" }));
};

/** Back into what the wire wants; undefined where the text is no rule, or no folder. */
export const updateOf = (suggested: Suggestion): PermissionUpdate | undefined => {
  const { destination } = suggested;
  switch (suggested.kind) {
    case "directory":
      if (suggested.text.trim() === "") return undefined;
      return { type: "addDirectories", directories: [suggested.text.trim()], destination };
    case "mode":
      return { type: "setMode", mode: suggested.text, destination };
    case "rule": {
      const rule = parseRule(suggested.text);
      if (rule === undefined) return undefined;
      return { type: "addRules", rules: [rule], behavior: suggested.behavior, destination };
    }
  }
};

/** What must be typed before rules are written to files beyond this session: the name of each of them. */
export const phraseFor = (chosen: readonly Suggestion[]): string => {
  const words = chosen.map(({ destination }) => destinationWords(destination)).filter(({ guarded }) => guarded);
  return [...new Set(words.map(({ file }) => file))].join(" ");
};

/**
 * The rule that lets the CLI change its own settings. The CLI accepts only the rule for the folder, in exactly these
 * words. No mode allows it.
 */
export const ownSettingsRule = (asked: Asked, cwd?: string): string | undefined => {
  const path = asked.input["file_path"];
  if (typeof path !== "string") return undefined;
  const plain = path.replaceAll("\\", "/");
  if (cwd !== undefined && plain.startsWith(`${cwd.replaceAll("\\", "/")}/.claude/`)) return "Edit(/.claude/**)";
  return /^(?:\/root|(?:[A-Za-z]:)?\/(?:home|Users)\/[^/]+)\/\.claude\//u.test(plain)
    ? "Edit(~/.claude/**)"
    : undefined;
};
