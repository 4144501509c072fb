// Claude's own settings: the folder `.claude` of the project and of the user. The CLI asks before a file tool changes them, in spite
// of modes and rules. Measured on all three versions: only a rule of the session lifts it, in exactly these words. The same rule in
// a file or on the command line does nothing, and no rule lifts it for commands of the shell.

import { isInside } from "./paths.ts";
import type { PlacedRule, Rule } from "./types.ts";

const PROJECT = "/.claude/**";
const HOME = "~/.claude/**";

interface Roots {
  readonly cwd: string;
  readonly home: string;
}

/** The rule that allows changes of this file for the session. Undefined: it is not one of these settings. */
export const ownSettingsRule = (path: string, { cwd, home }: Roots): Rule | undefined => {
  const content = isBelow(path, cwd) ? PROJECT : isBelow(path, home) ? HOME : undefined;
  return content === undefined ? undefined : { toolName: "Edit", ruleContent: content };
};

const isBelow = (path: string, folder: string): boolean => isInside(path, `${folder}/.claude`);

/** The rules of the session that lift it. */
export const liftingRules = (rules: readonly PlacedRule[]): readonly PlacedRule[] =>
  rules.filter(
    ({ rule: { toolName, ruleContent }, scope, behavior }) =>
      scope === "session" &&
      behavior === "allow" &&
      toolName === "Edit" &&
      (ruleContent === PROJECT || ruleContent === HOME),
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
