// Text that bash runs although it is quoted. Builtins and arithmetic evaluate the index of an array, `${x@P}` expands a
// value again, and some builtins take a command as an option. The parser sees only text there, so such a line is not
// understood.

import { forEachChild } from "unbash";
import type { ParsedScript, SyntaxNode } from "unbash";

/** Builtins that evaluate names of variables, and so the index in `a[$(x)]`. Arithmetic and tests do so too. */
const EVALUATES =
  /(?:^|[\s;&|({`])(?:let|read|declare|typeset|local|export|readonly|unset|mapfile|readarray|printf|test|getopts|wait|\[)\s|\[\[|\(\(|\$\[/u;
const DEEPEST = 200;

/** Why the line may start a program that no word of it shows, or undefined. */
export const hiddenEvaluationIn = (script: ParsedScript | undefined, source: string): string | undefined => {
  const plain = source.replaceAll(/['"\\]/gu, "");
  if (/@P\}/u.test(plain)) return "A value is expanded a second time.";
  if (!EVALUATES.test(plain)) return undefined;
  const written = (plain.match(/\$\((?!\()/gu)?.length ?? 0) + Math.ceil((plain.match(/`/gu)?.length ?? 0) / 2);
  // A substitution that the parser did not see stands in quotes, where one of these may evaluate it.
  return written > expansionsIn(script) ? "A substitution in quotes may be evaluated." : undefined;
};

const expansionsIn = (script: ParsedScript | undefined): number => {
  let count = 0;
  const visit = (node: SyntaxNode, depth: number): void => {
    if (depth > DEEPEST) return;
    if (node.type === "CommandExpansion") count++;
    forEachChild(node, (child) => visit(child, depth + 1));
  };
  try {
    if (script !== undefined) visit(script, 0);
  } catch {
    // Parts of words are parsed when they are asked for. What was not counted makes the line harder to understand, not easier.
  }
  return count;
};

/** Builtins with an option that names a command or changes what a name means. */
const COMMAND_OPTIONS: Readonly<Record<string, RegExp>> = {
  mapfile: /^-[a-zA-Z]*C/u,
  readarray: /^-[a-zA-Z]*C/u,
  compgen: /^-[a-zA-Z]*[CF]/u,
  complete: /^-[a-zA-Z]*[CF]/u,
  bind: /^-[a-zA-Z]*x/u,
  hash: /^-[a-zA-Z]*p/u,
  enable: /^-[a-zA-Z]*[fn]/u,
  flock: /^-(?:-command|[a-z]*c)/u,
  script: /^-(?:-command|[a-z]*c)/u,
};

export const takesCommandAsOption = (name: string, args: readonly string[]): boolean => {
  const option = Object.hasOwn(COMMAND_OPTIONS, name) ? COMMAND_OPTIONS[name] : undefined;
  return option !== undefined && args.some((word) => option.test(word));
};
