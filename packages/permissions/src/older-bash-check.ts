// What the CLI does with a Bash command before 2.1.200. It splits the line at operators and looks at the parts with patterns. Nothing
// of it holds against an allow of the whole tool, except denials.

import type { Command, HereDoc, PipelinePrefix, Statement } from "unbash";
import { candidatesOf, matchWide, wideTexts } from "./bash-match.ts";
import type { BashCheck } from "./bash-check.ts";
import type { ReadCommand } from "./cli-reading.ts";
import { fileUseOf } from "./file-commands.ts";
import { byRule, passed } from "./finding.ts";
import type { Finding } from "./finding.ts";
import { commandPath } from "./path-access.ts";
import { isReadOnly } from "./read-only.ts";
import { isPlainEdit } from "./sed.ts";
import { parseShell } from "./shell-pieces.ts";
import { valueOfWord } from "./shell-words.ts";

interface OldLine {
  readonly parts: readonly ReadCommand[];
  /** Loops, groups and the like: their pieces match no rule. */
  readonly hasOthers: boolean;
  readonly hasPipe: boolean;
  /** Parentheses, comments and case ask before anything else is looked at. */
  readonly operators: string | undefined;
}

const ask = (kind: Finding["kind"], words: string, part?: string): Finding => ({
  behavior: "ask",
  kind,
  words,
  ...(part !== undefined && { part }),
});

export const olderBashFinding = (command: string, check: BashCheck): Finding => {
  const { rules, folders } = check.compiled;
  const text = command.trim();
  if (text === "") return passed;
  const exactDeny = rules.deny.bash.exact(text);
  if (exactDeny !== undefined) return byRule("deny", exactDeny.rule, "A rule denies exactly this command.");
  const line = oldLine(command);
  if (line === undefined) {
    const denied = rules.deny.bash.first(text);
    if (denied !== undefined) return byRule("deny", denied.rule, "A rule denies this command.");
    return ask("unparsed", "The shell would not accept the command.");
  }
  if (line.operators !== undefined) return ask("unparsed", line.operators);
  const parts = line.parts.filter(({ text: own }) => own !== `cd ${folders.cwd}`);
  const found = parts.map((part) => ({ ...partFinding(part, check), part: part.text }));
  const deny = found.find(({ behavior }) => behavior === "deny");
  if (deny !== undefined) return deny;
  if (parts.filter(({ argv }) => argv[0] === "cd").length > 1)
    return ask("unparsed", "It changes the folder more than once.");
  const hasCd = parts.length > 1 && parts.some(({ argv }) => argv[0] === "cd");
  const paths = parts.flatMap((part) => oldPaths(part, check, hasCd) ?? []);
  const strict = paths.find(({ behavior }) => behavior === "deny") ?? paths.find(({ behavior }) => behavior === "ask");
  if (strict !== undefined) return strict;
  const asks = found.find(({ behavior }) => behavior === "ask");
  if (asks !== undefined) return asks;
  const exact = line.hasPipe ? undefined : rules.allow.bash.exact(text);
  if (exact !== undefined) return byRule("allow", exact.rule, "A rule allows exactly this command.");
  if (line.hasOthers) return ask("unparsed", "Parts of loops and groups match no rule.");
  for (const part of parts) {
    const problem = oldProblem(part.text);
    if (problem !== undefined)
      return ask("unparsed", `The command cannot be checked before it runs. ${problem}`, part.text);
  }
  const open = found.find(({ behavior }) => behavior === "pass");
  if (open !== undefined) return { ...open, behavior: "ask" };
  return found.find(({ kind }) => kind === "rule") ?? found[0] ?? passed;
};

const partFinding = (part: ReadCommand, { compiled, mode }: BashCheck): Finding => {
  const { rules, facts } = compiled;
  const texts = rules.deny.bash.isEmpty && rules.ask.bash.isEmpty ? [] : wideTexts(part, facts);
  const deny = matchWide(rules.deny.bash, texts);
  if (deny !== undefined) return byRule("deny", deny, "A rule denies this command.");
  const asks = matchWide(rules.ask.bash, texts);
  if (asks !== undefined) return byRule("ask", asks, "A rule asks for this command.");
  for (const [index, text] of candidatesOf(part, facts).entries()) {
    const prefix = index < 2 ? rules.allow.bash.prefix(text) : undefined;
    // 2.1.38 compares a prefix with words that have lost their quotes.
    const isPlain = !/["'\\\t]/u.test(prefix?.rule.rule.ruleContent ?? "");
    const allow = rules.allow.bash.exact(text) ?? (isPlain ? prefix : undefined);
    if (allow !== undefined) return byRule("allow", allow.rule, "A rule allows this command.");
  }
  const name = part.argv[0] ?? "";
  if (
    mode === "acceptEdits" &&
    part.assignments.length === 0 &&
    /^(?:mkdir|touch|rm|rmdir|mv|cp|sed)$/u.test(name) &&
    (name !== "sed" || isPlainEdit(part.argv))
  )
    return { behavior: "allow", kind: "mode", words: "The mode lets files of the project be changed." };
  if (isOldReadOnly(part) && isReadOnly(part, facts))
    return {
      behavior: "allow",
      kind: "read-only",
      words: "The command only reads, inside the folders of the session.",
    };
  return { behavior: "pass", kind: "default", words: "No rule allows this command." };
};

/** Nothing that the shell computes may stand outside single quotes. */
const isOldReadOnly = ({ text, argv }: ReadCommand): boolean =>
  text.startsWith(argv[0] ?? "") && !/[$`(){}<>!\\*?[]/u.test(text.replaceAll(/'[^']*'/gu, ""));

/** This version stops at the first path that is not free, so a deny behind it is not seen. */
const oldPaths = (part: ReadCommand, { compiled, mode, realpath }: BashCheck, hasCd: boolean): Finding | undefined => {
  const uses: [string, "read" | "write" | "create"][] = [];
  const use = fileUseOf(part.argv, compiled.folders.home, compiled.facts);
  for (const path of use?.paths ?? []) uses.push([path, use!.access]);
  for (const { operator, target } of part.redirects)
    if (/^(?:>|>>|>\||&>|&>>)$/u.test(operator) && target !== "/dev/null") uses.push([target, "create"]);
  for (const [path, access] of uses) {
    const finding = commandPath(path, access, compiled, mode, realpath);
    if (finding.behavior === "deny") return finding;
    if (hasCd && access !== "read") return ask("unparsed", "It changes the folder and then writes.", path);
    if (finding.behavior === "ask") return finding;
  }
  return undefined;
};

const oldLine = (command: string): OldLine | undefined => {
  const script = parseShell(command);
  if (script === undefined || (script.errors?.length ?? 0) > 0) return undefined;
  const parts: ReadCommand[] = [];
  let hasOthers = false;
  let hasPipe = false;
  let document: HereDoc | undefined;
  let operators: string | undefined;
  const visit = (node: Statement["command"]): void => {
    switch (node.type) {
      case "AndOr":
        for (const inner of node.commands) visit(inner);
        return;
      case "Pipeline":
        if (node.operators.length > 0) hasPipe = true;
        if (node.operators.includes("|&")) operators = "It pipes the errors too.";
        for (const inner of node.commands) visit(inner);
        prefixFirst(parts, parts.length - node.commands.length, node.prefixes);
        return;
      case "Command":
        if (node.name === undefined) hasOthers = true;
        else parts.push(oldPart(node, command));
        document ??= node.redirects.find((each) => each.type === "HereDoc");
        return;
      case "Subshell":
      case "Case":
      case "Function":
        operators = "It uses operators of the shell that always ask.";
        return;
      default:
        hasOthers = true;
    }
  };
  for (const statement of script.commands) visit(statement.command);
  const shown = document === undefined ? command : command.slice(0, document.pos);
  const unquoted = withoutQuotes(shown);
  if (document?.delimiter?.quoted === false || /\n[ \t]*\n/u.test(unquoted)) hasOthers = true;
  if (/[()#]|(?<![&>])&(?![&\d])|&>/u.test(unquoted)) operators = "It uses operators of the shell that always ask.";
  else if (unquoted.replaceAll(/\s*<\s*\/dev\/null/gu, "").includes("<")) operators = "It reads from a redirection.";
  else if (command.replaceAll(/'[^']*'/gu, "").includes("${")) operators = "It has a variable in braces.";
  return { parts, hasOthers, hasPipe, operators };
};

/** `time` and `!` belong to the text of the first part. */
const prefixFirst = (parts: ReadCommand[], at: number, prefixes: readonly PipelinePrefix[]): void => {
  const first = parts[at];
  if (first === undefined || prefixes.length === 0) return;
  const words = prefixes
    .map((each) => (each.type === "Negation" ? "!" : each.posix === undefined ? "time" : "time -p"))
    .join(" ");
  parts[at] = {
    ...first,
    argv: [...words.split(" "), ...first.argv],
    text: `${words} ${first.text}`,
    textWithRedirects: `${words} ${first.textWithRedirects}`,
  };
};

const oldPart = (command: Command, source: string): ReadCommand => {
  const words = [command.name!, ...command.suffix.filter((each) => each.type === "Word")];
  const values = words.map((word) => valueOfWord(word));
  let text = "";
  let at = command.pos;
  for (const redirect of command.redirects) {
    if (redirect.pos < at) continue;
    text += source.slice(at, redirect.pos);
    at = redirect.end;
  }
  text = (text + source.slice(at, command.end)).replaceAll(/\\\n/gu, " ").trim();
  return {
    argv: values.map(({ value }) => value),
    globs: values.map(() => false),
    assignments: command.prefix.flatMap((each) =>
      each.type === "Assignment"
        ? [{ name: each.name, value: each.value.type === "Word" ? each.value.value : "" }]
        : [],
    ),
    redirects: command.redirects.flatMap((each) =>
      each.type === "Redirect" && each.target !== undefined
        ? [{ operator: each.operator, target: valueOfWord(each.target).value }]
        : [],
    ),
    // This version compares with single spaces.
    text: text.replaceAll(/[ \t]+/gu, " "),
    textWithRedirects: source.slice(command.pos, command.end).replaceAll(/\\\n/gu, " ").trim(),
  };
};

const withoutQuotes = (text: string): string => text.replaceAll(/'[^']*'|"(?:\\.|[^"\\])*"|\\[^\n]/gsu, "");

/** Patterns that this version does not let pass by a rule. */
const oldProblem = (text: string): string | undefined => {
  if (/<<-?\s*(?:'[^']+'|\\\w)/u.test(text) && !/\$\(.*<</su.test(text)) return undefined;
  const single = text.replaceAll(/'[^']*'/gu, "");
  const isSafeDocument = /^[^$`]*"?\$\(cat\s*<<-?\s*'[^']+'\n[\s\S]*\n\s*\w+\s*\)"?$/u.test(text);
  if (isSafeDocument) return undefined;
  const plain = withoutQuotes(text)
    .replaceAll(/\s+2\s*>&\s*1(?=\s|$)/gu, "")
    .replaceAll(/[012]?\s*>\s*\/dev\/null/gu, "")
    .replaceAll(/\s*<\s*\/dev\/null/gu, "");
  const checks: readonly (readonly [RegExp, string, string])[] = [
    [/(?<!\\)`/u, single, "It has backticks."],
    [/<\(|>\(|\$\(|\$\{|\$\[|~\[|\(e:|<#/u, single, "It has a substitution."],
    [/\$IFS/u, text, "It uses IFS."],
    [/\/proc\/.*\/environ/u, text, "It reads the environment of a process."],
    [/[<>|]\s*\$[A-Za-z_]|\$[A-Za-z_]\w*\s*[|<>]/u, plain, "A variable stands beside a redirection."],
    [/</u, plain, "It reads from a redirection."],
    [/>/u, plain, "It writes to a redirection."],
    [/\$'[^']*'|\$"[^"]*"/u, text, "It has quotes that hide characters."],
    [/(?:^|\s)(?:''|"")+\s*-|\s['"]-/u, text, "It hides an option in quotes."],
    [/[\n\r]\s*[a-zA-Z/.~({$![>|]/u, plain.replaceAll(/\\\n/gu, " "), "It has more than one line."],
    [/^\s*(?:-|\t)/u, text, "It begins like the rest of another command."],
  ];
  return checks.find(([pattern, where]) => pattern.test(where))?.[2];
};
