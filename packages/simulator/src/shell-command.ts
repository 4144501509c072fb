// A shell command as the permission table sees it: its parts, which of them only read, which paths they touch. Small on
// purpose: what it cannot take apart is asked about.
import { dirname, isAbsolute, join, normalize } from "node:path";

export type PartKind = "reads" | "writes" | "redirects" | "other";

export interface ShellPart {
  readonly text: string;
  readonly kind: PartKind;
  /** The paths that it names, absolute. */
  readonly paths: readonly string[];
}

export interface ShellCommand {
  readonly parts: readonly ShellPart[];
  /** Why it cannot be judged before it runs. */
  readonly opaque?: string;
}

const READERS =
  "ls pwd cat head tail wc sort uniq cut tr grep rg find echo printf true false test [ sleep date whoami which type id uname hostname stat file du df diff cmp basename dirname realpath readlink seq tree cd nl rev tac column expr jq xxd od md5sum sha256sum";
const GIT_READERS = "status log diff show branch remote blame rev-parse ls-files describe shortlog tag";
const WRITERS = "touch mkdir rm rmdir cp mv ln";
/** Written for their effect: no output is what they normally print. */
const SILENT = "touch mkdir rm rmdir cp mv ln chmod chown";

const isIn = (names: string, name: string | undefined): boolean =>
  name !== undefined && names.split(" ").includes(name);

export const parseShell = (command: string, cwd: string): ShellCommand => {
  const opaque = /\$\(|`|<\(/.test(command)
    ? "A nested command in this command can't be checked before it runs"
    : /\$\w|\$\{/.test(command) || /(?:^|[;&|]\s*)(?:for|while|until|if|case)\s/.test(command)
      ? "A variable in this command can't be checked before it runs"
      : undefined;
  const parts = opaque === undefined ? splitCommand(command).map((text) => partOf(text, cwd)) : [];
  return { parts, ...(opaque === undefined ? {} : { opaque }) };
};

/** Splits at `;`, `&&`, `||`, `|`, `&` and line ends outside quotes. */
export const splitCommand = (command: string): readonly string[] => {
  const parts: string[] = [];
  let part = "";
  let quote = "";
  for (let at = 0; at < command.length; at++) {
    const char = command[at]!;
    if (quote !== "") {
      if (char === quote) quote = "";
      else if (char === "\\" && quote === '"') part += command[at++]!;
      part += command[at] ?? "";
      continue;
    }
    if (char === "\\") {
      part += char + (command[++at] ?? "");
      continue;
    }
    if (char === "'" || char === '"') quote = char;
    const duplicates = char === "&" && (command[at - 1] === ">" || command[at + 1] === ">");
    if ((char === ";" || char === "|" || char === "&" || char === "\n") && !duplicates) {
      if (command[at + 1] === char) at++;
      parts.push(part);
      part = "";
      continue;
    }
    part += char;
  }
  parts.push(part);
  return parts.map((text) => text.trim()).filter((text) => text !== "");
};

const partOf = (text: string, cwd: string): ShellPart => {
  const words = wordsOf(text);
  const target = redirectTargetOf(words);
  if (target !== undefined) return { text, kind: "redirects", paths: [absolute(target, cwd)] };
  const [name, ...rest] = words.filter((word) => !/^\d*>&\d$/.test(word));
  const operands = rest.filter((word) => !word.startsWith("-"));
  const named = (list: readonly string[]): readonly string[] => list.map((path) => absolute(path, cwd));
  if (isIn(WRITERS, name)) return { text, kind: "writes", paths: named(operands) };
  if (name === "sed" && rest.some((word) => word.startsWith("-i"))) {
    return { text, kind: "writes", paths: named(operands.slice(1)) };
  }
  if (name === "sed") return { text, kind: "reads", paths: named(operands.slice(1)) };
  if (name === "git" && isIn(GIT_READERS, operands[0])) return { text, kind: "reads", paths: [] };
  if (name === "find" && rest.some((word) => /^-(?:delete|exec|execdir|ok|fprint)/.test(word))) {
    return { text, kind: "other", paths: [] };
  }
  if (isIn(READERS, name)) {
    const paths = isIn("echo printf test [ sleep date seq expr which type", name) ? [] : operands;
    return { text, kind: "reads", paths: named(paths.filter((word) => word.includes("/") && word !== "/dev/null")) };
  }
  return { text, kind: "other", paths: [] };
};

const wordsOf = (text: string): readonly string[] =>
  (text.match(/(?:[^\s"']+|"(?:[^"\\]|\\.)*"|'[^']*')+/g) ?? []).map((word) => word.replace(/^(["'])(.*)\1$/s, "$2"));

/** The file of `> file` or `>> file`; duplications such as `2>&1` and `/dev/null` are not one. */
const redirectTargetOf = (words: readonly string[]): string | undefined => {
  for (const [at, word] of words.entries()) {
    const match = /^\d*>>?(.*)$/.exec(word);
    if (match === null) continue;
    const target = match[1] === "" ? words[at + 1] : match[1];
    if (target === undefined || target.startsWith("&") || target === "/dev/null") continue;
    return target;
  }
  return undefined;
};

export const absolute = (path: string, cwd: string): string =>
  normalize(
    isAbsolute(path) ? path : path.startsWith("~/") ? join(process.env.HOME ?? "/", path.slice(2)) : join(cwd, path),
  );

export const isWithinAny = (full: string, folders: readonly string[]): boolean =>
  folders.some((folder) => full === folder || full.startsWith(`${folder}/`));

export const directoryOf = (path: string): string => dirname(path);

/** `npm test *` for a command with a subcommand, else the command itself. */
export const ruleFor = (text: string): string => {
  const [name, second] = text.split(/\s+/);
  return second !== undefined && /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(second) ? `${name ?? ""} ${second} *` : text;
};

export const expectsNoOutput = (command: string): boolean => {
  const parts = splitCommand(command);
  return parts.length > 0 && parts.every((text) => isIn(SILENT, text.split(/\s+/)[0]));
};

/** Exit codes that are an answer, not a failure. */
export const meaningOfExit = (command: string, code: number): string | undefined => {
  const name = splitCommand(command).at(-1)?.split(/\s+/)[0];
  if (code === 1 && (name === "grep" || name === "rg")) return "No matches found";
  if (code === 1 && name === "diff") return "Files differ";
  if (code === 1 && (name === "test" || name === "[")) return "Condition is false";
  return undefined;
};
