// What CLI 2.1.325 reports about itself: names of tools, commands, agents, models. Data only. `facts.ts` decides what a
// session offers.
export const VERSION = "2.1.325";
export const BUILD_TIME = "2026-11-13T18:52:23Z";
export const DEFAULT_MODEL = "claude-opus-5-5";

/** In the order of `init.tools`. */
export const DEFAULT_TOOLS = [
  "Task",
  "AskUserQuestion",
  "Bash",
  "CronCreate",
  "CronDelete",
  "CronList",
  "Edit",
  "EnterPlanMode",
  "EnterWorktree",
  "ExitPlanMode",
  "ExitWorktree",
  "ListAgents",
  "Monitor",
  "NotebookEdit",
  "Read",
  "ReportFindings",
  "ScheduleWakeup",
  "SendMessage",
  "Skill",
  "TaskStop",
  "ToolSearch",
  "WebFetch",
  "WebSearch",
  "Workflow",
  "Write",
] as const;
export const SEARCH_TOOLS = ["Glob", "Grep"] as const;
export const TASK_LIST_TOOLS = ["TaskCreate", "TaskGet", "TaskList", "TaskUpdate"] as const;
/** These tools need a user who can answer. */
export const ASKING_TOOLS: readonly string[] = ["AskUserQuestion", "EnterPlanMode", "ExitPlanMode"];

export const CAPABILITIES = [
  "interrupt_receipt_v1",
  "interrupt_cancel_queued_v1",
  "interrupt_send_now_v1",
  "interrupt_requeue_taken_v1",
  "msg_lifecycle_v1",
  "request_marker_lists_v1",
  "ask_user_question_unanswered_v1",
  "lifecycle_wakeup_source_v1",
  "sdk_mcp_tools_list_changed",
  "sdk_mcp_manifests",
  "mcp_read_resource_v1",
  "mcp_tool_ui_meta_v1",
  "ui_surface_v1",
  "mcp_call_result_not_for_model_v1",
  "mcp_call_check_permissions_v1",
  "voice_call_talk_line_v1",
  "withdrawn_files_note_v2",
  "ui_pane_widget_v1",
  "reload_plugins_refuse_if_busy_v1",
] as const;

/** The shorter list in the answer to `initialize`. */
export const INITIALIZE_CAPABILITIES = [
  "ui_surface_v1",
  "mcp_call_result_not_for_model_v1",
  "mcp_call_check_permissions_v1",
  "voice_call_talk_line_v1",
  "ui_pane_widget_v1",
  "reload_plugins_refuse_if_busy_v1",
] as const;

export const PLUGINS = ["cc-plugin-agents-md", "cc-plugin-privacy", "cc-plugin-plugin-authoring"].map((name) => ({
  name,
  path: "builtin",
  source: `${name}@builtin`,
}));

export const OUTPUT_STYLES = ["default", "Proactive", "Concise", "Explanatory", "Learning"] as const;

export interface Command {
  readonly name: string;
  readonly description: string;
  readonly argumentHint: string;
  readonly aliases?: readonly string[];
  readonly builtin: true;
}

const command = (name: string, description: string, argumentHint = "", ...aliases: readonly string[]): Command => ({
  name,
  description,
  argumentHint,
  ...(aliases.length > 0 ? { aliases } : {}),
  builtin: true,
});

export const SKILLS = [
  command("deep-research", "Research a question in depth"),
  command("dataviz", "Draw a chart, a graph or a dashboard"),
  command("update-config", "Change the configuration"),
  command("verify", "Verify that a change does what it should"),
  command("debug", "Debug this session", "[issue description]"),
  command("code-review", "Review the current changes", "[target]", "review"),
  command("simplify", "Simplify the changed code", "[<target>]"),
  command("batch", "Apply one instruction to many places", "<instruction>"),
  command("fewer-permission-prompts", "Propose rules that ask less often"),
  command("doctor", "Check the installation", "[prompt-audit [<path>]]", "checkup"),
  command("loop", "Repeat a prompt at an interval", "[interval] [prompt]", "proactive"),
  command("claude-api", "Build with the Claude API"),
  command("workflow-authoring", "Write a workflow"),
  command("run", "Run this project's app"),
  command("run-skill-generator", "Write a skill that runs this project"),
  command("plugin-authoring", "Write a plugin"),
] as const;

const BUILT_INS = [
  command("agents", "About subagents"),
  command("auto-mode-setup", "Set up auto mode", "[rules]"),
  command("autocompact", "Configure the auto-compact window size", "[auto|<tokens>]"),
  command("clear", "Start a new conversation", "[name]", "reset", "new"),
  command("color", "Set the session's colour", "[color]"),
  command("compact", "Summarise the conversation and go on", "[instructions]"),
  command("config", "Set a setting by key", "key=value", "settings"),
  command("output-style", "List output styles or switch to one", "[style]"),
  command("context", "Show current context usage"),
  command("effort", "Set effort level for model usage", "[level]"),
  command("fast", "Toggle fast mode (Opus 5.5)", "[on|off]"),
  command("focus", "Toggle focus view", "[on|off]"),
  command("heapdump", "Write a heap snapshot"),
  command("init", "Write a CLAUDE.md for this project"),
  command("mcp", "Manage MCP servers", "[reconnect|enable|disable]"),
  command("model", "Set the AI model for Claude Code", "<model>"),
  command("__remote-workflow", "Internal"),
  command("workflow-launch-exec", "Internal"),
  command("reload-plugins", "Load plugins again", "[--force]"),
  command("reload-skills", "Load skills again"),
  command("rename", "Rename the current conversation", "[name]", "name"),
  command("security-review", "Review the changes for security"),
  command("usage", "Show cost and usage", "", "cost", "stats"),
  command("insights", "Report on past sessions"),
  command("recap", "Generate a one-line session recap now"),
  command("goal", "Set a goal"),
  command("list-agents", "List reachable agents", "", "peers"),
  command("team-onboarding", "Write an onboarding guide"),
] as const;

export const COMMANDS: readonly Command[] = [...SKILLS, ...BUILT_INS];
export const TERMINAL_COMMANDS = ["doctor", "color", "focus", "reload-plugins"] as const;
/** Known names that only a terminal can show. */
export const UNAVAILABLE_COMMANDS: readonly string[] = [
  "help",
  "status",
  "login",
  "logout",
  "exit",
  "vim",
  "theme",
  "permissions",
  "hooks",
  "resume",
];

export interface AgentInfo {
  readonly name: string;
  readonly description: string;
  readonly model?: string;
}

export const AGENTS: readonly AgentInfo[] = [
  { name: "claude", description: "Catch-all for any task that doesn't fit a more specific agent." },
  { name: "Explore", description: "Read-only search agent for broad searches.", model: "inherit" },
  { name: "general-purpose", description: "Researches questions and carries out tasks of many steps." },
  { name: "Plan", description: "Designs an implementation plan.", model: "inherit" },
  { name: "statusline-setup", description: "Configures the status line.", model: "sonnet" },
];

interface ModelFacts {
  readonly value: string;
  readonly resolvedModel: string;
  readonly displayName: string;
  readonly marketingName: string;
  readonly description: string;
  readonly fast: boolean;
  /** US dollars per million tokens. */
  readonly price: { readonly input: number; readonly output: number };
}

const MODEL_FACTS: readonly ModelFacts[] = [
  {
    value: "default",
    resolvedModel: DEFAULT_MODEL,
    displayName: "Default (recommended)",
    marketingName: "Opus 5.5",
    description: "Opus 5.5 for complex work",
    fast: true,
    price: { input: 4, output: 20 },
  },
  {
    value: "opus",
    resolvedModel: DEFAULT_MODEL,
    displayName: "Opus",
    marketingName: "Opus 5.5",
    description: "Opus 5.5 for complex work",
    fast: true,
    price: { input: 4, output: 20 },
  },
  {
    value: "fable",
    resolvedModel: "claude-fable-5-2",
    displayName: "Fable",
    marketingName: "Fable 5.2",
    description: "Fable 5.2",
    fast: true,
    price: { input: 4, output: 20 },
  },
  {
    value: "sonnet",
    resolvedModel: "claude-sonnet-5-5",
    displayName: "Sonnet",
    marketingName: "Sonnet 5.5",
    description: "Sonnet 5.5 for everyday work",
    fast: false,
    price: { input: 2, output: 10 },
  },
  {
    value: "haiku",
    resolvedModel: "claude-haiku-5-5",
    displayName: "Haiku",
    marketingName: "Haiku 5.5",
    description: "Haiku 5.5 for quick answers",
    fast: false,
    price: { input: 1, output: 5 },
  },
];

export const MODELS = MODEL_FACTS.map(({ value, resolvedModel, displayName, description, fast }) => ({
  value,
  resolvedModel,
  displayName,
  description,
  supportsEffort: true,
  supportedEffortLevels: ["low", "medium", "high", "xhigh", "max"],
  supportsAdaptiveThinking: true,
  ...(fast ? { supportsFastMode: true } : {}),
  supportsAutoMode: true,
  supportsThinkingOff: false,
}));

/** Any name is accepted. A short name is resolved. */
export const resolveModel = (name: string): string =>
  MODEL_FACTS.find(({ value }) => value === name)?.resolvedModel ?? name;

export const marketingNameOf = (model: string): string =>
  MODEL_FACTS.find(({ resolvedModel }) => resolvedModel === model)?.marketingName ?? model;

export const priceOf = (model: string): ModelFacts["price"] => {
  if (model.startsWith("claude-sonnet-4")) return { input: 3, output: 15 };
  return MODEL_FACTS.find(({ resolvedModel }) => resolvedModel === model)?.price ?? { input: 4, output: 20 };
};
