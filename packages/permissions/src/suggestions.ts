// What a person can be offered for a call: once, this session, always. A rule is offered only if it would let the same call pass next time.

import { readLine } from "./cli-reading.ts";
import type { ReadCommand } from "./cli-reading.ts";
import { check } from "./check.ts";
import { applyUpdate, compiledOf } from "./context.ts";
import type { Context } from "./context.ts";
import { ownSettingsRule } from "./own-settings.ts";
import { absolute, folderOf, isInside, withoutTilde } from "./paths.ts";
import { riskOf } from "./risk.ts";
import { ruleText } from "./rule.ts";
import { partsOfUrl } from "./trusted-hosts.ts";
import type { CheckOptions, Rule, Suggestion, ToolCall, Update } from "./types.ts";
import { withoutWrappers } from "./wrappers.ts";

const ONCE: Suggestion = { choice: "once", label: "Allow once", updates: [], rules: [], also: [] };

interface Offer {
  readonly rules: readonly Rule[];
  readonly also: readonly string[];
  /** In a settings file, the rule would do nothing. */
  readonly forSession?: string;
}

export const suggestionsFor = (context: Context, call: ToolCall, options: CheckOptions = {}): readonly Suggestion[] => {
  const made: Suggestion[] = [ONCE];
  const offer = offersFor(context, call, options).find((each) => lets(context, call, options, each.rules));
  if (offer === undefined) return made;
  const risk = offer.rules.map(riskOf).find((each) => each !== undefined);
  const suggest = (
    choice: "session" | "always",
    label: string,
    destination: "session" | "localSettings",
  ): Suggestion => ({
    choice,
    label,
    updates: [{ type: "addRules", rules: offer.rules, behavior: "allow", destination }],
    rules: offer.rules.map(ruleText),
    also: offer.also,
    ...(risk !== undefined && { risk }),
  });
  made.push(suggest("session", offer.forSession ?? "Allow for this session", "session"));
  if (offer.forSession === undefined) made.push(suggest("always", "Always allow", "localSettings"));
  return made;
};

const lets = (context: Context, call: ToolCall, options: CheckOptions, rules: readonly Rule[]): boolean => {
  if (rules.length === 0) return false;
  const update: Update = { type: "addRules", rules, behavior: "allow", destination: "session" };
  return check(applyUpdate(context, update), call, options).behavior === "allow";
};

/** Narrow ones first. */
const offersFor = (context: Context, { tool, input }: ToolCall, options: CheckOptions): readonly Offer[] => {
  switch (tool) {
    case "Bash":
      return bashOffers(context, typeof input.command === "string" ? input.command : "", options);
    case "Read":
    case "Glob":
    case "Grep":
    case "LS":
      return [pathOffer(context, "Read", textOf(input, tool === "Read" ? "file_path" : "path") ?? ".")];
    case "Write":
    case "Edit":
    case "MultiEdit":
    case "NotebookEdit":
      return editOffers(context, textOf(input, tool === "NotebookEdit" ? "notebook_path" : "file_path") ?? ".");
    case "WebFetch": {
      const host = partsOfUrl(textOf(input, "url") ?? "")?.host;
      if (host === undefined) return [];
      return [{ rules: [{ toolName: tool, ruleContent: `domain:${host}` }], also: [`Every page of ${host}.`] }];
    }
    case "Skill": {
      const name = textOf(input, "skill");
      return name === undefined
        ? []
        : [{ rules: [{ toolName: tool, ruleContent: name }], also: [`The skill ${name} with other words.`] }];
    }
    case "AskUserQuestion":
    case "ExitPlanMode":
      return [];
    default:
      return [{ rules: [{ toolName: tool }], also: [`Every use of ${tool}.`] }];
  }
};

const textOf = (input: ToolCall["input"], field: string): string | undefined => {
  const value = input[field];
  return typeof value === "string" && value !== "" ? value : undefined;
};

const editOffers = (context: Context, path: string): readonly Offer[] => {
  const { folders } = compiledOf(context);
  const own = ownSettingsRule(absolute(folders.cwd, withoutTilde(path, folders.home)), folders);
  const file = pathOffer(context, "Edit", path);
  if (own === undefined) return [file];
  const forSession = "Allow Claude to edit its own settings for this session";
  return [file, { rules: [own], also: ["Changes of settings, hooks and commands in the same folder."], forSession }];
};

/** The narrowest rule for a file: its folder inside the project, or the file itself outside. */
const pathOffer = (context: Context, toolName: "Read" | "Edit", path: string): Offer => {
  const { folders } = compiledOf(context);
  const at = absolute(folders.cwd, withoutTilde(path, folders.home));
  const folder = path === "." || path.endsWith("/") ? at : folderOf(at);
  if (toolName === "Edit") {
    const own = isInside(at, folders.cwd) ? `/${at.slice(folders.cwd.length + 1)}` : `/${at}`;
    return {
      rules: [{ toolName, ruleContent: own }],
      also: [`Every change of ${path}, by Edit, Write and NotebookEdit.`],
    };
  }
  const content =
    isInside(folder, folders.home) && folder !== folders.home
      ? `~${folder.slice(folders.home.length)}/**`
      : `/${folder}/**`;
  return { rules: [{ toolName, ruleContent: content }], also: [`Reading everything below ${folder}.`] };
};

/** Programs for which a prefix would allow everything. */
const NEVER_PREFIX =
  /^(?:sh|bash|zsh|fish|csh|tcsh|ksh|dash|cmd|powershell|pwsh|env|xargs|command|builtin|noglob|nice|stdbuf|nohup|timeout|time|watch|ionice|chrt|setsid|taskset|strace|ltrace|script|flock|unshare|nsenter|sudo|doas|pkexec|su|runuser|eval|exec|source|python\d*|node|perl|ruby|php|rm|rmdir|dd|curl|wget|find|ssh)$/u;

const bashOffers = (context: Context, command: string, options: CheckOptions): readonly Offer[] => {
  const { folders, facts } = compiledOf(context);
  const text = command.trim();
  if (text === "") return [];
  const exact: Offer = { rules: [{ toolName: "Bash", ruleContent: text }], also: [] };
  const line = readLine(command, folders, facts);
  if (line.kind === "complex") return [exact];
  const open = line.reading.commands.filter(
    (each) => check(context, { tool: "Bash", input: { command: each.text } }, options).behavior !== "allow",
  );
  if (open.length === 0) return [exact];
  const prefixes = open.map((each) => prefixOf(each, withoutWrappers(each.text, facts)));
  const exacts = open.map((each): Rule => ({ toolName: "Bash", ruleContent: withoutWrappers(each.text, facts) }));
  const offers: Offer[] = [];
  if (prefixes.every((each) => each !== undefined)) {
    const unique = [...new Set(prefixes)];
    offers.push({
      rules: unique.map((prefix) => ({ toolName: "Bash", ruleContent: `${prefix}:*` })),
      also: unique.map((prefix) => `Every command that begins with “${prefix}”.`),
    });
  }
  offers.push({
    rules: exacts.filter((rule, at) => exacts.findIndex((each) => each.ruleContent === rule.ruleContent) === at),
    also: [],
  });
  return offers;
};

/** Program and subcommand, such as `npm run`. Undefined: only an exact rule is narrow enough. */
const prefixOf = ({ argv }: ReadCommand, text: string): string | undefined => {
  const words = text.split(/\s+/u);
  const name = words[0]!;
  if (NEVER_PREFIX.test(name.slice(name.lastIndexOf("/") + 1)) || argv.length < 2) return undefined;
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/u.test(words[1] ?? "") || !/^[\w./-]+$/u.test(name)) return undefined;
  const prefix = `${name} ${words[1]!}`;
  return riskOf({ toolName: "Bash", ruleContent: `${prefix}:*` })?.level === "high" ? undefined : prefix;
};
