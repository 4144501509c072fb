// The permission check: the time of one check against ten thousand rules, hostile input of a megabyte, and random rules and calls.
import { check, contextOf, programsOf } from "@quarterdeck/permissions";
import type { Context, ToolCall } from "@quarterdeck/permissions";

import { bestOf, medianOf, rounded } from "./figure.ts";
import type { Report } from "./figure.ts";

export interface PermissionsOptions {
  readonly rounds: number;
  /** Rules, and as many calls. */
  readonly rules: number;
  /** Random rules with random calls. */
  readonly random: number;
  readonly say: (line: string) => void;
}

const CWD = "/home/ada/proj";
const VERSIONS = ["2.1.38", "2.1.200", "2.1.325"];
const base = { cwd: CWD, home: "/home/ada" };

/** Rules of every kind. Each seventh denies. */
const contextOfRules = (count: number): Context => {
  const allow: string[] = [];
  const deny: string[] = [];
  const kinds: readonly ((n: number) => string)[] = [
    (n) => `Bash(prog${String(n)} sub:*)`,
    (n) => `Bash(prog${String(n)}:*)`,
    (n) => `Bash(prog${String(n)} * end)`,
    (n) => `Bash(prog${String(n)} exact words)`,
    (n) => `Read(//srv/d${String(n)}/**)`,
    (n) => `Edit(src/m${String(n)}/*.ts)`,
    (n) => `Read(*.x${String(n)})`,
    (n) => `mcp__s${String(n)}__t`,
    (n) => `WebFetch(domain:h${String(n)}.example.com)`,
    (n) => `Edit(**/gen${String(n)}/**)`,
  ];
  for (let n = 0; n < count; n += 1) (n % 7 === 0 ? deny : allow).push(kinds[n % kinds.length]?.(n) ?? "");
  return contextOf({ ...base, settings: [{ scope: "userSettings", value: { permissions: { allow, deny } } }] });
};

const callsOf = (count: number): readonly ToolCall[] => {
  const kinds: readonly ((n: number) => ToolCall)[] = [
    (n) => ({ tool: "Bash", input: { command: `prog${String(n)} sub a b` } }),
    (n) => ({ tool: "Bash", input: { command: `prog${String(n)} a && git status | head -n 5` } }),
    (n) => ({ tool: "Bash", input: { command: `timeout 5 prog${String(n)} "x y" > /dev/null 2>&1; ls -la src` } }),
    (n) => ({ tool: "Read", input: { file_path: `${CWD}/src/a/b/c/d${String(n)}.ts` } }),
    (n) => ({ tool: "Read", input: { file_path: `/srv/d${String(n)}/x` } }),
    (n) => ({ tool: "Write", input: { file_path: `src/m${String(n)}/x.ts`, content: "x" } }),
    (n) => ({ tool: `mcp__s${String(n)}__t`, input: {} }),
    (n) => ({ tool: "WebFetch", input: { url: `https://h${String(n)}.example.com/x` } }),
  ];
  return Array.from({ length: count }, (_, n) => kinds[n % kinds.length]?.(n) ?? { tool: "Read", input: {} });
};

/** `best` keeps the shortest time of each call over the rounds: what a check costs without what else the machine does. */
const p99Of = (context: Context, calls: readonly ToolCall[], best?: Float64Array): number => {
  const times = new Float64Array(calls.length);
  for (const [at, call] of calls.entries()) {
    const begun = performance.now();
    check(context, call);
    const micros = (performance.now() - begun) * 1000;
    times[at] = micros;
    if (best !== undefined) best[at] = Math.min(best[at] ?? Infinity, micros);
  }
  return p99In(times);
};

const p99In = (times: Float64Array): number => times.toSorted()[Math.floor(times.length * 0.99)] ?? 0;

const HOSTILE = [
  "a",
  "$(",
  "(",
  "`",
  '"',
  "<<a ",
  "<(",
  "$((1+",
  "{a,",
  "a=$(b ",
  "${a:-",
  "echo a && ",
  "*a",
  "if true; then ",
];

const millisecondsOf = (piece: string, size: number): number => {
  const command = piece.repeat(Math.ceil(size / piece.length));
  const permissions = { allow: ["Bash(a*a*a*b)", "Bash(npm:*)"], deny: ["Bash(rm:*)"] };
  const settings = [{ scope: "userSettings" as const, value: { permissions } }];
  const contexts = VERSIONS.map((cliVersion) => contextOf({ ...base, settings, cliVersion }));
  const begun = performance.now();
  for (const context of contexts) check(context, { tool: "Bash", input: { command } });
  programsOf(command);
  return performance.now() - begun;
};

/** The same numbers in each run. */
const randomNumbers = (seed: number): ((below: number) => number) => {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
};

const PIECES =
  "rm ls git status npm * ** / // ~ ~/ .. . ; && || | & ( ) { } $( ) ` ' \" \\ # > >> < << <<< <( $ ${ } [ ] [[ ]] ! = , : :* \n \t if then fi for do done case esac EOF -rf $HOME \u0000 \u00A0 \uD800 mcp__ __ constructor valueOf __proto__".split(
    " ",
  );
const TOOLS = [
  "Bash",
  "Bash",
  "Bash",
  "Read",
  "Write",
  "Edit",
  "Glob",
  "WebFetch",
  "Skill",
  "Task",
  "mcp__a__b",
  "constructor",
];
const MODES = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions", "auto"];

/** How many throw. */
const randomThrows = (count: number, say: (line: string) => void): number => {
  const below = randomNumbers(7);
  const text = (): string =>
    Array.from({ length: 1 + below(8) }, () => PIECES[below(PIECES.length)] ?? "").join(below(2) === 0 ? " " : "");
  const rule = (): string => (below(4) === 0 ? text() : `${TOOLS[below(TOOLS.length)] ?? ""}(${text()})`);
  let thrown = 0;
  for (let n = 0; n < count; n += 1) {
    try {
      const permissions = { allow: [rule()], ask: below(4) === 0 ? [rule()] : [], deny: [rule()] };
      const settings = [{ scope: "userSettings" as const, value: { permissions } }];
      const context = contextOf({ ...base, mode: MODES[below(6)], settings, cliVersion: VERSIONS[below(3)] });
      const subject = text();
      check(context, {
        tool: TOOLS[below(TOOLS.length)] ?? "",
        input: { command: subject, file_path: subject, url: subject, path: subject },
      });
    } catch (error) {
      if (thrown === 0)
        say(`thrown at ${String(n)}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      thrown += 1;
    }
  }
  return thrown;
};

// oxlint-disable-next-line typescript/require-await -- the other benches wait for processes
export const benchPermissions = async ({ rounds, rules, random, say }: PermissionsOptions): Promise<Report> => {
  const context = contextOfRules(rules);
  const calls = callsOf(rules);
  p99Of(context, calls);
  const p99s: number[] = [];
  const best = new Float64Array(calls.length).fill(Infinity);
  for (let round = 0; round < rounds; round += 1) {
    say(`permissions: round ${String(round + 1)} of ${String(rounds)}`);
    p99s.push(p99Of(context, calls, best));
  }
  say("permissions: hostile commands");
  const hostile = HOSTILE.map((piece) => ({
    piece,
    short: millisecondsOf(piece, 250_000),
    long: millisecondsOf(piece, 1_000_000),
  }));
  say(`permissions: ${String(random)} random rules and calls`);
  const thrown = randomThrows(random, say);
  const worst = Math.max(...hostile.map(({ long }) => long));
  return {
    title: `Permissions: ${String(rules)} rules and as many calls`,
    table: [
      ["p99 of one check, microseconds", ...p99s.map((value) => value.toFixed(1))],
      ["the same with the best round of each call", p99In(best).toFixed(1)],
      ["hostile command, three versions", "250 kB, ms", "1 MB, ms"],
      ...hostile.map(({ piece, short, long }) => [JSON.stringify(piece), short.toFixed(0), long.toFixed(0)]),
    ],
    details: { p99s, p99OfBest: p99In(best), hostile, random, middle: medianOf(p99s) },
    figures: [
      {
        name: "permissionsP99Micros",
        value: rounded(bestOf(p99s)),
        target: { atMost: 50 },
        says: "microseconds of one check at p99, in the least disturbed round",
      },
      {
        name: "permissionsHostileMs",
        value: rounded(worst),
        target: { atMost: 1000 },
        says: "milliseconds for the slowest hostile command of 1 MB on three versions, with its programs",
      },
      {
        name: "permissionsThrown",
        value: thrown,
        target: { atMost: 0 },
        says: `of ${String(random)} random rules and calls`,
      },
    ],
  };
};
