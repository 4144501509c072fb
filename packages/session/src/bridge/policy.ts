// The policy: who may do what. `needs` says which role a call needs and what a person confirms first. The server asks it before
// any handler runs, the page asks it which controls to offer, and docs/bridge.md is generated from it. Actions that can run code,
// change settings files or widen permissions need an admin. Pure. It stays one file, so that a reader sees every decision in one place.

import { asksNobody, MODE_NAMES } from "@quarterdeck/permissions/words";
import { isRecord } from "@quarterdeck/protocol";
import type { HostSubtype, PermissionSuggestion, PermissionUpdate } from "@quarterdeck/protocol";
import type { z } from "zod";
import type { Command } from "../head.ts";
import { canonicalJson, includesRole } from "./bridge.ts";
import type { Method, ParamsOf, Role } from "./bridge.ts";
import type { StartSettings } from "./start-settings.ts";

export interface Need {
  readonly role: Role;
  /** The part of the call that needs the role, as the subject of a sentence. Absent: the method itself. */
  readonly what?: string;
  /** What a person confirms before a client sends the call, as the subject of a sentence. */
  readonly confirm?: string;
}

/** What the parameters do not say. The server and the page know it from the session and the disk. */
export interface Known {
  /** The commands that the session's CLI lists. */
  readonly commands?: readonly Command[];
  /** The permission updates that the CLI suggested with the open request. */
  readonly suggested?: readonly PermissionSuggestion[];
  /** The folder has no session and is not trusted: roles below admin do not see it. */
  readonly isNewFolder?: boolean;
}

/** The fields of a call that are known so far. */
export type Given<M extends Method> = Partial<ParamsOf<M>>;

/** The least that every call of a method needs, and what some calls need beyond that. */
interface Rule<M extends Method> extends Need {
  readonly more?: (params: Given<M>, known: Known) => readonly Need[];
}

/** Every method has an entry: without one this file does not compile. */
const RULES: { readonly [M in Method]: Rule<M> } = {
  initialize: { role: "view" },
  ping: { role: "view" },

  "sessions/list": { role: "view" },
  "sessions/search": { role: "view" },
  "session/secrets": { role: "view" },
  "usage/report": { role: "view" },
  "sessions/start": {
    role: "operate",
    more: ({ settings = {}, prompt = "" }, known) => [
      ...startNeeds(settings),
      promptNeed(prompt, known),
      ...folderNeeds(known),
    ],
  },
  "sessions/resume": {
    role: "operate",
    more: ({ takeOver, allowBypass, debugFile, settings = {} }, known) => [
      ...startNeeds(settings),
      ...(takeOver === true ? [{ role: "operate", confirm: "Ending the session in its terminal" } as const] : []),
      ...(allowBypass === true ? [bypassNeed] : []),
      ...(debugFile === undefined ? [] : [{ role: START_ROLES.debugFile, what: "The setting debugFile" } as const]),
      ...folderNeeds(known),
    ],
  },
  "sessions/fork": { role: "operate" },
  "sessions/close": { role: "operate" },
  "sessions/handOver": { role: "operate" },
  "sessions/rename": { role: "operate" },
  "sessions/archive": { role: "operate" },
  "sessions/delete": { role: "admin", confirm: "Deleting a session" },

  "projects/list": { role: "view" },
  "projects/inspect": { role: "view" },
  "projects/trust": {
    role: "admin",
    more: ({ trusted }) => (trusted === true ? [{ role: "admin", confirm: "What the folder would run" }] : []),
  },

  "session/subscribe": { role: "view" },
  "session/rows": { role: "view" },
  "session/find": { role: "view" },
  "session/events": { role: "view" },
  "session/unsubscribe": { role: "view" },
  "session/ack": { role: "view" },
  "session/prompt": { role: "operate", more: ({ content = "" }, known) => [promptNeed(content, known)] },
  "session/editPrompt": { role: "operate", more: ({ content = "" }, known) => [promptNeed(content, known)] },
  "session/cancelPrompt": { role: "operate" },
  "session/interrupt": { role: "operate" },
  "session/respond": { role: "answer", more: ({ answer }, known) => answerNeeds(answer, known) },
  "session/request": { role: "view", more: ({ request }) => requestNeeds(request) },
  "session/setModel": { role: "operate" },
  "session/setPermissionMode": { role: "operate", more: ({ mode }) => [modeNeed(mode)] },
  "session/setThinking": { role: "operate" },
  "session/settings": { role: "view" },

  "defaults/get": { role: "view" },
  "defaults/set": { role: "operate", more: ({ settings }) => [modeNeed(settings?.permissionMode)] },
  "budgets/get": { role: "view" },
  // A device that may send prompts may raise the session's budget. Only admins change limits for all sessions.
  "budgets/set": {
    role: "operate",
    more: ({ dayUsd, eachUsd }) =>
      dayUsd === undefined && eachUsd === undefined ? [] : [{ role: "admin", what: "A budget for all sessions" }],
  },
  // A server is a program that runs with the rights of the user.
  "mcp/servers": { role: "admin" },
  "mcp/preview": { role: "admin" },
  "mcp/save": { role: "admin" },
  "mcp/log": { role: "operate" },
  "server/settings": { role: "admin" },
  "server/setVariable": { role: "admin" },
  "server/revokeTrust": { role: "admin", confirm: "Revoking the trust in a folder" },
  "server/planRetention": { role: "admin" },
  "server/setRetention": {
    role: "admin",
    more: ({ days }) => (days == null ? [] : [{ role: "admin", confirm: "Deleting old sessions" }]),
  },

  "files/suggest": { role: "view" },
  "files/list": { role: "view" },
  "files/read": { role: "view" },
  "changes/list": { role: "view" },
  "changes/diff": { role: "view" },
  "changes/content": { role: "view" },
  "changes/patch": { role: "view" },
  "revert/preview": { role: "view" },
  "revert/apply": { role: "operate" },
  "revert/undo": { role: "operate" },
  "rewind/preview": { role: "view" },
  "rewind/apply": { role: "operate" },
  "rewind/undo": { role: "operate" },
  "requests/preview": { role: "view" },

  // The CLI lists its rules to viewers, too. A preview shows lines of settings files, which no device reads otherwise.
  "rules/list": { role: "view" },
  "rules/test": { role: "view" },
  "rules/preview": { role: "admin" },
  "rules/save": { role: "admin", more: ({ change }) => changeNeeds(change) },

  "policies/list": { role: "operate" },
  "policies/add": {
    role: "admin",
    more: ({ behavior }) =>
      behavior === "allow" ? [{ role: "admin", confirm: "A policy that allows calls without a question" }] : [],
  },
  "policies/change": { role: "admin" },
  "policies/remove": { role: "admin" },
  "audit/list": { role: "operate" },

  "git/state": { role: "view" },
  "git/brief": { role: "view" },
  "git/diff": { role: "view" },
  "git/worktrees": { role: "view" },
  "git/compare": { role: "view" },
  "git/stage": { role: "operate" },
  "git/unstage": { role: "operate" },
  "git/commit": { role: "operate" },
  "git/undo": { role: "operate" },
  "git/remote": { role: "operate" },
  "git/planMerge": { role: "view" },
  "git/merge": { role: "operate", confirm: "Merging a worktree" },
  // What removes files, and what leaves this machine, is for admins.
  "git/planDiscard": { role: "view" },
  "git/discard": { role: "admin", confirm: "Removing a worktree" },
  "git/push": { role: "admin", confirm: "Pushing to a remote" },
  "git/pullRequest": { role: "admin", confirm: "Creating a pull request" },

  "tickets/create": {
    role: "view",
    more: ({ kind }) =>
      kind === "upload"
        ? [{ role: "operate", what: "An upload" }]
        : kind === "audit"
          ? [{ role: "operate", what: "An export of the audit" }]
          : [],
  },
  // A device sets what it hears itself. What leaves for another server is for admins.
  "notifications/get": { role: "view" },
  "notifications/set": { role: "view" },
  "notifications/subscribe": { role: "view" },
  "notifications/unsubscribe": { role: "view" },
  "notifications/test": { role: "view" },
  "notifications/look": { role: "view" },
  "notifications/targets": { role: "admin" },
  "notifications/setTarget": { role: "admin" },
  "notifications/removeTarget": { role: "admin" },
  "notifications/testTarget": { role: "admin" },

  "devices/list": { role: "admin" },
  "devices/pair": { role: "admin" },
  "devices/reach": { role: "admin" },
  "devices/addToken": { role: "admin" },
  "devices/revoke": { role: "admin", confirm: "Revoking a device" },

  "fleet/status": { role: "view" },
  "fleet/reload": { role: "admin" },

  // A command line and an environment run any program. See also `mayRelay`.
  "relay/open": { role: "admin" },
  "relay/input": { role: "admin" },
  "relay/endInput": { role: "admin" },
  "relay/signal": { role: "admin" },
  "relay/ack": { role: "admin" },
};

/**
 * What a call needs. Without parameters, or without facts that only the server knows, it returns the least that such a
 * call needs. More facts can make it stricter, never weaker.
 */
export const needs = <M extends Method>(method: M, params?: Given<M>, known: Known = {}): Need => {
  const { more, ...least }: Rule<M> = RULES[method];
  return params === undefined || more === undefined ? least : strictest([least, ...more(params, known)]);
};

/** Whether a device with this role may make the call. A device whose role is not known yet may not. */
export const allows = <M extends Method>(
  role: Role | undefined,
  method: M,
  params?: Given<M>,
  known?: Known,
): boolean => role !== undefined && includesRole(role, needs(method, params, known).role);

/** Whether the role of some calls depends on their parameters. */
export const dependsOnParams = (method: Method): boolean => RULES[method].more !== undefined;

const strictest = (all: readonly Need[]): Need => {
  const need = all.reduce((most, next) => (includesRole(most.role, next.role) ? most : next));
  const confirm = all.find((each) => each.confirm !== undefined)?.confirm;
  return confirm === undefined ? need : { ...need, confirm };
};

/**
 * Whether the call shows that a person confirmed it. Only an answer carries that; the other confirmations are between the client
 * and the person.
 */
export const isConfirmed = <M extends Method>(method: M, params: Given<M>): boolean => {
  if (method !== "session/respond") return true;
  const { answer } = params as Given<"session/respond">;
  return answer?.kind === "allow" && answer.confirmed !== undefined && answer.confirmed.trim() !== "";
};

// Beyond methods.

/** Roots and what folders would run are shown to admins. Other roles see the folders of sessions and of trusted projects. */
export const seesRoots = (role: Role): boolean => includesRole(role, "admin");

/** A caller of `relay/open` brings a command line and an environment, so it must be a program of the user on this machine. */
export const mayRelay = (role: Role, isLocal: boolean): boolean => isLocal && includesRole(role, "admin");

/**
 * The role of a device that a gateway introduced: the smaller of what the gateway says and what this machine's owner allows that gateway.
 * Without an allowed role, the device may do nothing.
 */
export const roleThroughFleet = (introduced: Role, allowed: Role | undefined): Role | undefined =>
  allowed === undefined || includesRole(introduced, allowed) ? allowed : introduced;

/** A call through a gateway cannot create, remove or widen access. Such access would stay after this machine locks the gateway out. */
export const mayThroughFleet = (method: Method): boolean =>
  !/^(?:devices|fleet|relay)\/(?!list$|reach$|status$)/u.test(method);

/** What a call reaches, for a device whose machine may use only some folders here. */
export type Reach =
  /** Nothing in a folder. */
  | { readonly kind: "free" }
  /** The answer has only what is within the folders. */
  | { readonly kind: "listed" }
  /** These must be within the folders. */
  | { readonly kind: "named"; readonly sessions: readonly string[]; readonly folders: readonly string[] }
  /** All folders, or files that belong to no folder. */
  | { readonly kind: "beyond" };

const FREE: ReadonlySet<Method> = new Set<Method>(["initialize", "ping", "fleet/status", "notifications/look"]);
const LISTED: ReadonlySet<Method> = new Set<Method>(["sessions/list", "sessions/search", "projects/list"]);
/** They name a session or a folder, and can change more than that: budgets of all, settings of the user. */
const BEYOND: ReadonlySet<Method> = new Set<Method>(["budgets/set", "mcp/preview", "mcp/save", "rules/save"]);

/** A call that names no session and no folder reaches everything, unless it is on a list above. */
export const reachOf = (method: Method, params: unknown): Reach => {
  const given = isRecord(params) ? params : {};
  const isUpload = method === "tickets/create" && given["kind"] === "upload";
  const isRoots = method === "files/list" && given["path"] === undefined;
  if (FREE.has(method) || isUpload) return { kind: "free" };
  if (BEYOND.has(method)) return { kind: "beyond" };
  const texts = (...values: readonly unknown[]): string[] =>
    values.flat().filter((value): value is string => typeof value === "string");
  // The id of a command that starts a session is the id of that session.
  const sessions = texts(given["session"], method === "sessions/start" ? given["commandId"] : undefined);
  const path = method === "files/list" ? given["path"] : undefined;
  const folders = texts(given["cwd"], given["folder"], given["folders"], path);
  if (sessions.length + folders.length > 0) return { kind: "named", sessions, folders };
  return { kind: LISTED.has(method) || isRoots ? "listed" : "beyond" };
};

/** HTTP routes that need a bearer token need this role, too. Tickets come from `tickets/create` and `files/read`. */
export const ROUTE_ROLES = { metrics: "view" } as const satisfies Readonly<Record<string, Role>>;

const folderNeeds = ({ isNewFolder }: Known): readonly Need[] =>
  isNewFolder === true ? [{ role: "admin", what: "The first session in a folder" }] : [];

// Control requests.

/** `null`: not through the bridge. The host sends it itself, or the bridge has a method for it. */
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
  // The CLI writes it down for the folder, like `/mcp enable`. It can start a server that was switched off.
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

/** Like the commands `/effort` and `/fast`. */
const EFFORT_SETTINGS: ReadonlySet<string> = new Set(["effortLevel", "fastMode"]);
const setsOnlyEffort = (settings: unknown): boolean =>
  isRecord(settings) && Object.keys(settings).every((name) => EFFORT_SETTINGS.has(name));

/** The handler refuses subtypes that are unknown or not for clients. */
const requestNeeds = (request: Given<"session/request">["request"]): readonly Need[] => {
  const { subtype } = request ?? {};
  if (subtype === "apply_flag_settings" && setsOnlyEffort(request?.["settings"]))
    return [{ role: "operate", what: "Effort and fast mode" }];
  const role =
    subtype !== undefined && Object.hasOwn(REQUEST_ROLES, subtype) ? REQUEST_ROLES[subtype as HostSubtype] : null;
  return role === null ? [] : [{ role, what: `The request ${subtype}` }];
};

// Settings of a start, and modes.

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
  allowDangerouslySkipPermissions: "admin",
  allowedTools: "admin",
  systemPrompt: "admin",
  agents: "admin",
  settings: "admin",
  settingSources: "admin",
  mcpConfig: "admin",
  pluginDir: "admin",
  debug: "admin",
  debugFile: "admin",
} as const satisfies Readonly<Record<keyof Settings, Role>>;
type Settings = z.input<typeof StartSettings>;

const startNeeds = (settings: Settings): readonly Need[] => {
  const set = (Object.keys(settings) as (keyof Settings)[]).filter((name) => settings[name] !== undefined);
  const { confirm: _chosenInTheForm, ...mode } = modeNeed(settings.permissionMode);
  return [
    ...set.map((name) => ({ role: START_ROLES[name], what: `The setting ${name}` })),
    mode,
    ...(settings.allowDangerouslySkipPermissions === true ? [bypassNeed] : []),
  ];
};

/** From then on, one click ends all questions. */
const bypassNeed: Need = {
  role: "admin",
  what: "Allowing the mode bypassPermissions",
  confirm: "Allowing the mode bypassPermissions",
};

const ADMIN_MODES: ReadonlySet<string> = new Set(MODE_NAMES.filter(asksNobody));

const modeNeed = (mode: string | undefined): Need => {
  const what = `The mode ${mode}`;
  return mode !== undefined && ADMIN_MODES.has(mode)
    ? { role: "admin", what, confirm: what }
    : { role: "operate", what };
};

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

/**
 * What a prompt needs. A built-in command that the table does not have needs an admin, because nobody has checked what it
 * changes. Commands of the user, the project or a plugin are prompts. The CLI takes names that it does not list as text, such as
 * a path.
 */
const promptNeed = (content: string | readonly Readonly<Record<string, unknown>>[], { commands = [] }: Known): Need => {
  const texts =
    typeof content === "string" ? [content] : content.flatMap(({ text }) => (typeof text === "string" ? [text] : []));
  return strictest([{ role: "operate" }, ...texts.map((text) => textNeed(text, commands))]);
};

/** Stricter than the CLI: other versions may trim a prompt, or not tell capitals from small letters. */
const COMMAND = /^[\s\p{Cf}]*\/([^\s]+)/u;

const textNeed = (text: string, commands: readonly Command[]): Need => {
  const typed = COMMAND.exec(text)?.[1];
  if (typed === undefined) return { role: "operate" };
  const name = typed.replaceAll(/\p{Cf}/gu, "").toLowerCase();
  const what = `The command ${`/${typed}`.slice(0, 60)}`;
  const known = SLASH_ROLES.get(name);
  if (known !== undefined) return { role: known, what };
  const listed = commands.find((one) => isNamed(one, name));
  if (listed === undefined) return { role: "operate" };
  const aliased = SLASH_ROLES.get(listed.name.toLowerCase());
  return { role: aliased ?? (listed.builtin === true ? "admin" : "operate"), what };
};

const isNamed = ({ name, aliases = [] }: Command, wanted: string): boolean =>
  name.toLowerCase() === wanted || aliases.some((alias) => alias.toLowerCase() === wanted);

// Answers to open requests.

type Answer = NonNullable<Given<"session/respond">["answer"]>;

const answerNeeds = (answer: Answer | undefined, { suggested }: Known): readonly Need[] => {
  // We declare no dialogs to the CLI, so nobody knows what the result of a dialog would change.
  if (answer?.kind === "dialog" && !(isRecord(answer.result) && answer.result["behavior"] === "cancelled"))
    return [{ role: "admin", what: "The result of a dialog" }];
  if (answer?.kind !== "allow") return [];
  const { updatedInput, updatedPermissions = [] } = answer;
  return [
    // A person who edits the input decides what runs. That is more than to answer.
    ...(updatedInput === undefined ? [] : [{ role: "operate", what: "An edited input" } as const]),
    ...updatedPermissions.map((update) => updateNeed(update, suggested)),
  ];
};

/**
 * Below admin, an answer may add only what the CLI suggested with this request, at most for the session. The answer
 * decides about this call, not about others.
 */
const updateNeed = (update: PermissionUpdate, suggested: readonly PermissionSuggestion[] | undefined): Need => {
  const { destination } = update;
  if (update.type === "setMode" && (destination === "session" || ADMIN_MODES.has(update.mode)))
    return modeNeed(update.mode);
  if (destination !== "session") {
    const what = update.type === "setMode" ? `The mode ${update.mode}` : `A rule in ${destination}`;
    return { role: "admin", what, ...(destination !== "localSettings" && { confirm: what }) };
  }
  return suggested === undefined || suggested.some((one) => isPartOf(update, one))
    ? { role: "answer" }
    : { role: "admin", what: "A rule that Claude Code did not suggest for this request" };
};

/** A rule that holds for other people or other projects is confirmed first. */
const changeNeeds = (change: Given<"rules/save">["change"]): readonly Need[] =>
  [change?.from, change?.to]
    .filter((place) => place !== undefined && place.scope !== "localSettings")
    .map((place) => ({ role: "admin", confirm: `A rule in ${place!.scope}` }));

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
