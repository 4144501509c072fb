// What the page can do. See abilities.ts.

import type { Ability, Code, Shown } from "./repository.ts";

const web = (ref: Code): Code => `packages/web/src/${ref}`;
const page = (ref: Shown): Shown => `e2e/page/${ref}`;
const cases = (file: string, ...names: readonly string[]): readonly Shown[] =>
  names.map((name): Shown => `e2e/conformance/cases/${file}.ts ${name}`);

export const PAGE_ABILITIES = {
  "permission card": {
    code: [web("requests/permission-card.tsx PermissionCard"), web("requests/input-view.tsx InputView")],
    tests: [page("requests.test.ts [E1]"), page("rules.test.ts [E117]"), page("card.test.ts [E226]")],
  },
  "question card": {
    code: [web("requests/question-card.tsx QuestionCard"), "packages/protocol/src/tools/questions.ts answerQuestions"],
    tests: [page("requests.test.ts [E2]"), ...cases("questions", "question-answered", "question-several")],
  },
  "question forms": {
    code: ["packages/protocol/src/tools/questions.ts answersOf", web("requests/question.ts questionsOf")],
    tests: [
      "packages/protocol/src/tools/questions.test.ts reads every recorded form of an answer",
      "packages/protocol/src/tools/questions.test.ts splits only a text that consists of labels of a multi-select",
      "packages/web/src/requests/question.test.ts sends choices, own words and notes",
    ],
  },
  "plan card": {
    code: [web("requests/plan-card.tsx PlanCard")],
    tests: [page("requests.test.ts [E3]"), ...cases("questions", "plan-approved-with-mode")],
  },
  "diff viewer": {
    code: [
      web("content/diff/diff-view.tsx DiffView"),
      web("timeline/tools/edit.tsx EditCard"),
      web("timeline/tools/edit.tsx WriteCard"),
    ],
    tests: [
      page("requests.test.ts shows the whole of a new file before it is written"),
      "e2e/bridge/files.test.ts [E37]",
      "e2e/timeline/timeline.test.ts [E30]",
      page("changes.test.ts [E135]"),
    ],
  },
  "file cards": {
    code: [web("timeline/tools/read.tsx ReadCard"), web("content/text/code-viewer.tsx CodeViewer")],
    tests: [
      "e2e/timeline/timeline.test.ts [E30]",
      page("files.test.ts [E143]"),
      ...cases("tools", "files-write-read-edit"),
    ],
  },
  "command card": {
    code: [web("timeline/tools/bash.tsx BashCard")],
    tests: [
      "e2e/timeline/timeline.test.ts [E30]",
      "packages/protocol/src/tools/read-tool-result.test.ts reads the exit code of a failed command",
    ],
  },
  "search cards": {
    code: [web("timeline/tools/search.tsx GlobCard"), web("timeline/tools/search.tsx GrepCard")],
    tests: ["e2e/timeline/timeline.test.ts shows what a search or the web gave", ...cases("tools", "files-search")],
  },
  "web cards": {
    code: [web("timeline/tools/web.tsx WebFetchCard"), web("timeline/tools/web.tsx WebSearchCard")],
    tests: ["e2e/timeline/timeline.test.ts shows what a search or the web gave"],
  },
  "notebook viewer": {
    code: [web("timeline/tools/notebook.tsx NotebookEditCard"), web("timeline/tools/notebook-cell.tsx NotebookCell")],
    tests: ["e2e/timeline/timeline.test.ts [E30]", page("files.test.ts [E144]"), ...cases("tools", "files-notebook")],
  },
  "task list": {
    code: ["packages/session/src/todos.ts foldTodos", web("workbench/tasks/tasks-tab.tsx TasksTab")],
    tests: [
      "packages/session/src/todos.test.ts [W3]",
      page("panels.long.test.ts show tasks with what blocks them"),
      ...cases("tools", "todo-tasks", "todo-write"),
    ],
  },
  "task history": {
    code: ["packages/session/src/todos.ts changedTodo", web("workbench/tasks/tasks-tab.tsx TasksTab")],
    tests: ["packages/session/src/todos.test.ts [W3]", page("panels.long.test.ts show tasks with what blocks them")],
  },
  "task dependencies": {
    code: ["packages/session/src/todos.ts foldTodos", web("workbench/tasks/task-graph.tsx TaskGraph")],
    tests: [
      "packages/session/src/todos.test.ts [W4]",
      "packages/web/src/workbench/tasks/tasks-model.test.ts finds a dependency from either side",
    ],
  },
  background: {
    code: [
      "packages/session/src/alarms.ts alarmsIn",
      web("workbench/background/background-tab.tsx BackgroundTab"),
      "packages/session/src/work.ts foldTaskStarted",
    ],
    tests: [
      "packages/session/src/alarms.test.ts knows that alarms end with their process",
      page("panels.long.test.ts show a shell in the background with its output, and stop it"),
      "packages/session/src/rules.test.ts [W2]",
      ...cases("control-questions", "control-to-background"),
    ],
  },
  "MCP panel": {
    code: [web("workbench/mcp/mcp-tab.tsx McpTab"), "packages/session/src/notices.ts foldInit"],
    tests: [
      page("panels.long.test.ts show MCP servers with their tools and errors"),
      ...cases("control-questions", "control-mcp"),
      "packages/session/src/notices.test.ts [W5]",
    ],
  },
  "MCP names": {
    code: ["packages/protocol/src/tools/mcp-names.ts mcpDisplayName", web("timeline/tools/other.tsx OtherCard")],
    tests: [
      "packages/protocol/src/tools/mcp-names.test.ts writes names for people",
      "packages/protocol/src/tools/tool-subject.test.ts splits an MCP name by the configured servers",
    ],
  },
  "MCP permissions": {
    code: [web("requests/permission-card.tsx PermissionCard")],
    tests: [...cases("hooks-and-mcp", "mcp-denied", "mcp-in-process")],
  },
  "MCP sign-in": {
    code: [web("workbench/mcp/sign-in.tsx SignIn")],
    tests: [
      page("sign-in.long.test.ts [E218]"),
      ...cases("control-questions", "control-mcp-own-process", "control-not-for-hosts"),
    ],
  },
  "MCP resources": {
    code: ["packages/server/src/files/mentions.ts suggest", web("composer/completion-list.tsx CompletionList")],
    tests: [
      "packages/server/src/files/listed-resources.test.ts completes a mention of a connected server",
      "packages/server/src/files/listed-resources.test.ts knows the resources that servers listed",
    ],
  },
  mentions: {
    code: ["packages/server/src/files/mentions.ts suggest", web("composer/completion.ts chooseMention")],
    tests: [
      page("composer.test.ts finds a file for a mention by some of its letters"),
      ...cases("sessions", "file-mention"),
    ],
  },
  "command completion": {
    code: [web("composer/slash.ts commandChoices"), web("composer/own-command.ts runOwnCommand")],
    tests: [page("composer.test.ts [E8]"), "packages/web/src/composer/slash.test.ts has every command that opens here"],
  },
  "escape key": {
    code: [web("composer/escape.ts escapeAction")],
    tests: [
      "packages/web/src/composer/escape.test.ts does the first applicable action",
      page("composer.test.ts is interrupted by Escape"),
    ],
  },
  "context panel": {
    code: [
      web("workbench/context/context-tab.tsx ContextTab"),
      web("workbench/context/context-model.ts contextPartsOf"),
    ],
    tests: [
      page("context-cost.long.test.ts [E170]"),
      "packages/session/src/rules.test.ts [G6]",
      "packages/web/src/workbench/context/context-model.test.ts warns above 80 percent of the window",
    ],
  },
  "cost panel": {
    code: [web("workbench/cost/cost-tab.tsx CostTab"), web("app/status-line.tsx StatusLine")],
    tests: [
      page("context-cost.long.test.ts [E171]"),
      page("context-cost.long.test.ts [E216]"),
      "packages/session/src/rules.test.ts [G5]",
      "packages/server/src/usage/usage-report.test.ts [B9]",
    ],
  },
  "hooks panel": {
    code: [
      web("workbench/hooks/hook-words.ts hookEffects"),
      web("workbench/hooks/hooks-tab.tsx HooksTab"),
      "packages/session/src/notices.ts foldHookResponse",
    ],
    tests: [
      page("panels.long.test.ts show hooks that are configured and that fired"),
      ...cases("hooks-and-mcp", "hooks-settings-events"),
    ],
  },
  "wire panel": {
    code: [web("workbench/wire/wire-tab.tsx WireTab"), web("workbench/wire/wire-model.ts typeCounts")],
    tests: [
      page("panels.long.test.ts show hooks that are configured and that fired, and every message of the wire"),
      "e2e/bridge/sessions.test.ts [E207]",
      "packages/web/src/workbench/wire/wire-model.test.ts copies lines in the format of recordings",
    ],
  },
  debugging: {
    code: [
      web("workbench/wire/debug-switches.tsx DebugSwitches"),
      "packages/server/src/bridge/methods/sessions.ts logFileAt",
    ],
    tests: ["e2e/bridge/sessions.test.ts [E206]", page("panels.long.test.ts and every message of the wire")],
  },
  "settings panel": {
    code: [web("workbench/settings/settings-tab.tsx SettingsTab"), web("server/server-page.tsx ServerPage")],
    tests: [
      page("settings.long.test.ts [E196]"),
      page("settings.long.test.ts [E197]"),
      page("panels.long.test.ts [E199]"),
    ],
  },
  "help panel": {
    code: [web("help/help-dialog.tsx HelpDialog")],
    tests: [page("palette.test.ts [E183]"), page("panels.long.test.ts [E217]")],
  },
  "keys panel": {
    code: [web("help/keys-dialog.tsx KeysDialog"), web("keys/key-table.ts keyAt")],
    tests: [page("palette.test.ts [E181]"), page("palette.test.ts [E182]")],
  },
  "command palette": { code: [web("palette/palette.tsx Palette")], tests: [page("palette.test.ts [E180]")] },
  budgets: {
    code: ["packages/host/src/budgets/budgets.ts Budgets", web("budget/budget-note.tsx BudgetNote")],
    tests: ["packages/host/src/budgets/budgets.test.ts [B1]", page("settings.long.test.ts [E198]")],
  },
} as const satisfies Readonly<Record<string, Ability>>;
