// Makes shell lines for the test of `programsOf`: every form in which a line can start a program, nested and quoted in many ways.
// The programs are stand-ins (`stand-ins.ts`), so that no line can do any harm. The same seed gives the same lines.
import { seeded } from "@quarterdeck/test-kit/seeded";
import { PROGRAMS } from "./stand-ins.ts";

export const commandLines = (count: number, seed: number): readonly string[] => {
  const maker = new Maker(seeded(seed));
  return Array.from({ length: count }, () => maker.line(3));
};

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const doubleQuote = (text: string): string => `"${text.replaceAll(/[\\"$`]/g, String.raw`\$&`)}"`;

class Maker {
  readonly #random: () => number;
  #functions = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  #one<T>(of: readonly T[]): T {
    return of[Math.floor(this.#random() * of.length)]!;
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }

  /** `depth` is how many levels of nesting are left. */
  line(depth: number): string {
    let text = this.#statement(depth);
    while (this.#chance(0.35))
      text += this.#one(["; ", " && ", " || ", " | ", " |& ", "\n", " ;\n"]) + this.#statement(depth);
    if (this.#chance(0.04)) text = `${text} &\nwait`;
    if (this.#chance(0.05)) text += ` # ${this.#one(PROGRAMS)} in a comment\n`;
    return text;
  }

  #statement(depth: number): string {
    if (depth <= 0 || this.#chance(0.3)) return this.#simple(depth);
    return this.#one(FORMS)(depth - 1, this);
  }

  /** A program with words. The name is written in one of the ways that the shell reads as the same name. */
  #simple(depth: number): string {
    const words = [this.name()];
    for (let left = Math.floor(this.#random() * 3); left > 0; left--) words.push(this.#word(depth));
    const assignment = this.#chance(0.1) ? this.#one(["FOO=1 ", "A=1 B='2 3' ", `C=${this.#word(depth)} `]) : "";
    const redirection = this.#chance(0.15)
      ? this.#one([" > f1", " 2>/dev/null", " >> f2 2>&1", " < /dev/null", " &> f3"])
      : "";
    return assignment + words.join(" ") + redirection;
  }

  name(): string {
    const name = this.#one(PROGRAMS);
    if (!this.#chance(0.25)) return name;
    const [first, rest] = [name.slice(0, 1), name.slice(1)];
    return this.#one([
      `\\${name}`,
      quote(name),
      `"${name}"`,
      `${first}""${rest}`,
      `${first}'${rest}'`,
      `${first}\\${rest}`,
      `$'${name}'`,
      `$'\\x${first.codePointAt(0)!.toString(16)}'${rest}`,
      `${first}\\\n${rest}`,
    ]);
  }

  #word(depth: number): string {
    if (depth > 0 && this.#chance(0.25)) return this.#one(WORDS)(depth - 1, this);
    return this.#one([
      "a",
      "-x",
      "--flag=1",
      "'a b'",
      '"c d"',
      "*.none",
      "$HOME",
      '"$1"',
      "${X:-d}",
      "$((1+2))",
      "{a,b}",
      "~",
      "a\\ b",
      "'$(beta)'",
      '"\\$(beta)"',
      "a#x",
      "'|'",
      '";"',
      "é",
    ]);
  }

  word(depth: number): string {
    return this.#word(depth);
  }

  functionName(): string {
    return `f${String(this.#functions++)}`;
  }

  one<T>(of: readonly T[]): T {
    return this.#one(of);
  }
}

type Form = (depth: number, maker: Maker) => string;

/** Words that start programs while the shell expands them. */
const WORDS: readonly Form[] = [
  (depth, m) => `$(${m.line(depth)})`,
  (depth, m) => `"$(${m.line(depth)})"`,
  (_, m) => `\`${m.one(PROGRAMS)} a\``,
  (_, m) => `"\`${m.one(PROGRAMS)}\`"`,
  (depth, m) => `\${X:-$(${m.line(depth)})}`,
  (depth, m) => `"\${X:=$(${m.line(depth)})}"`,
  (_, m) => `$((1 + $(${m.name()})))`,
  (depth, m) => `<(${m.line(depth)})`,
  (_, m) => `pre$(${m.name()})post`,
];

/** Forms that start what they are given without showing it as the first word of a command. */
const FORMS: readonly Form[] = [
  (depth, m) => `(${m.line(depth)})`,
  (depth, m) => `{ ${m.line(depth)}\n}`,
  (_, m) => `! ${m.line(0)}`,
  (depth, m) => `if ${m.line(depth)}\nthen ${m.line(depth)}\nelse ${m.line(depth)}\nfi`,
  (depth, m) => `for i in a ${m.word(depth)}; do ${m.line(depth)}\ndone`,
  (depth, m) => `for ((i = 0; i < 1; i++)); do ${m.line(depth)}\ndone`,
  (depth, m) => `while ${m.line(depth)}\ndo ${m.line(depth)}\nbreak; done`,
  (depth, m) => `until ${m.line(depth)}\ndo ${m.line(depth)}\nbreak; done`,
  (depth, m) => `case ${m.word(depth)} in a) ${m.line(depth)}\n;; *) ${m.line(depth)}\n;; esac`,
  (_, m) => `[[ -n $(${m.name()}) ]] && ${m.line(0)}`,
  (depth, m) => `[ -n "$(${m.line(0)})" ] || ${m.line(depth)}`,
  (depth, m) => {
    const name = m.functionName();
    return `${name}() { ${m.line(depth)}\n}; ${name} a`;
  },
  (depth, m) => {
    const name = m.functionName();
    return `function ${name} { ${m.line(depth)}\n}\n${name}`;
  },
  (depth, m) => `X=$(${m.line(depth)})`,
  (depth, m) => `export X="$(${m.line(depth)})"`,
  (depth, m) => `declare Y=$(${m.line(depth)})`,
  (_, m) => `a=($(${m.name()}) b)`,
  (_, m) => `time ${m.line(0)}`,
  (depth, m) => `eval ${quote(m.line(depth))}`,
  (_, m) => `eval ${m.name()} a`,
  (_, m) => `sh -c ${quote(m.one(PROGRAMS))}`,
  (depth, m) => `bash -c ${quote(m.line(depth))}`,
  (depth, m) => `bash -c ${doubleQuote(m.line(depth))}`,
  (_, m) => `bash -ec ${quote(`${m.one(PROGRAMS)} a`)} name arg`,
  (_, m) => `bash <<'EOF'\n${m.line(0)}\nEOF\n${m.line(0)}`,
  (_, m) => `bash <<EOF\n${m.one(PROGRAMS)} a\nEOF\n`,
  (_, m) => `bash <<< ${quote(`${m.one(PROGRAMS)} a`)}`,
  (_, m) => `echo ${m.one(PROGRAMS)} | bash`,
  (_, m) => `printf '%s\\n' ${m.one(PROGRAMS)} | sh`,
  (_, m) => `cat <<EOF\n$(${m.name()})\nEOF\n${m.name()}`,
  (_, m) => `cat <<'EOF'\n$(${m.one(PROGRAMS)})\nEOF\n`,
  (_, m) => `cat <<-EOF\n\ttext \`${m.one(PROGRAMS)}\`\n\tEOF\n`,
  (_, m) => `echo a | xargs ${m.one(PROGRAMS)}`,
  (_, m) => `echo a | xargs -n 1 -I{} ${m.one(PROGRAMS)} {}`,
  (_, m) => `echo a | xargs sh -c ${quote(`${m.one(PROGRAMS)} "$@"`)} x`,
  (_, m) => `echo ${m.one(PROGRAMS)} | xargs env`,
  (_, m) => `env ${m.one(PROGRAMS)} a`,
  (_, m) => `env -i PATH="$PATH" LOG="$LOG" ${m.one(PROGRAMS)}`,
  (_, m) => `env -u X A=1 ${m.one(PROGRAMS)} a`,
  (_, m) => `env -S '${m.one(PROGRAMS)} a'`,
  (_, m) => `timeout 5 ${m.one(PROGRAMS)} a`,
  (_, m) => `timeout -s KILL 5s ${m.one(PROGRAMS)}`,
  (_, m) => `nice -n 5 ${m.one(PROGRAMS)}`,
  (_, m) => `nice ${m.one(PROGRAMS)} -x`,
  (_, m) => `nohup ${m.one(PROGRAMS)} a`,
  (_, m) => `stdbuf -oL ${m.one(PROGRAMS)}`,
  (_, m) => `setsid -w ${m.one(PROGRAMS)}`,
  (_, m) => `timeout 5 nice env A=1 ${m.one(PROGRAMS)}`,
  (_, m) => `command ${m.one(PROGRAMS)} a`,
  (_, m) => `command -v ${m.one(PROGRAMS)}`,
  (_, m) => `builtin eval ${m.one(PROGRAMS)}`,
  (_, m) => `(exec ${m.one(PROGRAMS)} a)`,
  (_, m) => `(exec -a other ${m.one(PROGRAMS)})`,
  (_, m) => `sudo ${m.one(PROGRAMS)} a`,
  (_, m) => `find . -maxdepth 0 -exec ${m.one(PROGRAMS)} {} \\;`,
  (_, m) => `find . -maxdepth 0 -exec ${m.one(PROGRAMS)} {} + -o -exec ${m.one(PROGRAMS)} \\;`,
  (_, m) => `find . -maxdepth 0 -execdir sh -c ${quote(m.one(PROGRAMS))} \\;`,
  (_, m) => `X=${m.one(PROGRAMS)}; $X a`,
  (_, m) => `X='${m.one(PROGRAMS)} a'; eval "$X"`,
  (_, m) => `\${X:-${m.one(PROGRAMS)}} a`,
  (_, m) => `$(echo ${m.one(PROGRAMS)}) a`,
  (_, m) => `{${m.one(PROGRAMS)},a}`,
  (_, m) => `[ab]* || ${m.one(PROGRAMS)}`,
  (_, m) => `trap ${quote(m.one(PROGRAMS))} EXIT`,
  (_, m) => `trap '${m.one(PROGRAMS)} a' EXIT; true`,
  (_, m) => `. <(echo ${quote(m.line(0))})`,
  (_, m) => `source /dev/stdin <<< ${quote(m.one(PROGRAMS))}`,
  (_, m) => `> $(${m.name()} > /dev/null; echo f4)`,
  (_, m) => `true > "f$(${m.name()})"`,
  (_, m) => `((x = 1 + $(${m.name()}; echo 1)))`,
  (_, m) => `let "x = $(${m.name()}; echo 1)"`,
  (_, m) => `let 'a[$(${m.one(PROGRAMS)})]=1'`,
  (_, m) => `printf -v 'a[$(${m.one(PROGRAMS)})]' x`,
  (_, m) => `read 'a[$(${m.one(PROGRAMS)})]' <<< x`,
  (_, m) => `[[ -v 'a[$(${m.one(PROGRAMS)})]' ]]`,
  (_, m) => `test -v 'a[$(${m.one(PROGRAMS)})]'`,
  (_, m) => `declare 'a[$(${m.one(PROGRAMS)})]=1'`,
  (_, m) => `unset 'a[$(${m.one(PROGRAMS)})]'`,
  (_, m) => `x='a[$(${m.one(PROGRAMS)})]'; echo $((x))`,
  (_, m) => `x='$(${m.one(PROGRAMS)})'; echo "\${x@P}"`,
  (_, m) => `mapfile -C '${m.one(PROGRAMS)}' -c 1 <<< a`,
  (_, m) => `coproc ${m.one(PROGRAMS)} a; wait`,
  (_, m) => `select x in a; do ${m.one(PROGRAMS)}; break; done <<< 1`,
  (_, m) => `alias z=${m.one(PROGRAMS)}; shopt -s expand_aliases\nz a`,
  (_, m) => `hash -p "$(command -v ${m.one(PROGRAMS)})" other; other`,
  (_, m) => `PATH=/none ${m.one(PROGRAMS)}`,
  (_, m) => `set -- ${m.one(PROGRAMS)} a; "$@"`,
  (_, m) => `cmd=(${m.one(PROGRAMS)} a); "\${cmd[@]}"`,
  (_, m) => `tee >(${m.one(PROGRAMS)}) < /dev/null`,
  (_, m) => `: $(< /dev/null ${m.one(PROGRAMS)})`,
  (_, m) => `command command -- ${m.one(PROGRAMS)}`,
  (_, m) => `"$(command -v ${m.one(PROGRAMS)})" a`,
  (_, m) => `bash -O extglob -c ${quote(m.one(PROGRAMS))}`,
  (_, m) => `bash --norc -c ${quote(m.one(PROGRAMS))} x`,
  (_, m) => `BASH_ENV=<(echo ${m.one(PROGRAMS)}) bash -c :`,
  (_, m) => `echo '${m.one(PROGRAMS)}' > s1; bash s1`,
  (_, m) => `echo '${m.one(PROGRAMS)}' > s2; . ./s2`,
];
