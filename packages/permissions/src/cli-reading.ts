// How the CLI reads a shell line since 2.1.200: as a list of plain commands, or as too complex to be checked. It understands lists,
// pipes, if, for, while, tests and substitutions in double quotes. All else is complex, and then asks.

import type {
  Assignment,
  Command,
  CompoundList,
  ParsedScript,
  Redirection,
  Statement,
  TestExpression,
  Word,
  WordPart,
} from "unbash";
import {
  complex,
  KNOWN_NAMES,
  NODE_WORDS,
  POWERFUL,
  quoted,
  textProblem,
  TooComplex,
  withoutQuotedBraces,
} from "./line-text.ts";
import { plainArithmetic } from "./plain-arithmetic.ts";
import { parseShell } from "./shell-pieces.ts";
import { HOLE, isKnown } from "./shell-words.ts";

export interface ReadRedirect {
  readonly operator: string;
  readonly target: string;
}

export interface ReadCommand {
  readonly argv: readonly string[];
  /** For each word, whether a pattern outside quotes may become file names. */
  readonly globs: readonly boolean[];
  readonly assignments: readonly { readonly name: string; readonly value: string }[];
  readonly redirects: readonly ReadRedirect[];
  /** Without redirections. */
  readonly text: string;
  readonly textWithRedirects: string;
}

export interface Reading {
  readonly commands: readonly ReadCommand[];
  /** Names that the line sets for itself. */
  readonly assigned: readonly string[];
  readonly hasSubshell: boolean;
  readonly hasPipe: boolean;
  readonly hasBackground: boolean;
}
export type ReadLine =
  | { readonly kind: "plain"; readonly reading: Reading }
  | { readonly kind: "complex"; readonly why: string };

/** Longer commands are not read at all. */
export const LONGEST_COMMAND = 10_000;
export const TOO_LONG = "It is longer than the CLI reads.";

export const readLine = (
  command: string,
  folders: { readonly home: string; readonly cwd: string },
  options: { readonly noAssignedVariables: boolean },
): ReadLine => {
  if (command.length > LONGEST_COMMAND) return { kind: "complex", why: TOO_LONG };
  const problem = textProblem(command);
  if (problem !== undefined) return { kind: "complex", why: problem };
  const script = parseShell(command);
  if (script === undefined || (script.errors?.length ?? 0) > 0)
    return { kind: "complex", why: "The shell would not accept it." };
  const reader = new Reader(command, folders, options.noAssignedVariables);
  try {
    reader.script(script);
  } catch (error) {
    if (error instanceof TooComplex) return { kind: "complex", why: error.message };
    if (error instanceof RangeError) return { kind: "complex", why: "It is nested too deeply." };
    throw error;
  }
  return { kind: "plain", reading: reader };
};

const BRACES = /\{[^\s{}]*(?:,|\.\.)[^\s{}]*\}/u;

const NONE: readonly Redirection[] = [];
const sorted = (redirects: readonly Redirection[] = NONE): readonly Redirection[] =>
  redirects.length < 2 ? redirects : redirects.toSorted((a, b) => a.pos - b.pos);

class Reader implements Reading {
  readonly commands: ReadCommand[] = [];
  readonly assigned: string[] = [];
  hasSubshell = false;
  hasPipe = false;
  hasBackground = false;
  readonly #source: string;
  readonly #folders: { readonly home: string; readonly cwd: string };
  readonly #noAssigned: boolean;
  #values = new Map<string, string>();

  constructor(source: string, folders: { readonly home: string; readonly cwd: string }, noAssigned: boolean) {
    this.#source = source;
    this.#folders = folders;
    this.#noAssigned = noAssigned;
  }

  script({ commands }: ParsedScript | CompoundList): void {
    for (const statement of commands) this.#statement(statement);
  }

  #statement({ command, background }: Statement): void {
    if (background === true) this.hasBackground = true;
    this.#node(command);
  }

  #node(node: Statement["command"]): void {
    switch (node.type) {
      case "AndOr":
        for (const inner of node.commands) this.#node(inner);
        if (node.operators.includes("||")) this.#forget();
        return;
      case "Pipeline": {
        const first = this.commands.length;
        for (const inner of node.commands) this.#node(inner);
        if (node.commands.length > 1) {
          this.hasPipe = true;
          this.#forget();
        }
        const time = node.prefixes.find((prefix) => prefix.type === "Time");
        if (time !== undefined) this.#wrapInTime(first, time.posix === undefined ? ["time"] : ["time", "-p"]);
        return;
      }
      case "Command":
        this.#command(node);
        return;
      case "Redirected":
        complex("A redirection stands behind a group or loop.");
        return;
      case "If":
        this.#branches([node.clause, node.then, ...node.elif.flatMap((each) => [each.clause, each.then]), node.else]);
        return;
      case "While":
        this.#forget();
        this.#branches([node.clause, node.body]);
        return;
      case "For":
        for (const word of node.wordlist ?? []) this.#word(word);
        this.#values.delete(node.name.value);
        this.assigned.push(node.name.value);
        this.#branches([node.body]);
        return;
      case "Subshell":
        this.hasSubshell = true;
        this.#branches([node.body]);
        return;
      case "TestCommand": {
        const words = ["[["];
        this.#test(node.expression, words);
        this.#push({ argv: words, globs: words.map(() => false), node, assignments: [], redirects: [] });
        return;
      }
      default:
        complex(`It has a ${NODE_WORDS[node.type] ?? "construct"} that cannot be checked before it runs.`);
    }
  }

  /** The CLI takes `time` for the program of the first command. */
  #wrapInTime(index: number, words: readonly string[]): void {
    const first = this.commands[index];
    if (first === undefined) return;
    this.commands[index] = {
      ...first,
      argv: [...words, ...first.argv],
      globs: [...words.map(() => false), ...first.globs],
      text: `${words.join(" ")} ${first.text}`,
      textWithRedirects: `${words.join(" ")} ${first.textWithRedirects}`,
    };
  }

  #branches(lists: readonly (CompoundList | undefined)[]): void {
    for (const list of lists) {
      const before = new Map(this.#values);
      if (list !== undefined) this.script(list);
      for (const [name, value] of this.#values) if (before.get(name) !== value) this.#values.set(name, HOLE);
    }
  }

  /** What was set may or may not hold from here on. */
  #forget(): void {
    for (const name of this.#values.keys()) this.#values.set(name, HOLE);
  }

  #command(command: Command): void {
    const assignments: { name: string; value: string }[] = [];
    const redirects: ReadRedirect[] = [];
    for (const each of command.prefix)
      if (each.type === "Assignment") assignments.push(this.#assignment(each));
      else this.#redirect(each, redirects);
    if (command.name === undefined) {
      if (command.suffix.length > 0) complex("It has words that cannot be placed.");
      for (const { name, value } of assignments) {
        if (POWERFUL.test(name)) complex(`It sets ${name}, which changes what later commands do.`);
        if (this.#noAssigned && !isKnown(value)) complex("It sets a variable to what a command prints.");
        this.#values.set(name, this.#values.has(name) ? HOLE : value);
        this.assigned.push(name);
      }
      if (redirects.length > 0) this.#push({ argv: [], globs: [], node: command, assignments, redirects });
      return;
    }
    const words: Word[] = [command.name];
    const argv: string[] = [];
    const globs: boolean[] = [];
    const declares = /^(?:export|declare|typeset|readonly|local)$/u.test(command.name.value);
    for (const each of command.suffix) {
      if (each.type === "Word") words.push(each);
      else if (each.type !== "Assignment") this.#redirect(each, redirects);
      else if (declares) {
        const set = this.#assignment(each);
        this.assigned.push(set.name);
        this.#values.set(set.name, HOLE);
        words.push({ type: "Word", text: each.text, value: `${set.name}=${set.value}`, pos: each.pos, end: each.end });
      } else complex("An assignment stands behind the program.");
    }
    for (const word of words) {
      const known = this.#word(word);
      if (word.text === "=") complex("It has a single equals sign.");
      if (!isKnown(known.value) && /^--?[\w\n]/u.test(known.value))
        complex("An option depends on what the shell computes.");
      argv.push(known.value);
      globs.push(known.glob);
    }
    this.#push({ argv, globs, node: command, assignments, redirects });
  }

  #push(made: {
    readonly argv: readonly string[];
    readonly globs: readonly boolean[];
    readonly node: { readonly pos: number; readonly end: number; readonly redirects?: readonly Redirection[] };
    readonly assignments: ReadCommand["assignments"];
    readonly redirects: readonly ReadRedirect[];
  }): void {
    const { argv, globs, node, assignments, redirects } = made;
    const full = this.#source.slice(node.pos, node.end);
    let text = "";
    let at = node.pos;
    for (const redirect of sorted(node.redirects)) {
      text += this.#source.slice(at, Math.max(at, redirect.pos));
      at = Math.max(at, redirect.end);
    }
    text = (text + this.#source.slice(at, node.end)).trim();
    const isRewritten = (text.includes("$") || text.includes("\n")) && /\$[A-Za-z_]|\n/u.test(text);
    if (isRewritten)
      text = [...assignments.map(({ name, value }) => `${name}=${quoted(value)}`), ...argv.map(quoted)].join(" ");
    this.commands.push({ argv, globs, assignments, redirects, text, textWithRedirects: full.trim() });
  }

  #assignment({ name, value, append, index }: Assignment): { name: string; value: string } {
    if (index !== undefined || value.type === "ArrayValue") return complex("It sets a list.");
    if (name === "IFS") return complex("It changes how words are split.");
    const known = this.#word(value, true).value;
    if (known.includes("~")) return complex("It sets a variable to a path with a tilde.");
    return { name, value: append === true ? HOLE : known };
  }

  #redirect(redirect: Redirection, into: ReadRedirect[]): void {
    if (redirect.descriptor?.type === "FileDescriptorVariable") complex("A redirection sets a variable.");
    if (redirect.type === "HereDoc") {
      if (redirect.delimiter?.quoted !== true || redirect.closing === undefined)
        complex("A here-document with a plain delimiter is expanded by the shell.");
      return;
    }
    if (redirect.target === undefined) return complex("A redirection has no target.");
    const { value } = this.#word(redirect.target);
    if (redirect.type === "HereString") return;
    if (!isKnown(value) || redirect.target.text.includes("$"))
      complex("A redirection goes to a path that the shell computes.");
    if (value === "" || /^[!=]|\n/u.test(value)) complex("A redirection has an odd target.");
    if (/^[<>]&$/u.test(redirect.operator) && !/^[\w./][\w./-]*$/u.test(value))
      complex("A redirection of a file descriptor has an odd target.");
    into.push({ operator: redirect.operator, target: value });
  }

  /** A word, or the value of an assignment, which is not split. */
  #word(word: Word, isValue = false): { value: string; glob: boolean } {
    const parts = word.parts;
    if (parts === undefined) return { value: word.value, glob: false };
    if (word.text.includes("{") && BRACES.test(withoutQuotedBraces(word.text))) complex("It has a brace pattern.");
    let value = "";
    let glob = false;
    for (const part of parts) {
      if (part.type === "Glob") glob = true;
      value += this.#part(part, isValue);
    }
    return { value, glob };
  }

  #part(part: WordPart, isValue: boolean): string {
    switch (part.type) {
      case "Literal":
      case "SingleQuoted":
        return part.value;
      case "Glob":
        return part.text;
      case "SimpleExpansion":
        return this.#variable(part.text.slice(1), isValue);
      case "ArithmeticExpansion":
        plainArithmetic(part.expression);
        return HOLE;
      case "CommandExpansion":
        if (isValue) {
          this.#substitution(part.script);
          return HOLE;
        }
        return complex("It has a nested command.");
      case "DoubleQuoted":
        return this.#quotedText(part.parts);
      default:
        return complex(`It has a ${NODE_WORDS[part.type] ?? "construct"} that cannot be checked before it runs.`);
    }
  }

  #quotedText(parts: readonly WordPart[]): string {
    let text = "";
    for (const part of parts)
      if (part.type === "Literal") text += part.value;
      else if (part.type === "SimpleExpansion") text += this.#variable(part.text.slice(1), true);
      else if (part.type === "ArithmeticExpansion") {
        plainArithmetic(part.expression);
        text += HOLE;
      } else if (part.type === "CommandExpansion") text += this.#quotedSubstitution(part.script);
      else complex("It has a variable in braces.");
    if (!isKnown(text) && text.replaceAll(HOLE, "").length <= 1)
      complex("A text in quotes is only known to the shell.");
    return text;
  }

  #quotedSubstitution(script: ParsedScript | undefined): string {
    const only = script?.commands.length === 1 ? script.commands[0]!.command : undefined;
    if (only?.type === "Command" && only.name?.text === "cat" && only.prefix.length === 0 && only.suffix.length === 1) {
      const document = only.suffix[0]!;
      if (document.type === "HereDoc" && document.delimiter?.quoted === true && document.operator === "<<") {
        if (/\/proc\/.*\/environ|system[\s\\]*\(/u.test(document.body.text)) return complex("It has a nested command.");
        const body = document.body.text.replace(/\n+$/u, "");
        return body.includes("\n") ? `\n${HOLE}` : body;
      }
    }
    this.#substitution(script);
    return HOLE;
  }

  #substitution(script: ParsedScript | undefined): void {
    if (script === undefined || (script.errors?.length ?? 0) > 0 || script.source !== undefined)
      return complex("It has a nested command that cannot be read.");
    const before = new Map(this.#values);
    this.script(script);
    this.#values = before;
  }

  #variable(name: string, isQuoted: boolean): string {
    const value = this.#values.get(name);
    if (value !== undefined) {
      if (this.#noAssigned) return complex("It uses a variable that it sets itself.");
      if (!isKnown(value)) return isQuoted ? HOLE : complex("It has a variable.");
      if (!isQuoted && (value === "" || /[ \t\n*?[]/u.test(value))) return complex("It has a variable.");
      return value;
    }
    if (name === "HOME") return this.#folders.home;
    if (name === "PWD" && isQuoted && this.commands.every(({ argv }) => argv[0] !== "cd")) return this.#folders.cwd;
    if (isQuoted && (KNOWN_NAMES.has(name) || /^[?$!#0-9-]$/u.test(name))) return HOLE;
    return complex("It has a variable.");
  }

  #test(test: TestExpression, words: string[]): void {
    switch (test.type) {
      case "TestUnary":
        words.push(test.operator, this.#word(test.operand).value);
        return;
      case "TestBinary":
        words.push(this.#word(test.left).value, test.operator, this.#word(test.right).value);
        return;
      case "TestLogical":
        for (const operand of test.operands) this.#test(operand, words);
        return;
      case "TestNot":
        this.#test(test.operand, words);
        return;
      case "TestGroup":
        this.#test(test.expression, words);
    }
  }
}
