// What the CLI sees in the plain text of a line before it reads it: characters and forms that shells take differently.

import { HOLE } from "./shell-words.ts";

const TEXT_PROBLEMS: readonly (readonly [RegExp, string])[] = [
  [/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/, "It has half of a character."],
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  [/[\u0000-\u0008\u000B-\u001F\u007F]/u, "It has control characters."],
  [/[\u00A0\u1680\u2000-\u200B\u2028\u2029\u202F\u205F\u3000\uFEFF]/u, "It has spaces that are not plain spaces."],
  [
    /\\[ \t]|(?:^|[^ \t\\])(?:\\\\)*\\\n|[ \t](?:\\\\)+\\\n/u,
    "It has an escaped space, or a line break inside a word.",
  ],
  [/~\[/u, "It has a folder name of zsh."],
  [/(?:^|[\s;&|])=[a-zA-Z_]/u, "It has a command name of zsh."],
  [/<\d*-\d*>/u, "It has a number pattern of zsh."],
];

/** Braces inside quotes say nothing. */
export const withoutQuotedBraces = (text: string): string =>
  text.includes("{") ? text.replaceAll(/'[^']*'|"(?:\\.|[^"\\])*"/gsu, (quoted) => quoted.replaceAll("{", " ")) : text;

/** Undefined: the text itself is plain. */
export const textProblem = (text: string): string | undefined => {
  if (/^[\w ./:,@%+'"|;&!?*#$()>\n-]*$/u.test(text)) return undefined;
  if (text.includes(HOLE)) return "It has a character of a private area.";
  for (const [pattern, why] of TEXT_PROBLEMS) if (pattern.test(text)) return why;
  return /\{[^}]*['"]/u.test(withoutQuotedBraces(text)) ? "It has quotes inside braces." : undefined;
};

/** Constructs that cannot be checked before they run, in words. */
export const NODE_WORDS: Readonly<Record<string, string>> = {
  BraceGroup: "group in braces",
  Function: "function definition",
  Case: "case statement",
  ArithmeticFor: "counting loop",
  Select: "select loop",
  Coproc: "coprocess",
  ArithmeticCommand: "calculation",
  ProcessSubstitution: "command used as a file",
  AnsiCQuoted: "text with escape codes",
  LocaleString: "translatable text",
  ParameterExpansion: "variable in braces",
  ExtendedGlob: "extended pattern",
  BraceExpansion: "brace pattern",
};

/** Variables that every shell has. What they are is known only to it. */
export const KNOWN_NAMES = new Set(
  "HOME PWD OLDPWD USER LOGNAME SHELL PATH HOSTNAME UID EUID PPID RANDOM SECONDS LINENO TMPDIR BASH_VERSION BASHPID SHLVL HISTFILE IFS".split(
    " ",
  ),
);
/** Names that change which program runs, or how a line is read. */
export const POWERFUL =
  /^(?:path|home|dirstack|bash_env|env|cdpath|globignore|shell|fpath|manpath|lang|language|lc_\w+|histfile|zdotdir|functions|commands|aliases|ifs|ps4|prompt4|ld_.*|dyld_.*|bash_func_.*|bash_\w+path|textdomain\w*|execignore)$/iu;

/** A word as a shell takes it back. */
export const quoted = (value: string): string =>
  value === "" || /["'\\ \t\n$`;|&<>(){}#]/u.test(value) ? `'${value.replaceAll("'", String.raw`'\''`)}'` : value;

/** Ends the reading of a line that cannot be checked. */
export class TooComplex extends Error {}
export const complex = (why: string): never => {
  throw new TooComplex(why);
};
