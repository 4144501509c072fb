// sed can write files and start programs. Only two forms count as reading: printing lines, and replacing text on its way through.

import type { VersionFacts } from "./versions.ts";

const PRINT_FLAGS = new Set([
  "-n",
  "--quiet",
  "--silent",
  "-E",
  "--regexp-extended",
  "-r",
  "-z",
  "--zero-terminated",
  "--posix",
]);
const REPLACE_FLAGS = new Set(["-E", "--regexp-extended", "-r", "--posix"]);
const EDIT_FLAGS = new Set([...REPLACE_FLAGS, "-i", "--in-place"]);

const hasOnly = (flags: readonly string[], allowed: ReadonlySet<string>): boolean =>
  flags.every((flag) =>
    /^-[^-]{2,}$/u.test(flag)
      ? Array.from(flag.slice(1)).every((letter) => allowed.has(`-${letter}`))
      : allowed.has(flag),
  );

interface Sed {
  readonly flags: readonly string[];
  readonly scripts: readonly string[];
  readonly files: number;
}

const read = (argv: readonly string[]): Sed => {
  const flags: string[] = [];
  const scripts: string[] = [];
  let files = 0;
  let isNamed = false;
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at]!;
    if ((word === "-e" || word === "--expression") && at + 1 < argv.length) {
      isNamed = true;
      scripts.push(argv[++at]!);
    } else if (word.startsWith("--expression=")) {
      isNamed = true;
      scripts.push(word.slice(13));
    } else if (word.startsWith("-") && word !== "-" && word !== "--") flags.push(word);
    else if (word === "--") continue;
    else if (!isNamed && scripts.length === 0) scripts.push(word);
    else files++;
  }
  return { flags, scripts, files };
};

const REPLACE = /^s\/(?:[^/\\]|\\.)*\/(?:[^/\\]|\\.)*\/[gpimIM]*[1-9]?[gpimIM]*$/su;

/** Commands that write or start something, or that are too clever to tell. */
const isDangerous = (script: string): boolean =>
  // oxlint-disable-next-line no-control-regex -- only plain ASCII is taken for harmless
  /[^\u0001-\u007F]|[{}\n\r]|s\\|\\[|#%@]|\\\/.*[wW]|\/[^/]*\s+[wWeE]/u.test(script) ||
  /(?<!s)#|^!|[/\d$]!|^,|,\s*[+-]|~\s*\d/u.test(script) ||
  /(?:^|[\d$/]|\/[IMim]*)\s*[wWe](?:\s|$)/u.test(script);

const isPrinting = ({ flags, scripts }: Sed): boolean =>
  hasOnly(flags, PRINT_FLAGS) &&
  flags.some((flag) => flag === "--quiet" || flag === "--silent" || /^-[^-]*n/u.test(flag)) &&
  scripts.length > 0 &&
  scripts.every((script) => script.split(";").every((each) => /^(?:\d+|\d+,\d+)?p$/u.test(each.trim())));

const isReplacing = ({ flags, scripts }: Sed, allowed: ReadonlySet<string>): boolean =>
  hasOnly(flags, allowed) && scripts.length === 1 && REPLACE.test(scripts[0]!.trim()) && !scripts[0]!.includes(";");

export const isReadOnlySed = (argv: readonly string[], _facts: VersionFacts): boolean => {
  const sed = read(argv);
  if (sed.scripts.some(isDangerous)) return false;
  return isPrinting(sed) || (sed.files === 0 && isReplacing(sed, REPLACE_FLAGS));
};

/** Whether it only replaces text, maybe in place: what acceptEdits lets pass. */
export const isPlainEdit = (argv: readonly string[]): boolean => {
  const sed = read(argv);
  if (sed.scripts.some(isDangerous)) return false;
  return isPrinting(sed) || isReplacing(sed, EDIT_FLAGS);
};
