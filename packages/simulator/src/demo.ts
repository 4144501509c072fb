// The built-in tour: a small story in an empty folder (a tide table for a harbour) that shows every feature in about
// two minutes. Each chapter is one prompt. A player sends them in order; a person may type them in any order.
import type { Block, Pace, Scenario, Script, Step } from "./scenario.ts";

export interface DemoPrompt {
  readonly text: string;
  readonly shows: string;
  /** Send it while the turn before it still runs. */
  readonly whileRunning?: boolean;
}

/** If a host offers this MCP server in its own process, chapter 9 can call it. */
export const DEMO_MCP = { server: "harbour", tool: "next_tide" } as const;

export const DEMO_PROMPTS: readonly DemoPrompt[] = [
  { text: "tour 1", shows: "thinking, and streamed markdown with a table and code" },
  { text: "tour 2", shows: "Write and Edit with diffs, Read, a safe shell command" },
  { text: "tour 3", shows: "a shell command that asks, a command that fails, and the repair" },
  { text: "tour 4", shows: "Glob and Grep side by side, and a notebook cell" },
  { text: "tour 5", shows: "a list of tasks, while the API is overloaded and retried" },
  { text: "tour 6", shows: "questions to the user" },
  { text: "tour 7", shows: "plan mode, from entering it to the approved plan" },
  { text: "tour 8", shows: "a subagent in the foreground, and one in the background beside a shell" },
  { text: "tour 9", shows: "a tool of an MCP server in the host, and the host's hooks around it" },
  { text: "tour 10", shows: "a long answer, to queue behind or to interrupt" },
  { text: "tour 11", shows: "a prompt that waited in the queue", whileRunning: true },
  { text: "/compact keep the tide table", shows: "compaction" },
  { text: "tour 12", shows: "the conversation after compaction, and an error of the API" },
  { text: "/usage", shows: "a slash command, and what all this would have cost" },
];

/** Chapters that stand alone, for a host that offers them as buttons. */
export const DEMO_CHAPTERS: readonly { readonly title: string; readonly prompt: string }[] = [
  { title: "Streamed Markdown", prompt: "tour 1" },
  { title: "Files and diffs", prompt: "tour 2" },
  { title: "A permission", prompt: "tour 3" },
  { title: "Tasks", prompt: "tour 5" },
  { title: "Two questions", prompt: "tour 6" },
  { title: "A plan", prompt: "tour 7" },
  { title: "Background tasks", prompt: "tour 8" },
  { title: "A long answer", prompt: "tour 10" },
];

const PACE: Pace = { firstMs: 1200, deltaMs: 62, deltaChars: 7 };
const QUICK: Pace = { firstMs: 1000, deltaMs: 28, deltaChars: 16 };

const step = (...say: readonly Block[]): Step => ({ say, pace: PACE, usage: usageFor(say) });
const quick = (...say: readonly Block[]): Step => ({ say, pace: QUICK, usage: usageFor(say) });
const usageFor = (say: readonly Block[]): NonNullable<Step["usage"]> => ({
  input_tokens: 420,
  cache_read_input_tokens: 11_800,
  output_tokens: Math.max(8, Math.ceil(JSON.stringify(say).length / 4)),
});
const text = (content: string): Block => ({ text: content });
const tool = (name: string, input: Readonly<Record<string, unknown>>): Block => ({ tool: name, input });
const bash = (command: string, description: string, extra: Readonly<Record<string, unknown>> = {}): Block =>
  tool("Bash", { command, description, ...extra });

const TIDES = `// Tide times for one harbour: high water comes about 12 h 25 min after high water.
const PERIOD_MINUTES = 745;

export const tides = (firstHighWater, count) =>
  Array.from({ length: count }, (_, n) => firstHighWater + n * PERIOD_MINUTES);

const clock = (minutes) =>
  \`\${String(Math.floor(minutes / 60) % 24).padStart(2, "0")}:\${String(minutes % 60).padStart(2, "0")}\`;

console.log(tides(375, 4).map(clock).join("\\n"));
`;

const TEST = `import { equal } from "node:assert/strict";
import { tides } from "./tides.mjs";

equal(tides(0, 2)[1], 745, "the second high water");
equal(tides(0, 3).length, 4, "how many were asked for");
console.log("all good");
`;

const NOTEBOOK = JSON.stringify(
  {
    cells: [
      { cell_type: "markdown", id: "intro", metadata: {}, source: "# Tides" },
      { cell_type: "code", id: "plot", metadata: {}, source: "heights = []", outputs: [], execution_count: null },
    ],
    metadata: { language_info: { name: "python" } },
    nbformat: 4,
    nbformat_minor: 5,
  },
  null,
  1,
);

const CHAPTERS: readonly (readonly Step[])[] = [
  // 1
  [
    step(
      {
        thinking:
          "The folder is empty and the user wants a tour. A small project carries it best: a tide table. It needs one source file, one test and a notebook; that leaves room for every tool. Let me lay out the plan before I touch anything.",
      },
      text(`Welcome aboard. Nothing here is a real model: this is the **simulator**, and it speaks the CLI's protocol line by line.

We will build a *tide table* together. The plan of the voyage:

| chapter | what you will see |
| --- | --- |
| 2 to 4 | files, the shell, searching |
| 5 to 7 | tasks, questions, plan mode |
| 8 and 9 | subagents, MCP, hooks |
| 10 to 12 | the queue, compaction, errors |

The heart of it is one line of arithmetic:

\`\`\`js
const next = highWater + 745; // minutes: 12 h 25 min
\`\`\`

> Send \`tour 2\` when you are ready.
`),
    ),
  ],
  // 2
  [
    step(text("First the source file."), tool("Write", { file_path: "{{cwd}}/tides.mjs", content: TIDES })),
    quick(tool("Read", { file_path: "{{cwd}}/tides.mjs", offset: 1, limit: 6 })),
    step(
      text("The period deserves a name that says what it is."),
      tool("Edit", {
        file_path: "{{cwd}}/tides.mjs",
        old_string: "PERIOD_MINUTES",
        new_string: "MINUTES_BETWEEN_TIDES",
        replace_all: true,
      }),
    ),
    quick(bash("ls -l && wc -l tides.mjs", "Look at what we have")),
    step(text("One file, ten lines. Listing it was harmless, so nobody was asked.")),
  ],
  // 3
  [
    step(text("Does it run?"), bash("node tides.mjs", "Print the tide table")),
    quick(tool("Write", { file_path: "{{cwd}}/tides.test.mjs", content: TEST })),
    step(text("Now the test."), bash("node tides.test.mjs", "Run the test")),
    step(
      text("It fails, and the test is wrong, not the code: three were asked for."),
      tool("Edit", {
        file_path: "{{cwd}}/tides.test.mjs",
        old_string: "tides(0, 3).length, 4",
        new_string: "tides(0, 3).length, 3",
        replace_all: false,
      }),
    ),
    quick(bash("node tides.test.mjs", "Run the test again")),
    step(text("Green.")),
  ],
  // 4
  [
    step(
      text("Two searches at once."),
      tool("Glob", { pattern: "*.mjs" }),
      tool("Grep", { pattern: "tides\\(", output_mode: "content", "-n": true }),
    ),
    quick(tool("Write", { file_path: "{{cwd}}/tides.ipynb", content: NOTEBOOK })),
    quick(tool("Read", { file_path: "{{cwd}}/tides.ipynb" })),
    quick(
      tool("NotebookEdit", {
        notebook_path: "{{cwd}}/tides.ipynb",
        cell_id: "plot",
        new_source: "heights = [2.1, 5.8, 2.0, 6.0]",
      }),
    ),
    step(text("The notebook knows the heights now.")),
  ],
  // 5
  [
    step(
      text("Three things are left to do."),
      tool("TaskCreate", {
        subject: "Handle spring tides",
        description: "The period is not quite constant",
        activeForm: "Handling spring tides",
      }),
      tool("TaskCreate", { subject: "Print heights", description: "Beside the times", activeForm: "Printing heights" }),
      tool("TaskCreate", { subject: "Write a README", description: "Ten lines", activeForm: "Writing a README" }),
    ),
    {
      ...quick(
        tool("TaskUpdate", { taskId: "3", status: "in_progress" }),
        tool("TaskUpdate", { taskId: "2", addBlockedBy: ["1"] }),
      ),
      fail: [
        { status: 529, message: "Overloaded" },
        { status: 529, message: "Overloaded" },
      ],
    },
    quick(
      tool("Write", {
        file_path: "{{cwd}}/README.md",
        content: "# Tides\n\nTide times for one harbour. `node tides.mjs` prints them.\n",
      }),
    ),
    quick(tool("TaskUpdate", { taskId: "3", status: "completed" }), tool("TaskList", {})),
    step(text("One down, two to go. (The API was overloaded twice on the way; you saw the retries.)")),
  ],
  // 6
  [
    step(
      text("Two decisions are yours."),
      tool("AskUserQuestion", {
        questions: [
          {
            question: "Which harbour should the table be for?",
            header: "Harbour",
            multiSelect: false,
            options: [
              { label: "Brest", description: "High tides, clear water", preview: "```\nBrest   06:15  18:40\n```" },
              { label: "Cuxhaven", description: "Mud flats and seals", preview: "```\nCuxhaven 01:02  13:27\n```" },
            ],
          },
          {
            question: "What should it print?",
            header: "Columns",
            multiSelect: true,
            options: [
              { label: "Times", description: "High water" },
              { label: "Heights", description: "In metres" },
              { label: "Moon", description: "Its phase" },
            ],
          },
        ],
      }),
    ),
    step(text("Noted. I will build it that way.")),
  ],
  // 7
  [
    step(text("Heights change the output, so let me plan before I edit."), tool("EnterPlanMode", {})),
    quick(tool("Read", { file_path: "{{cwd}}/tides.mjs" })),
    quick(
      tool("Write", {
        file_path: "{{planFile}}",
        content:
          "# Print heights\n\n1. Give `tides` a list of heights\n2. Print time and height side by side\n3. Extend the test\n",
      }),
    ),
    quick(tool("ExitPlanMode", {})),
    step(
      text("Thank you. Step one:"),
      tool("Edit", {
        file_path: "{{cwd}}/tides.mjs",
        old_string: 'console.log(tides(375, 4).map(clock).join("\\n"));',
        new_string:
          'const heights = [2.1, 5.8, 2.0, 6.0];\nconsole.log(tides(375, 4).map((at, n) => `${clock(at)}  ${heights[n].toFixed(1)} m`).join("\\n"));',
        replace_all: false,
      }),
    ),
    step(text("The table has heights.")),
  ],
  // 8
  [
    step(
      text("Two pairs of eyes are better than one."),
      tool("Task", {
        description: "Review the tide table",
        prompt: "Review the harbour files and report.",
        subagent_type: "Explore",
        run_in_background: false,
      }),
    ),
    step(
      text("And now something that takes longer, in the background."),
      tool("Task", {
        description: "Check a year of tides",
        prompt: "Check a whole year of tides slowly.",
        subagent_type: "general-purpose",
        run_in_background: true,
      }),
      bash("sleep 3; echo the lock gate is open", "Wait for the lock gate", { run_in_background: true }),
    ),
    step(text("Both are running. We need not wait for them.")),
  ],
  // 9
  [
    step(
      text("The harbour master keeps a table of its own, behind MCP."),
      tool(`mcp__${DEMO_MCP.server}__${DEMO_MCP.tool}`, { harbour: "Brest" }),
    ),
    step(text("If your host offers that server, you have just seen its answer; if not, an honest failure.")),
  ],
  // 10
  [
    {
      ...step(
        text(
          "This one is long on purpose: queue a prompt behind it, or interrupt it.\n\n" +
            Array.from(
              { length: 12 },
              (_, n) =>
                `${String(n + 1)}. High water at ${String((6 + n * 12) % 24).padStart(2, "0")}:${String((15 + n * 25) % 60).padStart(2, "0")}, and the gulls complain as always.`,
            ).join("\n"),
        ),
      ),
      pace: { firstMs: 300, deltaMs: 40, deltaChars: 6 },
    },
  ],
  // 11
  [step(text("This prompt waited in the queue until the long answer was done."))],
  // 12
  [
    step(
      text("The conversation was compacted; I still know about the tide table."),
      bash("cat README.md", "Read the README"),
    ),
    {
      ...step(text("unreachable")),
      fail: [{ status: 400, type: "invalid_request_error", message: "This error is part of the tour.", always: true }],
    },
  ],
];

const SUBAGENTS: readonly Script[] = [
  {
    when: "Review the harbour files and report.",
    steps: [
      quick({ thinking: "Source first, then the test." }, tool("Read", { file_path: "{{cwd}}/tides.mjs" })),
      quick(bash("cat tides.test.mjs", "Read the test")),
      quick(text("The arithmetic is right. The test covers counts and periods, but no heights.")),
    ],
  },
  {
    when: "Check a whole year of tides slowly.",
    steps: [
      quick(text("Starting with January."), bash("sleep 1; echo January is fine", "Check January")),
      quick(bash("sleep 1; echo July is fine", "Check July")),
      quick(text("705 tides checked; none of them is late.")),
    ],
  },
  { when: "<task-notification>", steps: [step(text("A background task has reported back; all is well."))] },
];

const GUIDE = `The tour has these prompts; send them in order:\n\n${DEMO_PROMPTS.map(({ text: prompt, shows }) => `- \`${prompt}\`: ${shows}`).join("\n")}\n`;

export const demoScenario: Scenario = {
  name: "demo",
  description: "A tour of every feature in about two minutes",
  scripts: [
    // Longer numbers first, because "tour 1" is also part of "tour 10".
    ...CHAPTERS.map((steps, at): Script => ({ when: `tour ${String(at + 1)}`, steps })).reverse(),
    ...SUBAGENTS,
    { when: "demo", steps: [quick(text(GUIDE))] },
  ],
  otherwise: [quick(text(`I am a simulator and know only my script.\n\n${GUIDE}`))],
};
