// Settings and rules that are not as they should be, and text that is hard to compare.
import type { PermissionCase } from "../case.ts";
import { bash, group, read, user, write } from "./build.ts";

const GOOD = "Bash(zed:*)";
/** Each gets a process of its own: one bad entry can silence a whole file. */
const bad = (
  prefix: string,
  note: string,
  setup: Partial<PermissionCase>,
  ...calls: readonly PermissionCase["call"][]
) => group("malformed", prefix, note, setup, calls);
const allowOf = (rule: unknown): Partial<PermissionCase> => user({ allow: [rule, GOOD] });
const denyOf = (rule: unknown): Partial<PermissionCase> => user({ allow: ["Bash"], deny: [rule] });
const both = [bash("zed a"), bash("zoo a")];

export const MALFORMED = [
  ...bad("qfc", "open parenthesis", allowOf("Bash(zoo:*"), ...both),
  ...bad("qfe", "lower-case tool", allowOf("bash(zoo:*)"), ...both),
  ...bad("qfg", "empty content", allowOf("Bash()"), ...both),
  ...bad("qfh", "suffix in the middle", allowOf("Bash(zoo:* a)"), ...both),
  ...bad("qfk", "nested parentheses", allowOf("Bash(zoo (a))"), bash("zed a"), bash("zoo (a)"), bash('zoo "(a)"')),
  ...bad(
    "qfl",
    "escaped parentheses",
    allowOf("Bash(zoo \\(a\\))"),
    bash("zed a"),
    bash("zoo \\(a\\)"),
    bash('zoo "(a)"'),
  ),
  ...bad("qfm", "comma between rules in one entry", allowOf("Bash(zoo:*), Write"), ...both, write("{{cwd}}/n1")),
  ...bad("qfs", "deny star", denyOf("*"), bash("zoo a"), read("{{cwd}}/a.txt")),
  ...bad(
    "qft",
    "unknown key beside permissions",
    { settings: { user: { nonsense: true, permissions: { allow: [GOOD] } } } },
    bash("zed a"),
  ),
  ...bad("qfy", "trailing comma", { settings: { user: '{"permissions":{"allow":["Bash(zed:*)",]}}' } }, bash("zed a")),
  ...bad(
    "qf2",
    "bad entry in local deny",
    { settings: { user: { permissions: { allow: ["Bash"] } }, local: { permissions: { deny: [7, "Bash(zoo:*)"] } } } },
    bash("zoo a"),
    bash("zed a"),
  ),
  ...bad(
    "qf7",
    "rule 1000 times",
    user({ allow: [...Array.from({ length: 1000 }, (_, index) => `Bash(p${String(index)}:*)`), GOOD] }),
    bash("zed a"),
    bash("p999 a"),
    bash("p1000 a"),
  ),
  ...bad(
    "qf8",
    "flag list with spaces",
    { flags: ["--allowedTools", "Bash(zed:*) Write", "Bash(zoo a)"] },
    ...both,
    write("{{cwd}}/n1"),
  ),
  ...bad(
    "qf9",
    "flag list with commas and parentheses",
    { flags: ["--allowedTools", "Bash(zed a, b),Bash(zoo:*)"] },
    bash("zed a, b"),
    bash("zoo a"),
    bash("zed a"),
  ),
];

const TEXT = [
  "Bash(zed é:*)",
  "Bash(zéd:*)",
  "Bash(zed 日本:*)",
  "Bash(z$d:*)",
  "Bash(z.d:*)",
  "Bash(z[e]d:*)",
  "Bash(z+d:*)",
  'Bash(zed "q":*)',
  "Bash(zed 'q' *)",
  "Bash(zed \\n:*)",
  "Bash(tab\tx:*)",
];
/** A program; a denied program at the start, at the end and in the middle; and a program that only reads. */
const LONG = [
  "zed {{a*9990}}",
  "zed {{a*10500}}",
  "rot {{a*10500}}",
  "zed {{a*10500}}; rot x",
  "zed {{a*10500}} && ls",
  "rot x; zed {{a*10500}}",
  "zed $(rot {{a*10500}})",
  "ls {{a*10500}}",
  "zed {{a*60000}}; rot x",
  "zed {{a*60000}}",
].map((one) => bash(one));

export const HOSTILE_TEXT = [
  ...group(
    "text",
    "qha",
    "rules with special letters",
    user({ allow: TEXT }),
    [
      "zed é x",
      "zed e\u0301 x",
      "zéd x",
      "zed 日本 x",
      "z$d x",
      "z.d x",
      "zxd x",
      "z[e]d x",
      "z+d x",
      "zzd x",
      'zed "q" x',
      "zed 'q' x",
      "zed q x",
      "zed \\n x",
      "tab\tx y",
      "tab x y",
    ].map((one) => bash(one)),
  ),
  ...group(
    "text",
    "qhb",
    "commands with special letters",
    user({ allow: ["Bash(zed:*)"], deny: ["Bash(zed no:*)"] }),
    [
      "zed {{a*9000}}",
      "zed a\u0000b",
      "zed \u202eab",
      "zed \ufeffa",
      "\ufeffzed a",
      "zed a\u2029zoo",
      "zed a\u0085zoo",
      "zed a\rzoo",
      "zed a\r\nzoo",
      "zed a\vb",
      "zed a\fb",
      "ＺＥＤ a",
      "zed\u3000a",
      "zed no",
      "zed  no",
      "zed 'no'",
      "zed n\\o",
      "zed n''o",
      "zed $'no'",
      "ZED a",
      "zed a\u001b[31m",
      "zed \ud83d\udca1",
      "",
      " ",
      "\n",
      ";",
      "&&",
      "zed &&",
      "zed a |",
      'zed "',
      "zed `",
      "zed $(",
      "((",
      "zed a\\",
    ].map((one) => bash(one)),
  ),
  ...group("text", "qhc", "inputs that are not as they should be", user({ allow: ["Bash(zed:*)"] }), [
    bash("zed a", { timeout: 1000 }),
    bash("zed a", { run_in_background: true }),
    bash("zed a", { dangerouslyDisableSandbox: true }),
    { tool: "Bash", input: {} },
    { tool: "Bash", input: { command: 7 } },
    { tool: "Read", input: {} },
    { tool: "Read", input: { file_path: "" } },
    { tool: "Write", input: { file_path: "{{cwd}}", content: "x" } },
    read("{{cwd}}"),
    read("{{cwd}}/none.txt"),
    read("{{out}}/none.txt"),
  ]),
  // Longer than the newer CLIs read.
  ...group("text", "qhl", "long commands", user({ allow: ["Bash(zed:*)", "Bash(ls:*)"], deny: ["Bash(rot:*)"] }), LONG),
  ...group(
    "text",
    "qhm",
    "long commands, whole tool allowed",
    user({ allow: ["Bash"], ask: ["Bash(zoo:*)"], deny: ["Bash(rot:*)"] }),
    [...LONG, bash("zed {{a*10500}}; zoo x"), bash("zoo {{a*10500}}")],
  ),
];
