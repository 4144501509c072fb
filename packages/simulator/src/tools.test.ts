import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ASKING, bash, blockOf, call, contentOf, Host, newFolder, text, UNTIL_OPEN, use } from "./host.fixture.ts";
import { recordAt } from "./json.ts";

const result = (host: Host, step: number, at = 1): ReturnType<Host["toolResult"]> =>
  host.toolResult(`toolu_sim_${String(step).padStart(4, "0")}_${String(at)}`);

describe.concurrent("Bash", () => {
  it("really runs commands in its folder, with both streams in order", async () => {
    const host = new Host({ scripts: { go: [bash("pwd; echo out; echo err >&2; echo again"), text("ok")] } });
    await host.turn("go");
    expect(result(host, 1)).toMatchObject({
      message: { content: [{ type: "tool_result", content: `${host.cwd}\nout\nerr\nagain`, is_error: false }] },
      tool_use_result: {
        stdout: `${host.cwd}\nout\nerr\nagain`,
        stderr: "",
        interrupted: false,
        noOutputExpected: false,
      },
      tool_result_meta: [
        { permission_decision: { decision: "accept", source: "config", reason_type: "subcommandResults" } },
      ],
    });
  });

  it("reports failure, empty output, and exit codes that are answers", async () => {
    const host = new Host({
      scripts: { go: [bash("echo no; false"), bash("true"), bash("grep -r nothing ."), text("ok")] },
    });
    await host.turn("go");
    expect(result(host, 1)).toMatchObject({ tool_use_result: "Error: Exit code 1\nno" });
    expect(contentOf(result(host, 2))).toBe("(Bash completed with no output)");
    expect(result(host, 3)).toMatchObject({ tool_use_result: { returnCodeInterpretation: "No matches found" } });
  });

  it("stores large output in a file and shows its beginning", async () => {
    const host = new Host({ scripts: { go: [bash("seq 1 20000"), text("ok")] } });
    await host.turn("go");
    expect(contentOf(result(host, 1))).toMatch(/^<persisted-output>\nOutput too large \(106.3KB\)/);
    const { persistedOutputPath, persistedOutputSize } = recordAt(result(host, 1), "tool_use_result");
    expect(readFileSync(String(persistedOutputPath)).length).toBe(persistedOutputSize);
  });

  it("runs in the background, and its end starts a turn", async () => {
    const command = bash(`echo hello; ${UNTIL_OPEN}`, { run_in_background: true });
    const host = new Host({ scripts: { go: [command, text("started"), text("noted")] } });
    expect(await host.turn("go")).toMatchObject({ result: "started" });
    host.open();
    const notice = await host.next(({ subtype }) => subtype === "task_notification");
    expect(await host.result()).toMatchObject({
      result: "noted",
      origin: { kind: "task-notification", runId: notice.run_id },
    });
    expect(await host.request({ subtype: "get_task_output", task_id: notice.task_id })).toEqual({
      output: "hello\n\n[exited with code 0]\n",
      total_bytes: 28,
      truncated: false,
    });
    const words = host.words();
    expect(words.slice(words.indexOf("background_tasks_changed"))).toEqual([
      "background_tasks_changed",
      "task_started",
      "user tool_result",
      "assistant text",
      "result success",
      "task_updated",
      "task_notification",
      "background_tasks_changed",
      "init",
      "assistant text",
      "result success",
      "answer",
    ]);
  });

  it("moves a command that takes too long to the background", async () => {
    const steps = [bash("echo a; sleep 600", { timeout: 2000 }), text("moved")];
    const host = new Host({ scripts: { go: steps } });
    expect(await host.turn("go")).toMatchObject({ result: "moved" });
    expect(result(host, 1)).toMatchObject({ tool_use_result: { stdout: "a", timedOutAfterMs: 2000 } });
    const started = host.messages.find(({ subtype }) => subtype === "task_started");
    await host.request({ subtype: "stop_task", task_id: started?.task_id });
    expect(host.messages.find(({ subtype }) => subtype === "task_notification")).toMatchObject({ status: "stopped" });
    expect(await host.end()).toEqual({ code: 0, signal: null });
  });

  it("lets the host move a running command to the background", async () => {
    const host = new Host({ scripts: { go: [bash("sleep 600"), text("went on")] } });
    host.prompt("go");
    const { task_id } = await host.next(({ subtype }) => subtype === "task_started");
    await host.request({ subtype: "background_tasks" });
    expect(await host.result()).toMatchObject({ result: "went on" });
    expect(result(host, 1)).toMatchObject({ tool_use_result: { backgroundTaskId: task_id, backgroundedByUser: true } });
    await host.request({ subtype: "stop_task", task_id });
    expect(await host.end()).toEqual({ code: 0, signal: null });
  });
});

describe.concurrent("files", () => {
  it("are written, read and edited, with patches", async () => {
    const folder = newFolder();
    const path = join(folder.cwd, "a.txt");
    const host = new Host({
      folder,
      scripts: {
        go: [
          call("Write", { file_path: path, content: "one\ntwo\nthree\n" }),
          call("Read", { file_path: path }),
          call("Edit", { file_path: path, old_string: "two", new_string: "2" }),
          call("Write", { file_path: path, content: "one\n2\nthree\nfour\n" }),
          call("Read", { file_path: path, offset: 2, limit: 2 }),
          text("ok"),
        ],
      },
    });
    await host.turn("go");
    expect([1, 2, 3, 4, 5].map((step) => result(host, step).tool_use_result)).toEqual([
      {
        type: "create",
        filePath: path,
        content: "one\ntwo\nthree\n",
        structuredPatch: [],
        originalFile: null,
        userModified: false,
      },
      {
        type: "text",
        file: { filePath: path, content: "one\ntwo\nthree\n", numLines: 4, startLine: 1, totalLines: 4 },
      },
      {
        filePath: path,
        oldString: "two",
        newString: "2",
        originalFile: "one\ntwo\nthree\n",
        structuredPatch: [
          { oldStart: 1, oldLines: 3, newStart: 1, newLines: 3, lines: [" one", "-two", "+2", " three"] },
        ],
        userModified: false,
        replaceAll: false,
      },
      {
        type: "update",
        filePath: path,
        content: "one\n2\nthree\nfour\n",
        structuredPatch: [
          { oldStart: 1, oldLines: 3, newStart: 1, newLines: 4, lines: [" one", " 2", " three", "+four"] },
        ],
        originalFile: "one\n2\nthree\n",
        userModified: false,
      },
      { type: "text", file: { filePath: path, content: "2\nthree", numLines: 2, startLine: 2, totalLines: 5 } },
    ]);
    expect(contentOf(result(host, 5))).toBe("2\t2\n3\tthree");
    expect(readFileSync(path, "utf8")).toBe("one\n2\nthree\nfour\n");
  });

  it("that do not match an edit are reported before a permission request", async () => {
    const folder = newFolder();
    writeFileSync(join(folder.cwd, "u.txt"), "uuu");
    const host = new Host({
      folder,
      scripts: {
        go: [
          call("Edit", { file_path: "u.txt", old_string: "x", new_string: "y" }),
          call("Edit", { file_path: "u.txt", old_string: "u", new_string: "y" }),
          call("Edit", { file_path: "missing.txt", old_string: "u", new_string: "y" }),
          call("Read", { file_path: "missing.txt" }),
          text("ok"),
        ],
      },
    });
    await host.turn("go");
    expect([1, 2, 3, 4].map((step) => contentOf(result(host, step)))).toEqual([
      "<tool_use_error>String to replace not found in file.\nString: x</tool_use_error>",
      expect.stringContaining("Found 3 matches of the string to replace"),
      `<tool_use_error>File does not exist. Note: your current working directory is ${host.cwd}.</tool_use_error>`,
      `File does not exist. Note: your current working directory is ${host.cwd}.`,
    ]);
    expect(host.words()).not.toContain("ask can_use_tool");
  });

  it("can be notebooks and images", async () => {
    const folder = newFolder();
    const path = join(folder.cwd, "n.ipynb");
    const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
    writeFileSync(join(folder.cwd, "p.png"), Buffer.from(picture, "base64"));
    writeFileSync(
      path,
      JSON.stringify({
        cells: [
          { cell_type: "code", id: "c1", metadata: {}, source: ["print(", "1)"], outputs: [], execution_count: 1 },
        ],
        metadata: {},
      }),
    );
    const edit = { notebook_path: path, cell_id: "c1" };
    const host = new Host({
      folder,
      scripts: {
        go: [
          call("NotebookEdit", { ...edit, new_source: "print(2)" }),
          call("Read", { file_path: path }),
          call("NotebookEdit", { ...edit, new_source: "print(2)" }),
          call("NotebookEdit", { ...edit, new_source: "# hi", cell_type: "markdown", edit_mode: "insert" }),
          call("Read", { file_path: "p.png" }),
          text("ok"),
        ],
      },
    });
    await host.turn("go");
    expect(contentOf(result(host, 1))).toContain("File has not been read yet");
    expect(result(host, 2)).toMatchObject({
      tool_use_result: { type: "notebook", file: { cells: [{ cellType: "code", source: "print(1)", cell_id: "c1" }] } },
    });
    expect(result(host, 3)).toMatchObject({
      tool_use_result: { old_source: "print(1)", new_source: "print(2)", edit_mode: "replace", cell_id: "c1" },
    });
    const { cells } = JSON.parse(readFileSync(path, "utf8")) as { cells: unknown };
    expect(cells).toMatchObject([
      { id: "c1", source: "print(2)" },
      { cell_type: "markdown", source: "# hi" },
    ]);
    expect(result(host, 5)).toMatchObject({
      tool_use_result: { type: "image", file: { base64: picture, dimensions: { originalWidth: 1 } } },
    });
  });

  it("are found and searched", async () => {
    const folder = newFolder();
    writeFileSync(join(folder.cwd, "a.txt"), "row one\nrow two\n");
    writeFileSync(join(folder.cwd, "b.md"), "row three\n");
    const host = new Host({
      folder,
      args: ["--tools", "Glob,Grep,Read"],
      scripts: {
        go: [
          call("Glob", { pattern: "*.txt" }),
          call("Grep", { pattern: "row", output_mode: "content", "-n": true }),
          call("Grep", { pattern: "row" }),
          call("Grep", { pattern: "row", output_mode: "count" }),
          call("Bash", { command: "ls" }),
          text("ok"),
        ],
      },
    });
    await host.turn("go");
    expect(host.messages[0]).toMatchObject({ tools: ["Glob", "Grep", "Read"] });
    expect([1, 2, 3, 4].map((step) => contentOf(result(host, step)))).toEqual([
      "a.txt",
      "a.txt:1:row one\na.txt:2:row two\nb.md:1:row three",
      "Found 2 files\na.txt\nb.md",
      "a.txt:2\nb.md:1\n\nFound 3 total occurrences across 2 files.",
    ]);
    expect(contentOf(result(host, 5))).toContain("No such tool available: Bash. Bash is disabled for this session");
  });
});

describe.concurrent("the task list", () => {
  it("is created, linked, listed and completed", async () => {
    const host = new Host({
      env: { CLAUDE_CODE_ENABLE_TODO_TOOLS: "1" },
      scripts: {
        go: [
          {
            say: [
              use("TaskCreate", { subject: "A", description: "a" }),
              use("TaskCreate", { subject: "B", description: "b" }),
            ],
          },
          call("TaskUpdate", { taskId: "2", addBlockedBy: ["1"] }),
          call("TaskUpdate", { taskId: "1", status: "in_progress" }),
          call("TaskList"),
          call("TaskGet", { taskId: "2" }),
          call("TaskUpdate", { taskId: "2", status: "deleted" }),
          text("ok"),
        ],
      },
    });
    await host.turn("go");
    expect(
      [result(host, 1), result(host, 1, 2), ...[2, 3, 4, 5, 6].map((step) => result(host, step))].map(contentOf),
    ).toEqual([
      "Task #1 created successfully: A",
      "Task #2 created successfully: B",
      "Updated task #2 blockedBy",
      "Updated task #1 status",
      "#1 [in_progress] A\n#2 [pending] B [blocked by #1]",
      "Task #2: B\nStatus: pending\nDescription: b\nBlocked by: #1",
      "Updated task #2 deleted",
    ]);
  });

  it("is TodoWrite if tasks are off", async () => {
    const todos = [{ content: "A", status: "pending", activeForm: "Doing A" }];
    const host = new Host({
      env: { CLAUDE_CODE_ENABLE_TODO_TOOLS: "1", CLAUDE_CODE_ENABLE_TASKS: "0" },
      scripts: { go: [call("TodoWrite", { todos }), text("ok")] },
    });
    await host.turn("go");
    expect(result(host, 1).tool_use_result).toEqual({ oldTodos: [], newTodos: todos });
  });
});

describe.concurrent("the user", () => {
  const questions = [
    {
      question: "Which colour?",
      header: "Colour",
      multiSelect: false,
      options: [
        { label: "Red", description: "" },
        { label: "Blue", description: "" },
      ],
    },
  ];

  it("is asked, and answers by the text of the question", async () => {
    const host = new Host({
      scripts: { ask: [call("AskUserQuestion", { questions }), text("ok")] },
      permit: ({ input }) => ({
        behavior: "allow",
        updatedInput: { ...(input as object), answers: { "Which colour?": "Blue" } },
      }),
    });
    await host.turn("ask");
    expect(host.messages.find(({ type }) => type === "control_request")).toMatchObject({
      request: { tool_name: "AskUserQuestion", requires_user_interaction: true, input: { questions } },
    });
    expect(contentOf(result(host, 1))).toBe(
      'Your questions have been answered: "Which colour?"="Blue". You can now continue with these answers in mind.',
    );
    expect(result(host, 1).tool_use_result).toEqual({ questions, answers: { "Which colour?": "Blue" } });
  });

  it("may not answer, answer by index, or be missing", async () => {
    const host = new Host({
      scripts: { ask: [call("AskUserQuestion", { questions }), text("ok")] },
      permit: ({ input }) => ({ behavior: "allow", updatedInput: { ...(input as object), answers: { "0": "Blue" } } }),
    });
    await host.turn("ask");
    expect(contentOf(result(host, 1))).toBe("The user did not answer the questions.");
    const nobody = new Host({ scripts: { ask: [call("AskUserQuestion", { questions }), text("ok")] }, args: [] });
    await nobody.turn("ask");
    expect(contentOf(result(nobody, 1))).toContain("No such tool available: AskUserQuestion");
  });

  it("approves a plan", async () => {
    const host = new Host({
      scripts: {
        plan: [
          call("EnterPlanMode"),
          call("Write", { file_path: "{{planFile}}", content: "# Plan" }),
          call("Write", { file_path: "elsewhere.txt", content: "no" }),
          call("ExitPlanMode"),
          text("ok"),
        ],
      },
      permit: ({ tool_name, input }) =>
        tool_name === "Write" ? { behavior: "deny", message: "not now" } : { behavior: "allow", updatedInput: input },
    });
    expect(await host.turn("plan")).toMatchObject({ permission_denials: [{ tool_name: "Write" }] });
    const asked = host.messages.filter(({ type }) => type === "control_request").map(({ request }) => request);
    expect(asked).toMatchObject([
      { tool_name: "Write", decision_reason_type: "mode" },
      { tool_name: "ExitPlanMode", input: { plan: "# Plan" }, requires_user_interaction: true },
    ]);
    expect(host.words().filter((word) => word.startsWith("mode"))).toEqual(["mode plan", "mode default"]);
    expect(result(host, 4)).toMatchObject({ tool_use_result: { plan: "# Plan", isAgent: false } });
    expect(existsSync(join(host.cwd, "elsewhere.txt"))).toBe(false);
  });

  it("cannot leave plan mode before entering it", async () => {
    const host = new Host({ scripts: { plan: [call("ExitPlanMode", { plan: "# P" }), text("ok")] } });
    await host.turn("plan");
    expect(contentOf(result(host, 1))).toContain("You are not in plan mode");
  });
});

it.concurrent("refuses unknown tools and invalid input", async () => {
  const host = new Host({
    scripts: {
      go: [call("NoSuchTool", { a: 1 }), call("Read", { wrong: 1 }), call("Bash", { command: 5 }), text("ok")],
    },
  });
  await host.turn("go");
  expect([1, 2, 3].map((step) => contentOf(result(host, step)))).toEqual([
    "<tool_use_error>Error: No such tool available: NoSuchTool</tool_use_error>",
    "<tool_use_error>InputValidationError: Read failed due to the following issues:\nThe required parameter `file_path` is missing\nAn unexpected parameter `wrong` was provided</tool_use_error>",
    "<tool_use_error>InputValidationError: Bash failed due to the following issue:\nThe parameter `command` type is expected as `string` but provided as `number`</tool_use_error>",
  ]);
  expect(result(host, 1)).not.toHaveProperty("tool_result_meta");
});

it.concurrent("runs read-only calls in parallel, and the others one after another", async () => {
  const folder = newFolder();
  // Opening it to read waits for a writer. So the first command ends after the second was reported.
  const gate = join(folder.cwd, "gate");
  execFileSync("mkfifo", [gate]);
  const step = {
    say: [
      use("Bash", { command: "cat gate" }),
      use("Bash", { command: "echo quick" }),
      use("Bash", { command: "touch made" }),
      use("Bash", { command: "ls" }),
    ],
  };
  const host = new Host({ folder, scripts: { go: [step, text("ok")] }, args: ASKING });
  host.prompt("go");
  await host.next((message) => contentOf(message) === "quick");
  await writeFile(gate, "slow\n");
  expect(await host.result()).toMatchObject({ num_turns: 5 });
  const results = host.messages.filter((message) => blockOf(message).type === "tool_result").map(contentOf);
  expect(results).toEqual(["quick", "slow", "(Bash completed with no output)", "gate\nmade"]);
});
