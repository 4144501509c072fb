// Every tool, in every state.

import { AT, patch, PIXEL, row, tool, TS, type Scene } from "./parts.ts";

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

export const tools: Scene = (view) => {
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
