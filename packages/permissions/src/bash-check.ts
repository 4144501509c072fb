// What the CLI does with a Bash command since 2.1.200: every part of the line is checked by itself, and the strictest answer holds.

import { candidatesOf, matchWide, wideTexts } from "./bash-match.ts";
import { LONGEST_COMMAND, readLine, TOO_LONG } from "./cli-reading.ts";
import type { ReadCommand, Reading } from "./cli-reading.ts";
import { meaningProblem } from "./command-meaning.ts";
import type { Compiled } from "./context.ts";
import { fileUseOf } from "./file-commands.ts";
import { byRule, passed } from "./finding.ts";
import type { Finding } from "./finding.ts";
import { commandPath } from "./path-access.ts";
import { baseName } from "./paths.ts";
import type { Realpath } from "./paths.ts";
import { isReadOnly } from "./read-only.ts";
import { dangerousRemoval } from "./removal.ts";
import { isPlainEdit } from "./sed.ts";
import { parseShell, shellPiecesOf } from "./shell-pieces.ts";
import { valueOfWord } from "./shell-words.ts";
import type { Mode } from "./types.ts";
import { innermost, withoutWrappers } from "./wrappers.ts";

export interface BashCheck {
  readonly compiled: Compiled;
  readonly mode: Mode;
  readonly realpath: Realpath | undefined;
}

export const bashFinding = (command: string, check: BashCheck): Finding => {
  const { facts, folders } = check.compiled;
  const text = command.trim();
  if (text === "") return { behavior: "allow", kind: "read-only", words: "The command is empty." };
  // If a line is too long, the CLI compares only the whole text with its rules. It does not see a denied program after
  // the first one.
  if (command.length > LONGEST_COMMAND) return complexFinding(text, TOO_LONG, check, []);
  const line = readLine(command, folders, facts);
  if (line.kind === "complex") return complexFinding(text, line.why, check);
  const { reading } = line;
  for (const each of reading.commands) {
    const problem = meaningProblem(each);
    if (problem !== undefined) return complexFinding(text, problem, check, reading.commands, each.text);
  }
  const group: Finding = {
    behavior: "ask",
    kind: "unparsed",
    words: "It has a group in parentheses, which cannot be checked before it runs.",
  };
  if (reading.hasSubshell && !facts.denyInBodies) return group;
  const found = plainFinding(text, reading, check);
  return reading.hasSubshell && found.behavior === "allow" ? group : found;
};

/** A line that cannot be checked asks, unless a rule for exactly this text allows it. Denials are still looked for. */
const complexFinding = (
  text: string,
  why: string,
  check: BashCheck,
  commands?: readonly ReadCommand[],
  part?: string,
): Finding => {
  const { rules, facts, folders } = check.compiled;
  const found = commands ?? piecesFor(text, check.compiled);
  const parts: readonly ReadCommand[] = [wholeText(text), ...found];
  let ask: Finding | undefined;
  const hasRules = !rules.deny.bash.isEmpty || !rules.ask.bash.isEmpty;
  for (const each of parts) {
    const texts = hasRules ? wideTexts(each, facts) : [];
    const deny = matchWide(rules.deny.bash, texts);
    if (deny !== undefined) return byRule("deny", deny, "A rule denies a part of the command.", each.text);
    const asks = matchWide(rules.ask.bash, texts);
    if (asks !== undefined) ask ??= byRule("ask", asks, "A rule asks for a part of the command.", each.text);
  }
  for (const each of commands ?? []) {
    const denied = pathFindings(each, check, true).find(({ behavior }) => behavior === "deny");
    if (denied !== undefined) return denied;
  }
  const hasCd = found.some(changesFolder);
  for (const each of found) {
    const removal = dangerousRemoval(innermost(each.argv), folders, hasCd);
    if (removal !== undefined) return dangerous(removal.words, each.text);
  }
  if (ask !== undefined) return ask;
  const exact = rules.allow.bash.exact(text);
  if (exact !== undefined && text.length <= LONGEST_COMMAND)
    return byRule("allow", exact.rule, "A rule allows exactly this command.");
  return { behavior: "ask", kind: "unparsed", words: `The command cannot be checked before it runs. ${why}`, part };
};

const dangerous = (words: string, part: string): Finding => ({
  behavior: "ask",
  kind: "dangerous",
  words,
  part,
  isSafety: true,
  holdsInBypass: true,
});

const wholeText = (text: string): ReadCommand => ({
  argv: [],
  globs: [],
  assignments: [],
  redirects: [],
  text,
  textWithRedirects: text,
});

/** The commands of a line that could not be parsed, with their known words. */
const piecesFor = (text: string, { facts, folders }: Compiled): readonly ReadCommand[] => {
  const { pieces } = shellPiecesOf(parseShell(text), text);
  return pieces.flatMap(({ command, place, source }): ReadCommand[] => {
    if (place !== "line" && !facts.denyInBodies) return [];
    const words = [command.name, ...command.suffix.filter((each) => each.type === "Word")].filter(
      (word) => word !== undefined,
    );
    const argv = words.map((word) => valueOfWord(word, (name) => (name === "HOME" ? folders.home : undefined)).value);
    const redirects = command.redirects.flatMap((each) =>
      each.type === "Redirect" && each.target !== undefined
        ? [{ operator: each.operator, target: valueOfWord(each.target).value }]
        : [],
    );
    const whole = source.slice(command.pos, command.end);
    return [{ argv, globs: [], assignments: [], redirects, text: whole, textWithRedirects: whole }];
  });
};

const changesFolder = ({ argv }: ReadCommand): boolean => /^(?:cd|pushd|popd|chdir)$/u.test(argv[0] ?? "");
const isGit = ({ argv }: ReadCommand): boolean => {
  const inner = innermost(argv);
  return inner[0] === "git" || (inner[0] === "xargs" && inner.includes("git"));
};

const plainFinding = (text: string, reading: Reading, check: BashCheck): Finding => {
  const { folders, rules } = check.compiled;
  // `cd` to where the session is anyway says nothing.
  const commands = reading.commands.filter(
    ({ argv, text: own, redirects }) => !(argv.length === 2 && redirects.length === 0 && own === `cd ${folders.cwd}`),
  );
  if (commands.length === 0)
    return reading.commands.length > 0
      ? { behavior: "allow", kind: "read-only", words: "It only goes to the folder of the session." }
      : passed;
  const isCompound = commands.length > 1 || commands[0]!.textWithRedirects !== text;
  if (isCompound) {
    const deny = rules.deny.bash.exact(text);
    if (deny !== undefined) return byRule("deny", deny.rule, "A rule denies exactly this command.");
  }
  const hasCd = commands.some(changesFolder);
  const found = commands.map((command) => {
    const finding = commandFinding(command, reading, hasCd && commands.length > 1, check);
    return finding.part === undefined && commands.length > 1 ? { ...finding, part: command.text } : finding;
  });
  const deny = found.find(({ behavior }) => behavior === "deny");
  if (deny !== undefined) return deny;
  const asks = found.filter(({ behavior }) => behavior === "ask" || behavior === "pass");
  const strict = asks.find(({ isSafety }) => isSafety === true) ?? asks.find(({ kind }) => kind === "rule");
  if (strict !== undefined) return strict;
  if (commands.filter(changesFolder).length > 1)
    return { behavior: "ask", kind: "unparsed", words: "It changes the folder more than once." };
  if (hasCd && commands.some(isGit))
    return {
      behavior: "ask",
      kind: "unparsed",
      words: "It changes the folder before it runs git, which could run hooks from there.",
    };
  if (reading.hasBackground)
    return {
      behavior: "ask",
      kind: "unparsed",
      words: "It runs in the background, after what was checked may have changed.",
    };
  const isOpen =
    !reading.hasPipe && asks.every(({ kind, isLiftable }) => kind === "default" && isLiftable === undefined);
  const exact = isOpen ? rules.allow.bash.exact(text) : undefined;
  if (exact !== undefined) return byRule("allow", exact.rule, "A rule allows exactly this command.");
  if (asks.length > 0) return { ...asks[0]!, behavior: "ask" };
  return found.find(({ kind }) => kind === "rule") ?? found.find(({ kind }) => kind === "mode") ?? found[0]!;
};

/** One plain command: rules that deny or ask, paths, rules that allow, the mode, reading. */
const commandFinding = (command: ReadCommand, reading: Reading, hasCd: boolean, check: BashCheck): Finding => {
  const { rules, facts } = check.compiled;
  const texts = rules.deny.bash.isEmpty && rules.ask.bash.isEmpty ? [] : wideTexts(command, facts);
  const deny = matchWide(rules.deny.bash, texts);
  if (deny !== undefined) return byRule("deny", deny, "A rule denies this command.");
  const ask = matchWide(rules.ask.bash, texts);
  if (ask !== undefined) return byRule("ask", ask, "A rule asks for this command.");
  const paths = pathFindings(command, check, hasCd);
  const strict =
    paths.find(({ behavior }) => behavior === "deny") ??
    paths.find(({ isSafety }) => isSafety === true) ??
    paths.find(({ behavior, isLiftable }) => behavior === "ask" && isLiftable !== true);
  if (strict !== undefined) return strict;
  const candidates = candidatesOf(command, facts);
  for (const [index, text] of candidates.entries()) {
    // Most commands have only one text.
    if (index > 0 && text === candidates[0]) continue;
    const allow = index < 2 ? rules.allow.bash.either(text) : rules.allow.bash.exact(text);
    if (allow !== undefined) return byRule("allow", allow.rule, "A rule allows this command.");
  }
  const liftable = paths.find(({ behavior }) => behavior === "ask");
  if (liftable !== undefined) return liftable;
  if (command.argv.length === 0)
    return { behavior: "allow", kind: "mode", words: "It only writes a file, which is allowed." };
  return modeFinding(command, reading, check);
};

const EDITS = new Set(["mkdir", "touch", "rm", "rmdir", "mv", "cp", "sed"]);

const modeFinding = (command: ReadCommand, reading: Reading, { compiled, mode }: BashCheck): Finding => {
  const { facts } = compiled;
  const plain = withoutWrappers(command.text, facts);
  const name = plain.split(/\s/u, 1)[0]!;
  if (mode === "acceptEdits" && EDITS.has(name) && (facts.wrappedEdits || plain === command.text.trim())) {
    const isOddTouch =
      facts.plainTouch &&
      name === "touch" &&
      (plain !== command.text.trim() ||
        !plain
          .split(/\s+/u)
          .slice(1)
          .every((word) => /^['"]?[\w./~]/u.test(word)));
    if (!isOddTouch && (name !== "sed" || isPlainEdit(innermost(command.argv))))
      return { behavior: "allow", kind: "mode", words: "The mode lets files of the project be changed." };
  }
  if (reading.assigned.length === 0 && isReadOnly(command, facts))
    return {
      behavior: "allow",
      kind: "read-only",
      words: "The command only reads, inside the folders of the session.",
    };
  return { behavior: "ask", kind: "default", words: "No rule allows this command." };
};

const INPUTS = new Set(["<", "<<", "<<<", "<&"]);

/** What the paths of a command say: of its words and of its redirections. */
const pathFindings = (command: ReadCommand, check: BashCheck, hasCd: boolean): readonly Finding[] => {
  const { compiled, mode, realpath } = check;
  const { facts, folders } = compiled;
  const found: Finding[] = [];
  const isRelative = (path: string): boolean => !/^[/~]/u.test(path);
  const look = (path: string, access: "read" | "write" | "create"): void => {
    const finding = commandPath(path, access, compiled, mode, realpath);
    if (finding.behavior === "deny" || !hasCd || access === "read" || !isRelative(path)) found.push(finding);
    else found.push({ behavior: "ask", kind: "unparsed", words: "It changes the folder and then writes.", part: path });
  };
  for (const { operator, target } of command.redirects) {
    if (target === "/dev/null" || (/&$/u.test(operator) && /^(?:\d+|-)$/u.test(target))) continue;
    if (/^\/dev\/(?:tcp|udp)\//u.test(target))
      found.push({ behavior: "ask", kind: "outside", words: "It opens the network.", part: target });
    else if (!INPUTS.has(operator)) {
      look(target, "create");
      const last = found.at(-1)!;
      // A redirection is never lifted by a rule for the command.
      if (last.isLiftable === true) found[found.length - 1] = { ...last, isLiftable: false };
    } else if (facts.inputRedirects) look(target, "read");
  }
  const argv = facts.shellGrammar ? pathArgv(command.argv) : command.argv;
  const use = fileUseOf(argv, folders.home, facts);
  if (use === undefined) return found;
  if (facts.safetyHolds) {
    const removal = dangerousRemoval(argv, folders, hasCd);
    if (removal !== undefined) found.push(dangerous(removal.words, command.text));
  }
  if (/^(?:mv|cp)$/u.test(baseName(argv[0] ?? "")) && argv.slice(1).some((word) => word.startsWith("-")))
    found.push({
      behavior: "ask",
      kind: "unparsed",
      words: "mv and cp with options cannot be checked.",
      part: command.text,
    });
  for (const path of use.paths) look(path, use.access);
  if (facts.copiesRead && /^(?:mv|cp)$/u.test(baseName(argv[0] ?? "")))
    for (const path of use.paths.slice(0, -1)) {
      const finding = commandPath(path, "read", compiled, mode, realpath);
      if (finding.behavior === "deny") found.push(finding);
    }
  return found;
};

/** Wrappers that are harmless for paths. */
const PATH_WRAPPERS = new Set(["time", "nohup", "timeout", "nice", "stdbuf", "env", "command", "builtin", "noglob"]);

const pathArgv = (argv: readonly string[]): readonly string[] =>
  PATH_WRAPPERS.has(baseName(argv[0] ?? "")) ? innermost(argv) : argv;
