// Programs whose words are programs themselves, or that change how the rest of the line is read. The CLI asks for them whatever a
// prefix rule says; only an allow of the whole tool lifts it.

import type { ReadCommand } from "./cli-reading.ts";
import { own } from "./own.ts";
import { baseName } from "./paths.ts";
import { FIND_ACTIONS } from "./read-only-tables.ts";
import { isKnown } from "./shell-words.ts";

const EVALUATES = new Set(
  "eval source . exec nocorrect fc coproc trap enable mapfile readarray hash bind complete compgen alias let".split(
    " ",
  ),
);
const ZSH = new Set(
  (
    "zmodload emulate sysopen sysread syswrite sysseek zpty ztcp zsocket zf_rm zf_mv zf_ln zf_chmod zf_chown zf_mkdir zf_rmdir " +
    "zf_chgrp repeat foreach zcompile setopt unsetopt disable shopt autoload functions zformat zparseopts zstyle zregexparse getln vared"
  ).split(" "),
);
const STARTERS = new Set("watch ionice chrt setsid taskset strace ltrace script flock unshare nsenter".split(" "));
const KEYWORDS = new Set(
  "if then else elif fi for while until do done case esac function select in { } ! [[ ]]".split(" "),
);
const AWKS = new Set(["awk", "gawk", "mawk", "nawk"]);

/** Options of find that take the next word. */
const FIND_VALUES =
  /^-(?:i?name|i?path|i?lname|i?regex|i?wholename|samefile|newer\w*|anewer|cnewer|perm|user|group|uid|gid|size|x?type|fstype|inum|links|used|[acm](?:min|time)|mindepth|maxdepth|printf|regextype|D)$/u;

/** Undefined: nothing stands against it. */
export const meaningProblem = (command: ReadCommand): string | undefined => {
  const unwrapped = unwrap(command.argv);
  if (typeof unwrapped === "string") return unwrapped;
  const { argv, isXargs } = unwrapped;
  const name = argv[0];
  if (name === undefined) return undefined;
  if (name === "" || !isKnown(name)) return "The program's name is only known when the line runs.";
  if (/^[-|&]/u.test(name)) return "It begins like the rest of another command.";
  const program = baseName(name);
  if (KEYWORDS.has(name) && name !== "[[") return "A word of the shell stands where a program is expected.";
  if (EVALUATES.has(name)) return `${program} takes its words for shell code.`;
  if (ZSH.has(name)) return `${program} changes how a shell reads the line.`;
  if (STARTERS.has(program) && argv.length > 1) return `What ${program} starts cannot be checked before it runs.`;
  if (isXargs && (program === "find" || program === "jq"))
    return `What xargs adds to ${program} cannot be checked before it runs.`;
  const special = own(SPECIAL, AWKS.has(program) ? "awk" : program)?.(argv, command);
  if (special !== undefined) return special;
  const isEnvironment = (word: string): boolean => word.includes("/proc/") && /\/proc\/.*\/environ/u.test(word);
  if (command.argv.some(isEnvironment) || command.redirects.some(({ target }) => isEnvironment(target)))
    return "It reads the environment of a process.";
  const hasHiddenLine = (word: string): boolean => word.includes("\n") && /\n\s*#/u.test(word);
  if (
    command.argv.some(hasHiddenLine) ||
    command.redirects.some(({ target }) => hasHiddenLine(target)) ||
    command.assignments.some(({ value }) => hasHiddenLine(value))
  )
    return "A line inside a word begins with #.";
  return undefined;
};

type Unwrapped = { readonly argv: readonly string[]; readonly isXargs: boolean } | string;

const unwrap = (words: readonly string[]): Unwrapped => {
  let argv = words;
  let isXargs = false;
  for (let round = 0; round < 50; round++) {
    const name = baseName(argv[0] ?? "");
    const next = own(WRAPPED, name)?.(argv);
    if (typeof next === "string") return next;
    if (next === undefined || next.length === 0) break;
    if (name === "xargs") isXargs = true;
    argv = next;
  }
  return { argv, isXargs };
};

const odd = (name: string, word: string): string => `${name} ${word} cannot be checked before it runs.`;

/** The words behind a wrapper; a text: it cannot be told; undefined: it is the program itself. */
const WRAPPED: Readonly<Record<string, (argv: readonly string[]) => readonly string[] | string | undefined>> = {
  time: (argv) => (argv[1] === undefined || /^[\w./~+-]+$/u.test(argv[1]) ? argv.slice(1) : odd("time", argv[1])),
  nohup: (argv) => (argv[1] === undefined || /^[\w./~+-]+$/u.test(argv[1]) ? argv.slice(1) : odd("nohup", argv[1])),
  timeout: (argv) => {
    let at = 1;
    for (; at < argv.length; at++) {
      const word = argv[at]!;
      if (
        /^(?:--foreground|--preserve-status|--verbose|-v|--(?:kill-after|signal)=[\w.+-]+|-[ks][\w.+-]+)$/u.test(word)
      )
        continue;
      if (/^(?:--kill-after|--signal|-k|-s)$/u.test(word) && /^[\w.+-]+$/u.test(argv[at + 1] ?? "")) at++;
      else if (word.startsWith("-")) return odd("timeout", word);
      else break;
    }
    if (argv[at] === undefined) return undefined;
    return /^\d+(?:\.\d+)?[smhd]?$/u.test(argv[at]!) ? argv.slice(at + 1) : odd("timeout", argv[at]!);
  },
  nice: (argv) => {
    if (argv[1] === "-n" && /^-?\d+$/u.test(argv[2] ?? "")) return argv.slice(3);
    if (/^-\d+$/u.test(argv[1] ?? "")) return argv.slice(2);
    return argv[1] !== undefined && !isKnown(argv[1]) ? odd("nice", "with a variable") : argv.slice(1);
  },
  env: (argv) => {
    let at = 1;
    for (; at < argv.length; at++) {
      const word = argv[at]!;
      if (word === "-u") at++;
      else if (/^-[i0v]$/u.test(word) || (word.includes("=") && !word.startsWith("-"))) continue;
      else if (word.startsWith("-")) return odd("env", word);
      else break;
    }
    return at < argv.length ? argv.slice(at) : undefined;
  },
  stdbuf: (argv) => {
    let at = 1;
    for (; at < argv.length; at++) {
      const word = argv[at]!;
      if (/^-[ioe]$/u.test(word)) at++;
      else if (/^-[ioe].|^--(?:input|output|error)=/u.test(word)) continue;
      else if (word.startsWith("-")) return odd("stdbuf", word);
      else break;
    }
    return at > 1 && at < argv.length ? argv.slice(at) : undefined;
  },
  command: (argv) => {
    let at = 1;
    for (; argv[at]?.startsWith("-") === true && argv[at] !== "--"; at++) {
      if (!/^-[pvV]+$/u.test(argv[at]!)) return odd("command", argv[at]!);
      if (/[vV]/u.test(argv[at]!)) return undefined;
    }
    return argv.slice(argv[at] === "--" ? at + 1 : at);
  },
  builtin: (argv) => argv.slice(argv[1] === "--" ? 2 : 1),
  noglob: (argv) => argv.slice(1),
  xargs: (argv) => (argv[1] !== undefined && !argv[1].startsWith("-") ? argv.slice(1) : undefined),
};

const awkProblem = (word: string): string | undefined => {
  if (/(?<![A-Za-z_])(?:system|extension)[\s\\]*\(/u.test(word)) return "The awk program can start other programs.";
  if (/(?:^|[^|])\|&?[^/|%";#{}]*"|(?:^|[^|])\|&?[\s\\]*getline\b/u.test(word))
    return "The awk program has a pipe to another program.";
  if (/@[\s\\]*(?:load|include)\b|"\/inet[46]?\//u.test(word))
    return "The awk program loads code or opens the network.";
  return undefined;
};

type Special = (argv: readonly string[], command: ReadCommand) => string | undefined;

const SPECIAL: Record<string, Special | undefined> = {
  find: (argv, { globs }) => {
    if (globs.some(Boolean)) return "A pattern outside quotes may become an option of find.";
    for (let at = 1; at < argv.length; at++) {
      const word = argv[at]!;
      if (FIND_ACTIONS.has(word)) return `find ${word} starts programs or changes files.`;
      if (FIND_VALUES.test(word)) at++;
      else if (!isKnown(word) || /[[\]*?]/u.test(word)) return "A word of find is only known when the line runs.";
    }
    return undefined;
  },
  awk: (argv, { globs }) => {
    if (globs.some(Boolean)) return "A pattern outside quotes may become the awk program.";
    for (const word of argv) {
      const problem = awkProblem(word);
      if (problem !== undefined) return problem;
      if (!isKnown(word)) return "A word of awk is only known when the line runs.";
    }
    return argv.some((word) => /^-[bcCghIkMnNOPrsStV]*[fEileDW]|^--(?:fil|e|i|lo|s|de)/u.test(word))
      ? "awk has an option that cannot be checked."
      : undefined;
  },
  jq: (argv) => {
    if (argv.some((word) => /\bsystem\s*\(|\b(?:include|import)\b/u.test(word)))
      return "The jq filter can load other code.";
    return argv.some((word) => /^(?:-[A-Za-z]*[fL]|--(?:from-file|rawfile|slurpfile|library-path)(?:$|=))/u.test(word))
      ? "jq has an option that reads code or files."
      : undefined;
  },
  printf: (argv) =>
    argv.some((word) => !isKnown(word) || (word.includes("[") && /[$`]/u.test(word)))
      ? "A word of printf is only known when the line runs."
      : undefined,
  set: (argv) =>
    argv.slice(1).some((word) => /^[-+]/u.test(word) && !/^[-+](?:[euxfCvmbEThPn]+|-)$/u.test(word) && word !== "-o")
      ? "set changes how the shell works."
      : undefined,
  jobs: (argv) => (argv.some((word) => /^[+-].*x/u.test(word)) ? "What jobs -x starts cannot be checked." : undefined),
};
for (const name of ["test", "[", "[[", "unset", "read", "wait"])
  SPECIAL[name] = (argv) =>
    argv.slice(1).some((word, at) => {
      if (name !== "unset" && name !== "read" && name !== "wait" && /^-(?:eq|ne|lt|le|gt|ge)$/u.test(word))
        return [argv[at], argv[at + 2]].some(
          (each) => each !== undefined && !/^-?(?:0[xX][\da-fA-F]+|\d+#\w+|\d+)$/u.test(each),
        );
      return (name === "unset" || name === "read") && !word.startsWith("-") && (word.includes("[") || !isKnown(word));
    })
      ? `${name} calculates with what it is given.`
      : undefined;
for (const name of ["declare", "typeset", "local", "export", "readonly"])
  SPECIAL[name] = (argv) =>
    argv.slice(1).some((word) => !isKnown(word) || word.includes("[") || /^[-+].*[niaAluEFLRZmT]/u.test(word))
      ? `${name} sets something that cannot be checked.`
      : undefined;
