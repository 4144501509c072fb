// Who may do what, where one method carries many things: the control requests of `session/request`, the settings of
// `sessions/start`, the slash commands of a prompt and the rules of an answer. Whatever can run code, change files of settings or
// widen what is allowed is an admin's.

import type { HostSubtype, PermissionSuggestion, PermissionUpdate } from "@quarterdeck/protocol";
import type { Command } from "../head.ts";
import { canonicalJson } from "./canonical-json.ts";
import type { Role } from "./role.ts";

/** `null`: not through the bridge. The host does it itself, or it has a method of its own. */
export const REQUEST_ROLES: Readonly<Record<HostSubtype, Role | null>> = {
  initialize: null,
  mcp_message: null,
  interrupt: "operate",
  set_permission_mode: null,
  set_model: "operate",
  set_max_thinking_tokens: "operate",
  apply_flag_settings: "admin",
  update_settings: "admin",
  get_settings: "operate",
  rename_session: null,
  generate_session_title: "operate",
  set_color: "operate",
  set_cwd: "admin",
  set_has_subscribers: null,
  set_proactivity_level: "operate",
  end_session: null,
  cancel_async_message: null,
  rewind_files: "operate",
  seed_read_state: "operate",
  side_question: "operate",
  stop_task: "operate",
  background_tasks: "operate",
  get_task_output: "view",
  start_shell_task: "admin",
  mcp_status: "view",
  mcp_set_servers: "admin",
  mcp_reconnect: "operate",
  // Written down for the folder, like `/mcp enable`: it also starts a server that somebody switched off.
  mcp_toggle: "admin",
  mcp_read_resource: "operate",
  mcp_call: "admin",
  mcp_authenticate: "admin",
  mcp_clear_auth: "admin",
  mcp_oauth_callback_url: "admin",
  set_mcp_permission_mode_override: "admin",
  get_context_usage: "view",
  get_usage: "view",
  get_session_cost: "view",
  get_status: "view",
  get_plan: "view",
  get_binary_version: "view",
  list_models: "view",
  list_permission_rules: "view",
  get_hooks_listing: "view",
  read_file: null,
  file_suggestions: null,
  list_directory: null,
  export_conversation: "view",
  get_workspace_diff: null,
  reload_plugins: "admin",
  reload_skills: "operate",
  reload_output_styles: "operate",
  register_repo_root: "admin",
  get_memory_dialog: "view",
  get_skills_dialog: "view",
  get_sandbox_dialog: "view",
  claude_authenticate: "admin",
  claude_oauth_callback: "admin",
  claude_oauth_wait_for_completion: "admin",
  remote_control: "admin",
  channel_enable: "admin",
  claim_session: null,
  message_rated: "operate",
  submit_feedback: "admin",
  submit_survey_feedback: "admin",
  ultrareview_launch: "admin",
};

export const START_ROLES = {
  model: "operate",
  fallbackModel: "operate",
  effort: "operate",
  permissionMode: "operate",
  maxTurns: "operate",
  maxBudgetUsd: "operate",
  maxThinkingTokens: "operate",
  thinking: "operate",
  autocompact: "operate",
  betas: "operate",
  fastMode: "operate",
  agent: "operate",
  worktree: "operate",
  name: "operate",
  appendSystemPrompt: "operate",
  tools: "operate",
  disallowedTools: "operate",
  addDir: "operate",
  jsonSchema: "operate",
  disableSlashCommands: "operate",
  noSessionPersistence: "operate",
  promptSuggestions: "operate",
  restricted: "operate",
  safeMode: "operate",
  strictMcpConfig: "operate",
  allowedTools: "admin",
  systemPrompt: "admin",
  agents: "admin",
  settings: "admin",
  settingSources: "admin",
  mcpConfig: "admin",
  pluginDir: "admin",
  debugFile: "admin",
} as const satisfies Readonly<Record<string, Role>>;

/** Modes in which the CLI asks nobody: only an admin may choose them. */
export const ADMIN_MODES: ReadonlySet<string> = new Set(["bypassPermissions", "auto"]);

// Slash commands. The CLI runs a prompt that begins with "/" as a command, without asking anybody: `/config
// permissionMode=auto` writes the user's settings. Measured on 2.1.38 and 2.1.325 in stream-json mode: the name ends at the first
// white space of any kind, case counts, the last block of a list is the one that counts, and "!" and "#" mean nothing.

/** Commands that act on the session alone, or are prompts that the CLI wrote: their tools ask as always. */
const OPERATE_COMMANDS = [
  // Read, or steer the session: as the control requests of the same names.
  ...["clear", "reset", "new", "compact", "context", "usage", "cost", "stats", "status", "help", "version", "recap"],
  ...["model", "effort", "fast", "color", "rename", "name", "plan", "focus", "copy", "diff", "files", "todos"],
  ...["reload-skills", "skills", "list-agents", "peers", "tasks", "bashes", "stop", "btw", "rewind", "checkpoint"],
  ...["branch", "fork", "tag", "export", "exit", "quit", "release-notes", "goal", "loop", "proactive", "workflows"],
  // Prompts.
  ...["init", "review", "code-review", "security-review", "pr-comments", "simplify", "verify", "debug", "batch"],
  ...["deep-research", "dataviz", "claude-api", "workflow-authoring", "plugin-authoring", "run", "run-skill-generator"],
] as const;

/** Commands that change settings, permissions, login, plugins, hooks, servers or memory, or reach beyond the session. */
const ADMIN_COMMANDS = [
  ...["config", "settings", "update-config", "permissions", "allowed-tools", "fewer-permission-prompts"],
  ...["auto-mode-setup", "sandbox", "autocompact", "output-style", "theme", "vim", "keybindings", "statusline"],
  ...["hooks", "mcp", "agents", "memory", "pause-memory", "plugin", "plugins", "marketplace", "reload-plugins"],
  ...["cloud-plugins", "skill-doctor", "doctor", "checkup", "add-dir", "cd", "project", "import", "advisor"],
  ...["login", "logout", "design-login", "design-consent", "design-revoke", "setup-bedrock", "setup-vertex"],
  ...["install", "install-github-app", "install-slack-app", "terminal-setup", "web-setup", "ide", "chrome", "voice"],
  ...["remote-control", "rc", "remote-env", "teleport", "desktop", "mobile", "session", "daemon", "background", "bg"],
  ...["restart", "resume", "schedule", "ultrareview", "ultraplan", "autofix-pr", "share", "feedback", "bug"],
  ...["upgrade", "extra-usage", "usage-credits", "passes", "rate-limit-options", "privacy-settings"],
  // They write down what the CLI has in memory, or read every conversation of the user.
  ...["heapdump", "insights", "team-onboarding", "think-back", "thinkback-play", "__remote-workflow"],
  ...["workflow-launch-exec"],
] as const;

export const SLASH_ROLES: ReadonlyMap<string, Role> = new Map<string, Role>([
  ...OPERATE_COMMANDS.map((name) => [name, "operate"] as const),
  ...ADMIN_COMMANDS.map((name) => [name, "admin"] as const),
]);

export interface PromptNeed {
  readonly role: Role;
  /** The command that needs it, with its slash. */
  readonly command?: string;
}

/**
 * The role that a prompt needs. `commands` is what the session's CLI lists: a built-in command that the table does not have needs
 * an admin, because nobody has looked at what it changes. Commands of the user, the project or a plugin are prompts. A name that
 * the CLI does not list is text to it, such as a path.
 */
export const promptNeed = (
  content: string | readonly Readonly<Record<string, unknown>>[],
  commands: readonly Command[],
): PromptNeed => {
  const texts =
    typeof content === "string" ? [content] : content.flatMap(({ text }) => (typeof text === "string" ? [text] : []));
  const needs = texts.map((text) => textNeed(text, commands));
  return needs.find(({ role }) => role === "admin") ?? { role: "operate" };
};

/** Stricter than the CLI: other versions may trim a prompt, or not tell capitals from small letters. */
const COMMAND = /^[\s\p{Cf}]*\/([^\s]+)/u;

const textNeed = (text: string, commands: readonly Command[]): PromptNeed => {
  const typed = COMMAND.exec(text)?.[1];
  if (typed === undefined) return { role: "operate" };
  const name = typed.replaceAll(/\p{Cf}/gu, "").toLowerCase();
  const command = `/${typed}`;
  const known = SLASH_ROLES.get(name);
  if (known !== undefined) return { role: known, command };
  const listed = commands.find((one) => isNamed(one, name));
  if (listed === undefined) return { role: "operate" };
  const aliased = SLASH_ROLES.get(listed.name.toLowerCase());
  return { role: aliased ?? (listed.builtin === true ? "admin" : "operate"), command };
};

const isNamed = ({ name, aliases = [] }: Command, wanted: string): boolean =>
  name.toLowerCase() === wanted || aliases.some((alias) => alias.toLowerCase() === wanted);

// Rules that come with an answer.

export interface UpdateNeed {
  readonly role: Role;
  /** An admin must say in words that this is wanted. */
  readonly confirm: boolean;
}

/**
 * The role that a permission update needs when it comes with an answer. Below admin only what the CLI suggested with this very
 * request is accepted, for the session or less of it: whoever answers decides about this call, not about others.
 */
export const updateNeed = (update: PermissionUpdate, suggested: readonly PermissionSuggestion[]): UpdateNeed => {
  const { type, destination } = update;
  const confirm =
    (type === "setMode" && ADMIN_MODES.has(update.mode)) ||
    (destination !== "session" && destination !== "localSettings");
  if (confirm || destination !== "session") return { role: "admin", confirm };
  // As `session/setPermissionMode`.
  if (type === "setMode") return { role: "operate", confirm };
  return { role: suggested.some((one) => isPartOf(update, one)) ? "answer" : "admin", confirm };
};

/** The suggestion itself for the session, or some of its rules or folders. */
const isPartOf = (update: PermissionUpdate, suggestion: PermissionSuggestion): boolean => {
  if (update.type !== suggestion.type) return false;
  const { destination: _mine, ...mine } = update as Readonly<Record<string, unknown>>;
  const { destination: _theirs, ...theirs } = suggestion as Readonly<Record<string, unknown>>;
  // A list that replaces another would drop what it leaves out.
  const list = update.type === "addRules" ? "rules" : update.type === "addDirectories" ? "directories" : undefined;
  if (list === undefined) return canonicalJson(mine) === canonicalJson(theirs);
  const [some, all] = [mine[list], theirs[list]];
  if (!Array.isArray(some) || !Array.isArray(all) || some.length === 0) return false;
  const offered = new Set(all.map((one) => canonicalJson(one)));
  return (
    canonicalJson({ ...mine, [list]: [] }) === canonicalJson({ ...theirs, [list]: [] }) &&
    some.every((one) => offered.has(canonicalJson(one)))
  );
};
