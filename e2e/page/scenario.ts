// What the model says in the journeys. The simulator plays it, and a scripted API plays the same to the real CLI. The words
// that choose a script are what the tests type.

import type { Block, Pace, Scenario, Script, Step } from "@quarterdeck/simulator";
import { ONE_COLOUR } from "@quarterdeck/test-kit/questions";

const text = (words: string): Block => ({ text: words });
const use = (tool: string, input: Readonly<Record<string, unknown>>): Block => ({ tool, input });
const bash = (command: string, description = "Do it"): Block => use("Bash", { command, description });
const agent = (prompt: string): Block => use("Task", { description: prompt, prompt, subagent_type: "general-purpose" });
const says = (...say: readonly Block[]): Step => ({ say });
const script = (when: string, ...steps: readonly Step[]): Script => ({ when, steps });

/** Long enough to do something meanwhile. */
const SLOWLY: Pace = { deltaMs: 60, deltaChars: 24 };

/** Runs until a test creates the file. */
export const untilFile = (name: string): string => `until [ -e ${name} ]; do sleep 0.05; done`;

export const REPORT = `## The report

The harbour has **three** gates.

| gate | state |
| --- | --- |
| north | open |
| south | closed |

\`\`\`js
const gates = ["north", "south", "east"];
\`\`\`

That is all of it.`;

const versesOf = (length: number): string =>
  Array.from(
    { length },
    (_, n) => `${String(n + 1)}. High water for the time ${String(n + 1)}, and the gulls complain.`,
  ).join("\n");
const VERSES = versesOf(40);
/** Longer than any test waits. */
export const LONG_VERSES = versesOf(1000);

export const QUESTIONS = [
  {
    question: "Which harbour should the table be for?",
    header: "Harbour",
    multiSelect: false,
    options: [
      { label: "Brest", description: "High tides", preview: "Brest 06:15" },
      { label: "Cuxhaven", description: "Mud flats", preview: "Cuxhaven 01:02" },
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
  {
    question: "What should it be called?",
    header: "Name",
    multiSelect: false,
    options: [
      { label: "Tides", description: "Short" },
      { label: "Harbour", description: "Longer" },
    ],
  },
] as const;

/** A zero width space, a right-to-left override, and a Cyrillic letter in a Latin word. */
export const HIDDEN_COMMAND = "touch hid\u200Bden.txt \u202Egpj.exe p\u0430ypal.txt";

export const LONG_COMMAND = `cat > long.txt <<'END'\n${"a line of many\n".repeat(300)}END`;

const JOURNEYS: readonly Script[] = [
  script("say hello", says(text("Hello from the deck."))),
  script("tell the report", { ...says({ thinking: "Three gates, I think." }, text(REPORT)), pace: SLOWLY }),
  // The first that fits is played.
  script("recite for long", { ...says(text(LONG_VERSES)), pace: SLOWLY }),
  script("recite", { ...says(text(VERSES)), pace: SLOWLY }),
  // Ends only when it is stopped.
  script("never end", { ...says(text("and on it goes ".repeat(4000))), pace: { deltaMs: 50, deltaChars: 15 } }),
  script("touch it", says(text("Making it."), bash("touch made.txt")), says(text("It is made."))),
  script("misspell it", says(bash("touch wrong.txt")), says(text("The file is there."))),
  script(
    "write the note",
    says(use("Write", { file_path: "{{cwd}}/note.txt", content: "one\ntwo\n" })),
    says(text("Written.")),
  ),
  script("ring twice", says(bash("touch bell.txt")), says(bash("touch bell.txt")), says(text("Rung twice."))),
  script("delete everything", says(bash("touch precious.txt")), says(text("Understood, I leave it."))),
  script("sink the ship", says(bash("touch sunk.txt")), says(text("Glug."))),
  script("two at once", says(bash("touch first.txt"), bash("touch second.txt")), says(text("Both are settled."))),
  script(
    "walk far",
    ...Array.from({ length: 40 }, (_, n) =>
      says(text(`Mile ${String(n + 1)}.`), use("Read", { file_path: "{{cwd}}/road" })),
    ),
    says(bash("touch near.txt")),
    says(text("There at last.")),
  ),
  // Two agents ask at the same time; calls of one thread ask one after another.
  script("send two agents", says(agent("look north"), agent("look south")), says(text("Both are sent."))),
  script("look north", says(bash("touch north.txt")), says(text("North is clear."))),
  script("look south", says(bash("touch south.txt")), says(text("South is clear."))),
  script("ask me three", says(use("AskUserQuestion", { questions: QUESTIONS })), says(text("Noted, all three."))),
  script("ask me one", says(use("AskUserQuestion", { questions: [ONE_COLOUR] })), says(text("Noted."))),
  script(
    "plan the lock",
    says(
      use("Write", { file_path: "{{planFile}}", content: "# Open the lock\n\n1. Ring the bell\n2. Open the gate\n" }),
    ),
    says(use("ExitPlanMode", {})),
    says(use("Write", { file_path: "{{cwd}}/gate.txt", content: "open\n" })),
    says(text("The gate is open.")),
  ),
  script(
    "plan at length",
    says(
      use("Write", { file_path: "{{planFile}}", content: `${"1. Look at the lock.\n".repeat(80)}\nThen sink it.\n` }),
    ),
    says(use("ExitPlanMode", {})),
    says(text("Planned at length.")),
  ),
  script(
    "plan it twice",
    says(use("Write", { file_path: "{{planFile}}", content: "1. Open the gate.\n" })),
    says(use("ExitPlanMode", {})),
    says(use("Write", { file_path: "{{planFile}}", content: "1. Ring the bell.\n2. Open the gate.\n" })),
    says(use("ExitPlanMode", {})),
    says(text("Planned well.")),
  ),
  script("wait at the gate", says(text("Waiting."), bash(untilFile("open-gate"))), says(text("The gate opened."))),
  script("draw the way", says(text("```mermaid\ngraph TD; Harbour-->Lock; Lock-->Sea;\n```"))),
  script("mind the fog", says(text("I mind the fog."))),
  script("look at this picture", says(text("A picture of one colour."))),
  script("read the file", says(text("I have read it."))),
  script("hide something", says(bash(HIDDEN_COMMAND)), says(text("Not hidden any more."))),
  script("write at length", says(bash(LONG_COMMAND, "Write")), says(text("Written at length."))),
  script("second thought", says(text("A second thought."))),
  script("third thought", says(text("A third thought."))),
];

export const SCENARIO: Scenario = {
  name: "page",
  scripts: JOURNEYS,
  otherwise: [says(text("I know nothing of that."))],
};
