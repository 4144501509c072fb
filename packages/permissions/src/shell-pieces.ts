// Every simple command of a shell line, wherever it stands: in lists, pipes, loops, functions, substitutions. Nothing is decided here.

import { forEachChild, parse } from "unbash";
import type { Command, ParsedScript, Redirection, SyntaxNode } from "unbash";

/** Where a command stands. The strongest word wins from the outside in: a loop in a substitution is in a substitution. */
export type ShellPlace = "line" | "body" | "function" | "substitution";

export interface ShellPiece {
  readonly command: Command;
  readonly place: ShellPlace;
  /** The text that the command's positions refer to. Backticks have their own text. */
  readonly source: string;
}

export interface Pieces {
  readonly pieces: readonly ShellPiece[];
  /** Redirections of whole loops and groups. */
  readonly redirects: readonly Redirection[];
  /** False: the parser found errors, so pieces may be missing. */
  readonly whole: boolean;
  /** Kinds of nodes that were seen. */
  readonly kinds: ReadonlySet<string>;
}

const BODIES = new Set(["If", "For", "While", "Case", "Select", "ArithmeticFor", "BraceGroup", "Subshell", "Coproc"]);
const SUBSTITUTIONS = new Set(["CommandExpansion", "ProcessSubstitution", "ArithmeticCommandExpansion"]);
const RANK: Readonly<Record<ShellPlace, number>> = { line: 0, body: 1, function: 2, substitution: 3 };

const placeIn = (type: string, place: ShellPlace): ShellPlace => {
  const inner: ShellPlace = BODIES.has(type)
    ? "body"
    : type === "Function"
      ? "function"
      : SUBSTITUTIONS.has(type)
        ? "substitution"
        : "line";
  return RANK[inner] > RANK[place] ? inner : place;
};

/** Linux gives a program no longer word than this, so no shell gets a longer line with `-c`. */
const LONGEST_LINE = 131_072;
/** Deeper than this, a line is not understood. The parser stops there too. */
const DEEPEST = 200;

/** The parser reads nested text again at each level, and here-documents without bodies again and again: measured in docs/decisions/0011. */
const isWithinLimits = (source: string): boolean => {
  if (source.length > LONGEST_LINE) return false;
  let depth = 0;
  let deepest = 0;
  let documents = 0;
  for (let at = 0; at < source.length; at++) {
    const code = source.charCodeAt(at);
    if (code === 40 || code === 123 || code === 91) deepest = Math.max(deepest, ++depth);
    else if (code === 41 || code === 125 || code === 93) depth = Math.max(0, depth - 1);
    else if (code === 60 && source.charCodeAt(at + 1) === 60) documents++;
  }
  return deepest <= 100 && deepest * source.length <= 4_000_000 && documents * source.length <= 20_000_000;
};

/** Reads a line. Never throws. Undefined: it is not understood. */
export const parseShell = (source: string): ParsedScript | undefined => {
  if (!isWithinLimits(source)) return undefined;
  try {
    return parse(source);
  } catch {
    // The parser is not ours: whatever it throws, the line is not understood.
    return undefined;
  }
};

export const shellPiecesOf = (script: ParsedScript | undefined, source: string): Pieces => {
  const pieces: ShellPiece[] = [];
  const redirects: Redirection[] = [];
  const kinds = new Set<string>();
  let whole = script !== undefined;
  const visit = (node: SyntaxNode, place: ShellPlace, text: string, depth: number): void => {
    if (depth > DEEPEST) {
      whole = false;
      return;
    }
    kinds.add(node.type);
    let from = text;
    if (node.type === "Script") {
      if ((node.errors?.length ?? 0) > 0) whole = false;
      from = node.source ?? text;
    } else if (node.type === "Command") pieces.push({ command: node, place, source: text });
    else if (node.type === "Redirected") redirects.push(...node.redirects);
    else if (SUBSTITUTIONS.has(node.type) && "script" in node && node.script === undefined) whole = false;
    const inner = placeIn(node.type, place);
    forEachChild(node, (child) => visit(child, inner, from, depth + 1));
  };
  try {
    if (script !== undefined) visit(script, "line", source, 0);
  } catch {
    // Parts of words are parsed when they are asked for; see parseShell.
    whole = false;
  }
  return { pieces, redirects, whole, kinds };
};
