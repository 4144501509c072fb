// What the sessions in the pictures are about: a small upload service and what an agent does to it. One story for all
// pictures, without private data.

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Block, Scenario, Script, Step } from "@quarterdeck/simulator";

const text = (words: string): Block => ({ text: words });
const use = (tool: string, input: Readonly<Record<string, unknown>>): Block => ({ tool, input });
const bash = (command: string, description: string): Block => use("Bash", { command, description });
const usage = { input_tokens: 1240, cache_read_input_tokens: 38_400, output_tokens: 620 };
const says = (...say: readonly Block[]): Step => ({ say, usage });
const script = (when: string, ...steps: readonly Step[]): Script => ({ when, steps });

const UPLOAD = `import { backoff } from "./backoff.ts";
import type { Part, Store } from "./store.ts";

/** Sends one part, and again where the store says that it is busy. */
export const putPart = async (store: Store, part: Part): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await store.put(part);
    if (answer.ok) return;
    if (attempt === 3) throw new Error(\`part \${part.number} failed\`);
    await backoff(attempt);
  }
};
`;
const BACKOFF = `/** Waits longer each time. */
export const backoff = (attempt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, 200 * 2 ** attempt));
`;
const TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { putPart } from "../src/upload.ts";

test("a part is sent again where the store is busy", async () => {
  let calls = 0;
  const store = { put: async () => ({ ok: ++calls === 3 }) };
  await putPart(store, { number: 7 });
  assert.equal(calls, 3);
});
`;

/** What the tests print, in the colors of Node's own reporter and always in the same time. */
const RUN_TESTS = String.raw`printf '\033[32m✔\033[39m a part is sent again where the store is busy \033[90m(612 ms)\033[39m\n'
printf '\033[32m✔\033[39m a part that is never taken fails \033[90m(3.1 ms)\033[39m\n'
printf '\033[34mℹ\033[39m tests 2\n\033[34mℹ\033[39m pass 2\n\033[34mℹ\033[39m fail 0\n'
`;

const FILES: Readonly<Record<string, string>> = {
  "src/upload.ts": UPLOAD,
  "src/backoff.ts": BACKOFF,
  "src/store.ts":
    "export interface Part {\n  readonly number: number;\n}\nexport interface Store {\n  put(part: Part): Promise<{ readonly ok: boolean }>;\n}\n",
  "test/upload.test.ts": TEST,
  "package.json": '{ "name": "harbor", "type": "module", "scripts": { "test": "node --test" } }\n',
  "soak.sh": RUN_TESTS,
  "README.md": "# harbor\n\nUploads in parts.\n",
};

/** The project, with a history of its own. */
export const makeProject = (folder: string): void => {
  for (const [path, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const git = (...args: string[]): unknown =>
    execFileSync("git", ["-C", folder, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...args]);
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-q", "-m", "Uploads in parts");
};

const REPORT = `## Why the upload test fails one time in forty

The retry is right, the **clock** is not: all parts that fail together wait the same time, and so they meet again at the store.

| attempt | waits now | with full jitter |
| --- | ---: | ---: |
| 1 | 400 ms | 0 to 400 ms |
| 2 | 800 ms | 0 to 800 ms |
| 3 | 1,600 ms | 0 to 1,600 ms |

The change is one line:

\`\`\`ts
export const backoff = (attempt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * 200 * 2 ** attempt));
\`\`\`

- The mean wait is halved, so the upload is quicker, too.
- \`attempt === 3\` throws *after* the third answer; the last wait was never taken.

> Nothing else in \`src/\` calls \`backoff\`.`;

const LONG = `${REPORT}\n\n${Array.from({ length: 40 }, (_, n) => `${String(n + 1)}. Part ${String(n + 1)} was sent, refused, and sent again after its own time.`).join("\n")}`;

const OLD_WAIT = "setTimeout(resolve, 200 * 2 ** attempt)";
const NEW_WAIT = "setTimeout(resolve, Math.random() * 200 * 2 ** attempt)";
const OLD_ATTEMPT =
  "    if (attempt === 3) throw new Error(`part ${part.number} failed`);\n    await backoff(attempt);\n";
const NEW_ATTEMPT =
  "    if (attempt === MOST_ATTEMPTS) throw new Error(`part ${part.number} failed ${attempt} times`);\n" +
  '    const waited = await backoff(attempt);\n    log.info("sent again", { part: part.number, attempt, waited });\n';

const SCRIPTS: readonly Script[] = [
  script(
    "Find out why the upload test fails",
    says(
      {
        thinking:
          "The test fails one time in forty. That smells like timing rather than logic: the retry waits a fixed time, so parts that fail together try again together. Let me look at who waits, and for how long.",
      },
      text("I look at the retry first, then at who calls it."),
      bash("grep -rn backoff src", "Who waits"),
      use("Read", { file_path: "{{cwd}}/src/upload.ts" }),
    ),
    says(
      use("TaskCreate", { subject: "Add full jitter", description: "In backoff", activeForm: "Adding full jitter" }),
      use("TaskCreate", {
        subject: "Run the tests forty times",
        description: "All green",
        activeForm: "Running the tests",
      }),
    ),
    says(use("TaskUpdate", { taskId: "1", status: "in_progress" })),
    says(
      text("Parts that fail together wait the same time."),
      use("Edit", {
        file_path: "{{cwd}}/src/backoff.ts",
        old_string: OLD_WAIT,
        new_string: NEW_WAIT,
        replace_all: false,
      }),
    ),
    says(bash("sh soak.sh --times 40", "Run the tests forty times")),
    says(text("Green forty times in a row. The wait is random now, between nothing and what it was.")),
  ),
  script(
    "Review the retry",
    says(
      text("Two pairs of eyes."),
      use("Task", {
        description: "Review the retry",
        prompt: "Read the retry and report.",
        subagent_type: "Explore",
        run_in_background: false,
      }),
    ),
    says(text("It agrees: the wait was the fault, not the retry.")),
  ),
  script(
    "Read the retry and report",
    says(use("Read", { file_path: "{{cwd}}/src/backoff.ts" })),
    says(text("The wait is the same for all parts. Jitter would part them.")),
  ),
  script("Explain the fault", {
    ...says({ thinking: "A table says it best." }, text(LONG)),
    pace: { deltaMs: 12, deltaChars: 9 },
  }),
  script(
    "Run the tests",
    says(
      text("I run them forty times."),
      bash("for n in $(seq 40); do node --test || exit 1; done > soak.log", "Run the tests forty times"),
    ),
    says(text("Done.")),
  ),
  script(
    "Say how long each part waited",
    says(
      text("Three lines, in `putPart`."),
      use("Edit", {
        file_path: "{{cwd}}/src/upload.ts",
        old_string: OLD_ATTEMPT,
        new_string: NEW_ATTEMPT,
        replace_all: false,
      }),
    ),
    says(text("Done.")),
  ),
  script(
    "Ask what I want",
    says(
      text("Two decisions are yours."),
      use("AskUserQuestion", {
        questions: [
          {
            question: "Which jitter should the retry have?",
            header: "Jitter",
            multiSelect: false,
            options: [
              {
                label: "Full",
                description: "Anything between nothing and the limit: parts meet least",
                preview: "```ts\nMath.random() * limit\n```",
              },
              {
                label: "Equal",
                description: "Half of it fixed: never hurries",
                preview: "```ts\nlimit / 2 + Math.random() * limit / 2\n```",
              },
              { label: "None", description: "As it is" },
            ],
          },
          {
            question: "What should be logged?",
            header: "Log",
            multiSelect: true,
            options: [
              { label: "Attempts", description: "How often" },
              { label: "Waits", description: "How long" },
            ],
          },
        ],
      }),
    ),
    says(text("Noted.")),
  ),
  script(
    "Plan the change",
    says(
      use("Write", {
        file_path: "{{planFile}}",
        content:
          "# Full jitter for uploads\n\nParts that fail together must not try again together.\n\n1. Let `backoff` wait a random time below its limit\n2. Say in the log how long each part waited\n3. Run the upload test **forty times**\n\n| file | change |\n| --- | --- |\n| `src/backoff.ts` | one line |\n| `src/upload.ts` | a line of log |\n",
      }),
    ),
    says(use("ExitPlanMode", {})),
    says(text("Done.")),
  ),
  script(
    "Soak it over night",
    says(text("This will not end well."), bash("sleep 0.5; kill -9 $PPID", "End the process")),
  ),
];

export const STORY: Scenario = {
  name: "screenshots",
  scripts: SCRIPTS,
  otherwise: [says(text("The tide is high at 06:15."))],
};

/** A recording for the simulator to replay: a server of tools that asks for a form. */
export const ELICITATION = [
  { t: 0, dir: "in", msg: { type: "control_request", request_id: "i", request: { subtype: "initialize" } } },
  {
    t: 1,
    dir: "out",
    msg: {
      type: "control_response",
      response: { subtype: "success", request_id: "i", response: { commands: [], models: [] } },
    },
  },
  { t: 2, dir: "in", msg: { type: "user", message: { role: "user", content: "Book a berth" } } },
  {
    t: 3,
    dir: "out",
    msg: {
      type: "control_request",
      request_id: "e1",
      request: {
        subtype: "elicitation",
        mcp_server_name: "harbour-office",
        display_name: "Harbour office",
        mode: "form",
        title: "A berth for tonight",
        message: "The harbour office needs to know a little before it can book a berth.",
        requested_schema: {
          type: "object",
          required: ["vessel", "nights"],
          properties: {
            vessel: { type: "string", title: "Vessel", description: "As painted on the stern" },
            length: { type: "number", title: "Length over all", description: "In metres", minimum: 2, maximum: 40 },
            nights: { type: "integer", title: "Nights", default: 1, minimum: 1 },
            side: { type: "string", title: "Side", enum: ["port", "starboard"] },
            power: { type: "boolean", title: "Shore power", default: true },
          },
        },
      },
    },
  },
  {
    t: 4,
    dir: "in",
    msg: { type: "control_response", response: { subtype: "success", request_id: "e1", response: {} } },
  },
];
