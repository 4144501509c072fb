// Rules that can never decide: a stronger rule covers them, or the same rule stands in a narrower scope.

import { domainCovers, keysOver, pathCovers, rootedPattern } from "./covers.ts";
import type { RootedPattern } from "./covers.ts";
import { absolute } from "./paths.ts";
import { ruleText } from "./rule.ts";
import { SCOPES } from "./scopes.ts";
import { serverOf } from "./tool-rules.ts";
import type { PlacedRule, Rule, Scope } from "./types.ts";
import type { VersionFacts } from "./versions.ts";

export interface Shadow {
  readonly rule: PlacedRule;
  readonly words: string;
}
export interface ShadowOptions {
  readonly folderTrusted?: boolean | undefined;
  readonly cwd?: string | undefined;
  readonly home?: string | undefined;
}

const STRENGTH = { allow: 0, ask: 1, deny: 2 } as const;
const isStronger = (one: PlacedRule, other: PlacedRule): boolean => STRENGTH[one.behavior] > STRENGTH[other.behavior];

type FindOver = (rule: PlacedRule) => PlacedRule | undefined;

/** `rules` are all in effect. */
export const shadowsIn = (
  rules: readonly PlacedRule[],
  facts: VersionFacts,
  { cwd, home, folderTrusted }: ShadowOptions,
): readonly Shadow[] => {
  const options: ShadowOptions = {
    folderTrusted,
    ...(cwd !== undefined && { cwd: absolute("/", cwd) }),
    ...(home !== undefined && { home: absolute("/", home) }),
  };
  const [paths, others] = [rules.filter(isPathRule), rules.filter((rule) => !isPathRule(rule))];
  const overName = nameCover(others, facts);
  const overPath = pathCover(paths, facts, options);
  const overDomain = domainCover(rules, facts);
  const same = sameElsewhere(rules, facts, options);
  return rules.flatMap((rule): Shadow[] => {
    const over = isPathRule(rule) ? overPath(rule) : (overName(rule) ?? overDomain(rule));
    if (over !== undefined)
      return [
        {
          rule,
          words: `This rule has no effect: ${over.text} (${over.behavior}, ${SCOPES[over.scope].name}) is stronger.`,
        },
      ];
    const twin = same(rule);
    if (twin === undefined) return [];
    const line = twin.line === undefined ? "" : `, line ${String(twin.line)}`;
    return [{ rule, words: `The same rule stands in: ${SCOPES[twin.scope].name}${line}.` }];
  });
};

/** The same rule in a narrower scope. */
const sameElsewhere = (rules: readonly PlacedRule[], facts: VersionFacts, options: ShadowOptions): FindOver => {
  const needsTrust = facts.projectAllowNeedsTrust && options.folderTrusted !== true;
  const keyOf = ({ rule, behavior, scope }: PlacedRule): string => {
    // One slash is another folder in each of these scopes.
    const root = rule.ruleContent?.startsWith("/") === true ? oneSlashRoot(scope, options) : "";
    return `${behavior} ${root} ${ruleText(rule)}`;
  };
  const narrowest = new Map<string, PlacedRule>();
  for (const rule of rules) {
    if (needsTrust && rule.scope === "projectSettings" && rule.behavior === "allow") continue;
    const known = narrowest.get(keyOf(rule));
    if (known === undefined || SCOPES[rule.scope].precedence > SCOPES[known.scope].precedence)
      narrowest.set(keyOf(rule), rule);
  }
  return (rule) => {
    const found = narrowest.get(keyOf(rule));
    return found !== undefined && SCOPES[found.scope].precedence > SCOPES[rule.scope].precedence ? found : undefined;
  };
};

/** Rules about a path. `Read(*)` is about the whole tool. */
const isPathRule = ({ rule: { toolName, ruleContent } }: PlacedRule): boolean =>
  (toolName === "Read" || toolName === "Edit") && ruleContent !== undefined && ruleContent !== "*";

/** Tools, MCP servers and commands. */
const nameCover = (rules: readonly PlacedRule[], facts: VersionFacts): FindOver => {
  const strongest = new Map<string, PlacedRule>();
  for (const rule of rules)
    for (const key of coverKeys(rule.rule, facts)) {
      const known = strongest.get(key);
      if (known === undefined || isStronger(rule, known)) strongest.set(key, rule);
    }
  return (rule) =>
    coveringKeys(rule.rule)
      .map((key) => strongest.get(key))
      .find((other) => other !== undefined && isStronger(other, rule));
};

/** The words before `:*` or ` *`, if no other star stands in them. */
const prefixIn = (content: string): string | undefined => {
  const prefix = content.endsWith(":*") || content.endsWith(" *") ? content.slice(0, -2) : undefined;
  return prefix === undefined || prefix === "" || /[*\\]/u.test(prefix) ? undefined : prefix;
};

/** Under which names a rule is found by those that it covers. */
const coverKeys = ({ toolName, ruleContent }: Rule, { starMatchesBare }: VersionFacts): readonly string[] => {
  const text = ruleText({ toolName, ruleContent });
  if (toolName === "Bash" && ruleContent === "*") return [text, toolName];
  if (toolName.startsWith("mcp__") && toolName.endsWith("__*")) return [text, toolName.slice(0, -3)];
  const prefix = toolName === "Bash" && ruleContent !== undefined ? prefixIn(ruleContent) : undefined;
  if (prefix === undefined) return [text];
  const needsMore = ruleContent?.endsWith(" *") === true && !starMatchesBare;
  return [text, needsMore ? `Bash ${prefix} and more` : `Bash ${prefix}`];
};

/** The names under which a rule that covers this one is found. */
const coveringKeys = ({ toolName, ruleContent }: Rule): readonly string[] => {
  const server = serverOf(toolName);
  const keys = [ruleText({ toolName, ruleContent }), toolName, ...(server === undefined ? [] : [server])];
  if (toolName !== "Bash" || ruleContent === undefined) return keys;
  const words = (prefixIn(ruleContent) ?? (/[*\\]/u.test(ruleContent) ? "" : ruleContent)).split(" ", MOST_WORDS);
  const starts = words.map((_, at) => `Bash ${words.slice(0, at + 1).join(" ")}`);
  return [...keys, ...starts, ...starts.slice(0, -1).map((start) => `${start} and more`)];
};
const MOST_WORDS = 20;

/** With very many rules of one form, only the first ones are compared. */
const MOST_COMPARED = 200;

const push = <K, V>(map: Map<K, V[]>, key: K, value: V): void => {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else if (list.length < MOST_COMPARED) list.push(value);
};

const domainIn = ({ rule: { toolName, ruleContent } }: PlacedRule): string | undefined =>
  toolName === "WebFetch" && ruleContent?.startsWith("domain:") === true
    ? ruleContent.slice("domain:".length)
    : undefined;

const domainCover = (rules: readonly PlacedRule[], facts: VersionFacts): FindOver => {
  // Without stars, only the same text covers a domain.
  const wide = facts.domainStars
    ? rules.filter((rule) => rule.behavior !== "allow" && domainIn(rule)?.includes("*") === true)
    : [];
  const compared = wide.slice(0, MOST_COMPARED);
  return (rule) => {
    const domain = domainIn(rule);
    if (domain === undefined) return undefined;
    return compared.find((other) => isStronger(other, rule) && domainCovers(domainIn(other)!, domain));
  };
};

const HOME = "home";
const CWD = "cwd";
const ADDED = "added folders";

/** The folder of patterns with one leading slash, if it is known by its path. */
const oneSlashRoot = (scope: Scope, { cwd = CWD, home }: ShadowOptions): string =>
  scope === "userSettings"
    ? home === undefined
      ? "home/.claude"
      : `${home}/.claude`
    : scope === "policySettings"
      ? "/"
      : cwd;

interface PathEntry {
  readonly rule: PlacedRule;
  readonly patterns: readonly RootedPattern[];
  /** Whether all that it matches lies in the session's folder. */
  readonly isInside: boolean;
}

const pathEntry = (rule: PlacedRule, facts: VersionFacts, options: ShadowOptions): PathEntry => {
  const written = rule.rule.ruleContent ?? "";
  const content = facts.exactLetters ? written : written.normalize("NFC");
  const cwd = options.cwd ?? CWD;
  const isWide = rule.behavior !== "allow" && facts.readDenyStopsWrite;
  const [text, roots] = content.startsWith("//")
    ? [content.slice(1), ["/"]]
    : content.startsWith("~/")
      ? [content.slice(1), [options.home ?? HOME]]
      : content.startsWith("/")
        ? [content, [oneSlashRoot(rule.scope, options)]]
        : [content, isWide ? [cwd, ADDED] : [cwd]];
  const patterns = roots.map((root) => rootedPattern(root, text)).filter((pattern) => pattern !== undefined);
  return { rule, patterns, isInside: roots.every((root) => root === cwd) };
};

/**
 * Which deny rules make a path rule useless. An ask rule never does: file commands of the shell do not look at it.
 * An allow of `Edit` allows reading too, so a deny of `Edit` leaves it something outside the session's folder.
 */
const pathCover = (rules: readonly PlacedRule[], facts: VersionFacts, options: ShadowOptions): FindOver => {
  const denials = { Read: new Map<string | undefined, Denial[]>(), Edit: new Map<string | undefined, Denial[]>() };
  for (const rule of rules) {
    if (rule.behavior !== "deny") continue;
    const tool = rule.rule.toolName === "Read" ? "Read" : "Edit";
    for (const pattern of pathEntry(rule, facts, options).patterns) push(denials[tool], pattern.key, { rule, pattern });
  }
  const overBy = (tool: "Read" | "Edit", { patterns }: PathEntry): PlacedRule | undefined => {
    const found = patterns.map((pattern) => {
      for (const key of keysOver(pattern)) {
        const over = denials[tool].get(key)?.find((denial) => pathCovers(denial.pattern, pattern));
        if (over !== undefined) return over.rule;
      }
      return undefined;
    });
    return found.includes(undefined) ? undefined : found[0];
  };
  return (rule) => {
    if (rule.behavior === "deny") return undefined;
    const entry = pathEntry(rule, facts, options);
    if (entry.patterns.length === 0) return undefined;
    const hidden = overBy("Read", entry);
    if (rule.rule.toolName === "Read") return hidden;
    const over = overBy("Edit", entry);
    if (rule.behavior === "ask") return over ?? (facts.readDenyStopsWrite ? hidden : undefined);
    const isReadAnyway = entry.isInside && facts.allowFollowsLinks;
    return isReadAnyway || hidden !== undefined ? over : undefined;
  };
};
interface Denial {
  readonly rule: PlacedRule;
  readonly pattern: RootedPattern;
}
