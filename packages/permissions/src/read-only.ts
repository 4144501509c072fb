// Whether a command only reads. Where it reads, and where its output goes, is checked elsewhere.

import {
  ALONE,
  FIND_ACTIONS,
  FLAG_TABLES,
  GLOB_READERS,
  NEW_READERS,
  PLAIN_READERS,
  PLAIN_READERS_SINCE_200,
  WHOLE_LINES,
  WHOLE_LINES_SINCE_200,
  XARGS_TARGETS,
} from "./read-only-tables.ts";
import type { FlagTable } from "./read-only-tables.ts";
import type { ReadCommand } from "./cli-reading.ts";
import { own } from "./own.ts";
import { isReadOnlySed } from "./sed.ts";
import { isKnown } from "./shell-words.ts";
import type { VersionFacts } from "./versions.ts";
import { isHarmlessAssignment } from "./wrappers.ts";

export const isReadOnly = (command: ReadCommand, facts: VersionFacts): boolean => {
  const { redirects, assignments } = command;
  if (assignments.some(({ name, value }) => !isHarmlessAssignment(name, value, facts))) return false;
  if (redirects.some(({ target }) => /^\/dev\/(?:tcp|udp)\//u.test(target))) return false;
  const argv = withoutReaders(command.argv, facts);
  if (argv.some((word) => /^~(?!\/|$)/u.test(word))) return false;
  if (command.globs.some(Boolean)) return GLOB_READERS.has(argv[0] ?? "");
  return isReadOnlyArgv(argv, facts);
};

/** The wrappers that a reading command may have. */
const withoutReaders = (argv: readonly string[], facts: VersionFacts): readonly string[] => {
  if (!facts.shellGrammar) return argv;
  let rest = argv;
  for (;;) {
    if (rest[0] === "timeout" && /^\d+(?:\.\d+)?[smhd]?$/u.test(rest[1] ?? "") && rest.length > 2) rest = rest.slice(2);
    else if ((rest[0] === "command" || rest[0] === "builtin") && rest.length > 1 && !rest[1]!.startsWith("-"))
      rest = rest.slice(1);
    else return rest;
  }
};

const isReadOnlyArgv = (argv: readonly string[], facts: VersionFacts): boolean => {
  const name = argv[0];
  if (name === undefined || (!facts.shellGrammar && NEW_READERS.has(name))) return false;
  if (!facts.shellGrammar && argv.join(" ") === "npm list") return true;
  if (ALONE.has(name)) return argv.length === 1;
  if (PLAIN_READERS.has(name) || (facts.shellGrammar && PLAIN_READERS_SINCE_200.has(name))) return true;
  const line = argv.join(" ");
  if (WHOLE_LINES.has(line) || (facts.shellGrammar && WHOLE_LINES_SINCE_200.has(line))) return true;
  if (!facts.shellGrammar && name === "which") return true;
  const special = own(SPECIAL, name);
  if (special !== undefined) {
    const verdict = special(argv, facts);
    if (verdict !== undefined) return verdict;
  }
  if (name === "docker" && (argv[1] === "ps" || argv[1] === "images")) return !argv.some(isRemoteDocker);
  return hasSafeFlags(argv, facts);
};

const isRemoteDocker = (word: string): boolean =>
  /^(?:-[Hcr]|--(?:host|context|config|tls\w*|url|connection|identity|remote|module|out)(?:=|$))/u.test(word) ||
  !isKnown(word);

const NUMBER = /^[-+]?(?:0[xX][\da-fA-F]+|\d+#\w+|\d*\.?\d+(?:[eE][-+]?\d+)?)$/u;
const COMPARISONS = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"]);

const isPlainTest = (argv: readonly string[]): boolean =>
  argv.every((word, at) => {
    if (/^-[vR]$/u.test(word) || word.includes("[")) return at === 0;
    if (COMPARISONS.has(word)) return NUMBER.test(argv[at - 1] ?? "") && NUMBER.test(argv[at + 1] ?? "");
    return word !== "-t" || NUMBER.test(argv[at + 1] ?? "");
  });

/** Undefined: the tables decide. */
const SPECIAL: Readonly<Record<string, (argv: readonly string[], facts: VersionFacts) => boolean | undefined>> = {
  echo: () => true,
  ls: () => true,
  cd: (argv) => argv.length <= 2,
  "[[": (argv, facts) => facts.shellGrammar && isPlainTest(argv),
  "[": (argv, facts) => facts.shellGrammar && isPlainTest(["[[", ...argv.slice(1, -1)]),
  test: (argv, facts) =>
    facts.shellGrammar && !argv.includes("-a") && !argv.includes("-o") && isPlainTest(["[[", ...argv.slice(1)])
      ? undefined
      : false,
  printf: (argv) => {
    const at = argv[1] === "--" ? 2 : 1;
    const format = argv[at] ?? "";
    if (format.startsWith("-") || !isKnown(format) || format.includes("$") || /\\[uU]/u.test(format)) return false;
    const isText = !format.replaceAll(/%(?:%|[-+ 0#']*\d*(?:b|(?:\.\d*)?[scq]))/gu, "").includes("%");
    return isText || argv.slice(at + 1).every((word) => NUMBER.test(word));
  },
  find: (argv) => argv.every((word) => !FIND_ACTIONS.has(word) && isKnown(word)),
  history: (argv) => argv.length === 1 || (argv.length === 2 && /^\d+$/u.test(argv[1]!)),
  arch: (argv) => argv.length === 1 || (argv.length === 2 && /^(?:-h|--help)$/u.test(argv[1]!)),
  ifconfig: (argv) => argv.length === 1 || (argv.length === 2 && /^[a-zA-Z]/u.test(argv[1]!)),
  jq: (argv) =>
    argv.length > 1 &&
    argv.every(
      (word) =>
        isKnown(word) &&
        !/^-[a-zA-Z]*[fL]|^--(?:from-file|rawfile|slurpfile|argfile|run-tests|library-path)|\b(?:env|include|import)\b|\bsystem\s*\(|\$\s*ENV\b/u.test(
          word,
        ),
    ),
  sed: (argv, facts) => isReadOnlySed(argv, facts),
};

const hasSafeFlags = (argv: readonly string[], facts: VersionFacts): boolean => {
  for (const length of [3, 2, 1]) {
    if (argv.length < length) continue;
    const name = argv.slice(0, length).join(" ");
    const flags = FLAG_TABLES.get(name);
    if (flags === undefined || (name === "uniq" && argv.slice(1).some((word) => !/^(?:-|\d+$)/u.test(word)))) continue;
    const args = argv.slice(length);
    if (args.some((word) => word.includes("$") || !isKnown(word) || /\{.*(?:,|\.\.)/u.test(word))) return false;
    return flagsAreSafe(name, flags, args) && (own(EXTRA, name)?.(args, facts) ?? true);
  }
  return false;
};

const flagsAreSafe = (name: string, flags: FlagTable, args: readonly string[]): boolean => {
  const ignoresDoubleDash = /^(?:git (?:stash list|blame)|ps|base64|test)$/u.test(name);
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    if (name === "xargs" && (word === "--" || !word.startsWith("-")))
      return XARGS_TARGETS.has(word === "--" ? (args[at + 1] ?? "") : word);
    if (word === "--") {
      if (ignoresDoubleDash) continue;
      return true;
    }
    if (!word.startsWith("-") || word === "-") continue;
    const equals = word.indexOf("=");
    const flag = equals === -1 ? word : word.slice(0, equals);
    const kind = flags.get(flag);
    if (kind === undefined) {
      if (name.startsWith("git ") && /^-\d+$/u.test(flag)) continue;
      if (
        /^(?:[ef]?grep|rg)$/u.test(name) &&
        /^-[^-]\d+$/u.test(flag) &&
        (flags.get(flag.slice(0, 2)) ?? "none") !== "none"
      )
        continue;
      if (/^-[^-]{2,}$/u.test(flag) && Array.from(flag.slice(1)).every((letter) => flags.get(`-${letter}`) === "none"))
        continue;
      return false;
    }
    if (kind === "none") {
      if (equals !== -1) return false;
      continue;
    }
    const value = equals === -1 ? args[++at] : word.slice(equals + 1);
    if (value === undefined || (value.startsWith("-") && !(flag === "--sort" && /^-[a-zA-Z]/u.test(value))))
      return false;
    if (kind === "number" && !/^\d+$/u.test(value)) return false;
  }
  return true;
};

const hasSignatureFormat = (args: readonly string[]): boolean =>
  args.some((word, at) => {
    if (/%[-+ ]?G|%\(\*?signature|(?:^|[=:])~/u.test(word)) return true;
    const named = /^--(?:format|pretty)(?:=(.*))?$/su.exec(word);
    if (named === null) return false;
    const value = named[1] ?? args[at + 1] ?? "";
    return value !== "" && !/%|^t?format:|^(?:oneline|short|medium|full|fuller|email|raw)$/u.test(value);
  });

/** Whether plain words, which would be a new name, come only behind a list option. */
const listsOnly = (args: readonly string[], valued: readonly string[], optional: readonly string[]): boolean => {
  let isList = false;
  let last = "";
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    if (word.startsWith("-") && word !== "--") {
      if (word === "--list" || /^-[^-=]*l[^=]*$/u.test(word)) isList = true;
      last = word.split("=", 1)[0]!;
      if (valued.includes(word)) at++;
    } else if (word !== "--" && !isList && !optional.includes(last)) return false;
  }
  return true;
};

const EXTRA: Readonly<Record<string, (args: readonly string[], facts: VersionFacts) => boolean>> = {
  "git log": (args) => !hasSignatureFormat(args),
  "git show": (args) => !hasSignatureFormat(args),
  "git shortlog": (args) => !hasSignatureFormat(args),
  "git rev-list": (args) => !hasSignatureFormat(args),
  "git for-each-ref": (args) => !hasSignatureFormat(args),
  "git reflog": (args) =>
    (args[0] === undefined || args[0].startsWith("-") || /^(?:show|list)$/u.test(args[0])) &&
    !args.some((word) => /^(?:expire|delete|exists|drop|write)$/u.test(word)),
  "git ls-remote": (args) => args.every((word) => word.startsWith("-")),
  "git remote": (args) => args.every((word) => word === "-v" || word === "--verbose"),
  "git remote show": (args) =>
    args.includes("-n") && args.filter((word) => /^\w[\w-]*$/u.test(word)).length === 1 && args.length === 2,
  "git tag": (args, facts) =>
    !facts.tagNamesWrite ||
    (!hasSignatureFormat(args) &&
      listsOnly(
        args,
        ["--contains", "--no-contains", "--merged", "--no-merged", "--points-at", "--sort", "--format", "-n"],
        [],
      )),
  "git branch": (args) =>
    !hasSignatureFormat(args) &&
    listsOnly(args, ["--contains", "--no-contains", "--points-at", "--sort"], ["--merged", "--no-merged"]),
  "docker logs": (args) => !args.some((word) => /^(?:-[Hcr]|--(?:host|context|config))/u.test(word)),
  "docker inspect": (args) => !args.some((word) => /^(?:-[Hcr]|--(?:host|context|config))/u.test(word)),
  date: (args) =>
    args.every(
      (word, at) => /^[-+]/u.test(word) || /^(?:-d|--date|-r|--reference|--rfc-3339)$/u.test(args[at - 1] ?? ""),
    ),
  hostname: (args) => args.every((word) => word.startsWith("-")),
  man: (args) => args.every((word) => !/[/\\~]/u.test(word)),
  help: (args) => args.every((word) => !/[/\\~]/u.test(word)),
  ps: (args) => args.every((word, at) => word.startsWith("-") || /^-/u.test(args[at - 1] ?? "") || !/[eE]/u.test(word)),
  lsof: (args) => args.every((word) => !/^\+|@/u.test(word)),
};
