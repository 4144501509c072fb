// Wrappers: programs that start another program. The CLI looks through few of them for allow rules, and through many for deny and ask rules.

import { own } from "./own.ts";
import { baseName } from "./paths.ts";
import type { VersionFacts } from "./versions.ts";

/** Assignments that change nothing important. Only these may stand before an allowed command. */
const HARMLESS_NAMES = new Set(
  (
    "GOEXPERIMENT GOOS GOARCH CGO_ENABLED GO111MODULE RUST_BACKTRACE RUST_LOG NODE_ENV PYTHONUNBUFFERED " +
    "PYTHONDONTWRITEBYTECODE PYTEST_DISABLE_PLUGIN_AUTOLOAD PYTEST_DEBUG ANTHROPIC_API_KEY LANG LANGUAGE LC_ALL LC_CTYPE " +
    "LC_TIME CHARSET TERM COLORTERM NO_COLOR FORCE_COLOR TZ LS_COLORS LSCOLORS GREP_COLOR GREP_COLORS GCC_COLORS TIME_STYLE " +
    "BLOCK_SIZE BLOCKSIZE"
  ).split(" "),
);
const HARMLESS_SINCE_200 = new Set(
  "COLUMNS LINES CLICOLOR CLICOLOR_FORCE CI DEBIAN_FRONTEND GIT_TERMINAL_PROMPT".split(" "),
);

export const isHarmlessAssignment = (name: string, value: string, facts: VersionFacts): boolean => {
  if (!HARMLESS_NAMES.has(name) && !(facts.shellGrammar && HARMLESS_SINCE_200.has(name))) return false;
  if (!facts.shellGrammar) return true;
  if (/^(?:LANG|LC_ALL|LC_CTYPE)$/u.test(name) && !/^(?:C|POSIX|UTF-?8|[\w-]+\.UTF-?8(?:@\w+)?)?$/iu.test(value))
    return false;
  return !/^[.~]*[/\\]|[/\\]{2}|:[/\\.]|(?:^|[/\\])\.\.(?:[/\\]|$)/u.test(value);
};

const ASSIGNMENT = /^([A-Za-z_]\w*)=([\w./:-]+)[ \t]+/u;
const OLD_WRAPPERS: Readonly<Record<string, RegExp>> = {
  timeout: /^timeout[ \t]+\d+(?:\.\d+)?[smhd]?[ \t]+/u,
  time: /^time[ \t]+/u,
  nohup: /^nohup[ \t]+/u,
  nice: /^nice[ \t]+-n[ \t]+-?\d+[ \t]+/u,
};
const WRAPPERS: Readonly<Record<string, RegExp>> = {
  timeout:
    /^timeout[ \t]+(?:(?:--(?:foreground|preserve-status|verbose)|--(?:kill-after|signal)=[\w.+-]+|--(?:kill-after|signal)[ \t]+[\w.+-]+|-v|-[ks][ \t]+[\w.+-]+|-[ks][\w.+-]+)[ \t]+)*(?:--[ \t]+)?\d+(?:\.\d+)?[smhd]?[ \t]+/u,
  time: /^time[ \t]+(?:--[ \t]+)?/u,
  nice: /^nice(?:[ \t]+-n[ \t]+-?\d+|[ \t]+-\d+)?[ \t]+(?:--[ \t]+)?/u,
  stdbuf: /^stdbuf(?:[ \t]+-[ioe][LN0-9]+)+[ \t]+(?:--[ \t]+)?/u,
  nohup: /^nohup[ \t]+(?:--[ \t]+)?/u,
  command: /^command(?:[ \t]+-p+)*(?:[ \t]+--)?[ \t]+(?!-)/u,
  builtin: /^builtin(?:[ \t]+--)?[ \t]+(?!-)/u,
  noglob: /^noglob[ \t]+(?!-)/u,
};

/** The last answer is cached, because deny, ask and allow rules and the mode use the same text one after the other. */
let last: { readonly text: string; readonly facts: VersionFacts; readonly plain: string } | undefined;

/** The text of a command without harmless assignments and wrappers, and with the quotes of its first word removed. */
export const withoutWrappers = (text: string, facts: VersionFacts): string => {
  if (last?.text === text && last.facts === facts) return last.plain;
  const plain = unwrapped(text, facts);
  last = { text, facts, plain };
  return plain;
};

const unwrapped = (text: string, facts: VersionFacts): string => {
  const space = text.indexOf(" ");
  const first = space === -1 ? text : text.slice(0, space);
  // Most commands have no assignment and no wrapper.
  if (!/["'\\=\s]|^(?:timeout|time|nice|stdbuf|nohup|command|builtin|noglob)$/u.test(first)) return text.trim();
  let rest = text;
  for (;;) {
    const match = ASSIGNMENT.exec(rest);
    if (match === null || !isHarmlessAssignment(match[1]!, match[2]!, facts)) break;
    rest = rest.slice(match[0].length);
  }
  rest = unquoteFirst(rest);
  const wrappers = facts.moreWrappers ? WRAPPERS : OLD_WRAPPERS;
  for (;;) {
    const wrapper = own(wrappers, /^[a-z]*/u.exec(rest)![0]);
    const length = wrapper?.exec(rest)?.[0].length ?? 0;
    if (length === 0) return rest.trim();
    rest = unquoteFirst(rest.slice(length));
  }
};

const unquoteFirst = (text: string): string => {
  const end = /\s/u.exec(text)?.index ?? text.length;
  const first = text.slice(0, end);
  if (!/["'\\]/u.test(first)) return text;
  const plain = unquoteWord(first);
  return plain === undefined ? text : plain + text.slice(end);
};

/** Undefined: a quote is not closed. */
const unquoteWord = (word: string): string | undefined => {
  let plain = "";
  let quote = "";
  for (let at = 0; at < word.length; at++) {
    const char = word[at]!;
    if (quote === "" && char === "\\") {
      if (at + 1 >= word.length) return undefined;
      plain += word[++at]!;
    } else if (quote === '"' && char === "\\" && '$`"\\'.includes(word[at + 1] ?? "")) plain += word[++at] ?? "";
    else if (char === quote) quote = "";
    else if (quote === "" && (char === '"' || char === "'")) quote = char;
    else plain += char;
  }
  return quote === "" ? plain : undefined;
};

/** Options of a wrapper that take a value as the next word. */
const VALUED: Readonly<Record<string, readonly string[]>> = {
  env: ["-u", "-C", "--unset", "--chdir"],
  sudo: "-u -g -U -C -D -h -p -r -R -t -T --user --group --other-user --close-from --chdir --host --prompt --role --chroot --type --command-timeout -a --auth-type".split(
    " ",
  ),
  doas: ["-a", "-u", "-C"],
  pkexec: ["--user"],
  watch: ["-n", "--interval", "--equexit"],
  ionice: ["-c", "-n", "-p", "-P", "-u", "--class", "--classdata", "--pid", "--pgid", "--uid"],
  setsid: [],
  taskset: ["-c", "--cpu-list"],
  chrt: ["-p", "--pid", "-T", "-P", "-D", "--sched-runtime", "--sched-period", "--sched-deadline"],
  strace: "-e -o -p -s -E -P -S -a -b -I -u -X -O -U --output --trace --expr --attach --env --user".split(" "),
  ltrace: "-a -A -e -l -n -o -p -s -u -x -D -F -w --output --library".split(" "),
  flock: ["-w", "-E", "--timeout", "--wait", "--conflict-exit-code"],
  script: ["-E", "-T", "-m", "-o", "-O", "-B", "-I", "--echo", "--log-timing", "--log-out", "--log-io", "--log-in"],
  unshare: ["-R", "-w", "-S", "-G", "--setuid", "--setgid", "--root", "--wd", "--propagation", "--setgroups"],
  nsenter: ["-t", "-S", "-G", "--target", "--setuid", "--setgid"],
  exec: ["-a"],
  command: [],
  builtin: [],
  noglob: [],
  nocorrect: [],
  stdbuf: ["-i", "-o", "-e"],
  nice: ["-n"],
  nohup: [],
  time: ["-f", "-o"],
  timeout: ["-k", "-s", "--kill-after", "--signal"],
};
/** Wrappers that take an argument of their own before the program. */
const FIRST_WORD: Readonly<Record<string, RegExp>> = {
  chrt: /^\d+$/u,
  taskset: /^(?:0x[\da-f]+|\d+)$/iu,
  flock: /./su,
  script: /./su,
  timeout: /^\d+(?:\.\d+)?[smhd]?$/u,
};
/** Options whose value is a command line. */
const COMMAND_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  env: ["-S", "--split-string"],
  flock: ["-c", "--command"],
  script: ["-c", "--command"],
};
const IS_ASSIGNMENT = /^[A-Za-z_]\w*\+?=/u;

/** The program behind assignments and all wrappers that the CLI knows for deny and ask rules. */
export const innermost = (argv: readonly string[]): readonly string[] => {
  let rest = argv;
  for (let round = 0; round < 50; round++) {
    while (rest[0] !== undefined && IS_ASSIGNMENT.test(rest[0])) rest = rest.slice(1);
    const name = baseName(rest[0] ?? "");
    if (!Object.hasOwn(VALUED, name)) return rest;
    const next = behind(name, rest);
    if (next === undefined || next.length === 0) return rest;
    rest = next;
  }
  return rest;
};

/** What the first wrapper starts, which may be a wrapper again. Undefined: it is not a wrapper, or nothing follows it. */
export const oneBehind = (argv: readonly string[]): readonly string[] | undefined => {
  const name = baseName(argv[0] ?? "");
  return Object.hasOwn(VALUED, name) ? behind(name, argv) : undefined;
};

const behind = (name: string, argv: readonly string[]): readonly string[] | undefined => {
  const valued = VALUED[name]!;
  const commandOptions = own(COMMAND_OPTIONS, name) ?? [];
  let firstWord = own(FIRST_WORD, name);
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at]!;
    if (word === "--") {
      if (firstWord !== undefined && firstWord.test(argv[at + 1] ?? "")) at++;
      return argv.slice(at + 1);
    }
    const option = commandOptions.find((each) => word === each || word.startsWith(`${each}=`));
    if (option !== undefined) {
      const line = word === option ? (argv[at + 1] ?? "") : word.slice(option.length + 1);
      return line.trim().split(/\s+/u);
    }
    if (word.startsWith("-")) {
      if (name === "command" && /^-[pvV]*[vV]/u.test(word)) return undefined;
      if (valued.includes(word)) at++;
    } else if (name === "env" && IS_ASSIGNMENT.test(word)) continue;
    else if (firstWord?.test(word) === true) firstWord = undefined;
    else return argv.slice(at);
  }
  return undefined;
};
