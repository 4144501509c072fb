// The texts under which a command is looked up in rules. Deny and ask rules reach further than allow rules.

import type { BashRules, Found } from "./bash-rules.ts";
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
  if (!text.includes("=")) return text.trim();
  let rest = text;
  for (let match = ANY_ASSIGNMENT.exec(rest); match !== null; match = ANY_ASSIGNMENT.exec(rest))
    rest = rest.slice(match[0].length);
  return rest.trim();
};

/** The first deny or ask rule among `rules` that one of the texts meets. */
export const matchWide = (rules: BashRules, texts: readonly string[]): PlacedRule | undefined => {
  if (rules.isEmpty) return undefined;
  let found: Found | undefined;
  for (const text of texts) {
    const other = rules.first(text);
    if (other !== undefined && (found === undefined || other.order < found.order)) found = other;
  }
  return found?.rule;
};

/** More layers than this are not taken off. */
const MOST_TEXTS = 40;

/** The texts under which deny and ask rules find a command, through whatever the CLI sees through. */
export const wideTexts = (command: ReadCommand, facts: VersionFacts): readonly string[] => {
  const texts = [command.text];
  const add = (text: string): void => {
    if (!texts.includes(text)) texts.push(text);
  };
  add(command.textWithRedirects);
  // Most commands have no quotes, assignments or wrappers: then there is nothing more to look for.
  if (
    facts.wideDeny &&
    !command.text.includes("  ") &&
    innermost(command.argv) === command.argv &&
    /^[\w. -]*$/u.test(command.text)
  )
    return texts;
  add(withoutWrappers(command.text, facts));
  if (!facts.shellGrammar) add(joined(command));
  if (!facts.wideDeny) return texts;
  const inner = innermost(command.argv);
  if (inner.length > 0) {
    if (facts.denyByWords || inner[0] !== command.argv[0]) add(inner.join(" "));
    if (facts.denyByWords) {
      const name = baseName(inner[0]!);
      if (name !== inner[0]) add([name, ...inner.slice(1)].join(" "));
      if (inner !== command.argv) add(command.argv.join(" "));
    }
  }
  // Each round takes one layer off; assignments and wrappers may alternate.
  for (let at = 0; at < texts.length && texts.length <= MOST_TEXTS; at++) {
    add(withoutAssignments(texts[at]!));
    add(withoutWrappers(texts[at]!, facts));
  }
  return texts;
};
