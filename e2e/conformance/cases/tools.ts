import { OLD, PARTIAL, STDIO_PROMPTS, bash, casesOf, says, script, uses } from "../case.ts";
import { allow, turn } from "../host-script.ts";
import { has, present } from "../match.ts";
import type { Pattern } from "../match.ts";

const ASK = [PARTIAL, ...STDIO_PROMPTS];
const EDITS = [...ASK, "--permission-mode", "acceptEdits"];
const result = (fields: { readonly tool_use_result: Pattern }): Pattern => ({ type: "user", ...fields });
const toolError = (text: string) => ({
  type: "user",
  message: { content: [{ type: "tool_result", is_error: true, content: has(text) }] },
});
const NOTEBOOK = JSON.stringify({
  cells: [{ cell_type: "code", id: "c1", metadata: {}, execution_count: null, outputs: [], source: ["print(1)"] }],
  metadata: { language_info: { name: "python" } },
  nbformat: 4,
  nbformat_minor: 5,
});

export const fileCases = casesOf("files", [
  {
    name: "files-write-read-edit",
    about: "Write a new file, read it, edit it, write over it: results with patches.",
    scripts: [
      script(
        "work on a file",
        says(uses("Write", { file_path: "{{cwd}}/w.txt", content: "one\ntwo\n" })),
        says(uses("Read", { file_path: "{{cwd}}/w.txt" })),
        says(uses("Edit", { file_path: "{{cwd}}/w.txt", old_string: "two", new_string: "2", replace_all: false })),
        says(uses("Write", { file_path: "{{cwd}}/w.txt", content: "all new\n" })),
        says("All done."),
      ),
    ],
    args: EDITS,
    host: turn("work on a file"),
    expect: {
      asks: [],
      files: { "w.txt": "all new\n" },
      order: [
        result({ tool_use_result: { type: "create", filePath: "{{cwd}}/w.txt" } }),
        result({ tool_use_result: { type: "text", file: { filePath: "{{cwd}}/w.txt", numLines: present } } }),
        result({ tool_use_result: { oldString: "two", newString: "2", structuredPatch: present } }),
        result({ tool_use_result: { type: "update", structuredPatch: present } }),
      ],
    },
    simulator: true,
    fast: true,
  },
  {
    name: "files-ask",
    about: "Writing in default mode asks first, with the whole input.",
    scripts: [
      script("write it", says(uses("Write", { file_path: "{{cwd}}/w.txt", content: "one\n" })), says("Written.")),
    ],
    args: ASK,
    answers: [allow("Write")],
    host: turn("write it"),
    expect: { asks: ["Write"], files: { "w.txt": "one\n" } },
    simulator: true,
  },
  {
    name: "files-notebook",
    about: "Read and edit a notebook.",
    scripts: [
      script(
        "edit the notebook",
        says(uses("Read", { file_path: "{{cwd}}/n.ipynb" })),
        says(uses("NotebookEdit", { notebook_path: "{{cwd}}/n.ipynb", cell_id: "c1", new_source: "print(2)" })),
        says("Notebook edited."),
      ),
    ],
    files: { "n.ipynb": NOTEBOOK },
    args: EDITS,
    host: turn("edit the notebook"),
    expect: { files: { "n.ipynb": has("print(2)") }, see: [result({ tool_use_result: { type: "notebook" } })] },
    simulator: true,
  },
  {
    name: "files-search",
    about: "Glob and Grep.",
    scripts: [
      script(
        "search it",
        says(uses("Glob", { pattern: "**/*.txt" })),
        says(uses("Grep", { pattern: "needle", path: "{{cwd}}", output_mode: "content" })),
        says("Searched."),
      ),
    ],
    files: { "a.txt": "hay\nneedle here\n", "b.md": "hay\n" },
    args: [...ASK, "--tools", "Glob,Grep"],
    host: turn("search it"),
    expect: {
      asks: [],
      see: [
        result({ tool_use_result: { numFiles: 1 } }),
        result({ tool_use_result: { mode: "content", content: has("needle here") } }),
      ],
    },
    simulator: true,
  },
  {
    name: "files-missing",
    about: "Reading a file that is not there is an error result.",
    scripts: [script("read nothing", says(uses("Read", { file_path: "{{cwd}}/none.txt" })), says("Not there."))],
    args: ASK,
    host: turn("read nothing"),
    expect: { see: [toolError("does not exist")] },
    simulator: true,
  },
  {
    name: "files-unread-edit",
    about: "Editing a file that was not read first.",
    scripts: [
      script(
        "edit unread",
        says(uses("Edit", { file_path: "{{cwd}}/u.txt", old_string: "old", new_string: "new", replace_all: false })),
        says("Edited or not."),
      ),
    ],
    files: { "u.txt": "old\n" },
    args: EDITS,
    host: turn("edit unread"),
    expect: { files: { "u.txt": "new\n" } },
    differs: [
      {
        versions: OLD,
        why: "a file must be read before it is edited",
        expect: { files: { "u.txt": "old\n" }, see: [toolError("has not been read")] },
      },
    ],
    simulator: true,
  },
  {
    name: "files-edit-no-match",
    about: "An edit whose old text is not in the file is an error result.",
    scripts: [
      script(
        "edit wrongly",
        says(uses("Read", { file_path: "{{cwd}}/u.txt" })),
        says(uses("Edit", { file_path: "{{cwd}}/u.txt", old_string: "absent", new_string: "new", replace_all: false })),
        says("It did not fit."),
      ),
    ],
    files: { "u.txt": "old\n" },
    args: EDITS,
    host: turn("edit wrongly"),
    expect: { files: { "u.txt": "old\n" }, see: [toolError("not found")] },
    simulator: true,
  },
  {
    name: "tools-unknown",
    about: "A tool that does not exist, and one with a wrong input: error results, and the turn continues.",
    scripts: [
      script(
        "use nonsense",
        says(uses("NoSuchTool", { x: 1 })),
        says(uses("Read", { wrong: true })),
        says("Neither worked."),
      ),
    ],
    args: ASK,
    host: turn("use nonsense"),
    expect: { asks: [], see: [toolError("No such tool"), toolError("InputValidationError")] },
    simulator: true,
  },
  {
    name: "tools-large-output",
    about: "A very long output is kept in a file and shown in part.",
    scripts: [script("much output", says(bash("seq 1 40000")), says("That was long."))],
    args: ASK,
    answers: [allow("Bash")],
    host: turn("much output"),
    expect: {
      see: [{ type: "user", message: { content: [{ type: "tool_result", content: has("persisted-output") }] } }],
    },
    simulator: true,
  },
]);

export const todoCases = casesOf("todo", [
  {
    name: "todo-write",
    about: "TodoWrite shows the old and the new list.",
    scripts: [
      script(
        "plan the work",
        says(uses("TodoWrite", { todos: [{ content: "Build", status: "in_progress", activeForm: "Building" }] })),
        says("Planned."),
      ),
    ],
    env: { CLAUDE_CODE_ENABLE_TODO_TOOLS: "1", CLAUDE_CODE_ENABLE_TASKS: "0" },
    args: ASK,
    host: turn("plan the work"),
    expect: { asks: [], see: [result({ tool_use_result: { oldTodos: [], newTodos: [{ content: "Build" }] } })] },
    simulator: true,
  },
  {
    name: "todo-tasks",
    about: "The Task tools: create, update, list, get.",
    scripts: [
      script(
        "keep tasks",
        says(uses("TaskCreate", { subject: "Build it", description: "All of it", activeForm: "Building" })),
        says(uses("TaskUpdate", { taskId: "1", status: "in_progress" })),
        says(uses("TaskList", {})),
        says(uses("TaskGet", { taskId: "1" })),
        says("Kept."),
      ),
    ],
    env: { CLAUDE_CODE_ENABLE_TODO_TOOLS: "1", CLAUDE_CODE_ENABLE_TASKS: "1" },
    args: ASK,
    host: turn("keep tasks"),
    expect: {
      asks: [],
      order: [
        result({ tool_use_result: { task: { subject: "Build it" } } }),
        result({ tool_use_result: { success: true, taskId: "1" } }),
        result({ tool_use_result: { tasks: [{ subject: "Build it", status: "in_progress" }] } }),
        result({ tool_use_result: { task: { subject: "Build it" } } }),
      ],
    },
    simulator: true,
  },
  {
    name: "todo-absent",
    about: "Without being asked for, today's CLI offers neither TodoWrite nor the Task tools.",
    scripts: [script("say hello", says("Hello."))],
    host: turn("say hello"),
    expect: {
      never: [
        { type: "system", subtype: "init", tools: ["TodoWrite"] },
        { type: "system", subtype: "init", tools: ["TaskCreate"] },
      ],
    },
    excluded: [{ versions: OLD, why: "TodoWrite is always there" }],
    simulator: true,
  },
]);

export const parallelCases = casesOf("parallel tools", [
  {
    name: "parallel-safe",
    about: "Three reads in one answer: each result in a message of its own.",
    scripts: [
      script(
        "read all",
        says(
          "Reading.",
          uses("Read", { file_path: "{{cwd}}/a.txt" }),
          uses("Read", { file_path: "{{cwd}}/b.txt" }),
          bash("echo third"),
        ),
        says("Read all."),
      ),
    ],
    files: { "a.txt": "a\n", "b.txt": "b\n" },
    args: ASK,
    host: turn("read all"),
    expect: { asks: [], count: [{ of: { type: "user", message: { content: [{ type: "tool_result" }] } }, is: 3 }] },
    simulator: true,
    fast: true,
  },
  {
    name: "parallel-prompts",
    about: "Two commands that must be asked for: both are asked and both run.",
    scripts: [script("touch both", says(bash("touch a.txt"), bash("touch b.txt")), says("Touched both."))],
    args: ASK,
    answers: [allow("Bash")],
    host: turn("touch both"),
    expect: { asks: ["Bash", "Bash"], files: { "a.txt": "", "b.txt": "" } },
    simulator: true,
  },
  {
    name: "parallel-one-fails",
    about: "One of two tools fails: both have their result.",
    scripts: [
      script(
        "half of it",
        says(uses("Read", { file_path: "{{cwd}}/a.txt" }), uses("Read", { file_path: "{{cwd}}/none.txt" })),
        says("Half of it."),
      ),
    ],
    files: { "a.txt": "a\n" },
    args: ASK,
    host: turn("half of it"),
    expect: { see: [toolError("does not exist")] },
    simulator: true,
  },
]);
