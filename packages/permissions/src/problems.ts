// What in the settings does not do what it seems to do.

import { PATH_TOOLS } from "./rule-problems.ts";
import { ruleText } from "./rule.ts";
import { readSettings } from "./settings.ts";
import { SCOPES } from "./scopes.ts";
import type { PlacedRule, Problem, Rule, SettingsSource } from "./types.ts";
import { factsOf, NEWEST_MEASURED } from "./versions.ts";

export interface ProblemOptions {
  readonly cliVersion?: string | undefined;
  readonly folderTrusted?: boolean | undefined;
}

export const problemsOf = (given: readonly SettingsSource[], options: ProblemOptions = {}): readonly Problem[] => {
  const settings = given.filter(({ scope }) => Object.hasOwn(SCOPES, scope));
  const facts = factsOf(options.cliVersion ?? NEWEST_MEASURED);
  const read = settings.map((source) => readSettings(source, facts));
  const rules = read.flatMap(({ rules: own }) => own);
  const found = read.flatMap(({ problems }) => problems);
  const managed = read.some(({ managedRulesOnly }) => managedRulesOnly);
  for (const rule of rules) {
    if (managed && rule.scope !== "policySettings") {
      found.push(
        about(rule, "not-in-effect", "Your organization allows only its own rules, so this rule is not in effect."),
      );
      continue;
    }
    const silent = silentProblem(rule);
    if (silent !== undefined) found.push(silent);
  }
  found.push(...shadowed(rules));
  for (const [index, { directories }] of read.entries()) {
    const source = settings[index]!;
    if (
      source.scope === "projectSettings" &&
      directories.length > 0 &&
      facts.directoriesNeedTrust &&
      options.folderTrusted !== true
    )
      found.push({
        kind: "not-in-effect",
        words: "additionalDirectories of shared project settings are in effect only in a trusted folder.",
        scope: source.scope,
        ...(source.path !== undefined && { path: source.path }),
      });
  }
  return found;
};

const about = (rule: PlacedRule, kind: Problem["kind"], words: string, instead?: string): Problem => ({
  kind,
  words,
  scope: rule.scope,
  rule: rule.text,
  behavior: rule.behavior,
  ...(rule.path !== undefined && { path: rule.path }),
  ...(rule.line !== undefined && { line: rule.line }),
  ...(instead !== undefined && { instead }),
});

/** Rules that the CLI takes and that match nothing. */
const silentProblem = (rule: PlacedRule): Problem | undefined => {
  const { toolName, ruleContent } = rule.rule;
  if (ruleContent === undefined || ruleContent === "*") return undefined;
  if (/^(?:Write|NotebookEdit|MultiEdit)$/u.test(toolName))
    return about(
      rule,
      "matches-nothing",
      `${toolName} with a path matches nothing, not even as deny. Edit with the path covers writing too.`,
      ruleText({ toolName: "Edit", ruleContent }),
    );
  if (/^(?:Glob|Grep|LS|NotebookRead)$/u.test(toolName))
    return about(
      rule,
      "matches-nothing",
      `${toolName} with a path matches nothing. Read with the path covers it.`,
      ruleText({ toolName: "Read", ruleContent }),
    );
  if (PATH_TOOLS.has(toolName)) return pathProblem(rule, ruleContent);
  if (toolName === "WebSearch")
    return about(rule, "matches-nothing", "A WebSearch rule with content matches nothing.", "WebSearch");
  return undefined;
};

const pathProblem = (rule: PlacedRule, content: string): Problem | undefined => {
  const { toolName } = rule.rule;
  if (/^\/(?:home|Users|etc|usr|var|tmp|opt|root|mnt|private|srv|work)(?:\/|$)/u.test(content))
    return about(
      rule,
      "single-slash",
      "One slash means the folder of the settings, so this absolute path matches nothing. Write two slashes.",
      ruleText({ toolName, ruleContent: `/${content}` }),
    );
  if (/^(?:\.|\.\/|\/\/|\/)$/u.test(content))
    return about(
      rule,
      "matches-nothing",
      "This path matches nothing. For the project, write ./** instead.",
      ruleText({ toolName, ruleContent: "./**" }),
    );
  if (/(?:^|\/)\.\.(?:\/|$)/u.test(content))
    return about(rule, "matches-nothing", "A path with .. matches nothing. Use ~/ or two slashes.");
  if (/\{[^}]*,[^}]*\}/u.test(content))
    return about(rule, "matches-nothing", "Braces are taken as they are written. Use one rule for each name.");
  return undefined;
};

const STRENGTH = { allow: 0, ask: 1, deny: 2 } as const;

/** Rules that another one makes useless: a stronger one that covers them, or the same one in a narrower scope. */
const shadowed = (rules: readonly PlacedRule[]): readonly Problem[] => {
  const strongest = new Map<string, PlacedRule>();
  const narrowest = new Map<string, PlacedRule>();
  for (const rule of rules) {
    for (const key of coverKeys(rule.rule)) {
      const known = strongest.get(key);
      if (known === undefined || STRENGTH[rule.behavior] > STRENGTH[known.behavior]) strongest.set(key, rule);
    }
    const same = narrowest.get(sameKey(rule));
    if (same === undefined || SCOPES[rule.scope].precedence > SCOPES[same.scope].precedence)
      narrowest.set(sameKey(rule), rule);
  }
  return rules.flatMap((rule): Problem[] => {
    const over = coveringKeys(rule.rule)
      .map((key) => strongest.get(key))
      .find((other) => other !== undefined && STRENGTH[other.behavior] > STRENGTH[rule.behavior]);
    if (over !== undefined)
      return [
        about(
          rule,
          "shadowed",
          `This rule has no effect: ${over.text} (${over.behavior}, ${SCOPES[over.scope].name}) is stronger.`,
        ),
      ];
    const same = narrowest.get(sameKey(rule))!;
    if (same.scope === rule.scope) return [];
    const line = same.line === undefined ? "" : `, line ${String(same.line)}`;
    return [about(rule, "shadowed", `The same rule stands in: ${SCOPES[same.scope].name}${line}.`)];
  });
};

const sameKey = ({ rule, behavior }: PlacedRule): string => `${behavior} ${ruleText(rule)}`;

/** The words before `:*` or ` *`, if no other star stands in them. */
const prefixIn = (content: string): string | undefined => {
  const prefix = content.endsWith(":*") || content.endsWith(" *") ? content.slice(0, -2) : undefined;
  return prefix === undefined || prefix === "" || /[*\\]/u.test(prefix) ? undefined : prefix;
};

/** Under which names a rule is found by those that it covers. */
const coverKeys = ({ toolName, ruleContent }: Rule): readonly string[] => {
  const text = ruleText({ toolName, ruleContent });
  if (toolName === "Bash" && ruleContent === "*") return [text, toolName];
  if (toolName.startsWith("mcp__") && toolName.endsWith("__*")) return [text, toolName.slice(0, -3)];
  const prefix = toolName === "Bash" && ruleContent !== undefined ? prefixIn(ruleContent) : undefined;
  return prefix === undefined ? [text] : [text, `Bash ${prefix}`];
};

/** The names under which a rule that covers this one is found. */
const coveringKeys = ({ toolName, ruleContent }: Rule): readonly string[] => {
  const server = /^mcp__.+?(?=__)/su.exec(toolName)?.[0];
  const keys = [ruleText({ toolName, ruleContent }), toolName, ...(server === undefined ? [] : [server])];
  if (toolName !== "Bash" || ruleContent === undefined) return keys;
  const words = (prefixIn(ruleContent) ?? (/[*\\]/u.test(ruleContent) ? "" : ruleContent)).split(" ", MOST_WORDS);
  return [...keys, ...words.map((_, at) => `Bash ${words.slice(0, at + 1).join(" ")}`)];
};
const MOST_WORDS = 20;
