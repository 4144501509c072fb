// What a session says about itself: `init`, the answer of `initialize`, and the reports that hosts ask for.
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  AGENTS,
  ASKING_TOOLS,
  CAPABILITIES,
  COMMANDS,
  DEFAULT_TOOLS,
  INITIALIZE_CAPABILITIES,
  MODELS,
  OUTPUT_STYLES,
  PLUGINS,
  SEARCH_TOOLS,
  SKILLS,
  TASK_LIST_TOOLS,
  TERMINAL_COMMANDS,
  VERSION,
} from "./catalogue.ts";
import type { AgentInfo } from "./catalogue.ts";
import { isRecord, textAt } from "./json.ts";
import type { Json } from "./json.ts";
import type { Options } from "./options.ts";
import { effectiveSettings } from "./settings-files.ts";
import type { Session } from "./session-contract.ts";

/** Every name that some session can offer; one that is not here is no tool at all. */
export const KNOWN_TOOLS: readonly string[] = [
  ...DEFAULT_TOOLS,
  ...SEARCH_TOOLS,
  ...TASK_LIST_TOOLS,
  "TodoWrite",
  "StructuredOutput",
];

/** `withAll`: the demo offers what the CLI hides by default. */
export const builtInToolsOf = (options: Options, model: string, withAll: boolean): readonly string[] => {
  const env = process.env;
  const asksNobody = !options.asksHost;
  let tools: readonly string[] = [...DEFAULT_TOOLS];
  const chosen = options.tools;
  if (chosen !== undefined && !(chosen.length === 1 && chosen[0] === "default")) {
    tools = KNOWN_TOOLS.filter((name) => chosen.includes(name));
  } else {
    // Older models get the task tools unasked.
    const wantsTasks = env.CLAUDE_CODE_ENABLE_TODO_TOOLS === "1" || model.startsWith("claude-sonnet-4") || withAll;
    if (wantsTasks && env.CLAUDE_CODE_ENABLE_TASKS !== "0") tools = [...tools, ...TASK_LIST_TOOLS];
    if (wantsTasks && env.CLAUDE_CODE_ENABLE_TASKS === "0") tools = [...tools, "TodoWrite"];
    if (withAll) tools = [...tools, ...SEARCH_TOOLS];
  }
  if (asksNobody) tools = tools.filter((name) => !ASKING_TOOLS.includes(name));
  if (!options.slashCommands) tools = tools.filter((name) => name !== "Skill");
  if (options.jsonSchema !== undefined) tools = [...tools, "StructuredOutput"];
  tools = tools.filter((name) => !options.disallowedTools.includes(name));
  const place = (name: string): string => (name === "Task" ? "Agent" : name);
  return [...tools].sort((a, b) => (place(a) < place(b) ? -1 : 1));
};

export const agentsOf = (given: Json): readonly AgentInfo[] => [
  ...AGENTS,
  ...Object.entries(given).map(([name, agent]) => ({
    name,
    description: textAt(agent, "description") ?? "",
    ...(isRecord(agent) && typeof agent.model === "string" ? { model: agent.model } : {}),
  })),
];

const commandsOf = (session: Session): readonly Readonly<{ name: string }>[] =>
  session.options.slashCommands
    ? [
        ...session.toolbox
          .commands()
          .map(({ name, description, argumentHint }) => ({ name, description, argumentHint })),
        ...COMMANDS,
      ]
    : [];

const FAST_MODE = { fast_mode_state: "off", fast_mode_disabled_reason: "sdk_opt_in_required" } as const;

export const initMessage = (session: Session, uuids: readonly string[]): Json => ({
  type: "system",
  subtype: "init",
  cwd: session.cwd,
  tools: session.toolbox.names(),
  mcp_servers: session.mcp.initEntries,
  model: session.modelId,
  permissionMode: session.permissions.mode,
  slash_commands: commandsOf(session).map(({ name }) => name),
  ...(session.options.slashCommands ? { terminal_slash_commands: TERMINAL_COMMANDS } : {}),
  apiKeySource: process.env.ANTHROPIC_API_KEY === undefined ? "none" : "ANTHROPIC_API_KEY",
  claude_code_version: VERSION,
  output_style: session.outputStyle,
  agents: session.toolbox.agents().map(({ name }) => name),
  skills: session.options.slashCommands ? SKILLS.map(({ name }) => name) : [],
  plugins: PLUGINS,
  capabilities: CAPABILITIES,
  analytics_disabled: true,
  product_feedback_disabled: true,
  memory_paths: { auto: `${join(session.store.folder, "memory")}/` },
  original_cwd: session.cwd,
  additional_directories: session.permissions.directories,
  messaging_socket_path: join(tmpdir(), "cc-socks", `${String(process.pid)}.sock`),
  ...FAST_MODE,
  per_turn_effort_active: true,
  ultrathink_available: false,
  ultrathink_typed_raises: false,
  view_mode: "default",
  ...(uuids.length === 0 ? {} : { user_message_uuids: uuids }),
});

export const initializeResponse = (session: Session, hooksApplied: boolean): Json => ({
  commands: commandsOf(session),
  agents: session.toolbox.agents(),
  output_style: session.outputStyle,
  available_output_styles: OUTPUT_STYLES,
  user_output_styles_dir: join(session.home, ".claude", "output-styles"),
  models: MODELS,
  account: {
    tokenSource: "none",
    apiKeySource: process.env.ANTHROPIC_API_KEY === undefined ? "none" : "ANTHROPIC_API_KEY",
    apiProvider: "firstParty",
  },
  pid: process.pid,
  claude_code_version: VERSION,
  current_permission_mode: session.permissions.mode,
  ...(hooksApplied ? { hooks_applied: true } : {}),
  hook_on_failure_supported: true,
  other_hook_ask_outranks_host: true,
  feedback_mode: { kind: "disabled" },
  analytics_disabled: true,
  remote_control_auto_enable: false,
  remote_control_auto_connect_default: false,
  remote_control_available: false,
  remote_control_auto_on_by_default: false,
  ide_rc_auto_enable_gate: false,
  ...FAST_MODE,
  session_state: session.isRunning ? "running" : "idle",
  capabilities: INITIALIZE_CAPABILITIES,
});

export const RESULT_FAST_MODE = FAST_MODE;

const SKILL_TOKENS = SKILLS.map(({ name }, at) => ({ name, source: "built-in", tokens: 60 + at * 15 }));

interface ContextCategory {
  readonly id: string;
  readonly name: string;
  readonly tokens: number;
  readonly color: string;
  readonly isDeferred?: true;
  readonly kind: "used" | "deferred" | "buffer" | "free";
}

const contextCategories = (
  session: Session,
): Readonly<{ used: number; skills: number; messages: number; categories: readonly ContextCategory[] }> => {
  const messages = Math.ceil(JSON.stringify(session.messages).length / 4);
  const skills = SKILL_TOKENS.reduce((sum, { tokens }) => sum + tokens, 0);
  const used = 900 + 9700 + skills + messages;
  const category = (
    id: string,
    tokens: number,
    kind: ContextCategory["kind"],
    color = "inactive",
  ): ContextCategory => ({
    id,
    name: id.charAt(0).toUpperCase() + id.slice(1).replaceAll("_", " "),
    tokens,
    color,
    kind,
  });
  return {
    used,
    skills,
    messages,
    categories: [
      category("system_prompt", 900, "used", "promptBorder"),
      category("system_tools", 9700, "used"),
      { ...category("system_tools_deferred", 12_000, "deferred"), name: "System tools (deferred)", isDeferred: true },
      category("skills", skills, "used", "warning"),
      category("messages", messages, "used", "purple_FOR_SUBAGENTS_ONLY"),
      category("autocompact_buffer", 33_000, "buffer"),
      category("free_space", 1_000_000 - 33_000 - used, "free", "promptBorder"),
    ],
  };
};

export const contextUsage = (session: Session): Json => {
  const { used, skills, messages, categories } = contextCategories(session);
  const free = categories.at(-1)!;
  const cell = {
    color: free.color,
    isFilled: true,
    categoryName: free.name,
    tokens: free.tokens,
    percentage: 96,
    squareFullness: 1,
  };
  return {
    categories,
    totalTokens: used,
    maxTokens: 1_000_000,
    rawMaxTokens: 1_000_000,
    autocompactSource: "model-default",
    percentage: Math.round(used / 10_000),
    gridRows: Array.from({ length: 10 }, () => Array.from({ length: 20 }, () => cell)),
    model: session.modelId,
    memoryFiles: [],
    mcpTools: session.mcp.toolNames.map((name) => ({
      name,
      serverName: session.mcp.serverOf(name) ?? "",
      tokens: 100,
    })),
    mcpInstructions: [],
    agents: [],
    slashCommands: { totalCommands: SKILLS.length, includedCommands: SKILLS.length, tokens: 100 },
    skills: {
      totalSkills: SKILLS.length,
      includedSkills: SKILLS.length,
      tokens: skills,
      skillFrontmatter: SKILL_TOKENS,
    },
    autoCompactThreshold: 967_000,
    isAutoCompactEnabled: true,
    messageBreakdown: {
      toolCallTokens: 0,
      toolResultTokens: 0,
      attachmentTokens: 0,
      assistantMessageTokens: 0,
      userMessageTokens: messages,
      redirectedContextTokens: 0,
      unattributedTokens: 0,
      toolCallsByType: [],
      attachmentsByType: [{ name: "skill_listing", tokens: skills }],
    },
    apiUsage: session.ledger.turnTokens,
  };
};

const short = (tokens: number): string =>
  tokens >= 1_000_000 ? "1m" : tokens >= 1000 ? `${(tokens / 1000).toFixed(1).replace(/\.0$/, "")}k` : String(tokens);

export const contextText = (session: Session): { readonly text: string; readonly report: Json } => {
  const { used, categories } = contextCategories(session);
  const rows = categories
    .filter(({ kind }) => kind !== "deferred")
    .map(({ name, tokens }) => `| ${name} | ${short(tokens)} | ${(tokens / 10_000).toFixed(1)}% |`);
  const skills = SKILL_TOKENS.map(({ name, tokens }) => `| ${name} | Built-in | ~${String(tokens)} |`);
  return {
    text: `## Context Usage\n\n**Model:** ${session.modelId}  \n**Tokens:** ${short(used)} / 1m (${String(Math.round(used / 10_000))}%)\n\n### Estimated usage by category\n\n| Category | Tokens | Percentage |\n|----------|--------|------------|\n${rows.join("\n")}\n\n### Skills\n\n| Skill | Source | Tokens |\n|-------|--------|--------|\n${skills.join("\n")}\n\n`,
    report: {
      model: session.modelId,
      total_tokens: used,
      raw_max_tokens: 1_000_000,
      percentage: Math.round(used / 10_000),
      categories: categories
        .filter(({ kind }) => kind !== "deferred")
        .map(({ name, tokens, kind }) => ({ name, tokens, kind })),
      mcp_tools: [],
      memory_files: [],
      agents: [],
      skills: SKILL_TOKENS,
    },
  };
};

export const settingsReport = (session: Session): Json => ({
  effective: effectiveSettings(session.settings),
  sources: session.settings.map(({ source, settings }) => ({ source, settings })),
  applied: {
    model: session.modelId,
    effort: textAt(effectiveSettings(session.settings), "effortLevel") ?? session.options.effort,
    advisor: null,
    ultracode: false,
    ultracodeRequested: false,
    ultracodeAvailable: true,
    ultrathinkAvailable: false,
    outsideFileToolReadsBlocked: false,
    outsideFileToolWritesBlocked: false,
    outsideBlocksCountLaunchFoldersOnly: false,
    launchEnvLeftOwnFilesInPlace: true,
  },
});

export const statusReport = (session: Session): Json => ({
  sections: [
    {
      title: "Session",
      rows: [
        { label: "Version", value: VERSION },
        ...(session.title === undefined ? [] : [{ label: "Session name", value: session.title }]),
        { label: "Session ID", value: session.id },
        { label: "Session kind", value: "interactive" },
        { label: "cwd", value: session.cwd },
      ],
    },
    { title: "Environment", rows: [{ label: "Model", value: session.modelId }] },
  ],
});

export const memoryReport = (session: Session): Json => ({
  files: [
    {
      kind: "user",
      path: join(session.home, ".claude", "CLAUDE.md"),
      label: "User instructions",
      description: "Saved in ~/.claude/CLAUDE.md",
    },
    {
      kind: "project",
      path: join(session.cwd, "CLAUDE.md"),
      label: "Project instructions",
      description: "Saved in ./CLAUDE.md",
    },
  ].map((file) => ({ ...file, exists: existsSync(file.path) })),
  folders: [
    {
      kind: "auto",
      path: `${join(session.store.folder, "memory")}/`,
      label: "Open auto-memory folder",
      description: "",
    },
  ],
  memories: [],
  auto_memory: { enabled: true, toggleable: true, status: "on" },
  auto_dream: { shown: false, enabled: false, toggleable: true, status: "off", detail: "" },
});

const HOOK_EVENTS: readonly Readonly<{ name: string; summary: string; supportsMatcher: boolean }>[] = [
  { name: "PreToolUse", summary: "Before tool execution", supportsMatcher: true },
  { name: "PostToolUse", summary: "After tool execution", supportsMatcher: true },
  { name: "PostToolUseFailure", summary: "After tool execution fails", supportsMatcher: true },
  { name: "Notification", summary: "When notifications are sent", supportsMatcher: true },
  { name: "UserPromptSubmit", summary: "When the user submits a prompt", supportsMatcher: false },
  { name: "SessionStart", summary: "When a new session is started", supportsMatcher: true },
  { name: "Stop", summary: "Right before Claude concludes its response", supportsMatcher: false },
  { name: "SubagentStart", summary: "When a subagent (Agent tool call) is started", supportsMatcher: true },
  {
    name: "SubagentStop",
    summary: "Right before a subagent (Agent tool call) concludes its response",
    supportsMatcher: true,
  },
  { name: "PreCompact", summary: "Before conversation compaction", supportsMatcher: true },
  { name: "SessionEnd", summary: "When a session is ending", supportsMatcher: true },
  { name: "PermissionRequest", summary: "When a permission dialog is displayed", supportsMatcher: true },
];

export const hooksReport = (session: Session): Json => {
  const hooks = session.hooks.listing;
  return {
    events: HOOK_EVENTS.flatMap((entry) => {
      const hookCount = hooks.filter(({ event }) => event === entry.name).length;
      return hookCount === 0 ? [] : [{ ...entry, hookCount }];
    }),
    hooks,
    eventCatalog: HOOK_EVENTS,
    policy: { disabledByPolicy: false, managedOnly: false, pluginOnly: false, allDisabled: false, policyHookCount: 0 },
  };
};
