// What is dangerous about a call, in words, with the places in the command line. Only for showing and for asking twice: it decides
// nothing. It reads the parsed command, so quotes, wrappers, `sh -c` and pipes do not hide anything that the parser sees.

import type { Command, SyntaxNode } from "unbash";
import { forEachChild } from "unbash";
import { bareArgs, FORCED, isSecretPath, networkUse, SECRET_VARIABLES, written } from "./danger-tables.ts";
import { absolute, baseName, isInside, withoutTilde } from "./paths.ts";
import { placedPrograms } from "./programs.ts";
import type { ReadScript } from "./programs.ts";
import { shellPiecesOf } from "./shell-pieces.ts";
import { isKnown, valueOfWord } from "./shell-words.ts";
import type { ValueOf } from "./shell-words.ts";
import type { Program } from "./types.ts";
import { innermost } from "./wrappers.ts";

export { partsOf } from "./parts.ts";

export type DangerKind =
  | "deletes"
  | "discards"
  | "overwrites"
  | "forces"
  | "runs"
  | "outside"
  | "network"
  | "secrets"
  | "root"
  | "unparsed";

/** From the first to behind the last character. */
export type TextRange = readonly [from: number, to: number];

export interface Danger {
  readonly kind: DangerKind;
  /** What happens, in one or a few words. `words` continues the sentence. */
  readonly verb: string;
  readonly words: string;
  /** Names in `words`, for surfaces with their own words. */
  readonly subjects: readonly string[];
  /** Places in the command. Empty: it has none of its own, or the call is not a command. */
  readonly marks: readonly TextRange[];
}

export interface DangerPlace {
  /** Where the session works. Undefined: unknown, so nothing is known to be outside. */
  readonly cwd: string | undefined;
  /** Other folders of the session. */
  readonly folders?: readonly string[];
}

/** Tools that change a file, and the field with its path. */
const FILE_TOOLS: Readonly<Record<string, string>> = {
  Write: "file_path",
  Edit: "file_path",
  MultiEdit: "file_path",
  NotebookEdit: "notebook_path",
};

export const dangersOf = (
  tool: string,
  input: Readonly<Record<string, unknown>>,
  place: DangerPlace,
): readonly Danger[] => {
  if (tool === "WebFetch") return fetched(input["url"]);
  if (tool === "Bash") return typeof input["command"] === "string" ? dangersIn(input["command"], place) : [];
  const isFile = Object.hasOwn(FILE_TOOLS, tool);
  const path = input[isFile ? FILE_TOOLS[tool]! : "file_path"];
  if (typeof path !== "string" || (!isFile && tool !== "Read")) return [];
  const found = new Found();
  const shown = place.cwd !== undefined && path.startsWith(`${place.cwd}/`) ? path.slice(place.cwd.length + 1) : path;
  if (isSecretPath(path)) found.add("secrets", shown, []);
  if (isFile && isOutside(path, place.cwd, place)) found.add("outside", path, []);
  return found.dangers();
};

const fetched = (url: unknown): readonly Danger[] => {
  const found = new Found();
  if (typeof url === "string") found.add("network", /^\w+:\/\/([^/?#]+)/u.exec(url)?.[1] ?? url, []);
  return found.dangers();
};

/** Never throws. A line that is not understood is a danger itself. */
export const dangersIn = (command: string, place: DangerPlace): readonly Danger[] => {
  const found = new Found();
  const home = homeOf(place.cwd);
  const valueOf: ValueOf = (name) => (name === "HOME" ? home : name === "PWD" ? place.cwd : undefined);
  const { programs, scripts, hidden } = placedPrograms(command, valueOf);
  let base = place.cwd;
  for (const { origin, ...program } of programs) {
    const words = wordsOf(program, origin, valueOf);
    judge(program, words, base, place, found);
    if (program.name === "cd" && program.through.length === 0) base = folderAfter(program.args, base, place);
  }
  for (const each of scripts) judgeScript(each, base, place, found, valueOf);
  for (const origin of hidden) {
    const at = origin === undefined ? [] : [[origin.pos, origin.end] as const];
    // What is downloaded and run is said already.
    if (at[0] === undefined || !found.isMarked("runs", at[0])) found.add("unparsed", "hidden", at);
  }
  return found.dangers();
};

/** The first letters of a path say whose home it is. */
const homeOf = (cwd: string | undefined): string | undefined =>
  /^(?:\/root|\/(?:home|Users)\/[^/]+)(?=\/|$)/u.exec(cwd ?? "")?.[0];

const folderAfter = (args: readonly string[], base: string | undefined, place: DangerPlace): string | undefined => {
  const to = args.find((word) => !word.startsWith("-")) ?? "~";
  const path = withoutTilde(to, homeOf(place.cwd) ?? "~");
  return base === undefined || !isKnown(path) || path.startsWith("~") ? undefined : absolute(base, path);
};

const DEVICES = /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)$/u;

/** A path that is only known when the line runs counts as inside: it would mark almost every loop. */
const isOutside = (path: string, base: string | undefined, { cwd, folders = [] }: DangerPlace): boolean => {
  if (cwd === undefined || !cwd.startsWith("/") || !isKnown(path) || path === "" || path === "-") return false;
  if (DEVICES.test(path)) return false;
  if (path.startsWith("~")) {
    const home = homeOf(cwd);
    if (home === undefined || !/^~(?:\/|$)/u.test(path)) return true;
    return isOutside(withoutTilde(path, home), base, { cwd, folders });
  }
  if (!path.startsWith("/") && base === undefined) return false;
  const at = absolute(base ?? "/", path);
  return ![cwd, ...folders].some((folder) => isInside(at, absolute("/", folder)));
};

/** A word of the line itself. */
interface PlacedWord {
  readonly value: string;
  readonly text: string;
  readonly range: TextRange;
}

/** The words of a program in the line. If it is started by a text (`sh -c`), the words of the command that has the text. */
const wordsOf = (program: Program, origin: Command | undefined, valueOf: ValueOf): readonly PlacedWord[] => {
  if (origin?.name === undefined) return [];
  const placed = [origin.name, ...origin.args].map((word): PlacedWord => ({
    value: word.type === "Word" ? valueOfWord(word, valueOf).value : word.text,
    text: word.text,
    range: [word.pos, word.end],
  }));
  const own = placed.slice(-1 - program.args.length);
  return own[0]?.value === program.name ? own : placed;
};

const rangeOf = (words: readonly PlacedWord[], value: string): readonly TextRange[] => {
  const word = words.find((each) => each.value === value) ?? words.find((each) => each.value.includes(value));
  return word === undefined ? whole(words) : [word.range];
};
const whole = (words: readonly PlacedWord[]): readonly TextRange[] =>
  words.length === 0 ? [] : [[words[0]!.range[0], words.at(-1)!.range[1]]];
/** The name of a program, with the options behind it. */
const nameAndOptions = (words: readonly PlacedWord[], name: string): readonly TextRange[] => {
  const at = words.findIndex(({ value }) => value === name);
  if (at === -1) return whole(words);
  let last = at;
  while (words[last + 1]?.value.startsWith("-") === true) last++;
  return [[words[at]!.range[0], words[last]!.range[1]]];
};

const ROOT = new Set(["sudo", "doas", "pkexec", "su", "runuser"]);
/** In a program text: it starts other programs, or it deletes. */
const STARTS_OR_DELETES =
  /\b(?:os\.(?:system|popen|remove|unlink|rmdir|exec\w*)|subprocess|rmtree|child_process|exec(?:File)?Sync|spawn(?:Sync)?|rm(?:dir)?Sync|unlink(?:Sync)?|system\s*\(|qx\b|FileUtils)/u;
const has = (args: readonly string[], short: string, long: string): boolean =>
  args.some((word) => word === long || (/^-[a-zA-Z]+$/u.test(word) && word.includes(short)));

const judge = (
  { name, args }: Program,
  words: readonly PlacedWord[],
  base: string | undefined,
  place: DangerPlace,
  found: Found,
): void => {
  const program = baseName(name);
  const here = nameAndOptions(words, name);
  if (ROOT.has(program))
    found.add(
      "root",
      program,
      here.map(([from]) => [from, from + name.length] as const),
    );
  if (program === "rm" && (has(args, "r", "--recursive") || has(args, "R", "--recursive") || has(args, "f", "--force")))
    for (const path of bareArgs(args).length === 0 ? ["files"] : bareArgs(args)) found.add("deletes", path, here);
  if (/^(?:shred|wipefs|mkfs(?:\.\w+)?)$/u.test(program)) found.add("deletes", bareArgs(args).join(" "), here);
  if (program === "truncate")
    for (const path of bareArgs(args).filter((word) => !/^[-+<>/%]?\d+[KMGT]?B?$/u.test(word)))
      found.add("deletes", `the contents of ${path}`, here);
  if (/^(?:docker|podman)$/u.test(program)) {
    const open = args.find((word) => /^(?:--privileged|--pid=host|\/:.*)$/u.test(word));
    if (open !== undefined) found.add("root", `${program} ${open}`, rangeOf(words, open));
  }
  if (INTERPRETERS.test(program)) {
    const at = args.findIndex((word) => /^(?:-[a-zA-Z]*[ce]|-p|--eval|--print|eval)$/u.test(word));
    const text = at === -1 ? "" : (args[at + 1] ?? "");
    // In JavaScript, a backtick is only a text.
    const hasShell = /^(?:perl|ruby|php)/u.test(program) && text.includes("`");
    if (hasShell || STARTS_OR_DELETES.test(text)) found.add("unparsed", "code", rangeOf(words, text));
  }
  if (program === "find" && args.includes("-delete"))
    found.add("deletes", "all that find matches", rangeOf(words, "-delete"));
  if (program === "dd") {
    const to = args.find((word) => word.startsWith("of="));
    if (to !== undefined) found.add("deletes", `the contents of ${to.slice(3)}`, rangeOf(words, to));
  }
  if (program === "git") judgeGit(args, words, found);
  else if (program !== "rm") {
    const force = args.find((word) => FORCED.test(word));
    if (force !== undefined) found.add("forces", `${program} ${force}`, rangeOf(words, force));
  }
  const network = networkUse(program, args);
  if (network !== undefined)
    found.add(
      "network",
      network,
      here.map(([from]) => [from, from + name.length] as const),
    );
  if (/^(?:printenv|env|set|export)$/u.test(program) && (args.length === 0 || args[0] === "-p"))
    found.add("secrets", "the whole environment", here);
  for (const word of [name, ...args]) if (isSecretPath(word)) found.add("secrets", word, rangeOf(words, word));
  for (const path of written(program, args))
    if (isOutside(path, base, place)) found.add("outside", path, rangeOf(words, path));
};

const judgeGit = (given: readonly string[], words: readonly PlacedWord[], found: Found): void => {
  // Options of git itself come first, and two of them take a value.
  let at = 0;
  while (given[at]?.startsWith("-") === true) at += /^-[cC]$/u.test(given[at]!) ? 2 : 1;
  const [verb = "", ...args] = given.slice(at);
  const [remote = "the remote", ref] = bareArgs(args);
  if (verb === "push") {
    const force = args.find((word) => /^(?:-[a-zA-Z]*f[a-zA-Z]*|--force.*|--mirror|--delete|-d)$/u.test(word));
    const plus = bareArgs(args).find((word) => word.startsWith("+") || /^:./u.test(word));
    const mark = force ?? plus;
    if (mark !== undefined)
      found.add(
        "overwrites",
        ref === undefined ? `a branch on ${remote}` : `${remote}/${ref.replace(/^[+:]/u, "")}`,
        rangeOf(words, mark),
      );
  } else {
    const force = args.find(
      (word) => FORCED.test(word) || (/^(?:checkout|switch|branch)$/u.test(verb) && word === "-f"),
    );
    if (force !== undefined && verb !== "clean") found.add("forces", `git ${verb} ${force}`, rangeOf(words, force));
  }
  const discards =
    (verb === "reset" && args.find((word) => word === "--hard" || word === "--merge")) ||
    (verb === "clean" && has(args, "f", "--force") && "clean") ||
    (verb === "checkout" && args.includes("--") && "--") ||
    (verb === "restore" && !args.includes("--staged") && "restore") ||
    (verb === "stash" && /^(?:drop|clear)$/u.test(args[0] ?? "") && args[0]);
  if (typeof discards === "string") found.add("discards", `git ${verb}`, rangeOf(words, discards));
  if (verb === "branch" && has(args, "D", "-D")) found.add("deletes", `the branch ${remote}`, rangeOf(words, "-D"));
};

const LOADERS = new Set(["curl", "wget", "fetch", "http", "https", "aria2c"]);
const SHELLS = new Set(["sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "source", ".", "eval"]);
const INTERPRETERS = /^(?:python[\d.]*|node|nodejs|deno|bun|perl|ruby|php)$/u;

/** Redirections and pipes, which are not words of a program. */
const judgeScript = (
  { script, source, origin }: ReadScript,
  base: string | undefined,
  place: DangerPlace,
  found: Found,
  valueOf: ValueOf,
): void => {
  const { pieces, redirects, whole: isWhole } = shellPiecesOf(script, source);
  const placeOf = (node: { readonly pos: number; readonly end: number }): readonly TextRange[] =>
    origin === undefined ? [[node.pos, node.end]] : [[origin.pos, origin.end]];
  if (!isWhole) found.add("unparsed", "", []);
  const all = [...redirects, ...pieces.flatMap((piece) => piece.command.redirects)];
  for (const redirect of all) {
    if (redirect.type !== "Redirect" || redirect.target === undefined || /^[<>]&$|^<$/u.test(redirect.operator))
      continue;
    const path = valueOfWord(redirect.target, valueOf).value;
    if (isOutside(path, base, place)) found.add("outside", path, placeOf(redirect));
    if (isSecretPath(path)) found.add("secrets", path, placeOf(redirect));
  }
  const isLoading = (node: SyntaxNode): boolean => programsBelow(node).some((name) => LOADERS.has(name));
  for (const node of nodesOf(script)) {
    if (node.type === "SimpleExpansion" || node.type === "ParameterExpansion") {
      const name = /^\$\{?(\w+)/u.exec(node.text)?.[1] ?? "";
      if (SECRET_VARIABLES.test(name)) found.add("secrets", `$${name}`, placeOf(node));
    } else if (node.type === "Pipeline") {
      node.commands.forEach((stage, at) => {
        if (at === 0 || stage.type !== "Command" || !readsCode(stage)) return;
        const isLoaded = node.commands.slice(0, at).some(isLoading);
        found.add("runs", isLoaded ? "load" : "piped", placeOf(stage));
      });
    } else if (node.type === "Command" && SHELLS.has(programOf(node)) && node.args.some(isLoading))
      found.add("runs", "load", placeOf(node));
  }
};

const programOf = (command: Command): string =>
  baseName(
    innermost([command.name, ...command.args].flatMap((word) => (word === undefined ? [] : [textOf(word)])))[0] ?? "",
  );
const textOf = (word: Command["args"][number]): string => (word.type === "Word" ? word.value : word.text);

/** Whether it runs what comes in through a pipe. */
const readsCode = (command: Command): boolean => {
  const argv = innermost([command.name, ...command.args].flatMap((word) => (word === undefined ? [] : [textOf(word)])));
  const program = baseName(argv[0] ?? "");
  const args = argv.slice(1);
  if (SHELLS.has(program))
    return !args.some((word) => /^-[a-z]*c$/u.test(word)) && (args.includes("-s") || bareArgs(args).length === 0);
  return INTERPRETERS.test(program) && (args.length === 0 || args[0] === "-");
};

const nodesOf = (root: SyntaxNode | undefined): readonly SyntaxNode[] => {
  const found: SyntaxNode[] = [];
  const visit = (node: SyntaxNode, depth: number): void => {
    found.push(node);
    if (depth < DEEPEST) forEachChild(node, (child) => visit(child, depth + 1));
  };
  try {
    if (root !== undefined) visit(root, 0);
  } catch {
    // Parts of words are parsed when they are asked for. `shellPiecesOf` has said that the line is not understood.
  }
  return found;
};
const DEEPEST = 200;

const programsBelow = (node: SyntaxNode): readonly string[] =>
  nodesOf(node).flatMap((each) => (each.type === "Command" ? [programOf(each)] : []));

/** Collects by kind, each subject once, in the order of the line. */
class Found {
  readonly #kinds = new Map<DangerKind, { readonly subjects: Set<string>; readonly marks: Map<string, TextRange> }>();

  add(kind: DangerKind, subject: string, marks: readonly TextRange[]): void {
    const entry = this.#kinds.get(kind) ?? { subjects: new Set<string>(), marks: new Map<string, TextRange>() };
    this.#kinds.set(kind, entry);
    entry.subjects.add(subject);
    for (const mark of marks) if (entry.marks.size < MOST_MARKS) entry.marks.set(mark.join(" "), mark);
  }

  isMarked(kind: DangerKind, mark: TextRange): boolean {
    return this.#kinds.get(kind)?.marks.has(mark.join(" ")) === true;
  }

  dangers(): readonly Danger[] {
    return ORDER.flatMap((kind): Danger[] => {
      const entry = this.#kinds.get(kind);
      if (entry === undefined) return [];
      const { verb, words } = WORDS[kind];
      const subjects = [...entry.subjects].map(shortened);
      return [{ kind, verb, words: words(entry.subjects), subjects, marks: [...entry.marks.values()] }];
    });
  }
}
const MOST_MARKS = 200;

const shortened = (subject: string): string =>
  (subject.length > 80 ? `${subject.slice(0, 80)}…` : subject).replaceAll("\uE0FF", "…");

const listed = (subjects: ReadonlySet<string>): string => {
  const shown = [...subjects].slice(0, 3).map(shortened);
  const more = subjects.size - shown.length;
  if (more > 0) return `${shown.join(", ")} and ${String(more)} more`;
  return shown.length < 2 ? (shown[0] ?? "") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)!}`;
};

const WORDS: Readonly<
  Record<DangerKind, { readonly verb: string; readonly words: (subjects: ReadonlySet<string>) => string }>
> = {
  unparsed: {
    verb: "Cannot be checked.",
    words: (subjects) =>
      subjects.has("hidden")
        ? "Which program runs is only known when it runs. Read it with care."
        : subjects.has("code")
          ? "The program text can start other programs or delete files. Read it with care."
          : "A part of this command could not be parsed. Read it with care.",
  },
  root: {
    verb: "Runs as administrator",
    words: (subjects) => `with ${listed(subjects)}. It can change the whole machine.`,
  },
  runs: {
    verb: "Runs code that nobody has seen:",
    words: (subjects) =>
      subjects.has("load") ? "it is downloaded and run at once." : "a shell runs what another command prints.",
  },
  deletes: { verb: "Deletes", words: (subjects) => `${listed(subjects)}. This cannot be undone.` },
  discards: { verb: "Discards", words: (subjects) => `work that is not committed (${listed(subjects)}).` },
  overwrites: {
    verb: "Overwrites",
    words: (subjects) => `${listed(subjects)}. Commits that others pushed can be lost.`,
  },
  forces: { verb: "Skips safety checks:", words: (subjects) => `${listed(subjects)}.` },
  outside: { verb: "Writes outside the project:", words: (subjects) => `${listed(subjects)}.` },
  secrets: { verb: "Touches secrets:", words: (subjects) => `${listed(subjects)}.` },
  network: { verb: "Uses the network:", words: (subjects) => `${listed(subjects)}.` },
};
const ORDER = Object.keys(WORDS) as readonly DangerKind[];
