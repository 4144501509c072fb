// Problems in the settings: rules that do not do what they seem to do.

import { asksNobody, MODES, modeOf } from "./modes.ts";
import { PATH_TOOLS } from "./rule-problems.ts";
import { ruleText } from "./rule.ts";
import { rulesOfSettings } from "./settings-text.ts";
import { readSettings } from "./settings.ts";
import { SCOPES } from "./scopes.ts";
import { shadowsIn } from "./shadows.ts";
import type { Mode, PlacedRule, Problem, SettingsSource } from "./types.ts";
import { factsOf, NEWEST_MEASURED } from "./versions.ts";

export interface ProblemOptions {
  readonly cliVersion?: string | undefined;
  readonly folderTrusted?: boolean | undefined;
  /** Folder of the session and home of its user, both absolute. Without them, paths below different roots are not compared. */
  readonly cwd?: string | undefined;
  readonly home?: string | undefined;
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
  const inEffect = managed ? rules.filter(({ scope }) => scope === "policySettings") : rules;
  for (const { rule, words } of shadowsIn(inEffect, facts, options)) found.push(about(rule, "shadowed", words));
  for (const [index, { directories, defaultMode }] of read.entries()) {
    const source = settings[index]!;
    const mode = modeOf(defaultMode);
    if (mode !== undefined && asksNobody(mode)) found.push(riskyMode(source, mode));
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

/** Quarterdeck gives such a mode only to a session for which an admin chose it. */
const riskyMode = ({ scope, path, text }: SettingsSource, mode: Mode): Problem => {
  const written = text === undefined ? undefined : rulesOfSettings(text);
  return {
    kind: "risky-mode",
    words: `Risky: the default mode “${MODES[mode].name}” asks nobody. Quarterdeck starts sessions without it.`,
    scope,
    ...(path !== undefined && { path }),
    ...(written?.ok === true && written.modeLine !== undefined && { line: written.modeLine }),
  };
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

/** Rules that the CLI accepts but that match nothing. */
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
