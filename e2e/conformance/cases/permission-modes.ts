// The same tool uses in every permission mode: what runs, what is asked, with which suggestions, and what is refused
// with which words. The simulator must match the values here, not only the fields.
import { OLD, PARTIAL, STDIO_PROMPTS, bash, casesOf, says, script, uses } from "../case.ts";
import type { CaseSketch } from "../case.ts";
import { allow, deny, initialize, turn } from "../host-script.ts";
import type { Answer } from "../host-script.ts";

const FILES = {
  "a.txt": "one\n",
  "b.txt": "two\n",
  "nb.ipynb":
    '{"cells":[{"cell_type":"code","id":"c1","metadata":{},"source":["1"],"outputs":[],"execution_count":1}],"metadata":{},"nbformat":4,"nbformat_minor":5}\n',
  "make.js": "",
};
const SHELL = [
  bash("ls"),
  bash("git status"),
  bash("touch made.txt"),
  bash("mkdir -p d/e && touch d/e/f"),
  bash("echo hi > out.txt"),
  bash("cat a.txt | wc -l"),
  bash("node make.js"),
  bash("node make.js && npm run build"),
  bash("node make.js; echo $(date)"),
  bash("touch {{outside}}/x.txt"),
  bash("cat {{outside}}/nothing.txt"),
  bash("echo hi > {{outside}}/y.txt"),
  bash("cp a.txt {{outside}}/a.txt"),
  bash("mv b.txt c.txt"),
  bash("sed -i s/one/three/ a.txt"),
  bash("rm c.txt"),
  bash("cd d && ls"),
];
const OTHER_TOOLS = [
  uses("WebFetch", { url: "https://example.invalid/page", prompt: "What is it?" }),
  uses("mcp__desk__look", { at: "it" }),
  uses("Skill", { skill: "no-such-skill" }),
];
const DESK: Answer = {
  to: "mcp",
  server: "desk",
  tools: [
    {
      name: "look",
      description: "Looks",
      inputSchema: { type: "object", properties: { at: { type: "string" } } },
      text: "Seen.",
    },
  ],
};
const FILE_TOOLS = [
  uses("Read", { file_path: "{{cwd}}/a.txt" }),
  uses("Read", { file_path: "{{outside}}/nothing.txt" }),
  uses("Write", { file_path: "{{cwd}}/new.txt", content: "new\n" }),
  uses("Edit", { file_path: "{{cwd}}/new.txt", old_string: "new", new_string: "newer", replace_all: false }),
  uses("Write", { file_path: "{{outside}}/new.txt", content: "new\n" }),
  uses("Read", { file_path: "{{cwd}}/nb.ipynb" }),
  uses("NotebookEdit", { notebook_path: "{{cwd}}/nb.ipynb", cell_id: "c1", new_source: "2" }),
  uses("Write", { file_path: "{{cwd}}/.claude/settings.json", content: "{}\n" }),
  uses("Write", { file_path: "{{cwd}}/.git/config", content: "\n" }),
  uses("Glob", { pattern: "*.txt" }),
  uses("Glob", { pattern: "*.txt", path: "{{outside}}" }),
  uses("Grep", { pattern: "one" }),
  uses("Grep", { pattern: "one", path: "{{outside}}" }),
];
const round = (steps: readonly ReturnType<typeof uses>[]) =>
  script("go round", ...steps.map((step) => says(step)), says("Round."));
const TOOLS = ["--tools", "Read,Write,Edit,NotebookEdit,Glob,Grep"];
const ANSWERS: readonly Answer[] = ["Bash", "Read", "Write", "Edit", "NotebookEdit", "Glob", "Grep"].map((tool) =>
  allow(tool),
);

const NO_AUTO = { versions: OLD, why: "the mode does not exist yet" };
const MODES: readonly (readonly [string, Partial<CaseSketch>])[] = [
  ["default", {}],
  ["acceptEdits", {}],
  ["plan", {}],
  ["auto", { excluded: [NO_AUTO] }],
  ["dontAsk", {}],
  ["bypassPermissions", { unprivileged: true }],
];

const kebab = (mode: string): string => mode.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const refused = says(bash("node make.js"));

export const permissionModeCases = casesOf(
  "permissions",
  MODES.flatMap(([mode, more]): readonly CaseSketch[] => {
    const common = {
      files: FILES,
      host: turn("go round"),
      answers: ANSWERS,
      simulator: true as const,
      ...more,
    };
    const args = [PARTIAL, ...STDIO_PROMPTS, "--permission-mode", mode];
    return [
      {
        ...common,
        name: `permission-shell-${kebab(mode)}`,
        about: `A round of shell commands in mode ${mode}.`,
        // Ten refusals would end the turn: see uncheckedCases.
        scripts: [round(mode === "plan" ? SHELL.slice(0, 10) : SHELL)],
        args,
      },
      {
        ...common,
        name: `permission-files-${kebab(mode)}`,
        about: `A round of file tools in mode ${mode}.`,
        scripts: [round(FILE_TOOLS)],
        args: [...args, ...TOOLS],
      },
      {
        ...common,
        name: `permission-others-${kebab(mode)}`,
        about: `The web, a tool of the host and a skill in mode ${mode}.`,
        // Nothing is fetched: the case is left out in a mode that would not refuse it.
        scripts: [round(mode === "bypassPermissions" ? OTHER_TOOLS.slice(1) : OTHER_TOOLS)],
        host: [initialize({ sdkMcpServers: ["desk"] }), ...turn("go round")],
        answers: [DESK, allow("mcp__desk__look"), deny("WebFetch", "not now"), allow("Skill")],
        args,
      },
    ];
  }),
);

/** Modes in which a classifier checks shell commands. The tests have no classifier. */
export const uncheckedCases = casesOf(
  "permissions",
  ["plan", "auto"].map((mode): CaseSketch => ({
    name: `permission-unchecked-${mode}`,
    about: `Ten answers whose commands cannot be checked in mode ${mode}: the turn is stopped; the next turn starts normally.`,
    scripts: [
      script(
        "go on and on",
        ...Array.from({ length: 5 }, () => refused),
        says(bash("ls")),
        ...Array.from({ length: 6 }, () => refused),
      ),
      script("once more", says(bash("node make.js again")), says("Said.")),
    ],
    files: FILES,
    args: [PARTIAL, ...STDIO_PROMPTS, "--permission-mode", mode],
    host: [...turn("go on and on"), ...turn("once more")],
    expect: {
      asks: [],
      partial: ["go on and on#11"],
      results: [
        { subtype: "error_during_execution", is_error: true },
        { subtype: "success", is_error: false },
      ],
      see: [{ type: "system", subtype: "informational", tag: "auto_mode_no_server_check" }],
      count: [{ of: { type: "system", subtype: "permission_denied" }, is: 11 }],
    },
    excluded: [{ versions: OLD, why: "commands are not checked by a classifier yet" }],
    simulator: true,
  })),
);
