import { OLD, PARTIAL, STDIO_PROMPTS, bash, casesOf, says, script, uses } from "../case.ts";
import { allow, file, interrupt, prompt, request, see, settled, turn } from "../host-script.ts";
import { has, present } from "../match.ts";

const ASK = [PARTIAL, ...STDIO_PROMPTS];
const task = (more: Readonly<Record<string, unknown>> = {}) =>
  uses("Task", {
    description: "Side job",
    prompt: "do the side job",
    subagent_type: "general-purpose",
    run_in_background: false,
    ...more,
  });
const SUB = script(
  "do the side job",
  says("Working on it.", bash("echo from the side")),
  says("Side report: all well."),
);
const UNTIL_OPEN = "until [ -e open ]; do sleep 0.05; done";
/** It ends after the host has written the file `open`. An end during the turn would belong to the turn. */
const HELD = script("do the side job", says("Working on it.", bash(UNTIL_OPEN)), says("Side report: all well."));
const STARTED = { type: "system", subtype: "task_started", task_type: "local_agent" };
const NOTIFIED = { type: "system", subtype: "task_notification", status: "completed" };
const WAKE = script("<task-notification>", says("Heard that it ended."));

export const agentCases = casesOf("agents and tasks", [
  {
    name: "agent-foreground",
    about: "A subagent in the foreground: its tool uses carry the parent, its report is the tool's result.",
    scripts: [script("delegate it", says("Delegating.", task()), says("The agent is back.")), SUB],
    args: ASK,
    host: turn("delegate it"),
    expect: {
      subagents: ["do the side job"],
      see: [
        STARTED,
        NOTIFIED,
        { type: "assistant", parent_tool_use_id: present, message: { content: [{ type: "tool_use", name: "Bash" }] } },
        { type: "user", parent_tool_use_id: null, tool_use_result: { status: "completed", agentId: present } },
      ],
    },
    differs: [
      {
        versions: OLD,
        why: "no task events for a subagent in the foreground yet",
        expect: {
          see: [
            {
              type: "assistant",
              parent_tool_use_id: present,
              message: { content: [{ type: "tool_use", name: "Bash" }] },
            },
          ],
        },
      },
    ],
    simulator: true,
    fast: true,
  },
  {
    name: "agent-permission",
    about: "A subagent's tool is asked for like any other.",
    scripts: [
      script("delegate it", says(task()), says("The agent is back.")),
      script("do the side job", says(bash("touch side.txt")), says("Side report: touched.")),
    ],
    args: ASK,
    answers: [allow("Bash")],
    host: turn("delegate it"),
    expect: {
      subagents: ["do the side job"],
      asks: ["Bash"],
      files: { "side.txt": "" },
      see: [{ type: "control_request", request: { agent_id: present } }],
    },
    simulator: true,
  },
  {
    name: "agent-forward-text",
    about: "--forward-subagent-text shows what a subagent says.",
    scripts: [script("delegate it", says(task()), says("The agent is back.")), SUB],
    args: [...ASK, "--forward-subagent-text"],
    host: turn("delegate it"),
    expect: {
      subagents: ["do the side job"],
      see: [
        {
          type: "assistant",
          parent_tool_use_id: present,
          message: { content: [{ type: "text", text: "Working on it." }] },
        },
      ],
    },
    excluded: [{ versions: OLD, why: "the flag does not exist yet" }],
    simulator: true,
  },
  {
    name: "agent-two-parallel",
    about: "Two subagents in one answer, each with its own parent.",
    scripts: [
      script(
        "delegate twice",
        says(task(), task({ description: "Other job", prompt: "do the other job" })),
        says("Both are back."),
      ),
      SUB,
      script("do the other job", says(bash("echo from the other side")), says("Other report.")),
    ],
    args: ASK,
    host: turn("delegate twice"),
    expect: {
      subagents: ["do the side job", "do the other job"],
      count: [{ of: { type: "user", parent_tool_use_id: null, tool_use_result: { status: "completed" } }, is: 2 }],
    },
    simulator: true,
  },
  {
    name: "agent-background",
    about: "A subagent in the background: launched at once, and a turn of the CLI's own when it ends.",
    scripts: [script("delegate for later", says(task({ run_in_background: true })), says("It runs.")), HELD, WAKE],
    args: [...ASK, "--allowedTools", "Bash"],
    host: [prompt("delegate for later"), settled, file("open"), see({ type: "result" })],
    expect: {
      subagents: ["do the side job"],
      results: [{ subtype: "success" }, { subtype: "success", origin: { kind: "task-notification" } }],
      see: [
        { type: "user", tool_use_result: { isAsync: true, status: "async_launched" } },
        { type: "system", subtype: "background_tasks_changed" },
        NOTIFIED,
      ],
    },
    excluded: [
      { versions: OLD, why: "the end of a background agent starts no turn, and nothing of its work is shown" },
    ],
    simulator: true,
  },
  {
    name: "agent-background-eof",
    about: "EOF while a subagent works in the background: the CLI waits for it and its turn.",
    scripts: [script("delegate for later", says(task({ run_in_background: true })), says("It runs.")), HELD, WAKE],
    args: [...ASK, "--allowedTools", "Bash"],
    host: [...turn("delegate for later"), file("open")],
    expect: { subagents: ["do the side job"], results: [{ subtype: "success" }, { subtype: "success" }] },
    differs: [
      {
        versions: OLD,
        why: "EOF does not wait for a background agent",
        expect: {
          plays: { "do the side job": 0, "<task-notification>": 0 },
          results: [{ subtype: "success" }],
        },
      },
    ],
    simulator: true,
  },
  {
    name: "agent-interrupted",
    files: { "wait.js": "setTimeout(() => undefined, 30_000);\n" },
    about: "An interrupt while a subagent works ends the turn.",
    scripts: [
      script("delegate it", says(task()), says("Never said.")),
      script("do the side job", says(bash("node wait.js")), says("Never reported.")),
    ],
    args: [...ASK, "--allowedTools", "Bash"],
    host: [
      prompt("delegate it"),
      see({ type: "assistant", parent_tool_use_id: present, message: { content: [{ type: "tool_use" }] } }),
      interrupt,
      settled,
    ],
    expect: {
      subagents: ["do the side job"],
      partial: ["delegate it#1"],
      results: [{ subtype: "error_during_execution" }],
      exits: [1],
      openTools: 1,
    },
    differs: [
      {
        versions: OLD,
        why: "is_error is false and so the exit code is 0; the tool of the subagent has its result",
        expect: { exits: [0], openTools: 0 },
      },
    ],
    simulator: true,
  },
  {
    name: "agent-by-flag",
    about: "--agents defines an agent, and it can be used.",
    scripts: [script("delegate it", says(task({ subagent_type: "deckhand" })), says("The deckhand is back.")), SUB],
    args: [
      ...ASK,
      "--agents",
      JSON.stringify({ deckhand: { description: "Does side jobs", prompt: "You are a deckhand." } }),
    ],
    host: turn("delegate it"),
    expect: { subagents: ["do the side job"], see: [{ type: "system", subtype: "init", agents: ["deckhand"] }] },
    simulator: true,
  },
  {
    name: "shell-background",
    about: "A shell in the background: its end wakes the CLI.",
    scripts: [
      script("run it behind", says(bash(`${UNTIL_OPEN}; echo ended`, { run_in_background: true })), says("It runs.")),
      WAKE,
    ],
    args: [...ASK, "--allowedTools", "Bash"],
    host: [prompt("run it behind"), settled, file("open"), see({ type: "result" })],
    expect: {
      results: [{ subtype: "success" }, { subtype: "success" }],
      see: [
        { type: "user", tool_use_result: { backgroundTaskId: present } },
        { type: "system", subtype: "task_started", task_type: "local_bash" },
        { type: "system", subtype: "task_notification" },
      ],
    },
    excluded: [{ versions: OLD, why: "the end of a background shell starts no turn" }],
    simulator: true,
  },
  {
    name: "shell-stopped",
    files: { "wait.js": "setTimeout(() => undefined, 30_000);\n" },
    about: "stop_task ends a shell in the background.",
    scripts: [script("run it behind", says(bash("node wait.js", { run_in_background: true })), says("It runs.")), WAKE],
    args: [...ASK, "--allowedTools", "Bash"],
    host: [
      prompt("run it behind"),
      settled,
      request({ subtype: "stop_task", task_id: "{{task}}" }),
      see({ type: "system", subtype: "task_notification", status: "stopped" }),
    ],
    expect: { plays: { "<task-notification>": 0 } },
    excluded: [{ versions: OLD, why: "stop_task is not answered" }],
    simulator: true,
  },
  {
    name: "shell-slow",
    files: { "slow.js": 'setTimeout(() => console.log("slept"), 4000);\n' },
    about: "A shell that takes longer than three seconds becomes a task.",
    scripts: [script("take your time", says(bash("node slow.js")), says("Slept."))],
    args: [...ASK, "--allowedTools", "Bash"],
    host: turn("take your time"),
    expect: {
      see: [
        { type: "system", subtype: "task_started", task_type: "local_bash", is_backgrounded: false },
        { type: "user", tool_use_result: { stdout: has("slept") } },
      ],
    },
    differs: [
      {
        versions: OLD,
        why: "a slow shell makes no task yet",
        expect: { see: [{ type: "user", tool_use_result: { stdout: has("slept") } }] },
      },
    ],
    simulator: true,
  },
]);
