// Which paths a file command reads or writes, as the CLI takes them from its words.

import { baseName } from "./paths.ts";
import { isReadOnlySed } from "./sed.ts";
import type { VersionFacts } from "./versions.ts";

export type FileAccess = "read" | "write" | "create";
export interface FileUse {
  readonly access: FileAccess;
  readonly paths: readonly string[];
}

/** The words that are not options. Behind `--`, and behind the first such word, everything is one. */
const operands = (args: readonly string[]): readonly string[] => {
  const found: string[] = [];
  let isOpen = false;
  for (const word of args)
    if (isOpen) found.push(word);
    else if (word === "--") isOpen = true;
    else if (word === "-" || !word.startsWith("-")) {
      found.push(word);
      isOpen = true;
    }
  return found;
};

/** The same, but options with a value take it along. */
const operandsWith =
  (valued: string) =>
  (args: readonly string[]): readonly string[] => {
    const found: string[] = [];
    let isOpen = false;
    for (let at = 0; at < args.length; at++) {
      const word = args[at]!;
      if (isOpen) found.push(word);
      else if (word === "--") isOpen = true;
      else if (word !== "-" && word.startsWith("-")) {
        if (!word.startsWith("--") && word.length === 2 && valued.includes(word[1]!)) at++;
      } else {
        found.push(word);
        isOpen = true;
      }
    }
    return found;
  };

/** grep and rg: the first operand is the pattern, unless an option gave it. */
const searched =
  (valued: ReadonlySet<string>, fallback: (args: readonly string[]) => readonly string[]) =>
  (args: readonly string[]): readonly string[] => {
    const found: string[] = [];
    let hasPattern = false;
    let isOpen = false;
    for (let at = 0; at < args.length; at++) {
      const word = args[at]!;
      if (!isOpen && word === "--") isOpen = true;
      else if (!isOpen && word !== "-" && word.startsWith("-")) {
        const equals = word.indexOf("=");
        const flag = equals === -1 ? word : word.slice(0, equals);
        const value = equals === -1 ? args[at + 1] : word.slice(equals + 1);
        if (/^(?:-e|--regexp|-f|--file)$/u.test(flag)) hasPattern = true;
        if (/^(?:-f|--file|--exclude-from|--include-from|--ignore-file)$/u.test(flag) && value !== undefined)
          found.push(value);
        if (equals === -1 && /^-[ef]./u.test(word)) {
          hasPattern = true;
          if (word[1] === "f") found.push(word.slice(2));
        }
        if (valued.has(flag) && equals === -1) at++;
      } else if (hasPattern) found.push(word);
      else hasPattern = true;
    }
    return found.length > 0 ? found : fallback(args);
  };

const GREP_VALUES = new Set(
  "-e --regexp -f --file --exclude --include --exclude-dir --include-dir -m --max-count -A --after-context -B --before-context -C --context".split(
    " ",
  ),
);
const RG_VALUES = new Set(
  "-e --regexp -f --file -t --type -T --type-not -g --glob -m --max-count --max-depth -r --replace -A --after-context -B --before-context -C --context".split(
    " ",
  ),
);
const grep = searched(GREP_VALUES, (args) => (args.some((word) => /^(?:-[rR]|--recursive)$/u.test(word)) ? ["."] : []));
const rg = searched(RG_VALUES, () => ["."]);

const find = (args: readonly string[]): readonly string[] => {
  const found: string[] = [];
  let isExpression = false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    if (/^-[HLP]$/u.test(word)) continue;
    if (word.startsWith("-")) {
      isExpression = true;
      if (
        /^-(?:newer\w*|anewer|cnewer|mnewer|samefile|i?path|i?wholename|i?lname)$/u.test(word) &&
        args[at + 1] !== undefined
      )
        found.push(args[++at]!);
    } else if (!isExpression) found.push(word);
  }
  return found.length > 0 ? found : ["."];
};

const awk = (args: readonly string[]): readonly string[] => {
  const found: string[] = [];
  let hasProgram = false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    if (/^(?:-F|-v|-e|--field-separator|--assign|--source)$/u.test(word)) {
      if (word === "-e" || word === "--source") hasProgram = true;
      at++;
    } else if (/^(?:-f|--file|-E|--exec)$/u.test(word)) {
      hasProgram = true;
      if (args[at + 1] !== undefined) found.push(args[++at]!);
    } else if (word.startsWith("-") && word !== "-") continue;
    else if (hasProgram) found.push(word);
    else hasProgram = true;
  }
  return found;
};

const jq = (args: readonly string[]): readonly string[] => {
  const found: string[] = [];
  let hasFilter = false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    if (/^(?:-f|--from-file)$/u.test(word)) {
      hasFilter = true;
      if (args[at + 1] !== undefined) found.push(args[++at]!);
    } else if (/^--(?:slurpfile|rawfile)$/u.test(word)) {
      if (args[at + 2] !== undefined) found.push(args[at + 2]!);
      at += 2;
    } else if (/^--(?:arg|argjson)$/u.test(word)) at += 1;
    else if (/^(?:-L|--library-path|--indent)$/u.test(word)) at++;
    else if (word.startsWith("-")) continue;
    else if (hasFilter) found.push(word);
    else hasFilter = true;
  }
  return found;
};

const sed = (args: readonly string[]): readonly string[] => {
  const found: string[] = [];
  let hasScript = false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    if (/^(?:-f|--file)$/u.test(word)) {
      hasScript = true;
      if (args[at + 1] !== undefined) found.push(args[++at]!);
    } else if (/^(?:-e|--expression)$/u.test(word)) {
      hasScript = true;
      at++;
    } else if (word.startsWith("-") && word !== "-") {
      if (/[ef]/u.test(word) && !/^-(?:i|-in-place|-quiet|-silent|E|r|n)$/u.test(word)) hasScript = true;
    } else if (hasScript) found.push(word);
    else hasScript = true;
  }
  return found;
};

const tr = (args: readonly string[]): readonly string[] =>
  operands(args).slice(args.some((word) => word === "--delete" || /^-[^-]*d/u.test(word)) ? 1 : 2);

const git = (args: readonly string[]): readonly string[] => {
  if (args[0] === "grep") return searched(GREP_VALUES, () => ["."])(args.slice(1));
  if (args[0] !== "diff") return [];
  return args.slice(1).filter((word) => !word.startsWith("-"));
};

const READERS: Readonly<Record<string, (args: readonly string[]) => readonly string[]>> = {
  ls: (args) => (operands(args).length > 0 ? operands(args) : ["."]),
  find,
  cut: operandsWith("bcdf"),
  paste: operandsWith("d"),
  column: operandsWith("cosNOClEHRTWrip"),
  tac: operandsWith("s"),
  fold: operandsWith("w"),
  expand: operandsWith("t"),
  unexpand: operandsWith("t"),
  fmt: operandsWith("wgdl"),
  pr: operandsWith("hlwWoND"),
  numfmt: operandsWith("d"),
  comm: operands,
  cmp: operands,
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  tr,
  grep,
  egrep: grep,
  fgrep: grep,
  rg,
  jq,
  git,
};
for (const name of "cat head tail sort uniq wc file stat diff strings hexdump od base64 nl sha256sum sha1sum md5sum rev tsort".split(
  " ",
))
  (READERS as Record<string, (args: readonly string[]) => readonly string[]>)[name] = operands;

const WRITERS: Readonly<Record<string, FileAccess>> = {
  mkdir: "create",
  touch: "create",
  rm: "write",
  rmdir: "write",
  mv: "write",
  cp: "write",
};
const DEVICES = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"]);

/** Undefined: no file command. `home` is what a bare `cd` goes to. */
export const fileUseOf = (argv: readonly string[], home: string, facts: VersionFacts): FileUse | undefined => {
  const [first = "", ...args] = argv;
  const name = /(?:^|\/)(?:rm|rmdir|tee|cp|mv)$/u.test(first) && facts.shellGrammar ? baseName(first) : first;
  if (name === "cd") {
    const to = operands(args);
    return { access: "read", paths: [to[0] ?? (args.at(-1) === "-" ? "-" : home)] };
  }
  if (name === "sed") return { access: isReadOnlySed(argv, facts) ? "read" : "write", paths: sed(args) };
  if (name === "tee" && facts.inputRedirects)
    return { access: "write", paths: operands(args).filter((path) => !DEVICES.has(path)) };
  if (Object.hasOwn(WRITERS, name)) return { access: WRITERS[name]!, paths: operands(args) };
  return Object.hasOwn(READERS, name) ? { access: "read", paths: READERS[name]!(args) } : undefined;
};
