// The texts under which a command is looked up in rules. Deny and ask rules reach further than allow rules.

import type { BashRules } from "./bash-rules.ts";
import type { ReadCommand } from "./cli-reading.ts";
import { baseName } from "./paths.ts";
import type { PlacedRule } from "./types.ts";
import type { VersionFacts } from "./versions.ts";
import { innermost, withoutWrappers } from "./wrappers.ts";

/** The words after quotes, which is what the oldest versions compare. */
const joined = ({ assignments, argv }: ReadCommand): string =>
  [...assignments.map(({ name, value }) => `${name}=${value}`), ...argv].join(" ");

/** For allow rules. The first two are for prefixes and exact rules, the others for exact rules only. */
export const candidatesOf = (command: ReadCommand, facts: VersionFacts): readonly string[] => [
  command.text,
  withoutWrappers(command.text, facts),
  facts.shellGrammar ? command.textWithRedirects : joined(command),
];

const ANY_ASSIGNMENT =
  /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=(?:'[^'\n\r]*'|"(?:\\.|[^"$`\\\n\r])*"|\\.|[^ \t\n\r$`;|&()<>\\'"])*[ \t]+/u;

const withoutAssignments = (text: string): string => {
  let rest = text;
  for (let match = ANY_ASSIGNMENT.exec(rest); match !== null; match = ANY_ASSIGNMENT.exec(rest))
    rest = rest.slice(match[0].length);
  return rest.trim();
};

/** The first deny or ask rule that reaches the command, through whatever the CLI sees through. */
export const matchWide = (rules: BashRules, command: ReadCommand, facts: VersionFacts): PlacedRule | undefined => {
  if (rules.isEmpty) return undefined;
  let found: { readonly rule: PlacedRule; readonly order: number } | undefined;
  for (const text of wideTexts(command, facts)) {
    for (const each of [rules.exact(text), rules.prefix(text)])
      if (each !== undefined && (found === undefined || each.order < found.order)) found = each;
  }
  return found?.rule;
};

const known = new WeakMap<ReadCommand, ReadonlySet<string>>();

/** Made once for a command: deny and ask rules need the same. */
const wideTexts = (command: ReadCommand, facts: VersionFacts): ReadonlySet<string> => {
  const made = known.get(command);
  if (made !== undefined) return made;
  const texts = new Set([command.text, command.textWithRedirects]);
  // Most commands have no quotes, assignments or wrappers: then there is nothing more to look for.
  if (
    facts.wideDeny &&
    /^[\w. -]*$/u.test(command.text) &&
    innermost(command.argv) === command.argv &&
    !command.text.includes("  ")
  ) {
    known.set(command, texts);
    return texts;
  }
  texts.add(withoutWrappers(command.text, facts));
  if (!facts.shellGrammar) texts.add(joined(command));
  if (facts.wideDeny) {
    const inner = innermost(command.argv);
    if (inner.length > 0) {
      if (facts.denyByWords || inner[0] !== command.argv[0]) texts.add(inner.join(" "));
      if (facts.denyByWords) {
        texts.add([baseName(inner[0]!), ...inner.slice(1)].join(" "));
        texts.add(command.argv.join(" "));
      }
    }
    // Each round takes one layer off; assignments and wrappers may alternate.
    for (const text of texts) {
      if (texts.size > 40) break;
      texts.add(withoutAssignments(text));
      texts.add(withoutWrappers(text, facts));
    }
  }
  known.set(command, texts);
  return texts;
};
