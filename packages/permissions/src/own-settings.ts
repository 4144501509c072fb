// Claude's own settings: the folder `.claude` of the project and of the user. The CLI asks before a file tool changes them, in spite
// of modes and rules. Measured on all three versions: only a rule of the session lifts it, in exactly these words. The same rule in
// a file or on the command line does nothing, and no rule lifts it for commands of the shell.

import { isInside } from "./paths.ts";
import type { PlacedRule, Rule } from "./types.ts";

/** The two rules that lift it. */
export const OWN_SETTINGS = {
  project: { toolName: "Edit", ruleContent: "/.claude/**" },
  home: { toolName: "Edit", ruleContent: "~/.claude/**" },
} as const satisfies Readonly<Record<string, Rule>>;

interface Roots {
  readonly cwd: string;
  readonly home: string;
}

/** The rule that allows changes of this file for the session. Undefined: it is not one of these settings. */
export const ownSettingsRule = (path: string, { cwd, home }: Roots): Rule | undefined =>
  isBelow(path, cwd) ? OWN_SETTINGS.project : isBelow(path, home) ? OWN_SETTINGS.home : undefined;

const isBelow = (path: string, folder: string): boolean => isInside(path, `${folder}/.claude`);

/** The rules of the session that lift it. */
export const liftingRules = (rules: readonly PlacedRule[]): readonly PlacedRule[] =>
  rules.filter(
    ({ rule: { toolName, ruleContent }, scope, behavior }) =>
      scope === "session" &&
      behavior === "allow" &&
      Object.values(OWN_SETTINGS).some((own) => toolName === own.toolName && ruleContent === own.ruleContent),
  );

/** The rule that allows it under all its names. */
export const liftingRule = (
  spellings: readonly string[],
  rules: readonly PlacedRule[],
  roots: Roots,
): PlacedRule | undefined => {
  if (rules.length === 0) return undefined;
  const found = spellings.map((path) => {
    const wanted = ownSettingsRule(path, roots)?.ruleContent;
    return rules.find(({ rule }) => rule.ruleContent === wanted);
  });
  return found.includes(undefined) ? undefined : found[0];
};
