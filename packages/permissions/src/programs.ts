// Every program that a shell line would start, through eval, sh -c, xargs, wrappers and here-documents. For our own policies: they must
// see more than the CLI does. What is not understood is said, never guessed.

import type { Command, ParsedScript, Word } from "unbash";
import { hiddenEvaluationIn, takesCommandAsOption } from "./hidden-evaluation.ts";
import { baseName } from "./paths.ts";
import { parseShell, shellPiecesOf } from "./shell-pieces.ts";
import { HOLE, isKnown, valueOfWord } from "./shell-words.ts";
import type { ValueOf } from "./shell-words.ts";
import type { Program, Programs } from "./types.ts";
import { oneBehind } from "./wrappers.ts";

const SHELLS = new Set(["sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "hush", "rbash", "fish", "csh", "tcsh"]);
const DEEPEST = 12;

export const programsOf = (command: string): Programs => {
  const reader = new ProgramReader();
  reader.line(command, [], 0);
  return { programs: reader.programs, understood: reader.unknown.size === 0, unknown: [...reader.unknown] };
};

/** A script of the line: the line itself, or a script that it gives to a shell. */
export interface ReadScript {
  readonly script: ParsedScript | undefined;
  readonly source: string;
  /** The command of the line itself that starts it. Undefined: it is the line. */
  readonly origin: Command | undefined;
}

export interface PlacedPrograms {
  /** Each with the command of the line itself that starts it, if it has a place there. */
  readonly programs: readonly (Program & { readonly origin: Command | undefined })[];
  readonly scripts: readonly ReadScript[];
  /** What runs is only known when the line runs: the commands, each with its place if it has one. */
  readonly hidden: readonly (Command | undefined)[];
}

/** The programs of a line with their places, for marks. `valueOf` says which variables are known. */
export const placedPrograms = (command: string, valueOf: ValueOf): PlacedPrograms => {
  const reader = new ProgramReader(valueOf);
  reader.line(command, [], 0);
  return {
    programs: reader.programs.map((program, at) => ({ ...program, origin: reader.origins[at] })),
    scripts: reader.scripts,
    hidden: reader.hidden,
  };
};

class ProgramReader {
  readonly programs: Program[] = [];
  /** Beside `programs`. */
  readonly origins: (Command | undefined)[] = [];
  readonly scripts: ReadScript[] = [];
  readonly unknown = new Set<string>();
  readonly hidden: (Command | undefined)[] = [];
  readonly #valueOf: ValueOf | undefined;
  #origin: Command | undefined;

  constructor(valueOf?: ValueOf) {
    this.#valueOf = valueOf;
  }

  line(source: string, through: readonly string[], depth: number): void {
    if (depth > DEEPEST) {
      this.unknown.add("Lines are nested too deeply.");
      return;
    }
    if (source.includes(HOLE)) this.unknown.add("The line has a character of a private area.");
    // oxlint-disable-next-line no-control-regex -- these are what is looked for
    if (/[\u0000\r]/u.test(source)) this.unknown.add("The line has control characters that shells read differently.");
    const script = parseShell(source);
    const hidden = hiddenEvaluationIn(script, source);
    if (hidden !== undefined) this.unknown.add(hidden);
    this.script(script, source, through, depth);
  }

  script(script: ParsedScript | undefined, source: string, through: readonly string[], depth: number): void {
    const { pieces, whole } = shellPiecesOf(script, source);
    if (!whole) this.unknown.add("A part of the line cannot be parsed.");
    this.scripts.push({ script, source, origin: this.#origin });
    for (const piece of pieces) {
      // Backticks have a text of their own, so their commands have no place in the line.
      if (depth === 0) this.#origin = piece.source === source ? piece.command : undefined;
      this.#command(piece.command, through, depth);
    }
  }

  #command(command: Command, through: readonly string[], depth: number): void {
    for (const each of command.prefix)
      if (
        each.type === "Assignment" &&
        /^(?:PATH|BASH_ENV|ENV|LD_\w+|DYLD_\w+|PS4|PROMPT_COMMAND|IFS|SHELL)$/u.test(each.name)
      )
        this.unknown.add(`${each.name} is set, so a name may mean another program.`);
    if (command.name === undefined) return;
    const words = [
      command.name,
      ...command.suffix.flatMap((each) =>
        each.type === "Word" ? [each] : each.type === "Assignment" ? [asWord(each)] : [],
      ),
    ];
    this.argv(
      words.map((word) => valueOfWord(word, this.#valueOf).value),
      through,
      depth,
      command,
    );
  }

  /** A program with its words, and what it starts in turn. */
  argv(argv: readonly string[], through: readonly string[], depth: number, command?: Command): void {
    const name = argv[0] ?? "";
    this.programs.push({ name, args: argv.slice(1), through });
    this.origins.push(this.#origin);
    if (!isKnown(name) || /[*?[]/u.test(name)) {
      // The last part is enough: `$VENV/bin/python` is python.
      if (!isKnown(baseName(name))) this.hidden.push(this.#origin);
      this.unknown.add("A program's name is only known when the line runs.");
      return;
    }
    if (depth > DEEPEST) {
      this.unknown.add("Lines are nested too deeply.");
      return;
    }
    const own = baseName(name);
    if (takesCommandAsOption(own, argv.slice(1))) this.unknown.add(`What ${own} starts cannot be told.`);
    const inner = [...through, own];
    const starter = starterOf(own);
    if (starter !== undefined) {
      starter(this, argv, inner, depth + 1, command);
      return;
    }
    if (SHELLS.has(own)) {
      this.#shell(argv, inner, depth + 1, command);
      return;
    }
    const behind = oneBehind(argv);
    if (behind !== undefined && behind.length > 0) this.argv(behind, inner, depth + 1);
    else if (WRAPPERS.has(own) && argv.length > 1) this.unknown.add(`What ${own} starts cannot be told.`);
  }

  unknownLine(why: string): void {
    this.unknown.add(why);
    this.hidden.push(this.#origin);
  }

  #shell(argv: readonly string[], through: readonly string[], depth: number, command: Command | undefined): void {
    const at = argv.findIndex((word, index) => index > 0 && /^-[a-zA-Z]*c$/u.test(word));
    if (at !== -1) {
      const line = argv[at + 1];
      if (line !== undefined && isKnown(line))
        this.line(line, [...through.slice(0, -1), `${through.at(-1) ?? "sh"} -c`], depth);
      else this.unknownLine("A shell gets a line that is only known when it runs.");
      return;
    }
    const script = argv.slice(1).find((word) => !word.startsWith("-"));
    if (script !== undefined) {
      this.unknown.add("A shell runs a script, which cannot be seen.");
      return;
    }
    for (const redirect of command?.redirects ?? []) {
      if (redirect.type === "HereDoc") {
        this.line(redirect.body.text, through, depth);
        if (redirect.delimiter?.quoted !== true && /[$`\\]/u.test(redirect.body.text))
          this.unknown.add("A here-document is expanded before a shell reads it.");
        return;
      }
      if (redirect.type === "HereString") {
        const value = redirect.target === undefined ? HOLE : valueOfWord(redirect.target).value;
        if (isKnown(value)) this.line(value, through, depth);
        else this.unknownLine("A shell reads a text that is only known when it runs.");
        return;
      }
    }
    if (!/^--version$/u.test(argv[1] ?? "")) this.unknown.add("A shell reads its input, which cannot be seen.");
  }
}

const asWord = (each: { readonly text: string; readonly pos: number; readonly end: number }): Word => ({
  type: "Word",
  text: each.text,
  value: each.text,
  pos: each.pos,
  end: each.end,
});

const WRAPPERS = new Set(
  "env sudo doas pkexec watch ionice setsid taskset chrt strace ltrace flock script unshare nsenter exec command builtin nohup timeout nice stdbuf time".split(
    " ",
  ),
);

const starterOf = (name: string): Starter | undefined => (Object.hasOwn(STARTERS, name) ? STARTERS[name] : undefined);

type Starter = (
  reader: ProgramReader,
  argv: readonly string[],
  through: readonly string[],
  depth: number,
  command: Command | undefined,
) => void;

const xargs: Starter = (reader, argv, through, depth) => {
  let at = 1;
  for (; at < argv.length && argv[at]!.startsWith("-"); at++) {
    if (argv[at] === "--") {
      at++;
      break;
    }
    if (
      /^-[IiLlnPsEdaer]$/u.test(argv[at]!) ||
      /^--(?:arg-file|delimiter|max-args|max-lines|max-procs|max-chars|replace|eof)$/u.test(argv[at]!)
    )
      at++;
  }
  const rest = argv.slice(at);
  if (rest.length > 0) reader.argv(rest, through, depth);
  const own = baseName(rest[0] ?? "");
  if (SHELLS.has(own) || starterOf(own) !== undefined || WRAPPERS.has(own))
    reader.unknown.add("xargs adds words that are only known when the line runs.");
};

const evaluate: Starter = (reader, argv, through, depth) => {
  const line = argv.slice(1).join(" ");
  if (isKnown(line)) reader.line(line, through, depth);
  else reader.unknownLine("eval gets words that are only known when the line runs.");
};

const find: Starter = (reader, argv, through, depth) => {
  for (let at = 1; at < argv.length; at++) {
    if (!/^-(?:exec|execdir|ok|okdir)$/u.test(argv[at]!)) continue;
    const end = argv.findIndex((word, index) => index > at && (word === ";" || word === "+"));
    reader.argv(argv.slice(at + 1, end === -1 ? undefined : end), through, depth);
  }
  if (argv.some((word) => !isKnown(word))) reader.unknown.add("find has words that are only known when the line runs.");
};

/** Programs that start what their words say, in a form that is not read here. */
const opaque: Starter = (reader, argv) => {
  if (argv.length > 1) reader.unknown.add(`What ${baseName(argv[0]!)} starts cannot be told.`);
};

const awk: Starter = (reader, argv) => {
  if (
    argv.some((word) => !isKnown(word) || /system|getline|\||@|extension/u.test(word) || /^-[a-zA-Z]*[fE]/u.test(word))
  )
    reader.unknown.add("An awk program can start other programs.");
};

const sourced: Starter = (reader) => {
  reader.unknown.add("A script is read into the line, which cannot be seen.");
};

const trap: Starter = (reader, argv, through, depth) => {
  const line = argv[1] ?? "";
  if (isKnown(line)) reader.line(line, through, depth);
  else reader.unknown.add("trap gets a line that is only known when it runs.");
};

const STARTERS: Record<string, Starter | undefined> = {
  xargs,
  eval: evaluate,
  find,
  source: sourced,
  ".": sourced,
  trap,
  alias: (reader, argv) => {
    if (argv.some((word) => word.includes("="))) reader.unknown.add("An alias gives a name another meaning.");
  },
};
for (const name of ["awk", "gawk", "mawk", "nawk"]) STARTERS[name] = awk;
for (const name of ["parallel", "su", "runuser", "chroot", "expect", "busybox", "toybox"]) STARTERS[name] = opaque;
