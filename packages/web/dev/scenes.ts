// Scenes that no recording has at once: every tool, every kind of row, streaming text.

import type { Row } from "@quarterdeck/client";
import type { ToolResult } from "@quarterdeck/protocol";
import { readToolResult } from "@quarterdeck/protocol";
import type { FoldView } from "./fold-view.ts";

type Scene = (view: FoldView, query: URLSearchParams) => Promise<void> | void;

let order = 100_000;
const AT = new Date(2026, 1, 3, 9, 41).getTime();
const row = (fields: object): Row => {
  order++;
  return { id: `row/${order}`, order, rev: order, at: AT + order, seqs: [], ...fields } as unknown as Row;
};
const tool = (
  name: string,
  input: object,
  given: { structured?: unknown; content?: unknown; error?: true } | undefined,
  more: object = {},
): Row => {
  const id = `toolu_${order}`;
  const result: ToolResult | undefined =
    given === undefined
      ? undefined
      : readToolResult(name, given.structured, { content: given.content ?? "", is_error: given.error === true }, input);
  const at = AT + order;
  return row({
    kind: "tool",
    messageId: "m",
    toolUseId: id,
    name,
    input,
    state: result === undefined ? "running" : result.ok ? "done" : "failed",
    ...(result !== undefined && { result, endedAt: at + 1400 }),
    ...more,
  });
};

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==";

const patch = [
  {
    oldStart: 41,
    oldLines: 3,
    newStart: 41,
    newLines: 5,
    lines: [
      "   async putPart(part: Part): Promise<Etag> {",
      "-    return this.s3.send(part)",
      "+    return retry(() => this.s3.send(part), {",
      "+      attempts: 5, base: 200, jitter: true, on: isTransient,",
      "+    })",
      "   }",
    ],
  },
  {
    oldStart: 90,
    oldLines: 4,
    newStart: 92,
    newLines: 4,
    lines: [" export const LIMITS = {", "-  parts: 10_000,", "+  parts: 1_000,", "   bytes: 5 * 1024 ** 4,", " };"],
  },
];

const longPatch = [
  {
    oldStart: 1,
    oldLines: 400,
    newStart: 1,
    newLines: 400,
    lines: Array.from({ length: 400 }, (_, index) => [
      `-const a${index} = ${index};`,
      `+const b${index} = ${index + 1};`,
    ]).flat(),
  },
];

const TS =
  'import { readFile } from "node:fs/promises";\n\n// Reads a file and counts its lines.\nexport const countLines = async (path: string): Promise<number> => {\n  const text = await readFile(path, "utf8");\n  return text.split("\\n").length;\n};\n';

const tools: Scene = (view) => {
  view.add([
    row({
      kind: "prompt",
      content: "Show me every tool, @src/storage/upload.ts first.",
      state: "done",
      by: { id: "d", name: "Pixel 9" },
    }),
    tool(
      "Bash",
      { command: "npm test -- upload", description: "Run the upload tests" },
      {
        structured: {
          stdout:
            "\u001B[32m✓\u001B[39m retries a dropped part and completes \u001B[2m(212 ms)\u001B[22m\n\u001B[32m✓\u001B[39m gives up after five attempts with the last error \u001B[2m(1.3 s)\u001B[22m\n\u001B[1mTests\u001B[22m  \u001B[32m14 passed\u001B[39m (14)",
          stderr: "",
          interrupted: false,
        },
      },
      { decision: { behavior: "allow", by: { id: "d", name: "Pixel 9" }, at: AT } },
    ),
    tool(
      "Bash",
      { command: "make all", description: "Build everything" },
      { content: "Exit code 2\nmake: *** No rule to make target 'all'.  Stop.", error: true },
    ),
    tool(
      "Bash",
      {
        command: "for i in 1 2 3; do\n  curl -s https://example.org/$i | jq .\ndone",
        description: "Fetch three pages",
      },
      undefined,
      { at: Date.now() - 12_000 },
    ),
    tool(
      "Bash",
      { command: "npm run dev", run_in_background: true },
      {
        structured: { stdout: "", stderr: "", interrupted: false, backgroundTaskId: "b1" },
        content: "Command running in background with ID: b1. Output is being written to: /tmp/b1.output",
      },
    ),
    tool(
      "Bash",
      { command: "seq 1 60000" },
      {
        structured: {
          stdout: Array.from({ length: 60_000 }, (_, index) => `${index + 1} ${"=".repeat(index % 40)}`).join("\n"),
          stderr: "",
          interrupted: false,
        },
      },
    ),
    tool(
      "Bash",
      { command: "rm -rf build" },
      { content: "The user doesn't want to proceed with this tool use.", error: true },
      {
        state: "denied",
        decision: { behavior: "deny", by: { id: "d", name: "Desk" }, reason: "Not while the other session builds." },
      },
    ),
    tool("Bash", { command: "./scripts/soak.sh --count 200" }, undefined, { state: "asking", requestId: "r1" }),
    tool(
      "Read",
      { file_path: "/code/harbor/src/count.ts" },
      {
        structured: {
          type: "text",
          file: { filePath: "/code/harbor/src/count.ts", content: TS, numLines: 7, startLine: 1, totalLines: 7 },
        },
      },
    ),
    tool(
      "Read",
      { file_path: "/code/harbor/logo.png" },
      { structured: { type: "image", file: { base64: PIXEL, type: "image/png", originalSize: 85 } } },
    ),
    tool(
      "Read",
      { file_path: "/code/harbor/a.ipynb" },
      {
        structured: {
          type: "notebook",
          file: {
            filePath: "/code/harbor/a.ipynb",
            cells: [
              { cellType: "markdown", source: "# Title\nSome *words*." },
              {
                cellType: "code",
                language: "python",
                source: "import math\nprint(math.pi)",
                outputs: [{ output_type: "stream", text: "3.141592653589793\n" }],
              },
            ],
          },
        },
      },
    ),
    tool(
      "Read",
      { file_path: "/code/harbor/gone.ts" },
      { content: "<tool_use_error>File does not exist.</tool_use_error>", error: true },
    ),
    tool(
      "Edit",
      { file_path: "/code/harbor/src/storage/upload.ts", old_string: "a", new_string: "b" },
      {
        structured: {
          filePath: "/code/harbor/src/storage/upload.ts",
          oldString: "a",
          newString: "b",
          originalFile: "",
          structuredPatch: patch,
          userModified: true,
          replaceAll: false,
        },
      },
      { decision: { behavior: "allow", source: "user_temporary" } },
    ),
    tool(
      "Edit",
      { file_path: "/code/harbor/src/long.ts", old_string: "a", new_string: "b" },
      {
        structured: {
          filePath: "/code/harbor/src/long.ts",
          oldString: "a",
          newString: "b",
          structuredPatch: longPatch,
        },
      },
      { decision: { behavior: "allow", source: "config" } },
    ),
    tool(
      "Edit",
      {
        file_path: "/code/harbor/src/next.ts",
        old_string: "const limit = 10;\nrun(limit);",
        new_string: "const limit = 20;\nrun(limit, { retry: true });",
      },
      undefined,
      { state: "asking" },
    ),
    tool(
      "MultiEdit",
      {
        file_path: "/code/harbor/src/m.ts",
        edits: [
          { old_string: "a = 1", new_string: "a = 2" },
          { old_string: "b()", new_string: "c()" },
        ],
      },
      undefined,
    ),
    tool(
      "Write",
      { file_path: "/code/harbor/src/count.ts", content: TS },
      {
        structured: {
          type: "create",
          filePath: "/code/harbor/src/count.ts",
          content: TS,
          structuredPatch: [],
          originalFile: null,
        },
      },
    ),
    tool(
      "Glob",
      { pattern: "**/*.ts", path: "/code/harbor/src" },
      {
        structured: {
          filenames: Array.from({ length: 30 }, (_, index) => `/code/harbor/src/deep/er/file-${index}.ts`),
          numFiles: 30,
          truncated: false,
        },
      },
    ),
    tool(
      "Grep",
      { pattern: "putPart\\(", path: "/code/harbor/src", output_mode: "content", "-n": true },
      {
        structured: {
          mode: "content",
          filenames: [],
          content:
            "/code/harbor/src/a.ts:12:  await this.putPart(part);\n/code/harbor/src/b.ts:41:  async putPart(part: Part) {",
          numLines: 2,
          numFiles: 0,
        },
      },
    ),
    tool("Grep", { pattern: "nothing" }, { structured: { mode: "files_with_matches", filenames: [], numFiles: 0 } }),
    tool(
      "WebFetch",
      { url: "https://example.org/docs/retry?x=1", prompt: "What does it say about jitter?" },
      {
        structured: {
          url: "https://example.org/docs/retry",
          result:
            "## Jitter\n\nUse **full jitter**: see [the paper](https://other.example/paper).\n\n![track](https://evil.example/p.png)",
          bytes: 48213,
          code: 200,
          codeText: "OK",
        },
      },
    ),
    tool(
      "WebSearch",
      { query: "exponential backoff jitter" },
      {
        structured: {
          query: "exponential backoff jitter",
          results: [
            {
              tool_use_id: "x",
              content: [
                { title: "Exponential Backoff And Jitter", url: "https://aws.example/blog" },
                {
                  title: "Timeouts, retries",
                  url: "https://builders.example/t",
                  snippet: "How to be kind to a server.",
                },
              ],
            },
            "Both say: full jitter.",
          ],
        },
      },
    ),
    tool(
      "NotebookEdit",
      { notebook_path: "/code/harbor/a.ipynb", new_source: "print(2)", cell_id: "c1", cell_type: "code" },
      {
        structured: {
          notebook_path: "/code/harbor/a.ipynb",
          new_source: "print(2)",
          old_source: "print(1)",
          cell_id: "c1",
          cell_type: "code",
          language: "python",
          edit_mode: "replace",
        },
      },
    ),
    tool(
      "NotebookEdit",
      {
        notebook_path: "/code/harbor/a.ipynb",
        new_source: "# Results\n\n- good\n- better",
        cell_type: "markdown",
        edit_mode: "insert",
      },
      {
        structured: {
          notebook_path: "/code/harbor/a.ipynb",
          new_source: "# Results\n\n- good\n- better",
          cell_type: "markdown",
          edit_mode: "insert",
        },
      },
    ),
    tool(
      "TodoWrite",
      {
        todos: [
          { content: "Reproduce the failure", status: "completed", activeForm: "Reproducing" },
          { content: "Soak against staging", status: "in_progress", activeForm: "Soaking against staging" },
          { content: "Document the limits", status: "pending", activeForm: "Documenting" },
        ],
      },
      { structured: { oldTodos: [], newTodos: [] } },
    ),
    tool(
      "TaskCreate",
      { subject: "Fix authentication bug", description: "The token is not renewed." },
      { structured: { task: { id: "1", subject: "Fix authentication bug" } } },
    ),
    tool(
      "TaskUpdate",
      { taskId: "1", status: "in_progress" },
      { structured: { success: true, taskId: "1", updatedFields: ["status"] } },
    ),
    tool(
      "TaskList",
      {},
      {
        structured: {
          tasks: [
            { id: "1", subject: "Fix authentication bug", status: "in_progress", blockedBy: [] },
            { id: "2", subject: "Test it", status: "pending", owner: "tester", blockedBy: ["1"] },
          ],
        },
      },
    ),
    tool(
      "AskUserQuestion",
      {
        questions: [
          {
            question: "Which queue should we use?",
            header: "Queue",
            multiSelect: false,
            options: [
              { label: "SQS", description: "Managed, at least once" },
              { label: "NATS", description: "Small, fast" },
            ],
          },
          {
            question: "Which regions?",
            header: "Regions",
            multiSelect: true,
            options: [{ label: "eu" }, { label: "us" }, { label: "ap" }],
          },
        ],
      },
      {
        structured: { questions: [], answers: { "Which queue should we use?": "NATS", "Which regions?": "eu, us" } },
        content: "User has answered your questions",
      },
    ),
    tool(
      "ExitPlanMode",
      {
        plan: "# Plan\n\n1. **Reproduce** the failure\n2. Add `retry`\n3. Test\n\n| step | risk |\n|---|---|\n| 2 | low |",
        planFilePath: "~/.claude/plans/calm-sea.md",
      },
      {
        structured: {
          plan: "# Plan\n\n1. **Reproduce** the failure\n2. Add `retry`\n3. Test\n\n| step | risk |\n|---|---|\n| 2 | low |",
          isAgent: false,
        },
      },
    ),
    tool(
      "Skill",
      { skill: "commit-message", args: "--short" },
      { structured: { success: true, commandName: "commit-message" }, content: "Launching skill: commit-message" },
    ),
    tool(
      "mcp__github__search_repositories",
      { query: "language:ts stars:>1000", perPage: 5 },
      {
        content: [{ type: "text", text: '{"total":2,"items":[{"name":"a","stars":1200},{"name":"b","stars":1100}]}' }],
      },
    ),
    tool(
      "mcp__files__read",
      { uri: "file:///a" },
      {
        content: [
          { type: "text", text: "# Heading\n\n- a\n- b" },
          { type: "resource_link", uri: "https://example.org/r", name: "The resource" },
        ],
      },
    ),
    tool("Hologram", { shape: "cube", nested: { deep: [1, 2, 3] } }, { content: "done" }),
    tool(
      "TaskOutput",
      { task_id: "b1", block: false },
      {
        structured: {
          retrieval_status: "success",
          task: {
            task_id: "b1",
            task_type: "local_bash",
            status: "running",
            description: "npm run dev",
            output: "ready in 212 ms\nlistening",
            exitCode: null,
          },
        },
      },
    ),
  ]);
};

const MARKDOWN = `# What I found

The S3 client treats \`ECONNRESET\` as final, so a dropped connection surfaces as a failed upload. See [the docs](https://docs.example/x) or https://plain.example/path and <b>raw html</b> &amp; entities.

## Steps

1. Reproduce it with a *flaky* proxy
2. Add **bounded, jittered** retries
   - nested item with \`code\`
   - another

   \`\`\`bash
   npm test -- upload
   \`\`\`
3. ~~Give up~~ Try again

- [x] reproduce
- [ ] document

> A quote with **bold**
> over two lines.

| Option | Cost | Note |
|:---|---:|:---:|
| retry | 12 | cheap<br>and good |
| queue | 1,200 | **later** |

\`\`\`ts
${TS}\`\`\`

Inline math $e^{i\\pi} + 1 = 0$ costs $5, not $10. Display:

$$
\\int_0^\\infty e^{-x^2}\\,dx = \\frac{\\sqrt{\\pi}}{2}
$$

\`\`\`mermaid
graph LR
  A[Client] -->|putPart| B(Retry)
  B --> C{Transient?}
  C -->|yes| B
  C -->|no| D[Fail]
\`\`\`

![diagram](https://evil.example/track.png) and [bad](javascript:alert(1)).

---

\`\`\`python
def f(x: int) -> str:
    """Doc."""
    return f"{x:>4}"  # comment
\`\`\`
`;

/** Without lazily loaded parts, which change a block once, later. */
const PLAIN = MARKDOWN.replace(/```mermaid[^`]*```|\$\$[^$]*\$\$|\$e[^$]*\$/gu, "");

const markdown: Scene = (view) => {
  view.add([
    row({ kind: "prompt", content: "Explain with everything you have.", state: "done" }),
    row({
      kind: "thinking",
      messageId: "m",
      text: "First I should look at the retry logic.\n\nThen the tests.",
      durationMs: 6200,
      tokens: 412,
    }),
    row({ kind: "text", messageId: "m", text: MARKDOWN }),
  ]);
};

const rows: Scene = (view) => {
  const prompt = (state: string, more: object = {}) =>
    row({ kind: "prompt", content: `A message that is ${state}.`, state, uuid: `u-${state}`, ...more });
  view.add([
    row({
      kind: "prompt",
      at: AT - 86_400_000,
      content: [
        { type: "text", text: "With a picture and /code in @src/a.ts" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
      ],
      state: "done",
      by: { id: "d", name: "Desk" },
    }),
    prompt("folded"),
    prompt("started"),
    prompt("cancelled"),
    prompt("held"),
    prompt("blocked", { reason: "UserPromptSubmit: secrets are not allowed" }),
    prompt("refused"),
    prompt("discarded"),
    prompt("failed"),
    prompt("interrupted"),
    row({
      kind: "prompt",
      content: Array.from({ length: 60 }, (_, index) => `pasted line ${index}`).join("\n"),
      state: "done",
    }),
    row({ kind: "thinking", messageId: "m", text: "", redacted: true }),
    row({ kind: "text", messageId: "m", text: "I was about to say", aborted: true }),
    row({
      kind: "turn",
      ok: true,
      subtype: "success",
      errors: [],
      costUsd: 0.0712,
      durationMs: 34_000,
      steps: 5,
      inputTokens: 12_400,
      outputTokens: 830,
      denials: [{ tool_name: "Bash", tool_use_id: "x", tool_input: {} }],
    }),
    row({
      kind: "turn",
      ok: false,
      subtype: "error_max_turns",
      errors: ["Reached maximum number of turns (3)"],
      costUsd: 0.001,
      durationMs: 900,
      steps: 3,
      inputTokens: 10,
      outputTokens: 3,
      denials: [],
    }),
    row({
      kind: "error",
      source: "api",
      text: 'API Error: 529 {"type":"overloaded_error"}',
      status: 529,
      code: "overloaded",
    }),
    row({ kind: "error", source: "auth", text: "Not logged in · Please run /login" }),
    row({ kind: "error", source: "limit", text: "The five_hour limit is reached." }),
    row({ kind: "error", source: "process", text: "The CLI ended by SIGKILL." }),
    row({ kind: "error", source: "refusal", text: "The model declined to go on." }),
    row({
      kind: "command",
      name: "cost",
      text: "Total cost:            $0.04\nTotal duration (API):  4.2s",
      failed: false,
    }),
    row({
      kind: "command",
      name: "context",
      text: "## Context Usage\n**Model:** claude-sonnet-4-5\n**Tokens:** 23.9k / 200k (12%)\n\n| Category | Tokens |\n|---|---:|\n| System prompt | 3,200 |\n| Messages | 9,800 |",
      failed: false,
    }),
    row({ kind: "command", name: "compact", text: "Error: No messages to compact", failed: true }),
    row({
      kind: "compaction",
      trigger: "auto",
      before: 168_000,
      after: 12_300,
      summary: "The user wants **retries**.",
    }),
    row({ kind: "compaction", failed: "Not enough messages." }),
    row({ kind: "mark", what: "mode", text: "acceptEdits" }),
    row({ kind: "mark", what: "model", text: "claude-opus-4-6" }),
    row({ kind: "mark", what: "cleared", text: "clear" }),
    row({ kind: "mark", what: "interrupted", text: "[Request interrupted by user]" }),
    row({ kind: "mark", what: "resumed", text: "process 2" }),
    row({
      kind: "hook",
      hookId: "h",
      event: "PreToolUse",
      name: "guard.sh",
      outcome: "success",
      exitCode: 0,
      output: "checked 3 paths",
    }),
    row({
      kind: "hook",
      hookId: "h",
      event: "PostToolUse",
      name: "format.sh",
      outcome: "error",
      exitCode: 1,
      output: "prettier: command not found",
    }),
    row({
      kind: "request",
      requestId: "q",
      subtype: "elicitation",
      text: "Which workspace?",
      fate: "answered",
      by: { id: "d", name: "Desk" },
    }),
    row({ kind: "notice", level: "info", topic: "memory", text: "Recalled 2 notes." }),
    row({ kind: "notice", level: "warning", topic: "Bash denied", text: "A rule denies Bash(rm:*)." }),
    row({
      kind: "retry",
      at: Date.now(),
      attempt: 2,
      of: 10,
      delayMs: 8000,
      status: 529,
      error: "overloaded_error",
      until: Date.now() + 8000,
      over: false,
    }),
    row({
      kind: "retry",
      attempt: 1,
      of: 10,
      delayMs: 800,
      status: null,
      error: "connection reset",
      until: 0,
      over: true,
    }),
    row({ kind: "unknown", reason: "type", value: { type: "system", subtype: "quantum_state", spin: [1, 2] } }),
    row({ kind: "noise", reason: "not-json", size: 48 }),
    row({
      kind: "block",
      messageId: "m",
      block: { type: "server_tool_use", id: "s", name: "web_search", input: { query: "x" } },
    }),
    prompt("queued"),
  ]);
};

const agents: Scene = (view) => {
  const call = (id: string, description: string, more: object = {}) =>
    row({
      kind: "tool",
      messageId: "m",
      toolUseId: id,
      name: "Agent",
      input: { description, prompt: `Please **${description}** and report.`, subagent_type: "Explore" },
      state: "running",
      at: Date.now() - 40_000,
      ...more,
    });
  const inside = (parent: string, fields: object) => row({ ...fields, parent });
  view.add([
    row({ kind: "prompt", content: "Look at both.", state: "started" }),
    call("a1", "Find callers of putPart"),
    call("a2", "Read the tests"),
    call("a3", "Summarise", {
      state: "done",
      endedAt: Date.now(),
      result: {
        tool: "Agent",
        ok: true,
        text: "",
        structured: {
          status: "completed",
          agentId: "x",
          content: [{ type: "text", text: "Two callers: `a.ts` and `b.ts`." }],
          totalTokens: 18_400,
          totalToolUseCount: 7,
        },
      },
    }),
    inside("a1", { kind: "prompt", content: "Please find callers.", state: "done", origin: "agent" }),
    inside("a1", { kind: "text", messageId: "m", text: "I will grep for it." }),
    {
      ...tool(
        "Grep",
        { pattern: "putPart" },
        { structured: { mode: "files_with_matches", filenames: ["/a.ts"], numFiles: 1 } },
      ),
      parent: "a1",
    },
    ...Array.from({ length: 30 }, (_, index) =>
      inside("a2", { kind: "text", messageId: "m", text: `Step ${index} of reading the tests.` }),
    ),
  ]);
};

/** 10,000 rows of a mixed kind. */
const long: Scene = (view, query) => {
  const count = Number(query.get("rows") ?? 10_000);
  const made: Row[] = [];
  while (made.length < count) {
    const turn = made.length;
    made.push(
      row({ kind: "prompt", content: `Question ${turn}: why does it fail?`, state: "done" }),
      row({
        kind: "text",
        messageId: "m",
        text:
          turn % 7 === 0
            ? PLAIN
            : `Answer ${turn}. ${"It fails because the connection drops. ".repeat(1 + (turn % 5))}`,
      }),
      tool(
        "Grep",
        { pattern: `thing${turn}` },
        { structured: { mode: "files_with_matches", filenames: ["/a.ts"], numFiles: 1 } },
      ),
      tool(
        "Bash",
        { command: `npm test -- ${turn}` },
        { structured: { stdout: "ok\n".repeat(1 + (turn % 6)), stderr: "", interrupted: false } },
      ),
      tool(
        "Edit",
        { file_path: "/code/a.ts", old_string: "a", new_string: "b" },
        { structured: { filePath: "/code/a.ts", oldString: "a", newString: "b", structuredPatch: patch } },
      ),
      row({
        kind: "turn",
        ok: true,
        subtype: "success",
        errors: [],
        costUsd: 0.01,
        durationMs: 3000,
        steps: 3,
        inputTokens: 100,
        outputTokens: 30,
        denials: [],
      }),
    );
  }
  view.add(made);
  const shown = query.get("shown");
  if (shown !== null) view.show(Number(shown));
};

/** Text as a model streams it, `rate` deltas a second. */
const stream: Scene = async (view, query) => {
  if (query.has("after")) await long(view, query);
  const rate = Number(query.get("rate") ?? 200);
  const once = query.has("plain") ? PLAIN : MARKDOWN;
  const text = once.repeat(Number(query.get("times") ?? 1));
  const event = (value: object) =>
    ({
      type: "streamed",
      at: Date.now(),
      message: { type: "stream_event", uuid: "u", session_id: "s", parent_tool_use_id: null, event: value },
    }) as never;
  view.feed(
    event({ type: "message_start", message: { id: "msg_1", model: "claude", role: "assistant", content: [] } }),
  );
  view.feed(event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }));
  let at = 0;
  const started = performance.now();
  await new Promise<void>((resolve) => {
    const step = () => {
      const due = Math.floor(((performance.now() - started) / 1000) * rate) * 4;
      for (; at < Math.min(due, text.length); at += 4) {
        view.feed(
          event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: text.slice(at, at + 4) } }),
        );
      }
      if (at >= text.length) resolve();
      else setTimeout(step, 4);
    };
    step();
  });
  if (query.has("open")) return;
  view.feed({
    type: "received",
    seq: 1,
    at: Date.now(),
    message: {
      type: "assistant",
      uuid: "a1",
      session_id: "s",
      parent_tool_use_id: null,
      message: { id: "msg_1", model: "claude", role: "assistant", content: [{ type: "text", text }] },
    },
  });
};

/** Hostile text, in every place where text is shown. */
const HOSTILE = [
  "<script>alert(1)</script>",
  '<img src="https://evil.example/p.png" onerror="alert(1)">',
  "![x](https://evil.example/p.png)",
  "![x](javascript:alert(1))",
  "[x](javascript:alert(1))",
  "[x](data:text/html,<script>alert(1)</script>)",
  "[x](vbscript:x) [y](file:///etc/passwd) [z](//evil.example)",
  "[https://bank.example](https://evil.example)",
  "<a href='javascript:alert(1)'>x</a>",
  "<iframe src='https://evil.example'></iframe><svg onload=alert(1)>",
  "[ref]: javascript:alert(1)",
  "<style>*{display:none}</style><base href='https://evil.example/'><meta http-equiv=refresh content='0;url=https://evil.example'>",
  "$\\href{javascript:alert(1)}{x}$ $\\includegraphics{https://evil.example/p.png}$ $\\htmlStyle{position:fixed}{x}$",
  "\u001B]8;;https://evil.example\u0007link\u001B]8;;\u0007\u001B]52;c;QQ==\u0007\u001B]0;title\u0007",
  '```mermaid\ngraph TD\n  A["<img src=x onerror=alert(1)>"] --> B\n  click A "javascript:alert(1)"\n  style A fill:url(https://evil.example/p.png)\n```',
  '```mermaid\n%%{init: {"securityLevel": "loose", "themeCSS": "@import url(https://evil.example/x.css);"}}%%\ngraph TD\n  A --> B\n```',
  "\u202Eevil\u202C \u200B\uFEFF",
].join("\n\n");

const hostile: Scene = (view) => {
  const shell = { stdout: HOSTILE, stderr: HOSTILE, interrupted: false };
  view.add([
    row({ kind: "prompt", content: HOSTILE, state: "done", by: { id: "d", name: HOSTILE } }),
    row({ kind: "thinking", messageId: "m", text: HOSTILE, durationMs: 10 }),
    tool("Bash", { command: HOSTILE, description: HOSTILE }, { structured: shell }),
    tool(
      "Read",
      { file_path: `/${HOSTILE}.html` },
      { structured: { type: "text", file: { filePath: "/x.html", content: HOSTILE, numLines: 9, startLine: 1 } } },
    ),
    tool(
      "Write",
      { file_path: "/x.html", content: HOSTILE },
      { structured: { type: "create", filePath: "/x.html", content: HOSTILE, structuredPatch: [] } },
    ),
    tool("Edit", { file_path: "/x", old_string: HOSTILE, new_string: `${HOSTILE} ` }, undefined),
    tool(
      "WebFetch",
      { url: "javascript:alert(1)", prompt: HOSTILE },
      { structured: { url: "javascript:alert(1)", result: HOSTILE } },
    ),
    tool(
      "WebSearch",
      { query: HOSTILE },
      { structured: { query: "x", results: [{ content: [{ title: HOSTILE, url: "javascript:alert(1)" }] }] } },
    ),
    tool(
      `mcp__<img src=x>__${HOSTILE}`,
      { a: HOSTILE },
      {
        content: [
          { type: "text", text: HOSTILE },
          { type: "resource_link", uri: "javascript:alert(1)", name: HOSTILE },
          {
            type: "image",
            source: {
              type: "base64",
              media_type: "image/svg+xml",
              data: btoa("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"),
            },
          },
        ],
      },
    ),
    row({ kind: "error", source: "api", text: HOSTILE }),
    row({ kind: "command", name: HOSTILE, text: HOSTILE, failed: true }),
    row({ kind: "compaction", trigger: HOSTILE, summary: HOSTILE }),
    row({ kind: "notice", level: "info", topic: HOSTILE, text: HOSTILE }),
    row({ kind: "hook", hookId: "h", event: HOSTILE, name: HOSTILE, output: HOSTILE, exitCode: 1 }),
    row({ kind: "unknown", reason: HOSTILE, value: { type: HOSTILE } }),
    row({ kind: "text", messageId: "m", text: `${HOSTILE}\n\nthe end of the hostile text` }),
  ]);
};

/** One text by the model: `?scene=said&text=...`. */
const said: Scene = (view, query) => {
  view.add([row({ kind: "text", messageId: "m", text: query.get("text") ?? "" })]);
};

export const SCENES: Readonly<Partial<Record<string, Scene>>> = {
  tools,
  markdown,
  rows,
  agents,
  hostile,
  said,
  long,
  stream,
};
